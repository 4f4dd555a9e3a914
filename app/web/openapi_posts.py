"""Addresses that take something, as OpenAPI describes them. Their examples are written here: asking would store."""

from typing import Any

from pydantic import Field

from app.catalog.chips import CHIPS
from app.web.errors import PROBLEM
from app.web.preview import LIMIT as PREVIEW_LIMIT
from app.web.preview import VIEW
from app.web.previews import KEPT_S, MOST
from app.web.received import FILES, MIB, bound
from app.web.said import RUN, SET
from app.web.schemas.curves import Figure
from app.web.schemas.rows import Model, Row
from app.web.schemas.state import Problem
from app.web.upload import LIMIT as UPLOAD_LIMIT
from app.web.upload import a_minute

_JSON = "application/json"
_FORM = "multipart/form-data"


class RefusedPart(Model):
    where: str
    reason: str


class FileVerdict(Model):
    """What became of one file."""

    path: str
    source: str | None
    role: str = Field(description="results, companion, ignored or refused.")
    of: str | None = Field(description="The file that a companion completed.")
    points: int = Field(description="Results accepted: new, duplicates and superseded.")
    new: int
    duplicates: int
    superseded: int
    refused: list[RefusedPart]
    needs: list[str] = Field(description="Fields that nothing gave and that a view misses; `set` supplies them.")
    warnings: list[str]


class ModeCounts(Model):
    on: int
    off: int
    unknown: int


class VerdictTotals(Model):
    files: int
    points: int
    new: int
    duplicates: int
    superseded: int
    refused: int
    offload: ModeCounts


class Verdict(Model):
    """The same object as `halo ingest --json` prints."""

    snapshot: str | None = Field(description="The snapshot that now answers; the former one where nothing was new.")
    files: list[FileVerdict]
    totals: VerdictTotals


class Option(Model):
    value: str
    label: str


class Ask(Model):
    """A field that files leave open: `set=<name>=<value>` with the same files fills it in."""

    name: str
    label: str
    number: bool = Field(description="Whether it takes a number rather than a word.")
    options: list[Option] = Field(description="Words that are known; others are taken too.")


class Previewed(Verdict):
    """The verdict, and what to look at: points and figure of the view in which they lie over the stored ones."""

    preview: str | None = Field(description="Its id, for `preview=` on any address. Null where nothing is new.")
    address: str | None = Field(
        description="The dashboard with the points on it; with the stored ones pinned where nothing is new."
    )
    kept_s: int = Field(description="Seconds that it is kept at most.")
    asks: list[Ask] = Field(description="What `needs` of the files come to, with what may be filled in.")
    count: int = Field(description="Points that the store does not hold.")
    rows: list[Row] = Field(description="The first 1,000 of them, as /api/v1/points has them.")
    figure: Figure | None


POST_MODELS: tuple[type[Model], ...] = (Verdict, Previewed)
COMMANDS = {
    "preview": 'curl -s -F file=@results.json "$HALO/api/v1/preview"',
    "ingest": 'curl -s -H "Authorization: Bearer $HALO_TOKEN" -F file=@results.json -F run=nightly-7 '
    '"$HALO/api/v1/ingest"',
}
"""What a reader may copy, by operation."""

_FIELDS = {
    FILES: {
        "type": "array",
        "items": {"type": "string", "contentMediaType": "application/octet-stream"},
        "description": "Files; the field may have any name.",
    },
    RUN: {"type": "string", "description": "Name of the run, where a file states none."},
    SET: {
        "type": "array",
        "items": {"type": "string"},
        "description": "`key=value`: what the files do not say, as `--set` takes it.",
    },
}

_VERDICT = {
    "snapshot": "000007-1c2d3e4f",
    "files": [
        {
            "path": "results.json",
            "source": "vllm-bench",
            "role": "results",
            "of": None,
            "points": 1,
            "new": 1,
            "duplicates": 0,
            "superseded": 0,
            "refused": [],
            "needs": ["chip"],
            "warnings": [],
        }
    ],
    "totals": {
        "files": 1,
        "points": 1,
        "new": 1,
        "duplicates": 0,
        "superseded": 0,
        "refused": 0,
        "offload": {"on": 0, "off": 1, "unknown": 0},
    },
}


