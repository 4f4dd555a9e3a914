"""How an answer of the API is sent."""

import orjson
from fastapi import Response

from app.details.row import Document


def answer(document: Document) -> Response:
    """JSON bytes. NaN and infinity become null, whatever they came from."""
    return Response(orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS), media_type="application/json")
