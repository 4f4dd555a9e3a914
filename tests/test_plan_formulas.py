"""The formulas of a plan against worked examples and measured runs."""

import pytest

from app.catalog.links import LINKS
from app.catalog.models import MODELS
from app.plan import formulas as f
from app.plan.anchors import ANCHORS

GIB = 2**30
US = 1e-6
H100_FP8, B300_FP8 = 1979e12, 4.5e15


def compute(model: str, flops: float, *, attention: bool = False) -> f.Compute:
    geometry = MODELS[model].geometry
    assert geometry is not None
    assert geometry.active is not None
    return f.Compute(active=geometry.active, attention=(geometry.attention or 0) if attention else 0, flops=flops)


def whole(model: str, form: str) -> float:
    geometry = MODELS[model].geometry
    assert geometry is not None
    found = geometry.kv_bytes_per_token(form)  # type: ignore[arg-type]
    assert found is not None
    return found


LLAMA = compute("llama70b", 0.5 * 8 * H100_FP8)
DEEPSEEK = compute("dsr1", 0.4 * 8 * H100_FP8)
KIMI = compute("kimik3", 0.35 * 8 * B300_FP8)


@pytest.mark.parametrize(("case", "us"), [(LLAMA, 17.8), (DEEPSEEK, 11.7), (KIMI, 16.5)])
def test_recompute_time_of_a_token(case: f.Compute, us: float) -> None:
    assert case.per_token() / US == pytest.approx(us, abs=0.05)


def test_attention_over_a_hundred_thousand_tokens_doubles_it() -> None:
    case = compute("llama70b", 0.5 * 8 * H100_FP8, attention=True)
    assert (case.per_token(100_000) - case.per_token()) / US == pytest.approx(16.6, abs=0.05)


@pytest.mark.parametrize(
    ("case", "model", "form", "gb_s"),
    [
        (LLAMA, "llama70b", "bf16", 18.4),
        (LLAMA, "llama70b", "fp8", 9.2),
        (DEEPSEEK, "dsr1", "bf16", 6.0),
        (DEEPSEEK, "dsr1", "fp8", 3.0),
        (KIMI, "kimik3", "fp8", 0.84),
    ],
)
def test_break_even_bandwidth(case: f.Compute, model: str, form: str, gb_s: float) -> None:
    found = f.break_even_bandwidth(whole(model, form), case.per_token())
    assert found / 1e9 == pytest.approx(gb_s, rel=0.005)


@pytest.mark.parametrize(("link", "slower"), [("nvme4", True), ("nvme5", True), ("nvme6", False), ("pcie4", False)])
def test_llama_is_recomputed_faster_than_one_drive_reads_it(link: str, slower: bool) -> None:
    load = f.Load(start=0, per_token=whole("llama70b", "bf16") / LINKS[link].bytes_per_s)
    assert (load.per_token > LLAMA.per_token()) is slower
    assert (f.break_even_length(load, LLAMA) is None) is slower


@pytest.mark.parametrize(("gb_s", "ms"), [(55, 8), (7, 66)])
def test_the_state_of_kimi_k3_takes_its_time(gb_s: float, ms: float) -> None:
    geometry = MODELS["kimik3"].geometry
    assert geometry is not None
    assert geometry.state is not None
    assert (geometry.state.checkpoint or 0) / (gb_s * 1e9) * 1e3 == pytest.approx(ms, rel=0.05)


@pytest.mark.parametrize(("agents", "gib"), [(16, 11.41), (8, 5.32)])
def test_the_reuse_sets_of_efficient_agent(agents: int, gib: float) -> None:
    geometry = MODELS["qwen3-coder-30b-a3b"].geometry
    assert geometry is not None
    rank = geometry.per_rank(8, "bf16")
    assert rank == 24_576
    assert f.reuse_set(agents, 33_228) * rank / GIB == pytest.approx(gib, abs=0.005)


@pytest.mark.parametrize(
    ("set_gb", "pool_gb", "gamma"), [(14, 50, 0.28), (70.5, 50, 1.41), (35, 100, 0.35), (176, 100, 1.76)]
)
def test_the_capacity_cliff_of_deepseek_r1(set_gb: float, pool_gb: float, gamma: float) -> None:
    # Below 1 the measured run got the full benefit, above it none: 8.27 to 0.58 s, against 100.7 to 95.5 s.
    found = f.pressure(set_gb, pool_gb)
    assert found == pytest.approx(gamma, abs=0.005)
    assert f.regime(2.0, found, None, None) == ("sweet spot" if gamma < 1 else "thrash")


