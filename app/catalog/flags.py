"""Named doubts about a point's numbers, in plain words: what is the matter, and what to make of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from app.catalog.vocabulary import Term, Vocabulary

Severity = Literal["note", "doubt", "contradiction"]
"""note: how a figure came about. doubt: it may mislead. contradiction: two figures of the record exclude each other."""


@dataclass(frozen=True, kw_only=True)
class Flag(Term):
    """A named doubt. Its text says what it means for the figures beside it."""

    severity: Severity


def _flag(key: str, severity: Severity, label: str, text: str) -> Flag:
    return Flag(key=key, severity=severity, label=label, text=text)


_PREVIEW = [
    _flag(
        "not_stored",
        "note",
        "preview, not stored",
        "The point was dropped on the page to be looked at. The store does not hold it, and it is "
        "gone with the preview.",
    ),
]

_CACHE = [
    _flag(
        "sum_gt_1",
        "contradiction",
        "shares exceed the prompt",
        "The tiers together served more tokens than were asked for, so two of them count the same tokens. The figures "
        "stand as reported; nothing is derived from them.",
    ),
    _flag(
        "clamped",
        "note",
        "shares drawn as 100 %",
        "The shares add up to slightly more than everything, as counters read a moment apart do. They are drawn as 100 "
        "%; the reported figures are kept.",
    ),
    _flag(
        "out_of_range",
        "contradiction",
        "a share outside 0 to 100 %",
        "A tier's share is negative or above 100 %. It is drawn at the nearest limit; counts are kept as they came.",
    ),
    _flag(
        "overall_mismatch",
        "doubt",
        "overall rate is not the sum of its tiers",
        "The record's own overall hit rate differs from the sum of its tiers by more than two points. Most often one "
        "of them is a rate of another kind. Trust the tiers.",
    ),
    _flag(
        "stale_tier_rate",
        "contradiction",
        "hits below HBM with offload off",
        "The record says that offload was off, yet reports hits in slower memory: most likely left over from another "
        "run. They are not shown.",
    ),
    _flag(
        "parameter_tier_rate",
        "contradiction",
        "hits below HBM with parameters alone offloaded",
        "Only parameters are said to be offloaded, and they serve no prompt tokens, yet the record reports hits in "
        "slower memory. They are not shown. If KV cache was offloaded too, say so: offload_kind is then kv+parameter.",
    ),
    _flag(
        "offload_inert",
        "doubt",
        "offload on, nothing loaded",
        "Offload was configured, but no token is reported to have come from it. It may not have been needed, or not "
        "have worked. Do not read this point as what offload gains.",
    ),
    _flag(
        "offload_tier_unreported",
        "doubt",
        "offload on, its hits not reported",
        "Offload was on, but the record has no figure for what it served. The cached share is a lower bound.",
    ),
    _flag(
        "above_ceiling",
        "note",
        "better than the ceiling",
        "More was reused than the trace allows to one session. Prompts that sessions share do that; it is no error.",
    ),
    _flag(
        "bytes_mismatch",
        "contradiction",
        "bytes and tokens disagree",
        "The bytes that a tier loaded differ by more than a tenth from what its tokens weigh. One of the two counts "
        "something else.",
    ),
    _flag(
        "capacity_mismatch",
        "contradiction",
        "more tokens than fit",
        "A tier is said to hold more tokens than its bytes have room for. Copies held by each rank are forgotten.",
    ),
    _flag(
        "mirror_tier",
        "doubt",
        "tier no larger than HBM",
        "Every block is copied to a tier that is no larger than HBM, so it repeats what HBM holds and cannot add hits.",
    ),
    _flag(
        "over_budget",
        "doubt",
        "more host memory than allowed",
        "The offload uses more host memory than the server has, or than the benchmark's rules grant to so many chips.",
    ),
    _flag(
        "external_includes_pd",
        "doubt",
        "external share includes transfers",
        "Prefill and decode run on separate chips, and what decode fetches from prefill is counted as external. This "
        "share is not a cache hit rate.",
    ),
    _flag(
        "external_unspecified",
        "note",
        "memory behind the connector unknown",
        "A connector served these tokens; the record does not prove from which memory.",
    ),
    _flag(
        "ext_queries_all_prompt",
        "note",
        "external rate over all prompt tokens",
        "The engine counted every prompt token as an external look-up, as older releases do. The share here is hits "
        "over all prompt tokens.",
    ),
    _flag(
        "ext_queries_conditional",
        "note",
        "external rate over HBM misses",
        "The engine looked up only what HBM had missed, as newer releases do. Its own hit rate is kept apart; the "
        "share here is hits over all prompt tokens.",
    ),
    _flag(
        "ext_queries_unexplained",
        "doubt",
        "external look-ups fit neither meaning",
        "The number of external look-ups fits neither all prompt tokens nor those that HBM missed. Retried requests "
        "may be counted twice.",
    ),
    _flag(
        "hits_per_object",
        "note",
        "not a hit rate",
        "The store calls hits per stored object its hit rate; it can exceed 1 and says nothing of how much was reused. "
        "It is not charted.",
    ),
    _flag(
        "combined_rate",
        "note",
        "tiers reported as one",
        "The engine reports one rate for HBM and slower memory together. It is shown as one share, the tier unknown.",
    ),
    _flag(
        "gauge_mean",
        "doubt",
        "mean of a gauge",
        "The rate is a gauge averaged over time or workers rather than worked out from counts. Busy and idle moments "
        "weigh the same in it.",
    ),
    _flag(
        "router_rate",
        "doubt",
        "the router's prediction",
        "The rate is what the router expected to be cached, not what the engine found.",
    ),
    _flag(
        "computed_exceeds_prompt",
        "contradiction",
        "more computed than asked for",
        "The engine counted more computed prompt tokens than prompt tokens. Preempted requests are computed twice.",
    ),
    _flag(
        "hit_rate_on_failed",
        "contradiction",
        "hit rate of a failed run",
        "No request succeeded, so the hit rates of this run mean nothing. They are not shown.",
    ),
    _flag(
        "counter_reset",
        "doubt",
        "a counter ran backwards",
        "A counter fell during the run, as it does when a process restarts. What depends on it is left out.",
    ),
    _flag(
        "prefix_caching_off",
        "note",
        "prefix caching was off",
        "The engine was started without prefix caching, so its HBM share is 0 by construction.",
    ),
]

_RECIPE = [
    _flag(
        "from_name",
        "doubt",
        "read from a name",
        "A fact about this point was found nowhere but in the name of a file or folder, and names are often wrong.",
    ),
    _flag(
        "backend_of_sweep",
        "doubt",
        "backend told by another run of the sweep",
        "This run's name has one word for several offload backends. The launch command or record of another run of the "
        "same sweep says which one the word means there. To settle it, set backend under [offload] in a halo.toml.",
    ),
    _flag(
        "mode_contradiction",
        "contradiction",
        "offload on and off",
        "Two places of the record disagree on whether offload was on. The more specific field was believed.",
    ),
    _flag(
        "backend_missing",
        "doubt",
        "offload on, backend not named",
        "The record says that offload was on, but not by what software.",
    ),
    _flag(
        "backend_while_off",
        "note",
        "backend named with offload off",
        "The record names offload software although offload was off. Engines print their default there.",
    ),
    _flag(
        "chip_count_disputed",
        "contradiction",
        "chip counts disagree",
        "Two ways of counting the chips of this point give different numbers. Figures per chip may be off.",
    ),
    _flag(
        "chips_from_telemetry",
        "doubt",
        "chips counted by their sensors",
        "Nothing states the number of chips, so the boards whose sensors showed work during the run were counted. "
        "Boards that nobody watched are missing from it.",
    ),
    _flag(
        "model_disputed",
        "contradiction",
        "two models named",
        "The record's short name and its address name two different models. The short name was believed.",
    ),
    _flag(
        "disagg_identity_violated",
        "contradiction",
        "throughputs per chip do not add up",
        "Input and output per chip of their roles do not give the total over all chips, so one of them was divided by "
        "other chips than stated.",
    ),
    _flag(
        "supplied",
        "note",
        "completed by hand",
        "Somebody supplied facts about this point when it was read, since its file lacks them.",
    ),
    _flag(
        "synthetic_acceptance",
        "doubt",
        "speculation with a set acceptance",
        "The share of guessed tokens that were accepted was set rather than earned. The speed is not a real one.",
    ),
]

_MEASUREMENT = [
    _flag(
        "same_run",
        "note",
        "one run, two files",
        "Another file describes the same run in another format. The richer one is shown, and they count once.",
    ),
    _flag(
        "itl_based",
        "note",
        "interactivity from inter-token latency",
        "Interactivity was computed from the time between tokens rather than from the time per output token.",
    ),
    _flag(
        "pooled_itl",
        "doubt",
        "inter-token latency by chunk",
        "Inter-token latency was pooled over streamed chunks, and a chunk may hold several tokens.",
    ),
    _flag(
        "as_reported",
        "note",
        "interactivity as the file states it",
        "The record has no latency at this percentile, so its own interactivity was taken, however it was defined.",
    ),
    _flag(
        "unit_corrected",
        "doubt",
        "a unit was guessed",
        "A figure makes no sense in the unit its name states, and was read in another.",
    ),
    _flag(
        "zone_unknown",
        "note",
        "time zone unknown",
        "The time of the run has no zone. It orders runs of one machine, not those of two.",
    ),
    _flag(
        "nonfinite_read_as_missing",
        "note",
        "NaN or infinity read as missing",
        "The file holds NaN or infinity in place of a number. That was read as not reported.",
    ),
    _flag(
        "zero_read_as_missing",
        "note",
        "a zero read as missing",
        "The file fills missing percentiles with 0. A latency of zero was read as not reported.",
    ),
    _flag(
        "latency_not_positive",
        "doubt",
        "a latency of zero or less",
        "The file states a latency that no request can have, from a broken clock. It was read as not reported.",
    ),
    _flag(
        "failed_share",
        "doubt",
        "some requests failed",
        "A visible part of the requests ended in an error. Failed ones are left out, which can flatter the rest.",
    ),
    _flag(
        "counts_mismatch",
        "contradiction",
        "request counts disagree",
        "The requests that succeeded and those that failed are not the requests that were sent.",
    ),
    _flag(
        "total_mismatch",
        "contradiction",
        "input and output do not make the total",
        "Input and output tokens per second together differ from the stated total by more than one in fifty. One of "
        "the three counts something else.",
    ),
    _flag(
        "tokens_mismatch",
        "contradiction",
        "throughput and token counts disagree",
        "The stated throughput differs from tokens divided by duration by more than one in twenty. It may have been "
        "divided by chips, multiplied by a batch, or taken over another window.",
    ),
    _flag(
        "peak_below_mean",
        "contradiction",
        "the peak is below the mean",
        "The highest rate of any second is below the mean over the run, which no run can have: one of the two counts "
        "something other than tokens.",
    ),
    _flag(
        "bundled_chunks",
        "doubt",
        "several tokens arrive at once",
        "Tokens were streamed in bundles: the gaps between chunks are no gaps between tokens. Inter-token latency "
        "says nothing of the pace here; time per output token does.",
    ),
    _flag(
        "lengths_vary",
        "doubt",
        "lengths differ from the nominal",
        "The mean prompt or answer is more than 15 % off the length that names the workload, because lengths were "
        "drawn at random or answers ended early. Compare only with runs that did the same.",
    ),
    _flag(
        "workload_inferred",
        "note",
        "workload worked out from counts",
        "The file does not state which lengths were asked for. They were worked out from the tokens of its requests.",
    ),
    _flag(
        "load_measured",
        "note",
        "concurrency measured, not set",
        "No limit was set: requests were sent at a rate, or all at once. The concurrency shown is the mean number in "
        "flight, which is latency times requests over the duration.",
    ),
    _flag(
        "loads_merged",
        "doubt",
        "several loads in one",
        "The figures cover all stages of a run, each with a load of its own. They are no point of a curve; give the "
        "stages instead.",
    ),
    _flag(
        "clock_reversed",
        "doubt",
        "the run ends before it starts",
        "The file's end time lies before its start time. Neither can be relied on; what was worked out from the "
        "duration may be off.",
    ),
    _flag(
        "pace_disputed",
        "contradiction",
        "tokens take longer than the request",
        "Output tokens times the time each is said to take come to more than the whole request took. The time per "
        "token counts something else, so no interactivity is worked out from it.",
    ),
    _flag(
        "pace_implausible",
        "doubt",
        "faster than any server known",
        "Less than a quarter of a millisecond per token: the unit may be wrong, or chunks were counted as tokens.",
    ),
    _flag(
        "single_request",
        "doubt",
        "a single request",
        "All figures come from one request, so its percentiles are all one number.",
    ),
    _flag(
        "single_sample",
        "doubt",
        "one sample",
        "This figure was sampled once, so nothing is known of how much it varies.",
    ),
    _flag(
        "cold_iteration",
        "note",
        "cold caches",
        "The caches were empty when this run began. A warm run of the same config is shown instead where there is one.",
    ),
    _flag(
        "warmup_included",
        "doubt",
        "warm-up included",
        "Warm-up requests could not be told from measured ones and are part of the figures.",
    ),
    _flag(
        "power_invalid",
        "doubt",
        "power not valid",
        "The record marks its own power measurement as invalid. Energy figures were left out.",
    ),
    _flag(
        "power_unversioned",
        "note",
        "energy figures of unknown scope",
        "The energy figures carry no version, and older ones covered only the chips of one role. They were left out.",
    ),
    _flag(
        "ttft_falls_with_load",
        "doubt",
        "TTFT falls as load rises",
        "A neighbor with more concurrency waits less for its first token. The lighter run was perhaps cold.",
    ),
    _flag(
        "noisy_repeats",
        "doubt",
        "repeats differ",
        "Repeats of this point differ widely from each other, so small gains on it mean little.",
    ),
    _flag(
        "timings_equal",
        "contradiction",
        "other hits, same times",
        "Another point of this recipe at this load has another hit rate and yet every latency to the last digit: one "
        "of the two was copied, or the hit rate is not of this run.",
    ),
]

FLAGS: Vocabulary[Flag] = Vocabulary("flag", [*_PREVIEW, *_CACHE, *_RECIPE, *_MEASUREMENT])


def flag_of(key: str) -> Flag:
    """The flag with this key; one that nobody described yet is shown by its name."""
    known = FLAGS.get(key)
    words = key.replace("_", " ")
    return known or Flag(key=key, label=words, severity="doubt", text=f"The reader of this file noted: {words}.")


def flag_words(keys: Iterable[str]) -> str:
    """Flags by their labels, in one line; empty for none."""
    return " · ".join(flag_of(key).label for key in keys)
