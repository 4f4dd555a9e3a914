"""HTTP only: routes of three lines, and what pages print."""
