"""Addresses that take something, as OpenAPI describes them. Their examples are written here: asking would store."""

from typing import Any

from pydantic import Field

from app.web.errors import PROBLEM
from app.web.schemas.rows import Model
from app.web.schemas.state import Problem
from app.web.upload import FILES, limits

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


POST_MODELS: tuple[type[Model], ...] = (Verdict,)
COMMANDS = {
    "ingest": 'curl -s -H "Authorization: Bearer $HALO_TOKEN" -F file=@results.json -F run=nightly-7 '
    '"$HALO/api/v1/ingest"',
}
"""What a reader may copy, by operation."""

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
    return {"/api/v1/ingest": {"post": _ingest()}}


def _ingest() -> dict[str, Any]:
    allowed = limits()
    mib = allowed.bytes >> 20
    return {
        "operationId": "ingest",
        "summary": "Send result files",
        "description": "Reads files into the store as `halo ingest` does, and answers with the same verdict. Files, "
        "zips, `.gz` and `.zst` are parts of a form, each with its path as its name, so that a `halo.toml` speaks for "
        "what lies below it. `run` names the run of files that name none; without it each such file is a run of its "
        f"own. Sending the same again changes nothing. Off until a token is made. At most {mib} MiB an upload and "
        f"{allowed.a_minute} uploads a minute and token.",
        "security": [{"token": []}],
        "parameters": [],
        "requestBody": {
            "required": True,
            "content": {
                _FORM: {
                    "schema": {
                        "type": "object",
                        "properties": {
                            FILES: {
                                "type": "array",
                                "items": {"type": "string", "contentMediaType": "application/octet-stream"},
                                "description": "Files; the field may have any name.",
                            },
                            "run": {"type": "string", "description": "Name of the run, where a file states none."},
                            "set": {
                                "type": "array",
                                "items": {"type": "string"},
                                "description": "`key=value`: what the files do not say, as `--set` takes it.",
                            },
                        },
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
