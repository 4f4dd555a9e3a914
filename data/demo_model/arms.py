"""Which deployments the demo measures, at how many users: the arms of its sweeps, by table."""

from dataclasses import dataclass, replace

from data.demo_model.parts import MODELS
from data.demo_model.serving import Deployment, Tiers

AGENTIC = "agentic:demo-traces"


@dataclass(frozen=True, kw_only=True)
class Arm:
    """A deployment at several users, with the words that its offload goes by in the table."""

    run: str
    run_time: str
    deployment: Deployment
    workload: str
    users: tuple[int, ...]
    version: str = ""
    orchestrator: str = "none"
    backend: str = ""
    backend_version: str = ""
    write_policy: str = ""
    access_path: str = ""
    gds: str = ""
    page_cache: str = ""
    combined: str = ""
    """The tier that all cached tokens are reported under, where the engine does not tell tiers apart."""
    without: tuple[str, ...] = ()
    """Columns that this arm's tool does not report, by their ends."""
    note: str = ""


def _arm(day: str, workload: str, users: tuple[int, ...], deployment: Deployment, **words: object) -> Arm:
    d = deployment
    name = f"demo-{d.model.key}-{d.chip}-{d.engine}-{workload.partition(':')[0].replace('/', '')}"
    return Arm(
        run=f"{name}-{day}",
        run_time=f"2026-{day}T08:00:00Z",
        deployment=d,
        workload=workload,
        users=users,
        **words,  # type: ignore[arg-type]  # the words of an arm, passed on
    )


_SHORT = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96)
_LONG = (1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128)
_WIDE = (4, 8, 16, 32, 64, 96, 128, 192, 256, 320, 384, 512)
_TAILS = ("_p90_s", "_p95_s", "_p99_s")
_RACK = (4, 8, 16, 32, 64, 96, 128, 192, 256, 320)
_FIXED = (2, 4, 8, 16, 32, 64, 128, 256)

_SIMPLE = {"backend": "vllm-simple", "write_policy": "lazy", "access_path": "dma_copy"}
_LMCACHE = {
    "backend": "lmcache-mp",
    "backend_version": "0.5.3",
    "write_policy": "write_through",
    "access_path": "dma_copy",
}
_FLASH = {"access_path": "o_direct", "gds": "off", "page_cache": "bypassed"}
_HICACHE = {"backend": "hicache", "write_policy": "write_through", "access_path": "kernel_copy"}
_HOST_CACHE = {
    "backend": "trtllm-native",
    "write_policy": "on_evict",
    "access_path": "dma_copy",
    "combined": "unattributed",
}


