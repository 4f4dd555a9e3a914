"""A report as one HTML file that holds everything it needs."""
