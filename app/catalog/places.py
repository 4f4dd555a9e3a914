"""Where a record was read, as the store keeps it: a path, or a word on who brought it and from where."""

UPLOAD = "upload:"
"""Start of the place of a file that was sent here; the name of the sender's token follows, then the file's path."""


def upload_place(sender: str, path: str = "") -> str:
    """`upload:ci/results/agg.json`."""
    return f"{UPLOAD}{sender}/{path}"


def sender_of(place: str) -> str | None:
    """Name of the token that a place says a file was sent with; None where it was not sent."""
    return place.removeprefix(UPLOAD).partition("/")[0] if place.startswith(UPLOAD) else None
