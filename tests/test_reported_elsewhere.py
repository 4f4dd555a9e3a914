"""Which test holds what other dashboards and loaders were reported to do wrong with files, dates and hit rates.

Keys are the public reports (repository and number), or the tool where the fault was found by running it.
"""

import re
from pathlib import Path

from app.figures.pareto import figure
from app.question import ask
from app.store.read import Store
from app.view import parse_query
from tests.conftest import ROOT
from tests.points import kv, point, stored

REPORTS = {
    # Not a number, infinite, zero, negative, empty
    "sgl-project/sglang#686": "test_a_request_rate_without_end_is_no_missing_number_and_keeps_every_line",
    "vllm-project/vllm#27168": "test_numbers_that_stand_as_inf_and_nan_in_text_are_missing_and_the_others_are_read",
    "TOMToolkit/tom_base#978": "test_numbers_that_are_not_finite_break_nothing_and_never_come_out",
    "voxel51/fiftyone#1309": "test_every_answer_is_strict_json",
    "vllm-project/guidellm#216": "test_a_stream_without_a_first_token_costs_its_ttft_alone",
    "vllm-project/vllm#3400": "test_what_measured_nothing_is_refused_in_a_sentence",
    "ray-project/llmperf#55": "test_what_measured_nothing_is_refused_in_a_sentence",
    "ray-project/llmperf#87": "test_a_run_without_a_success_is_refused_whatever_its_hit_rates_say",
    "triton-inference-server/tensorrtllm_backend#619": "test_answers_without_tokens_have_no_throughput",
    "vllm-project/vllm#4987": "test_a_result_that_was_cut_while_it_was_saved_is_refused_and_its_neighbours_are_not",
    "llm-d/llm-d-benchmark#698": "test_failures_alone_are_no_point",
    "huggingface/inference-benchmarker#46": "test_rows_sort_on_numbers_not_on_their_text",
    "huggingface/inference-benchmarker#45": "test_one_good_request_is_flagged",
    "llm-d/llm-d-prism#109": "test_a_sample_is_read_as_expected",  # whose percentiles of 0 are absent
    # Units and definitions
    "llm-d/llm-d-prism#144": "test_declared_units_are_obeyed",
    "openvinotoolkit/openvino.genai#4484": "test_figures_that_exclude_each_other_are_flagged",
    "modelscope/evalscope#320": "test_interactivity_is_one_over_the_latency_at_the_same_percentile",
    "theopenco/llmgateway#2927": "test_output_never_passes_for_a_total",
    "kubernetes-sigs/inference-perf#232": "test_the_rate_achieved_and_the_rate_asked_for_are_both_kept",
    # Files: shape, version, layout
    "bentoml/llm-optimizer#21": "test_json_lines_in_a_file_called_json_a_list_and_glued_objects_give_the_same_points",
    "llm-d/llm-d-benchmark#485": "test_seven_rates_in_one_file_are_seven_points",
    "llm-d/llm-d-prism#53": "test_a_later_version_is_named",
    "ai-dynamo/aiperf#340": "test_metrics_under_records_as_the_first_releases_wrote_them",
    "ai-dynamo/aiperf#579": "test_results_in_nested_folders_are_found_and_equal_names_stay_two_runs",
    "ai-dynamo/aiperf#604": "test_ingesting_one_file_alone_or_in_its_folder_gives_the_same_figures",
    "triton-inference-server/perf_analyzer#409": "test_a_custom_export_name_is_told_by_its_content",
    "vllm-project/vllm#22381": "test_a_metric_that_was_not_asked_for_is_absent_and_costs_nothing_else",
    "AI-Hypercomputer/inference-benchmark#29": "test_renamed_and_missing_server_metrics_cost_nothing_but_themselves",
    "llm-d/llm-d-benchmark#1477": "test_a_report_without_a_stack_is_kept_and_asks_for_what_it_lacks",
    "llm-d/llm-d-prism at 3148e5d": "test_stages_of_one_folder_are_one_run_and_those_of_two_are_not",
    "llm-d/llm-d-prism#58": "test_equal_names_in_two_folders_are_two_runs",
    "vllm-project/guidellm#783": "test_a_tag_that_makes_an_object_refuses_the_file",
    "vllm-project/guidellm#912": "test_secrets_do_not_reach_the_store",
    "maximhq/bifrost#4603": "test_strange_names_come_through_links_unharmed",
    "modelscope/evalscope#78": "test_strange_names_come_through_links_unharmed",  # no path is made of a name at all
    # Dates and hit rates
    "PostHog/posthog#45680": "test_a_time_near_midnight_is_the_same_moment_in_every_zone",
    "vllm-project/vllm#54607": "test_a_measured_zero_stays_a_zero",
    "sgl-project/sglang#11668": "test_a_combined_rate_is_no_rate_of_hbm_and_overlapping_ones_are_told_apart",
    "SemiAnalysisAI/InferenceX#2775": "test_offload_as_a_list_is_a_set_of_tiers",
    # Found by running the tools
    "AIPerf, llm-d explorer and vllm-dashboard: ties on a frontier": "test_ties_duplicates_and_missing_values",
    "AIPerf: one board under two addresses": "test_one_board_under_two_addresses_is_one_and_idle_ones_are_not_counted",
    "AIPerf: one unreadable run ends the load": "test_a_source_that_fails_costs_its_file_alone",
    "AIPerf: local times without a zone": "test_a_time_without_a_zone_is_flagged_until_its_zone_is_supplied",
    "polars: one odd line refuses the file": "test_a_cut_or_broken_line_costs_itself",
    "polars: byte order marks": "test_other_encodings_and_byte_order_marks_are_read",
    "polars: a fraction after whole numbers": "test_a_number_that_turns_up_late_as_a_fraction_is_not_rounded",
    "polars and DuckDB: a key twice": "test_a_row_that_gives_a_key_twice_is_refused_and_its_neighbours_are_not",
    "plotly: more than a thousand points, dashed outlines": "test_a_thousand_and_one_points_keep_their_rings",
    "FastAPI: NaN in an answer": "test_every_answer_is_strict_json",
    "vLLM: an endless rate as the number of users": "test_neither_limit_nor_rate_nor_latency_leaves_the_load_open",
    "perf-eval: a latency of zero": "test_an_interactivity_of_zero_is_none",
    "perf-eval: tp that is TP times DP": "test_a_degree_of_parallelism_that_multiplies_two_is_a_count_of_chips",
    "vllm-dashboard: two workloads on one frontier": "test_workloads_never_share_a_frontier",
    "ClickBench: old links select what is new": "test_frozen_links_answer_the_same_bytes_after_fifty_ingests",
    "inference-perf: a folder without results ends it": "test_a_folder_without_results_says_what_was_there",
    "inference-perf: lines in the order of files": "test_twice_equals_once_and_any_order_gives_the_same",
}


def test_every_report_has_a_test_that_exists() -> None:
    paths = [*(ROOT / "tests").glob("test_*.py"), *(ROOT / "tests" / "browser").glob("test_*.py")]
    tests = set(re.findall(r"^def (test_\w+)", "\n".join(path.read_text("utf-8") for path in paths), re.MULTILINE))
    assert sorted(set(REPORTS.values()) - tests) == []


def test_a_thousand_and_one_points_keep_their_rings(tmp_path: Path) -> None:
    """Libraries that change over to another way of drawing there refuse the rings, or lose them."""
    points = [point(n, x=10 + n / 10, y=2000.0 - n, offload=kv()) for n in range(1, 1002)]
    stored(tmp_path, *points)
    view, problems = parse_query("all=1")
    assert not problems
    traces = figure(ask(view, Store(tmp_path).snapshot())).data
    assert {trace["type"] for trace in traces} == {"scatter"}
    dots, rings = (
        [key for trace in traces if trace["meta"].get("role") == role for key in trace["ids"]]
        for role in ("dot", "ring")
    )
    assert len(dots) == len(points)
    assert sorted(rings) == sorted(dots)