def posts() -> dict[str, dict[str, Any]]:
    """Path items of the addresses that take something."""
    return {"/api/v1/ingest": {"post": _ingest()}, "/api/v1/preview": {"post": _preview()}}


def _preview() -> dict[str, Any]:
    mib = bound(PREVIEW_LIMIT).bytes // MIB
    form = {
        "type": "object",
        "properties": {
            **_FIELDS,
            VIEW: {"type": "string", "description": "The query of the page on screen, to stay in where it can."},
        },
        "required": [FILES],
    }
    example = {
        "preview": "0123456789abcdef",
        "address": "/?preview=0123456789abcdef",
        "kept_s": KEPT_S,
        **_VERDICT,
        "asks": [
            {
                "name": "chip",
                "label": "Chip",
                "number": False,
                "options": [{"value": term.key, "label": term.label} for term in list(CHIPS)[:2]],
            }
        ],
        "count": 1,
        "rows": [],
        "figure": None,
    }
    return {
        "operationId": "preview",
        "summary": "Look at result files over the stored ones",
        "description": "Reads files as `halo ingest` does and stores nothing. Put the id that comes back behind "
        "`preview=` on any page or address: they lie over the stored points, flagged `not_stored`. The server keeps "
        f"the last {MOST} previews for an hour. At most {mib} MiB at a time; requests of other sites are refused.",
        "parameters": [],
        "requestBody": {"required": True, "content": {_FORM: {"schema": form}}},
        "responses": {
            "200": {
                "description": "What became of every file, and the points. Refused files are told here too.",
                "content": {_JSON: {"schema": {"$ref": "#/components/schemas/Previewed"}, "example": example}},
            },
            "400": _problem(400, "The form cannot be read, holds no file, or says something that means nothing.", SET),
            "403": _problem(403, "A page of another site asks."),
            "408": _problem(408, "The body stopped coming."),
            "413": _problem(413, "The body is larger than one preview may be."),
            "415": _problem(415, "The body is no form."),
            "422": _problem(422, "Reading the files took too long or failed."),
            "503": _problem(503, "Others are being read."),
        },
        "x-example": "/api/v1/preview",
    }


def _ingest() -> dict[str, Any]:
    mib = bound(UPLOAD_LIMIT).bytes // MIB
    return {
        "operationId": "ingest",
        "summary": "Send result files",
        "description": "Reads files into the store as `halo ingest` does, and answers with the same verdict. Files, "
        "zips, `.gz` and `.zst` are parts of a form, each with its path as its name, so that a `halo.toml` speaks for "
        "what lies below it. `run` names the run of files that name none; without it each such file is a run of its "
        f"own. Sending the same again changes nothing. Off until a token is made. At most {mib} MiB an upload and "
        f"{a_minute()} uploads a minute and token.",
        "security": [{"token": []}],
        "parameters": [],
        "requestBody": {
            "required": True,
            "content": {
                _FORM: {
                    "schema": {
                        "type": "object",
                        "properties": _FIELDS,
                        "required": [FILES],
                    }
                }
            },
        },
        "responses": {
            "200": {
                "description": "What became of every file. Refused ones are told here too, with the reason.",
                "content": {_JSON: {"schema": {"$ref": "#/components/schemas/Verdict"}, "example": _VERDICT}},
            },
            "400": _problem(400, "The form cannot be read, or says something that means nothing.", "set"),
            "401": _problem(401, "No token, or one that is not known here."),
            "403": _problem(403, "Uploads are off: there is no token."),
            "408": _problem(408, "The body stopped coming."),
            "413": _problem(413, "The body is larger than one upload may be."),
            "415": _problem(415, "The body is no form."),
            "429": _problem(429, "This token sends too often; `Retry-After` says when to go on."),
        },
        "x-example": "/api/v1/ingest",
    }


def _problem(status: int, text: str, parameter: str | None = None) -> dict[str, Any]:
    example: dict[str, Any] = {"type": "/api/docs#problems", "status": status, "detail": text}
    if parameter:
        example["parameter"] = parameter
    schema = {"$ref": f"#/components/schemas/{Problem.__name__}"}
    return {"description": text, "content": {PROBLEM: {"schema": schema, "example": example}}}
