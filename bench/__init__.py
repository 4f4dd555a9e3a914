"""Ratios against limits measured in the same run: `make bench`, or `python -m bench view ingest`."""
