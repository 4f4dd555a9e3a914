"""A view as one document that travels: for scripts, for issues, and for a file that opens without Halo."""
