"""Flat rows as files, in five formats that hold the same rows and say where they come from."""
