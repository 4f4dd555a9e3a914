"""Plans: the query round trip, where each value comes from, verdicts, and a page that agrees with its JSON."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.catalog.metrics import INPUT_TPUT
from app.catalog.models import MODELS
from app.catalog.offload import Offload
from app.catalog.point import Cache, TierShare
from app.figures.plan import figure
from app.plan.anchors import ANCHORS
from app.plan.inputs import AMOUNTS, PARAMETERS, PICKS, Amount, Inputs, parse, parse_query
from app.plan.result import Plan, plan
from app.plan.settled import settle
from app.web.blocks.plan_text import value_text
from ingest.finish import finish
from tests.page_points import stored_cases
from tests.points import kv, point, stored
from tests.served import client


def made(query: str = "") -> Plan:
    inputs, problems = parse_query(query)
    assert problems == []
    return plan(settle(inputs))


def numbers(amount: Amount) -> st.SearchStrategy[float]:
    low, high = amount.least, min(amount.most, 1e12)
    if amount.whole:
        return st.integers(int(max(low, 1 if amount.above_zero else 0)), int(high)).map(float)
    return st.floats(max(low, 1e-6 if amount.above_zero else 0), high)


@st.composite
def some_inputs(draw: st.DrawFn) -> Inputs:
    words = [(pick.name, draw(st.sampled_from(list(pick.words)))) for pick in PICKS if draw(st.booleans())]
    given_numbers = [(amount.name, draw(numbers(amount))) for amount in AMOUNTS if draw(st.booleans())]
    point = draw(st.none() | st.text(min_size=1).map(str.strip).filter(bool))
    return Inputs(point=point, words=tuple(words), numbers=tuple(given_numbers))


@given(some_inputs())
def test_inputs_survive_their_query(inputs: Inputs) -> None:
    assert parse_query(inputs.query()) == (inputs, [])


@given(some_inputs())
def test_every_input_gives_a_plan_and_a_figure(inputs: Inputs) -> None:
    found = plan(settle(inputs))
    assert found.verdict
    assert figure(found).data
    assert set(found.settled.known) | {"point", "snapshot", "preview"} == set(PARAMETERS)


def test_the_figure_is_what_it_was(golden: Callable[[str, str], None]) -> None:
    found = made("model=dsr1&chip=b200&tp=8&sessions=64&context=60000&dram_tokens=20000000&drives=4")
    text = orjson.dumps(figure(found).document(), option=orjson.OPT_INDENT_2).decode()
    golden("plan.json", re.sub(r"\n\s{8,}([-\d.e+null]+,?)(?=\n)", r" \1", text) + "\n")


@given(st.lists(st.tuples(st.sampled_from((*PARAMETERS, "x")), st.text())))
def test_no_query_makes_it_fail(pairs: list[tuple[str, str]]) -> None:
    inputs, _ = parse(pairs)
    assert plan(settle(inputs)).verdict


@pytest.mark.parametrize(
    ("query", "name", "detail"),
    [
        ("sessions=many", "sessions", "a number is expected"),
        ("sessions=0", "sessions", "at least 1"),
        ("eta=1.5", "eta", "more than 0 and at most 1"),
        ("tp=2.5", "tp", "a whole number is expected"),
        ("chip=abacus", "chip", "expected one of"),
        ("link=string", "link", "expected one of"),
        ("speed=1", "speed", "there is no parameter"),
        ("tp=2&tp=4", "tp", "given twice"),
        ("context=nan", "context", "a number is expected"),
    ],
)
def test_what_cannot_be_read_is_named(query: str, name: str, detail: str) -> None:
    _, problems = parse_query(query)
    assert [problem.parameter for problem in problems] == [name]
    assert detail in problems[0].detail


def test_other_spellings_lead_to_keys() -> None:
    inputs, problems = parse_query("model=DeepSeek-R1&chip=NVIDIA+B300&link=PCIe+Gen4&context=64%2C000&sessions=")
    assert problems == []
    assert inputs.query() == "model=dsr1&chip=b300&link=pcie4&context=64000"


def test_every_value_says_where_it_comes_from() -> None:
    for found in made().settled.known.values():
        assert found.said
        assert (found.value is None) == (found.origin == "unknown")


def test_a_pool_is_estimated_and_said_to_be() -> None:
    found = made("model=dsr1&chip=h200&precision=fp8&tp=8")
    known = found.settled.known["hbm_tokens"]
    assert known.origin == "estimated"
    assert known.value == pytest.approx((141 * 0.9 - 671 / 8 - 5) * 1e9 / 35_136)


def test_ranks_that_serve_alone_hold_tokens_of_their_own() -> None:
    together, alone = made("model=dsr1&chip=h200&tp=8"), made("model=dsr1&chip=h200&tp=1")
    one, eight = (found.settled.number("hbm_tokens") for found in (together, alone))
    assert one is not None
    assert eight == pytest.approx(8 * one)


@pytest.mark.parametrize("model", ["kimik3", "dsv4", "qwen3.5", "gptoss120b"])
def test_the_pool_of_a_hybrid_is_not_estimated(model: str) -> None:
    found = made(f"model={model}&chip=b300")
    known = found.settled.known["hbm_tokens"]
    assert known.value is None
    assert "Not estimated" in known.said
    assert found.regime is None
    assert "HBM pool" in found.needs
    assert found.value("pressure_hbm") is None
    assert [tier.at_least for tier in found.tiers] == [False, True, True]


def test_weights_that_do_not_fit_are_said_not_to() -> None:
    known = made("model=kimik3&chip=h100&hbm_tokens=&chips=8").settled.known["hbm_tokens"]
    assert known.value is None
    known = made("model=dsr1&chip=h100").settled.known["hbm_tokens"]
    assert "leave no room" in known.said


@pytest.mark.parametrize(
    ("query", "regime", "words"),
    [
        ("sessions=4&context=10000&hbm_tokens=1000000", "idle", "stays idle"),
        ("sessions=40&context=50000&hbm_tokens=1000000&dram_tokens=3000000", "sweet spot", "still has"),
        ("sessions=80&context=50000&hbm_tokens=1000000&dram_tokens=2000000&nvme_tokens=0", "thrash", "lets go"),
        (
            "sessions=40&context=50000&hbm_tokens=1000000&dram_tokens=3000000&read=4000000",
            "link-bound",
            "a slower tier would not help",
        ),
        ("sessions=40&context=50000&hbm_tokens=1000000&dram_tokens=900000&nvme_tokens=0", "thrash", "only repeats"),
        (
            "sessions=80&context=50000&hbm_tokens=1000000&dram_tokens=2000000&nvme_tokens=9000000&read=10",
            "thrash",
            "With the NVMe pool it would be held.",
        ),
        (
            "sessions=80&context=50000&hbm_tokens=1000000&dram_tokens=2000000&nvme_tokens=9000000&read=100000",
            "thrash",
            "its drives carry 14 GB/s",
        ),
    ],
)
def test_verdicts_with_their_reasons(query: str, regime: str, words: str) -> None:
    found = made(query)
    assert found.regime == regime
    assert words in found.verdict


def test_an_exclusive_pool_adds_to_hbm() -> None:
    query = "sessions=30&context=50000&hbm_tokens=1000000&dram_tokens=900000"
    assert made(query).regime == "thrash"
    assert made(f"{query}&policy=exclusive").regime == "sweet spot"


def test_resumable_conversations_by_tier_and_policy() -> None:
    found = made("context=50000&hbm_tokens=1000000&dram_tokens=2000000&nvme_tokens=8000000")
    assert [tier.conversations["inclusive"] for tier in found.tiers] == [20, 40, 160]
    assert [tier.conversations["exclusive"] for tier in found.tiers] == [20, 60, 220]


def test_a_prefix_lives_until_as_much_has_been_written() -> None:
    found = made("write=1000&hbm_tokens=30000&dram_tokens=120000&nvme_tokens=4000000")
    assert [tier.lifetime["inclusive"] for tier in found.tiers] == [30, 120, 4000]
    assert [tier.outlives for tier in found.tiers] == [
        "gone before a tool call returns",
        "outlives a tool call, not a person",
        "outlives a CI run",
    ]


def test_copies_on_every_rank_take_their_room() -> None:
    each, once = made("model=dsr1&chip=h200&dram_gb=1000"), made("model=dsr1&chip=h200&dram_gb=1000&copies=once")
    assert each.settled.number("dram_tokens") == pytest.approx(1e12 / 35_136 / 8)
    assert once.settled.number("dram_tokens") == pytest.approx(1e12 / 35_136)


def test_drives_are_shared_and_host_links_are_not() -> None:
    ways = {way.key: way for way in made("model=dsr1&chip=h200").ways}
    assert ways["pcie5"].per_token == pytest.approx(35_136 / 55e9)
    assert ways["nvme5x1"].per_token == pytest.approx(8 * 35_136 / 14e9)
    assert ways["nvme5x8"].per_token == pytest.approx(35_136 / 14e9)
    cut = {way.key: way for way in made("model=llama70b&chip=h200&kv=bf16").ways}
    assert cut["nvme5x1"].per_token == pytest.approx(327_680 / 14e9)
    assert cut["pcie5"].per_token == pytest.approx(327_680 / 8 / 55e9)


def test_no_drive_is_faster_than_the_link_to_the_chip() -> None:
    ways = {way.key: way for way in made("model=dsr1&chip=h200&tp=1&drive=nvme6").ways}
    assert ways["nvme6x8"].per_token == ways["pcie5"].per_token


def test_short_prompts_turn_it_round() -> None:
    found = made("model=llama70b&chip=h100&kv=bf16&eta=0.5&attention=0")
    way = next(way for way in found.ways if way.key == "pcie5")
    assert way.break_even is not None
    assert found.compute is not None
    assert way.load.time(way.break_even / 2) > found.compute.time(way.break_even / 2)
    assert way.load.time(way.break_even * 2) < found.compute.time(way.break_even * 2)
    assert f"from {way.break_even:,.0f} tokens on; below that, recomputing is" in found.short_prompts
    assert "From 1 × NVMe Gen5, recomputing is faster at every length." in found.short_prompts


def test_a_measured_time_goes_before_parameters_and_peak() -> None:
    assert made("trec=78").value("recompute_us") == pytest.approx(78)


def test_the_figure_marks_break_even_and_every_anchor() -> None:
    drawn = figure(made())
    roles = [trace["meta"]["role"] for trace in drawn.data]
    assert roles.count("stem") == roles.count("recomputed") == roles.count("reloaded") == len(ANCHORS)
    even = [trace for trace in drawn.data if trace["meta"]["role"] == "even"]
    assert len(even) == 2
    for trace in even:
        way = next(way for way in made().ways if way.key == trace["meta"]["series"])
        assert trace["y"][0] == pytest.approx(way.load.time(trace["x"][0]), rel=1e-3)


def test_plotly_takes_the_figure() -> None:
    from plotly import graph_objects

    drawn = figure(made("model=dsv4"))
    graph_objects.Figure({"data": drawn.data, "layout": drawn.layout})


_EXACT = "sessions=40&context=50000&hbm_tokens=1000000&bytes=1000&tp=1&copies=once"


@pytest.mark.parametrize(
    ("query", "words", "needed", "ratio"),
    [
        (_EXACT, "resumable below HBM you need about 2 GB (40 · 50,000 · 1,000 B), i.e. r = 2.", 2e9, 2),
        (f"{_EXACT}&policy=exclusive", "about 1 GB ((40 · 50,000 − 1,000,000) · 1,000 B), i.e. r = 1.", 1e9, 1),
        (_EXACT.replace("sessions=40", "sessions=10"), "HBM alone keeps these 10", 5e8, 0.5),
        (f"{_EXACT.replace('sessions=40', 'sessions=10')}&policy=exclusive", "have nothing to hold", 0, 0),
        ("model=dsv4&sessions=8", "Which r that is cannot be told: it needs the HBM pool.", ..., None),
    ],
)
def test_how_big_a_pool_is_answered_with_its_formula(query: str, words: str, needed: Any, ratio: float | None) -> None:
    found = made(query)
    assert words in found.pool_size
    assert needed is ... or found.value("pool_needed_bytes") == pytest.approx(needed)
    assert found.value("pool_needed_ratio") == ratio


def test_the_guide_is_told_in_bytes() -> None:
    found = made(_EXACT)
    assert [found.value(key) for key in ("pool_low_bytes", "pool_high_bytes")] == [1.5e9, 3e9]
    assert found.pool_size.endswith("The usual guide, r = 1.5 and r = 3, is 1.5 GB and 3 GB here.")


def test_without_bytes_of_a_token_the_size_of_a_pool_stays_blank() -> None:
    found = next(f for f in map(made, (f"model={model.key}" for model in MODELS)) if f.settled.stored_per_token is None)
    assert found.value("pool_needed_bytes") is None
    assert found.pool_size.endswith("cannot be told: it needs KV bytes.")


@pytest.mark.parametrize(
    ("offload", "flags", "read"),
    [(kv(), (), 900.0), (kv(), ("external_includes_pd",), 500.0), (None, (), None)],
)
def test_what_no_record_proves_counts_as_reloaded_where_there_is_offload(
    tmp_path: Path, offload: Offload | None, flags: tuple[str, ...], read: float | None
) -> None:
    tiers = tuple(
        TierShare(medium=medium, share=share)
        for medium, share in (("hbm", 0.05), ("external", 0.4), ("unattributed", 0.5))
    )
    cache = Cache(tiers=tiers, flags=flags)
    stored(tmp_path, finish(point(16, offload=offload, cache=cache, metrics={INPUT_TPUT: 1000.0})))
    web = client(tmp_path)
    (row,) = web.get("/api/v1/points").json()["rows"]
    document = web.get(f"/api/v1/plan?point={row['id']}").json()
    (item,) = (item for item in document["inputs"] if item["name"] == "read")
    assert item["value"] == (read if read is None else pytest.approx(read))
    assert ("the record does not prove the memory" in item["said"]) == (read is not None)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    folder: Path = tmp_path_factory.mktemp("plans")
    stored_cases(folder)
    return client(folder)


@pytest.fixture(scope="module")
def ids(served: TestClient) -> dict[str, str]:
    rows = served.get("/api/v1/points").json()["rows"]
    return {
        served.get(f"/points/{row['id']}.json").json()["provenance"]["spellings"]["case"]: row["id"] for row in rows
    }


def inputs_of(document: dict[str, Any]) -> dict[str, tuple[Any, str]]:
    return {item["name"]: (item["value"], item["origin"]) for item in document["inputs"]}


def test_a_point_fills_the_plan(served: TestClient, ids: dict[str, str]) -> None:
    document = served.get(f"/api/v1/plan?point={ids['all_tiers']}").json()
    found = inputs_of(document)
    assert found["model"] == ("dsr1", "point")
    assert found["sessions"] == (128, "point")
    assert found["hbm_tokens"] == (1_620_000, "point")
    assert found["dram_tokens"] == (3_890_000, "point")
    assert found["nvme_tokens"] == (12_400_000, "point")
    assert found["policy"] == ("inclusive", "point")
    ratio = next(item for item in document["results"] if item["key"] == "ratio")
    assert ratio["value"] == pytest.approx(3_890_000 / 1_620_000)


def test_another_chip_unsettles_what_the_point_reports(served: TestClient, ids: dict[str, str]) -> None:
    found = inputs_of(served.get(f"/api/v1/plan?point={ids['all_tiers']}&chip=h200").json())
    assert found["hbm_tokens"][1] == "estimated"
    found = inputs_of(served.get(f"/api/v1/plan?point={ids['all_tiers']}&kv=bf16").json())
    assert found["dram_tokens"] == (pytest.approx(273e9 / 70_272 / 8), "derived")


def test_every_point_gives_a_plan_even_one_that_says_nothing(served: TestClient, ids: dict[str, str]) -> None:
    for case, point_id in ids.items():
        assert served.get(f"/plan?point={point_id}").status_code == 200, case
        assert served.get(f"/plan.json?point={point_id}").status_code == 200, case


@pytest.mark.parametrize("query", ["", "model=dsv4&sessions=400", "model=llama70b&chip=h100&read=1000"])
def test_page_and_json_say_the_same(served: TestClient, query: str) -> None:
    page = served.get(f"/plan?{query}").text
    document = served.get(f"/plan.json?{query}").json()
    assert document == served.get(f"/api/v1/plan?{query}").json()
    cells = dict(re.findall(r'<th scope="row">([^<]+)</th><td class="num[^"]*">([^<]+)</td><td class="wrap m">', page))
    for item in document["results"]:
        expected = value_text(item["value"], item["unit"]) if item["value"] is not None else None
        assert expected is None or cells[item["label"]] == expected
        assert expected is not None or cells[item["label"]].startswith(("needs ", "never"))
    assert document["verdict"].split(".")[0] in page
    assert document["pool_size"] in page


def test_a_form_is_led_to_the_shortest_address(served: TestClient) -> None:
    answer = served.get("/plan?model=&sessions=64&context=&chip=b200", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/plan?chip=b200&sessions=64"
    assert served.get(answer.headers["location"], follow_redirects=False).status_code == 200


def test_a_page_says_what_it_left_aside_and_the_api_refuses_it(served: TestClient) -> None:
    page = served.get("/plan?sessions=none&point=pnone", follow_redirects=False)
    assert page.status_code == 200
    assert page.text.count("That part of the link was left aside") == 2
    refused = served.get("/api/v1/plan?sessions=none")
    assert refused.status_code == 400
    assert refused.json()["parameter"] == "sessions"
    assert served.get("/api/v1/plan?point=pnone").json()["parameter"] == "point"


def test_the_point_page_leads_to_its_plan(served: TestClient, ids: dict[str, str]) -> None:
    assert f'href="/plan?point={ids["off"]}"' in served.get(f"/points/{ids['off']}").text
