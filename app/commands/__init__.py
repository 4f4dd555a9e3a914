"""Commands of `halo` that need a module of their own; `app/cli.py` lists them all."""


class Told(Exception):
    """What went wrong, as one sentence for the person at the terminal: where, and what would be right."""
