"""The addresses of the exports: one a format, all with the parameters of a view."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Annotated

import orjson
from fastapi import APIRouter, Depends, Response
from fastapi.responses import StreamingResponse

from app.details.row import COLUMNS, api_row, unit_of, words_of
from app.store.arrow import arrow_file
from app.store.exports import numbers, parquet_file, told
from app.store.read import Row
from app.view import PARAMETERS, Problem
from app.web.deps import Asked, strictly
from app.web.errors import BadRequest
from app.web.exports.csvtext import csv_text
from app.web.exports.markdown import markdown_text
from app.web.exports.ndjson import ndjson_text
from app.web.exports.stamp import Stamp, stamp_of
from app.web.listing import all_rows, read_limit

router = APIRouter()

Exported = Annotated[Asked, Depends(strictly(PARAMETERS, ("limit",)))]
Headed = Annotated[Asked, Depends(strictly(PARAMETERS, ("limit", "units")))]
MOST = 2**31

MEDIA = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.file",
    "ndjson": "application/x-ndjson",
    "md": "text/markdown",
}
"""Every format by the ending of its address."""


@router.get("/api/v1/points.csv", name="points_csv")
def points_csv(asked: Headed) -> Response:
    return sent("csv", asked, csv_text(_pages(asked), _stamp(asked), units=_with_units(asked)))


@router.get("/api/v1/points.ndjson", name="points_ndjson")
def points_ndjson(asked: Exported) -> Response:
    return sent("ndjson", asked, ndjson_text(_pages(asked), _stamp(asked)))


@router.get("/api/v1/points.md", name="points_md")
def points_md(asked: Exported) -> Response:
    # The limit is read here: what cannot be answered must be said before anything is sent.
    read = partial(all_rows, asked.question(), _limit(asked))
    return sent("md", asked, markdown_text(read, numbers(), _stamp(asked)))


@router.get("/api/v1/points.parquet", name="points_parquet")
def points_parquet(asked: Exported) -> Response:
    return sent("parquet", asked, parquet_file(_flat(asked), _COLUMNS, _words(_stamp(asked))))


@router.get("/api/v1/points.arrow", name="points_arrow")
def points_arrow(asked: Exported) -> Response:
    return sent("arrow", asked, arrow_file(_flat(asked), _COLUMNS, _words(_stamp(asked))))


def sent(kind: str, asked: Asked, pieces: Iterable[bytes]) -> Response:
    """The pieces as a download, sent as they are made."""
    media = f"{MEDIA[kind]}; charset=utf-8" if MEDIA[kind].startswith("text/") else MEDIA[kind]
    headers = {"content-disposition": f'attachment; filename="halo-{asked.snapshot.id}.{kind}"'}
    return StreamingResponse(pieces, media_type=media, headers=headers)


_COLUMNS = told(COLUMNS, {name: words_of(name) for name in COLUMNS})
_UNITS = orjson.dumps({name: unit for name in COLUMNS if (unit := unit_of(name))}).decode()


def _words(stamp: Stamp) -> dict[str, str]:
    """The stamp, and all units once more for readers that do not show what a field says of itself."""
    return {**stamp.words, "halo.units": _UNITS}


def _stamp(asked: Asked) -> Stamp:
    return stamp_of(asked.view, asked.snapshot.id)


def _limit(asked: Asked) -> int | None:
    return read_limit(asked.own.get("limit"), MOST)


def _pages(asked: Asked) -> Iterator[list[Row]]:
    return all_rows(asked.question(), _limit(asked))


def _flat(asked: Asked) -> Iterator[list[Row]]:
    return ([api_row(row) for row in rows] for rows in _pages(asked))


def _with_units(asked: Asked) -> bool:
    text = asked.own.get("units", "0")
    if text not in ("0", "1"):
        raise BadRequest([Problem("units", text, f"units={text}: 0 or 1 is expected")])
    return text == "1"