def _kimi() -> list[Arm]:
    b200 = Deployment(model=MODELS["kimik2.5"], chip="b200", chips=8, engine="vllm", precision="fp4", tp=8)
    half = replace(b200, chips=4, tp=4)
    b300 = replace(b200, chip="b300", engine="sglang")
    amd = replace(b200, chip="mi355x")
    trt = replace(b200, engine="trt")
    rack = replace(b200, chip="gb300", engine="vllm", chips=8, prefill_chips=8, tp=8, dp_attention=True, mtp=False)
    dram, flash = Tiers(gb={"host_dram": 250}, repeats=False), Tiers(gb={"host_dram": 250, "local_nvme": 2000})
    copied = Tiers(gb={"host_dram": 250})
    vllm = {"version": "0.25.1"}
    return [
        _arm("11-24", AGENTIC, _LONG, b200, **vllm),
        _arm("11-24", AGENTIC, _LONG, replace(b200, tiers=dram), **vllm, **_SIMPLE),
        _arm("11-24", AGENTIC, _LONG, replace(b200, tiers=flash), **vllm, **(_LMCACHE | _FLASH)),
        _arm("11-24", AGENTIC, (1, 2, 4, 6, 8, 12, 16, 24), half, **vllm),
        _arm("11-24", AGENTIC, (1, 2, 4, 6, 8, 12, 16, 24), replace(half, tiers=dram), **vllm, **_SIMPLE),
        _arm("11-22", AGENTIC, _SHORT, b300, version="0.5.19"),
        _arm("11-06", AGENTIC, (8, 16, 32, 48), replace(b300, engine="vllm"), version="0.24.0", without=_TAILS),
        _arm("11-22", AGENTIC, _SHORT, replace(b300, tiers=copied), version="0.5.19", **_HICACHE),
        _arm("11-21", AGENTIC, _SHORT, amd, **vllm),
        _arm("11-21", AGENTIC, _SHORT, replace(amd, tiers=copied), **vllm, **_LMCACHE),
        _arm("11-21", AGENTIC, _SHORT, replace(amd, engine="atom"), version="0.3.2"),
        _arm(
            "11-21",
            AGENTIC,
            _SHORT,
            replace(amd, engine="atom", tiers=dram),
            version="0.3.2",
            backend="atom-lmcache",
            backend_version="0.5.3",
            write_policy="write_back",
            access_path="dma_copy",
        ),
        _arm("11-20", AGENTIC, _SHORT, trt, version="1.4.0rc4"),
        _arm("11-20", AGENTIC, _SHORT, replace(trt, tiers=dram), version="1.4.0rc4", **_HOST_CACHE),
        _arm("11-19", AGENTIC, _RACK, rack, **vllm, orchestrator="dynamo"),
        _arm(
            "11-19",
            AGENTIC,
            _RACK,
            replace(rack, tiers=Tiers(gb={"host_dram": 180}, repeats=False)),
            **vllm,
            orchestrator="dynamo",
            backend="mooncake",
            backend_version="0.3.12",
            access_path="rdma",
            combined="external",
        ),
    ]


def _agents() -> list[Arm]:
    pro = Deployment(
        model=MODELS["dsv4"], chip="b200", chips=8, engine="vllm", precision="fp4", tp=8, dp_attention=True
    )
    glm = Deployment(model=MODELS["glm5.2"], chip="b200", chips=8, engine="sglang", precision="fp4", tp=8)
    glm_dram = replace(glm, tiers=Tiers(gb={"host_dram": 180}))
    old = Deployment(model=MODELS["minimaxm2.5"], chip="h200", chips=4, engine="vllm", precision="fp8", tp=4)
    mini = Deployment(model=MODELS["minimaxm2.5"], chip="mi355x", chips=2, engine="sglang", precision="fp4", tp=2)
    pool = {
        "backend": "mooncake",
        "backend_version": "0.3.12",
        "write_policy": "on_evict",
        "access_path": "io_uring",
        "gds": "off",
        "page_cache": "bypassed",
    }
    both = Tiers(gb={"host_dram": 55, "local_nvme": 800}, repeats=False)
    return [
        _arm("11-12", AGENTIC, _WIDE, pro, version="0.25.0"),
        _arm("11-12", AGENTIC, _WIDE, replace(pro, tiers=both), version="0.25.0", **pool),
        _arm("11-13", AGENTIC, _WIDE, replace(pro, chip="b300"), version="0.25.0"),
        _arm("11-13", AGENTIC, _WIDE, replace(pro, chip="b300", tiers=both), version="0.25.0", **pool),
        _arm("11-10", AGENTIC, _SHORT, glm, version="0.5.18"),
        _arm("11-10", AGENTIC, _SHORT, glm_dram, version="0.5.18", **_HICACHE),
        _arm(
            "11-10",
            AGENTIC,
            _SHORT,
            replace(glm_dram, mtp=True),
            version="0.5.18",
            **_HICACHE,
        ),
        _arm(
            "11-10",
            AGENTIC,
            _SHORT,
            replace(glm, tiers=Tiers(gb={"host_dram": 90, "remote_flash": 2000})),
            version="0.5.18",
            **(_HICACHE | {"access_path": "buffered_io", "gds": "off", "page_cache": "mixed"}),
            note="The file system behind it is too slow to win: reloading takes longer than computing.",
        ),
        _arm("11-02", AGENTIC, (8, 16, 24, 32, 48), old, version="0.24.1"),
        _arm("11-08", AGENTIC, _SHORT, old, version="0.24.2"),
        _arm(
            "11-08",
            AGENTIC,
            _SHORT,
            replace(old, tiers=Tiers(gb={"host_dram": 200, "local_nvme": 2000})),
            version="0.24.2",
            **(_LMCACHE | {"access_path": "buffered_io", "gds": "requested_fell_back", "page_cache": "mixed"}),
        ),
        _arm("11-09", AGENTIC, _SHORT, mini, version="0.5.18"),
        _arm("11-09", AGENTIC, _SHORT, replace(mini, tiers=Tiers(gb={"host_dram": 280})), version="0.5.18", **_HICACHE),
    ]


