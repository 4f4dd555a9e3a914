"""Reload or recompute, and how big a pool: arithmetic over a model's geometry, a load and a server."""
