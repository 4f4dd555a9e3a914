"""Every format that Halo reads, one module each. Exactly one source may claim a file."""

from ingest.sources.aiconfigurator import AIConfigurator
from ingest.sources.aiperf import AIPerf
from ingest.sources.aiperf_artifacts import AIPerfArtifacts
from ingest.sources.aiperf_server import AIPerfServerMetrics
from ingest.sources.base import Companion, Source
from ingest.sources.bench_serving_raw import BenchServingRaw
from ingest.sources.genai_perf import GenaiPerf
from ingest.sources.guidellm import GuideLLM
from ingest.sources.guidellm_config import GuideLLMConfig
from ingest.sources.halo_rows import HaloRows
from ingest.sources.halo_table import HaloTable
from ingest.sources.inference_perf import InferencePerf
from ingest.sources.inference_perf_server import InferencePerfServer
from ingest.sources.inferencex import InferenceX
from ingest.sources.inferencex_api import InferenceXApi
from ingest.sources.inferencex_power import InferenceXPower
from ingest.sources.inferencex_site_csv import InferenceXSiteCsv
from ingest.sources.inferencex_summary_csv import InferenceXSummaryCsv
from ingest.sources.launch_commands import LaunchCommands
from ingest.sources.llmd_prism import LlmdPrism
from ingest.sources.llmd_report import LlmdReport
from ingest.sources.offload_compare import OffloadCompare
from ingest.sources.perf_eval import PerfEval
from ingest.sources.prometheus_pair import PrometheusPair
from ingest.sources.sglang_bench import SglangBench
from ingest.sources.token_position import TokenPosition
from ingest.sources.trtllm_bench import TrtllmBench
from ingest.sources.vllm_bench import VllmBench
from ingest.sources.vllm_sweep import VllmSweep

SOURCES: tuple[Source | Companion, ...] = (
    InferenceX(),
    InferenceXPower(),
    InferenceXApi(),
    InferenceXSiteCsv(),
    InferenceXSummaryCsv(),
    HaloTable(),
    HaloRows(),
    VllmBench(),
    VllmSweep(),
    PerfEval(),
    SglangBench(),
    BenchServingRaw(),
    TokenPosition(),
    AIPerf(),
    LaunchCommands(),
    AIPerfServerMetrics(),
    AIPerfArtifacts(),
    GuideLLM(),
    GuideLLMConfig(),
    InferencePerf(),
    InferencePerfServer(),
    LlmdReport(),
    LlmdPrism(),
    GenaiPerf(),
    TrtllmBench(),
    AIConfigurator(),
    OffloadCompare(),
    PrometheusPair(),
)
