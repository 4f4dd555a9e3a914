"""The page that sets series against each other."""
