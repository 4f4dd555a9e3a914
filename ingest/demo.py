"""Where the tables that come with Halo lie: beside the code, in a checkout and in an installed package alike."""

from pathlib import Path

_DATA = Path(__file__).resolve().parent.parent / "data"


def demo_tables() -> list[Path]:
    """Synthetic results of the demo's serving model."""
    return sorted((_DATA / "demo").glob("*.csv"))


def published_tables() -> list[Path]:
    """Figures typed from public reports."""
    return sorted((_DATA / "published").glob("*.csv"))
