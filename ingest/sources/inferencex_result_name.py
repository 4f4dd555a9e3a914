"""What the name of an InferenceX result says, where a summary keeps nothing else of its recipe.

`{experiment}_{precision}_{framework}_tp2-ep1-dpafalse_disagg-false_spec-none_conc16_{runner}`; on several nodes
with a part for prefill and one for decode.
"""

import re

from app.catalog.chips import CHIPS
from app.catalog.engines import split_framework
from app.catalog.point import Json
from app.catalog.precisions import PRECISIONS
from app.catalog.vocabulary import is_other

_MODEL = re.compile(r"^(?:bmk_)?(?:agentic_)+(?P<model>[^_]+)_")
_LAYOUT = re.compile(
    r"_(?P<precision>[a-z0-9]+)_(?P<framework>[a-z][a-z0-9-]*?)_(?P<layout>(?:prefill-)?tp\d[a-z0-9-]*(?:_decode-[a-z0-9-]+)?)"
    r"_disagg-(?P<disagg>true|false)_spec-(?P<spec>[a-z0-9_-]+?)_conc(?P<conc>\d+)_(?P<hw>[a-z0-9_-]+)$"
)
_DEGREES = {"tp": "tp", "pp": "pp", "dcp": "dcp_size", "pcp": "pcp_size", "ep": "ep", "nw": "num_workers"}
_KV = re.compile(r"_kv(?:(?P<none>none)|dram-(?P<backend>[a-z0-9-]+))_")


def result_name(name: str) -> dict[str, Json]:
    """The fields of an aggregate that a name gives; what it does not give plainly is left out."""
    text = name.strip().lower().removesuffix(".json")
    found: dict[str, Json] = {}
    if match := _MODEL.match(text):
        found["infmax_model_prefix"] = match["model"]
    if match := _KV.search(text):
        found["kv_offloading"] = "none" if match["none"] else "dram"
        if match["backend"]:
            found["kv_offload_backend"] = match["backend"]
    match = _LAYOUT.search(text)
    if match is None:
        return found
    if match["precision"] in PRECISIONS or PRECISIONS.resolve(match["precision"]):
        found["precision"] = match["precision"]
    if not is_other(split_framework(match["framework"]).engine):
        found["framework"] = match["framework"]
    if CHIPS.resolve(match["hw"]) is not None or not is_other(CHIPS.key_of(match["hw"])):
        found["hw"] = match["hw"]
    found |= {"disagg": match["disagg"], "spec_decoding": match["spec"], "conc": int(match["conc"])}
    prefill, apart, decode = match["layout"].partition("_decode-")
    if not apart:
        return found | _degrees(prefill, "")
    found |= _degrees(prefill.removeprefix("prefill-"), "prefill_") | _degrees(decode, "decode_")
    return found


def _degrees(text: str, prefix: str) -> dict[str, Json]:
    """`tp8-pp1-ep1-dpafalse-nw2` by name."""
    found: dict[str, Json] = {}
    for part in text.split("-"):
        if (match := re.fullmatch(r"([a-z]+?)(\d+)", part)) and match[1] in _DEGREES:
            found[f"{prefix}{_DEGREES[match[1]]}"] = int(match[2])
        elif match := re.fullmatch(r"dpa?(true|false)", part):
            found[f"{prefix}dp_attention"] = match[1]
    return found
