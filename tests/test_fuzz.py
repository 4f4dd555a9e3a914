"""Damaged files of every format give points that keep the rules, or refusals; never a traceback, never a hang."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from app.catalog.metrics import REQUESTS_OK
from app.catalog.offload import Offload, Tier
from app.catalog.point import Layout, Point, Role
from app.store.publish import publish
from app.store.rows import Arrival
from ingest.pipeline import gather
from ingest.plausible import disputed, plausible
from ingest.sources import SOURCES
from ingest.sources.measures import INTERACTIVITY, LATENCY, TPUT, TPUT_PER_CHIP
from tests.fuzzing import SEED, Case, Hang, cases, lay_out, run, samples, wrong
from tests.mutations import MUTATIONS, mutated

CASES = 2_000
COMPANIONS = {source.key for source in SOURCES if source.role == "companion"}


def test_damaged_files_give_sound_points_or_refusals(tmp_path: Path) -> None:
    """What comes of all cases is published, too: a store takes whatever passed."""
    arrivals: list[Arrival] = []
    refused: Counter[str] = Counter()
    broken = []
    for case in cases(CASES, SEED):
        name = f"case {case.number}, {case.sample.parent.name}/{case.sample.name}"
        try:
            outcome = run(case, tmp_path / "results")
        except Hang as hang:
            pytest.fail(str(hang), pytrace=False)
        except Exception as error:
            raise AssertionError(f"{name} raised {type(error).__name__}: {error}") from error
        broken += [f"{name}: {what}" for what in outcome.broken]
        arrivals += outcome.arrivals
        refused[case.sample.parent.name] += outcome.refused
    assert not broken, "\n".join(broken[:20])
    assert len(arrivals) > CASES // 4, "so few points came out of it that the damage is too crude to test with"
    assert len(refused) == len({sample.parent.name for sample in samples()})
    assert publish(tmp_path / "store", arrivals).snapshot is not None


def test_an_undamaged_companion_completes_what_lies_beside_it(tmp_path: Path) -> None:
    """Otherwise damage to one would not be looked at any further than its name."""
    tried = 0
    for sample in samples():
        lay_out(Case(0, sample, sample.read_bytes()), tmp_path / "results")
        files = {Path(file.path).name: file for file in gather([tmp_path / "results"]).files}
        own = files[sample.name]
        if own.source in COMPANIONS:
            tried += 1
            assert own.role == "companion", (own.path, own.warnings)
            assert "not used" not in str([file.warnings for file in files.values()])
    assert tried >= len(COMPANIONS)


def test_a_seed_names_its_cases_for_ever() -> None:
    first = [(case.sample, case.data) for case in cases(200, 5)]
    assert first == [(case.sample, case.data) for case in cases(200, 5)]
    assert first != [(case.sample, case.data) for case in cases(200, 6)]


def test_each_kind_of_damage_changes_what_it_is_given() -> None:
    text = json.dumps([{"alpha": 1.5, "beta": "two", "gamma": [3, 4]}]).encode()
    for mutation in MUTATIONS:
        assert any(mutation(text, Random(seed)) != text for seed in range(20)), mutation.__name__
    assert mutated(b"", Random(0)) is not None


def sound() -> Point:
    return Point(
        dialect="test",
        chip_count=4,
        concurrency=8,
        metrics={
            TPUT["total"]: 400.0,
            TPUT_PER_CHIP["total"]: 100.0,
            LATENCY["tpot"]["p50"]: 0.02,
            INTERACTIVITY["p50"]: 50.0,
            REQUESTS_OK: 10.0,
        },
        interactivity_def="1/tpot",
    )


def broken(**changes: object) -> list[str]:
    point = sound()
    metrics = {**point.metrics, **changes.pop("metrics", {})}  # type: ignore[dict-item]
    return wrong(replace(point, metrics=metrics, **changes))  # type: ignore[arg-type]


def test_the_rules_see_what_breaks_them() -> None:
    assert wrong(sound()) == []
    assert broken(metrics={TPUT["total"]: float("inf")})
    assert broken(metrics={TPUT["total"]: 900.0})
    assert broken(metrics={INTERACTIVITY["p50"]: 80.0})
    assert broken(metrics={LATENCY["ttft"]["p50"]: 0.0})
    assert broken(metrics={"cached_share": 1.5})
    assert broken(metrics={"no_such_metric": 1.0})
    assert broken(metrics={REQUESTS_OK: 0.0})
    assert broken(concurrency=-1.0)
    assert broken(chip_count=0)
    assert broken(flags=("no_such_flag",))
    assert broken(facts={"huge": 2**70})


def test_what_cannot_be_is_left_out_with_a_word_and_the_rest_stays() -> None:
    point = Point(
        dialect="test",
        chip_count=10**9,
        iteration=10**15,
        offload=Offload(
            mode="on",
            kinds=("kv",),
            tiers=(Tier(medium="hbm"), Tier(medium="host_dram", capacity_bytes=2**70, capacity_tokens=5)),
        ),
        concurrency=0.0,
        layout=Layout(whole=Role(tp=2**40, ep=8)),
        metrics={
            TPUT["total"]: 400.0,
            TPUT["output"]: -5.0,
            TPUT["input"]: 0.0,
            LATENCY["ttft"]["mean"]: 0.0,
            INTERACTIVITY["mean"]: 0.0,
            REQUESTS_OK: 0.5,
        },
    )
    left = plausible(point)
    assert left.metrics == {TPUT["total"]: 400.0, TPUT["input"]: 0.0}
    assert (left.concurrency, left.chip_count, left.layout) == (None, None, Layout(whole=Role(ep=8)))
    assert left.iteration is None
    assert left.offload.tiers == (Tier(medium="hbm"), Tier(medium="host_dram", capacity_tokens=5))
    assert len(left.warnings) == 9
    assert all("read as not reported" in warning for warning in left.warnings)
    assert plausible(kept := sound()) is kept


def test_a_total_that_is_not_that_of_its_chips_is_disputed() -> None:
    assert not disputed(sound().metrics, 4)
    assert disputed(sound().metrics, 8)
    assert not disputed(sound().metrics, None)
