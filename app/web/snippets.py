"""The current view as commands and code to copy, each of which runs as it stands where this Halo is served."""

from dataclasses import dataclass

from app.question import Question, settled
from app.web import links


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """Code in which `HALO` stands for the address of this Halo. `head` says it in the snippet's own language."""

    key: str
    label: str
    head: tuple[str, str]
    """What stands before the address and behind it."""
    code: str
    note: str


_SHELL = ('HALO="', '"')
_PYTHON = ('HALO = "', '"')


def snippets(question: Question) -> tuple[Snippet, ...]:
    rows, view = links.rows_query(question), settled(question).query()
    y = question.y.key
    return (
        Snippet(
            key="curl",
            label="curl",
            head=_SHELL,
            code=(
                f'curl -fsS "$HALO/api/v1/points?{rows}&limit=10000"\n'
                f'curl -fsS "$HALO/api/v1/report?{view}" -o report.json'
            ),
            note="The rows of this view, and the whole of it as one document.",
        ),
        Snippet(
            key="python",
            label="Python",
            head=_PYTHON,
            code=(
                "import json\nfrom urllib.request import urlopen\n\n"
                f'rows = json.load(urlopen(f"{{HALO}}/api/v1/points?{rows}&limit=10000"))["rows"]\n'
                "print(len(rows), rows[:1])"
            ),
            note="Nothing but the standard library. Beyond 10,000 rows, follow `next`, or take the Parquet file.",
        ),
        Snippet(
            key="plotly",
            label="Plotly",
            head=_PYTHON,
            code=(
                "import plotly.io\nfrom urllib.request import urlopen\n\n"
                f'text = urlopen(f"{{HALO}}/api/v1/figures/pareto.plotly.json?{view}").read().decode()\n'
                "figure = plotly.io.from_json(text)\nfigure"
            ),
            note="The figure of the page in a notebook, halos included. plotly 6.1 or newer knows dashed marker lines.",
        ),
        Snippet(
            key="polars",
            label="Polars",
            head=_PYTHON,
            code=(
                "import io\nfrom urllib.request import urlopen\n\nimport polars as pl\n\n"
                f'frame = pl.read_parquet(io.BytesIO(urlopen(f"{{HALO}}/api/v1/points.parquet?{rows}").read()))\n'
                f'print(frame.sort("{y}", descending=True, nulls_last=True).select("chip", "engine", "{y}").head())'
            ),
            note="Every match, however many. pyarrow and pandas read the same file, with units in its fields.",
        ),
        Snippet(
            key="duckdb",
            label="DuckDB",
            head=_PYTHON,
            code=(
                "import duckdb\nfrom urllib.request import urlretrieve\n\n"
                f'urlretrieve(f"{{HALO}}/api/v1/points.parquet?{rows}", "points.parquet")\n'
                f'print(duckdb.sql("""\n    SELECT chip, engine, count(*) AS points, max({y}) AS best\n'
                '    FROM read_parquet(\'points.parquet\') GROUP BY ALL ORDER BY best DESC NULLS LAST\n"""))'
            ),
            note="Fetched first, since DuckDB reads an address only with its httpfs extension, which it downloads. "
            "Where that is installed, put the address itself into `read_parquet`.",
        ),
    )
