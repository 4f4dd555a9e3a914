"""Halo for assistants: the JSON API as tools of the Model Context Protocol, at one address."""