def _engram() -> list[Arm]:
    hbm = Deployment(model=MODELS["dsv41flash"], chip="b200", chips=4, engine="vllm", precision="fp4", tp=4, mtp=True)
    users = (1, 2, 4, 8, 16, 32, 48, 64, 96, 128)
    dram = replace(hbm, table="host_dram")
    file = {"backend": "engram", "access_path": "mmap_page_cache", "gds": "off", "page_cache": "warm"}
    return [
        _arm("11-16", AGENTIC, users, hbm, version="0.26.0.dev410", note="The table lies in HBM: no offload."),
        _arm("11-16", AGENTIC, users, dram, version="0.26.0.dev410", backend="engram", access_path="uva_zero_copy"),
        _arm("11-16", AGENTIC, users, replace(hbm, table="local_nvme"), version="0.26.0.dev410", **file),
        _arm(
            "11-16",
            AGENTIC,
            users,
            replace(dram, tiers=Tiers(gb={"host_dram": 150}, repeats=False)),
            version="0.26.0.dev410",
            **_SIMPLE,
            note="KV state and the parameter table both in host memory.",
        ),
    ]


def _fixed() -> list[Arm]:
    b200 = Deployment(model=MODELS["dsr1"], chip="b200", chips=8, engine="trt", precision="fp4", tp=8)
    fp8 = replace(b200, engine="sglang", precision="fp8")
    rack = replace(b200, chip="gb300", chips=8, prefill_chips=8, dp_attention=True)
    small = Deployment(model=MODELS["gptoss120b"], chip="b200", chips=2, engine="vllm", precision="fp4", tp=2)
    arms = []
    for workload in ("1k/1k", "8k/1k"):
        arms += [
            _arm("10-30", workload, _FIXED, b200, version="1.3.0"),
            _arm("10-30", workload, _FIXED, replace(b200, mtp=True), version="1.3.0"),
            _arm("10-30", workload, _FIXED, replace(b200, chips=4, tp=4), version="1.3.0"),
            _arm("10-28", workload, _FIXED, fp8, version="0.5.17"),
            _arm("10-28", workload, _FIXED, replace(fp8, chip="h200"), version="0.5.17"),
            _arm("10-27", workload, _FIXED, replace(fp8, chip="mi355x"), version="0.5.17", without=_TAILS),
        ]
    return [
        *arms,
        _arm("10-29", "8k/1k", _FIXED, rack, version="1.3.0", orchestrator="dynamo"),
        _arm("10-25", "1k/1k", _FIXED, small, version="0.24.0"),
        _arm("10-25", "1k/1k", _FIXED, replace(small, chip="mi355x"), version="0.24.0", without=_TAILS),
    ]


TABLES: dict[str, list[Arm]] = {
    "kimi_agentic.csv": _kimi(),
    "agentic.csv": _agents(),
    "engram.csv": _engram(),
    "fixed.csv": _fixed(),
}
