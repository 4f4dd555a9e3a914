"""Colors: readable on the paper of both themes, told apart, and bound to keys."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog.chips import CHIPS
from app.catalog.colors import key_color, series_color
from app.catalog.engines import ENGINES
from app.catalog.oklch import PAPER_DARK, PAPER_LIGHT, Color, contrast, distance, parse_hex, to_hex

UNKNOWN = ("other:gaudi3", "other:newthing", None)
PAIRS = [
    (chip, engine) for chip in (*(c.key for c in CHIPS), *UNKNOWN) for engine in (*(e.key for e in ENGINES), *UNKNOWN)
]


def assert_readable(color: Color) -> None:
    assert contrast(color.light, PAPER_LIGHT) >= 3
    assert contrast(color.dark, PAPER_DARK) >= 3
    assert contrast(color.light_ink, PAPER_LIGHT) >= 4.5
    assert contrast(color.dark_ink, PAPER_DARK) >= 4.5


@pytest.mark.parametrize(("chip", "engine"), PAIRS)
def test_lines_and_labels_of_every_series_stand_out_from_the_paper(chip: str | None, engine: str | None) -> None:
    assert_readable(series_color(chip, engine))


@given(st.text(min_size=1))
def test_any_word_has_a_readable_color(word: str) -> None:
    assert_readable(key_color(f"other:{word}"))
    assert_readable(series_color(f"other:{word}", None))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_two_series_share_a_color(theme: str) -> None:
    known = [(chip.key, engine.key) for chip in CHIPS for engine in ENGINES]
    colors = {getattr(series_color(*pair), theme) for pair in known}
    assert len(colors) == len(known)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_series_that_meet_on_one_chart_are_told_apart(theme: str) -> None:
    engines = {"NVIDIA": ("vllm", "sglang", "trt"), "AMD": ("vllm", "sglang", "atom")}
    met = [(chip.key, engine) for chip in CHIPS for engine in engines.get(chip.vendor, ("vllm",))]
    colors = {pair: getattr(series_color(*pair), theme) for pair in met}
    for one, other in combinations(met, 2):
        assert distance(colors[one], colors[other]) > 0.03, (one, other)


def test_the_chips_of_the_design_keep_its_colors() -> None:
    design = {
        "gb300": ("#044b59", "#a9e9f0"),
        "b200": ("#0a9184", "#3fa9a0"),
        "h200": ("#2f5c10", "#5fd67a"),
        "mi355x": ("#da402a", "#ef6a55"),
    }
    for chip, (light, dark) in design.items():
        color = series_color(chip, "vllm")
        assert distance(color.light, light) < 0.01
        assert distance(color.dark, dark) < 0.01


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)  # the usual example of a passing grey
    assert contrast("#1a1d21", PAPER_LIGHT) > 16


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_a_color_survives_the_way_to_lightness_chroma_and_hue_and_back(channels: tuple[int, int, int]) -> None:
    text = "#" + "".join(f"{channel:02x}" for channel in channels)
    assert distance(to_hex(parse_hex(text)), text) < 0.01
