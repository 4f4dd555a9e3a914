"""Damaged samples through ingest, as many as one likes: `python -m bench.fuzz --cases 50000 --seed 7`.

The test of the same name runs 2,000. A case is known by the seed and its number, and `--only 1234` runs it alone.
"""

import argparse
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from app.store.publish import publish
from app.store.rows import Arrival
from bench.measure import Ratio
from tests import fuzzing
from tests.fuzzing import PATIENCE, SEED, Case, Hang, cases

CASES = 20_000
_BATCH = 5_000


def run_cases(count: int, seed: int, only: int | None = None) -> tuple[int, int, list[str]]:
    """Points, refusals, and what went wrong, told as it happens."""
    points, refused, wrong = 0, 0, list[str]()
    arrivals: list[Arrival] = []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(count, seed):
            if only is not None and case.number != only:
                continue
            found, broken = _outcome(case, Path(folder))
            points, refused = points + len(found[0]), refused + found[1]
            for what in broken:
                print(f"  case {case.number}, {case.sample.parent.name}/{case.sample.name}: {what}", flush=True)
            wrong += broken
            arrivals += [] if broken else found[0]
            if len(arrivals) >= _BATCH:
                publish(Path(folder) / f"store-{case.number}", arrivals)
                arrivals.clear()
        publish(Path(folder) / "store", arrivals)
    return points, refused, wrong


def _outcome(case: Case, folder: Path) -> tuple[tuple[list[Arrival], int], list[str]]:
    try:
        outcome = fuzzing.run(case, folder / "results")
    except Hang as hang:
        return ([], 0), [str(hang)]
    except Exception:
        return ([], 0), [traceback.format_exc(limit=-3)]
    return (list(outcome.arrivals), outcome.refused), list(outcome.broken)


def _counted(count: int, seed: int, only: int | None = None) -> Ratio:
    begun = time.perf_counter()
    points, refused, wrong = run_cases(count, seed, only)
    took = time.perf_counter() - begun
    return Ratio(
        name=f"fuzz, seed {seed}: what broke a rule",
        value=len(wrong),
        limit=1 if only is not None else count,
        unit="cases",
        limit_name="all cases",
        wanted=0,
        note=f"{points:,} points, {refused:,} refusals, {took:.0f} s; a case hangs after {PATIENCE} s",
    )


def run() -> Iterator[Ratio]:
    yield _counted(CASES, SEED + 1)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--seed", type=int, default=SEED + 1)
    parser.add_argument("--only", type=int, help="run the case of this number alone")
    asked = parser.parse_args()
    ratio = _counted(asked.cases, asked.seed, asked.only)
    print(ratio.line())
    return 0 if ratio.met else 1


if __name__ == "__main__":
    sys.exit(main())
