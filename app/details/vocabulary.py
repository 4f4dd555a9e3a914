"""The catalog as one document: every word that an answer may hold or a filter take, and what it means."""

from collections.abc import Iterable
from dataclasses import asdict

from app.catalog.chips import CHIPS
from app.catalog.dimensions import DIMENSIONS, MODES
from app.catalog.engines import ENGINES, ORCHESTRATORS
from app.catalog.flags import FLAGS
from app.catalog.metrics import METRICS
from app.catalog.models import MODELS
from app.catalog.offload import (
    ACCESS_PATHS,
    BACKENDS,
    EVIDENCE,
    GDS_STATES,
    KINDS,
    PAGE_CACHE_STATES,
    SCOPES,
    TIERS,
    USES,
    WRITE_POLICIES,
)
from app.catalog.origins import ORIGINS
from app.catalog.precisions import PRECISIONS
from app.catalog.prices import DEFAULT_PRICES, OF_HALO, Prices
from app.catalog.speculation import SPECULATIONS
from app.catalog.vocabulary import Term
from app.details.row import Document

_OFFLOAD = {
    "modes": MODES,
    "kinds": KINDS,
    "uses": USES,
    "tiers": TIERS,
    "backends": BACKENDS,
    "evidence": EVIDENCE,
    "scopes": SCOPES,
    "gds": GDS_STATES,
    "page_cache": PAGE_CACHE_STATES,
    "access_paths": ACCESS_PATHS,
    "write_policies": WRITE_POLICIES,
}


def vocabulary_document(prices: Prices = OF_HALO) -> Document:
    """Metrics, dimensions and the words of each vocabulary, in catalog order."""
    return {
        "metrics": [{**asdict(metric), "direction": metric.direction, "share": metric.is_share} for metric in METRICS],
        "dimensions": [
            {
                "key": dimension.key,
                "label": dimension.label,
                "column": dimension.column,
                "closed": dimension.closed,
                "filter": dimension.link,
                "color": dimension.color,
                "several": dimension.many,
                "number": dimension.number,
            }
            for dimension in DIMENSIONS
        ],
        "chips": _terms(CHIPS),
        "engines": _terms(ENGINES),
        "orchestrators": _terms(ORCHESTRATORS),
        "models": _terms(MODELS),
        "precisions": _terms(PRECISIONS),
        "speculations": _terms(SPECULATIONS),
        "origins": _terms(ORIGINS),
        "offload": {name: _terms(terms) for name, terms in _OFFLOAD.items()},
        "flags": _terms(FLAGS),
        "prices": [
            {**asdict(table), "key": table.name_version, "default": table is DEFAULT_PRICES} for table in prices.tables
        ],
    }


def _terms(terms: Iterable[Term]) -> list[Document]:
    return [asdict(term) for term in terms]
