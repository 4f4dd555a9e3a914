"""Whatever stands in a row, it is found or refused: no value raises, and no figure that comes out is endless."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.finish import finish
from ingest.sources.base import Found
from ingest.sources.inferencex import InferenceX
from tests.test_inferencex import DISAGGREGATED, FIXED, FLAT, NESTED, document, sample

ROWS = [FIXED, DISAGGREGATED, FLAT, NESTED, sample("inferencex_nested/trtllm_native.json")]
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from(("", "false", "12", "inf", "NaN", "dram+nvme", 10**30, 1e308, 5e-324, -1)),
    st.text(max_size=5),
    st.lists(st.one_of(st.none(), st.text(max_size=5), st.integers()), max_size=3),
    st.dictionaries(st.sampled_from(("name", "version", "mean", "p50")), st.one_of(st.none(), st.text(max_size=3))),
)


def places(row: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in row.items():
        yield (*path, key)
        if isinstance(value, dict):
            yield from places(value, (*path, key))


@st.composite
def spoiled_rows(draw: st.DrawFn) -> dict[str, Any]:
    """A good row with up to four of its values replaced or gone."""
    row: dict[str, Any] = copy.deepcopy(draw(st.sampled_from(ROWS)))
    for _ in range(draw(st.integers(1, 4))):
        *above, key = draw(st.sampled_from(list(places(row)) or [("hw",)]))
        block = row
        for name in above:
            block = block[name]
        if draw(st.booleans()):
            block[key] = draw(ODD)
        else:
            block.pop(key, None)
    return row


@settings(max_examples=300, deadline=None)
@given(spoiled_rows())
def test_no_value_breaks_a_row(row: dict[str, Any]) -> None:
    (reading,) = InferenceX().read(document([row]))
    if isinstance(reading, Found):
        made = finish(reading.point)
        json.dumps(made.metrics, allow_nan=False)
        assert made.offload.has_halo is ("kv" in made.offload.kinds)
        assert bool(made.offload.kinds) is (made.offload.mode == "on")
    else:
        assert reading.reason
