"""A view and its text: the address bar holds all of it."""

import math
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog.dimensions import DIMENSIONS
from app.catalog.metrics import METRICS
from app.view import COLORS, FILTERS, NARROWEST, PARAMETERS, View, parse, parse_query

words = st.text(min_size=1, max_size=12).filter(lambda text: text.strip() == text)
finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
ranges = st.tuples(finite, finite).filter(lambda pair: NARROWEST < pair[1] - pair[0] < math.inf)
sided = [metric.key for metric in METRICS if metric.better != "none"]
axes = st.sampled_from([metric.key for metric in METRICS if metric.axis])


def values_of(key: str) -> st.SearchStrategy[str]:
    dimension = DIMENSIONS[key]
    if dimension.number:
        return st.integers(0, 10**6).map(str)
    if dimension.vocabulary is not None:
        return st.sampled_from([term.key for term in dimension.vocabulary]) | st.just("unknown")
    if dimension.reads is not None:
        return st.sampled_from(["1k/1k", "8k/1k", "agentic", "agentic:cc-traces", "other:odd // name #?%"])
    return words


@st.composite
def views(draw: st.DrawFn) -> View:
    filters = tuple(
        (key, tuple(sorted(draw(st.sets(values_of(key), min_size=1, max_size=3)))))
        for key in FILTERS
        if draw(st.booleans())
    )
    some = draw(st.sets(st.sampled_from(sided), max_size=3))
    return View(
        filters=filters,
        offload=tuple(w for w in ("on", "off", "unknown", "kv", "parameter") if draw(st.booleans())),
        x=draw(st.none() | axes),
        y=draw(st.none() | axes),
        color=draw(st.none() | st.sampled_from(COLORS)),
        runs=draw(st.sampled_from(["newest", "all"])),
        all=draw(st.booleans()),
        log=draw(st.sampled_from([(), ("x",), ("y",), ("x", "y")])),
        xr=draw(st.none() | ranges),
        yr=draw(st.none() | ranges),
        hide=tuple(sorted(draw(st.sets(words, max_size=3)))),
        point=tuple(draw(st.lists(words, max_size=3, unique=True))),
        at=tuple(sorted(draw(st.sets(finite, max_size=3)))),
        base=draw(st.none() | words),
        slo=tuple((key, draw(finite)) for key in sided if key in some),
        sort=draw(st.none() | axes | axes.map(lambda key: f"-{key}")),
        snapshot=draw(st.none() | words),
    )


@given(views())
def test_a_permalink_parses_back_to_the_view_it_was_made_from(view: View) -> None:
    assert parse_query(view.query()) == (view, [])


@given(views(), st.randoms(use_true_random=False))
def test_the_order_of_parameters_changes_only_the_order_of_pins(view: View, random: object) -> None:
    pairs = view.pairs()
    random.shuffle(pairs)  # type: ignore[attr-defined]  # hypothesis hands a random.Random
    read, problems = parse(pairs)
    assert problems == []
    assert parse_query(read.query())[0] == read
    assert {**vars_of(read), "point": None} == {**vars_of(view), "point": None}
    assert set(read.point) == set(view.point)


def vars_of(view: View) -> dict[str, object]:
    return {name: getattr(view, name) for name in ("filters", *PARAMETERS[len(FILTERS) :])}


@given(st.lists(st.tuples(st.sampled_from([*PARAMETERS, "utm_source", ""]), st.text(max_size=20)), max_size=12))
def test_any_query_gives_a_view_and_names_what_it_could_not_read(pairs: list[tuple[str, str]]) -> None:
    view, problems = parse(pairs)
    assert parse_query(view.query()) == (view, [])
    assert all(problem.detail for problem in problems)


def test_defaults_are_left_out_of_links() -> None:
    assert View().query() == ""
    assert parse_query("runs=newest&all=1&chip=")[0] == View()


@pytest.mark.parametrize(
    ("query", "parameter", "right"),
    [
        ("x=tput", "x", "/glossary"),
        ("chip=b999", "chip", "known are"),
        ("runs=some", "runs", "newest, all"),
        ("xr=5", "xr", "xr=10,80"),
        ("xr=9,2", "xr", "lower one first"),
        ("yr=-1e308,1e308", "yr", "two numbers are expected"),
        ("xr=5e-324,1e-323", "xr", "two numbers are expected"),
        ("at=fast", "at", "a number"),
        ("slo=ttft_p90_s", "slo", "slo=ttft_p90_s:2"),
        ("slo=ttft_p90_s:soon", "slo", "after the colon"),
        ("slo=speed:2", "slo", "/glossary"),
        ("slo=concurrency:8", "slo", "a better side"),
        ("price=nope", "price", "there are hyp@"),
        ("offload=maybe", "offload", "kv"),
        ("nope=1", "nope", "there is no parameter"),
        ("chip_count=many", "chip_count", "whole number"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_would_be_right(query: str, parameter: str, right: str) -> None:
    view, problems = parse(parse_qsl(query))
    assert view == View()
    assert [problem.parameter for problem in problems] == [parameter]
    assert right in problems[0].detail


def test_spellings_in_links_become_keys() -> None:
    view, problems = parse_query("chip=H200-SXM&engine=TensorRT-LLM&workload=1k1k&precision=NVFP4&chip=other:gaudi3")
    assert problems == []
    assert view.filter["workload"] == ("1k/1k",)
    assert "other:gaudi3" in view.filter["chip"]


def test_several_readings_stand_from_low_to_high_and_one_reads_as_before() -> None:
    assert parse_query("at=60&at=20&at=60") == (View(at=(20.0, 60.0)), [])
    assert parse_query("at=40")[0].query() == "at=40"
    assert parse_query("at=40&at=fast")[0] == View(at=(40.0,))


def test_of_two_bounds_on_one_metric_the_stricter_stays() -> None:
    view, problems = parse_query("slo=interactivity_p90:40&slo=ttft_p90_s:2&slo=interactivity_p90:60&slo=ttft_p90_s:3")
    assert problems == []
    assert dict(view.slo) == {"interactivity_p90": 60.0, "ttft_p90_s": 2.0}