@pytest.mark.parametrize(("ratio", "inclusive", "exclusive"), [(1, 1, 2), (1.5, 1.5, 2.5), (2, 2, 3), (3, 3, 4)])
def test_what_a_pool_adds_by_its_size_and_policy(ratio: float, inclusive: float, exclusive: float) -> None:
    assert f.gain(ratio, "inclusive") == inclusive
    assert f.gain(ratio, "exclusive") == exclusive


def test_a_copying_pool_smaller_than_hbm_adds_nothing() -> None:
    assert f.gain(0.5, "inclusive") == 1
    assert f.gain(0.5, "exclusive") == 1.5


def test_drive_wear() -> None:
    rate = f.required_bandwidth(20_000, 70_272)
    day = f.written_per_day(20_000, 70_272)
    assert rate / 1e9 == pytest.approx(1.4, abs=0.01)
    assert day / 1e12 == pytest.approx(121, abs=0.5)
    assert f.drive_writes_per_day(day, 7.68e12) == pytest.approx(15.8, abs=0.05)


@pytest.mark.parametrize(("stored", "loaded", "times"), [(457.6, 108.7, 4.2), (81.7, 12.6, 6.5)])
def test_write_amplification(stored: float, loaded: float, times: float) -> None:
    assert f.write_amplification(stored, loaded) == pytest.approx(times, abs=0.05)


@pytest.mark.parametrize(("tflops", "gb_s", "flop"), [(148, 64, 2_300), (989, 64, 15_500)])
def test_flop_per_link_byte(tflops: float, gb_s: float, flop: float) -> None:
    assert f.flop_per_link_byte(tflops * 1e12, gb_s * 1e9) == pytest.approx(flop, rel=0.01)


def test_break_even_length_with_and_without_attention() -> None:
    load = f.Load(start=1.25, per_token=0)
    flat = f.Compute(active=0.5, attention=0, flops=1 / 144.5e-6)
    assert f.break_even_length(load, flat) == pytest.approx(8_650, rel=0.001)
    steep = compute("llama70b", 0.5 * 8 * H100_FP8, attention=True)
    slow = f.Load(start=0.01, per_token=2 * steep.per_token(), fixed=0.002)
    length = f.break_even_length(slow, steep)
    assert length is not None
    assert slow.time(length) == pytest.approx(steep.time(length))
    assert slow.time(length / 2) > steep.time(length / 2)
    assert slow.time(length * 2) < steep.time(length * 2)


@pytest.mark.parametrize(
    ("on_hbm", "on_pool", "needed", "available", "regime"),
    [
        (0.8, 0.2, None, None, "idle"),
        (1.0, 3.0, 9.0, 1.0, "idle"),
        (2.0, 0.9, 1.0, 2.0, "sweet spot"),
        (2.0, 1.0, None, None, "sweet spot"),
        (2.0, 1.1, 1.0, 2.0, "thrash"),
        (2.0, 0.5, 3.0, 2.0, "link-bound"),
    ],
)
def test_regimes(on_hbm: float, on_pool: float, needed: float | None, available: float | None, regime: str) -> None:
    assert f.regime(on_hbm, on_pool, needed, available) == regime


def test_minimax_m3_fills_its_pool_near_fifty_conversations() -> None:
    # ATOM #2184: 7.66 million tokens, about 150 k of context each; offload pays from 48 on.
    assert f.resumable(7.66e6, 150_000) == 51
    assert f.pressure(f.working_set(48, 150_000), 7.66e6) == pytest.approx(0.94, abs=0.01)
    assert f.pressure(f.working_set(52, 150_000), 7.66e6) > 1


def test_lifetime_cost_and_pool() -> None:
    assert f.lifetime(36_000_000, 10_000) == 3_600
    assert f.lifetime(1, 0) is None
    assert f.cost_per_hour(8_760, 4, 1) == 4
    assert f.pool_tokens(35.136e9, 35_136, groups=2) == 2_000_000
    assert f.resumable(99, 50) == 1
    assert f.benefit(1, 4) == 0.75


def test_anchors_say_how_many_times_faster_reloading_was() -> None:
    times = {anchor.letter: round(anchor.times, 2) for anchor in ANCHORS}
    assert times["A"] == 7.8
    assert times["C"] == pytest.approx(0.96, abs=0.01)
    assert times["F"] == pytest.approx(1 / 44, abs=0.01)
    assert all(anchor.recompute > 0 and anchor.reload > 0 and anchor.source for anchor in ANCHORS)
