"""The lists that `--save-detailed` and `--output-details` add: one entry a request.

They fill in percentiles that the row itself does not state, and are then replaced by their size and digest:
a list of a million gaps does not belong into a record that a page shows.
"""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.catalog.metrics import STATISTICS
from app.catalog.point import Json, digest, digest_of_list
from ingest.sources.inferencex_row import Measured
from ingest.sources.measures import LATENCY

LISTS = ("input_lens", "output_lens", "ttfts", "itls", "start_times", "generated_texts", "errors")
_SLACK = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """Times in seconds and lengths in tokens of the requests that succeeded."""

    latencies: Mapping[str, "array[float]"]
    input_lens: list[int]
    output_lens: list[int]

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """Tokens of every prompt, where all are equal, and those at which at least half of the answers stopped."""
        prompts, longest = set(self.input_lens), max(self.output_lens, default=0)
        stopped = 2 * self.output_lens.count(longest) >= len(self.output_lens)
        return prompts.pop() if len(prompts) == 1 else None, longest if longest and stopped else None


def requests_of(row: Mapping[str, Json]) -> Requests | None:
    """The requests of a row; None when it lists none, or lists that do not fit together."""
    if "aggregation_method" in row:  # a median over repeats keeps the lists of its first one
        return None
    ttfts, outputs = row.get("ttfts"), row.get("output_lens")
    if not isinstance(ttfts, list) or not isinstance(outputs, list) or len(ttfts) != len(outputs):
        return None
    itls, inputs, errors = (_beside(ttfts, row.get(name)) for name in ("itls", "input_lens", "errors"))
    times = {quantity: array("d") for quantity in LATENCY}
    lengths: list[tuple[int, int]] = []
    for ttft, gaps, tokens, prompt, error in zip(ttfts, itls, outputs, inputs, errors, strict=True):
        if error or not _counts(tokens) or not _is_time(ttft):
            continue
        times["ttft"].append(ttft)
        lengths.append((prompt if _counts(prompt) else 0, tokens))
        if not isinstance(gaps, list | array):
            continue
        if not all(map(_is_time, gaps)):
            return None
        rest = sum(gaps)
        times["itl"].extend(gaps)
        times["e2el"].append(ttft + rest)
        if tokens > 1:
            times["tpot"].append(rest / (tokens - 1))
    if not lengths:
        return None
    return Requests(
        latencies=times,
        input_lens=[prompt for prompt, _ in lengths if prompt],
        output_lens=[tokens for _, tokens in lengths],
    )


def fill(measured: Measured, requests: Requests) -> None:
    """Adds the statistics that the row does not state, from lists whose mean agrees with the stated one."""
    filled = []
    for quantity, values in requests.latencies.items():
        if not values or max(values) <= 0:
            continue
        keys, times = LATENCY[quantity], np.asarray(values)
        mean, stated = float(times.mean()), measured.metrics.get(keys["mean"])
        if stated is not None and abs(mean - stated) > _SLACK * stated:
            continue
        for statistic in STATISTICS:
            value = mean if statistic == "mean" else _percentile(times, int(statistic[1:]))
            if keys[statistic] not in measured.metrics and value > 0:
                measured.metrics[keys[statistic]] = value
                filled.append(f"{quantity} {statistic}")
    if filled:
        measured.facts["worked_out_from_requests"] = filled


def slim(row: Mapping[str, Json]) -> dict[str, Json]:
    """The record with its lists named by size and digest, so that equal records stay equal and others do not."""
    return {key: _named(value) if key in LISTS and value else value for key, value in row.items()}


def _percentile(times: "np.ndarray[Any, np.dtype[np.float64]]", percent: int) -> float:
    """The values change places rather than being copied: there may be twenty million."""
    return float(np.percentile(times, percent, overwrite_input=True))


def _beside(ttfts: list[Json], values: Json) -> list[Json]:
    """A list with an entry for each request; files without the detail have no such list, or a shorter one."""
    return values if isinstance(values, list) and len(values) == len(ttfts) else [None] * len(ttfts)


def _named(value: Json) -> Json:
    if isinstance(value, list):
        return f"{len(value)} values, digest {digest_of_list(map(_plain, value))}"
    return f"text, digest {digest(value)}"


def _plain(value: Json) -> Json:
    return value.tolist() if isinstance(value, array) else value


def _counts(value: Json) -> bool:
    return type(value) is int and value > 0


def _is_time(value: Json) -> bool:
    return type(value) in (int, float) and 0 <= value < 1e9
