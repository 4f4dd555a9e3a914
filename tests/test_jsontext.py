"""JSON as tools really write it: nothing raises, bad rows are named, good rows stay."""

import json
from array import array

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import jsontext
from ingest.jsontext import Parsed, parse, utf8
from ingest.set_apart import LONG, set_apart


def values(parsed: Parsed) -> list[object]:
    return [record.value for record in parsed.records]


def wheres(parsed: Parsed) -> list[str]:
    return [problem.where for problem in parsed.problems]


def test_an_object_an_array_and_lines_are_told_apart() -> None:
    assert parse(b'{"a": 1}').shape == "object"
    assert [tuple(row) for row in parse(b'[{"a": 1}, {"a": 2}]').records] == [("row 1", {"a": 1}), ("row 2", {"a": 2})]
    assert [tuple(row) for row in parse(b'{"a": 1}\n\n{"a": 2}\n').records] == [
        ("line 1", {"a": 1}),
        ("line 3", {"a": 2}),
    ]


def test_what_is_not_json_says_so() -> None:
    for data in (b"", b" \n", b"a,b\n1,2\n", b"PAR1\x00", b'"text"', b"12"):
        parsed = parse(data)
        assert parsed.shape == "none"
        assert parsed.value is None
        assert len(parsed.problems) == 1


def test_nan_and_infinity_are_missing_and_their_keys_are_named() -> None:
    parsed = parse(b'{"p99": NaN, "rate": Infinity, "low": -Infinity, "list": [1, NaN], "far": 1e999, "ok": 0}')
    assert parsed.value == {"p99": None, "rate": None, "low": None, "list": [1, None], "far": None, "ok": 0}
    assert parsed.warnings == ["NaN or Infinity was read as missing: p99, rate, low, list, far"]


def test_a_request_rate_without_end_is_no_missing_number_and_keeps_every_line() -> None:
    parsed = parse(b'{"request_rate": Infinity, "n": 1}\n{"request_rate": Infinity, "n": 2}\n')
    assert values(parsed) == [{"request_rate": "inf", "n": 1}, {"request_rate": "inf", "n": 2}]
    assert not parsed.problems
    assert not parsed.warnings


def test_a_row_that_gives_a_key_twice_is_refused_and_its_neighbours_are_not() -> None:
    parsed = parse(b'[{"a": 1}, {"a": 1, "b": {"c": 1, "c": 2}}, {"a": 3}]')
    assert [row.where for row in parsed.records] == ["row 1", "row 3"]
    assert wheres(parsed) == ["row 2"]
    assert "'c'" in parsed.problems[0].reason


@pytest.mark.parametrize("data", [b'{"a": 1, "a": 2}', b'{"a" : 1, "a":2}', b'{"a":1,"a" :2}', b'{"a":1,"\\u0061":2}'])
def test_equal_keys_are_noticed_however_they_are_spelled(data: bytes) -> None:
    assert "'a'" in parse(data).problems[0].reason


@pytest.mark.parametrize("text", ['{"a": "x\\" : y"}', '{"a": "x\\u0022: y"}', '{"a" :\n "\\":"}', '{"a": " : "}'])
def test_colons_inside_texts_are_not_taken_for_keys(text: str) -> None:
    parsed = parse(text.encode())
    assert parsed.value == json.loads(text)
    assert not parsed.problems


def test_whole_rows_before_a_cut_are_kept() -> None:
    whole = b'[{"a": 1}, {"a": 2}, {"a": 3}]'
    for length in range(len(whole)):
        parsed = parse(whole[:length])
        assert parsed.problems, whole[:length]
        assert values(parsed) == [{"a": number} for number in range(1, whole[:length].count(b"}") + 1)]
    assert "cut off" in parse(whole[:15]).problems[0].reason


def test_a_cut_or_broken_line_costs_itself() -> None:
    parsed = parse(b'{"a": 1}\n{"a": \n{"a": 3}\nnonsense\n{"a": 5}\n{"a"')
    assert [row.where for row in parsed.records] == ["line 1", "line 3", "line 5"]
    assert wheres(parsed) == ["line 2", "line 4", "line 6"]


def test_objects_glued_together_are_rows() -> None:
    assert values(parse(b'{"a": 1}{"a": 2}')) == [{"a": 1}, {"a": 2}]
    assert values(parse(b'{"a": 1}{"a": 2}\n{"a": 3}\n')) == [{"a": 1}, {"a": 2}, {"a": 3}]
    assert values(parse(b'{\n "a": 1\n}\n{\n "a": 2\n}\n')) == [{"a": 1}, {"a": 2}]


def test_text_after_an_array_is_named() -> None:
    parsed = parse(b'[{"a": 1}] and more')
    assert values(parsed) == [{"a": 1}]
    assert "after the end" in parsed.problems[0].reason


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_and_byte_order_marks_are_read(encoding: str) -> None:
    assert parse('{"model": "é"}'.encode(encoding)).value == {"model": "é"}


def test_text_that_is_not_utf8_is_read_and_doubted() -> None:
    parsed = parse(b'{"model": "caf\xe9"}')
    assert parsed.value == {"model": "caf�"}
    assert "not UTF-8" in parsed.warnings[0]


@pytest.mark.parametrize("data", [b"[" * 100_000, b'{"a":' * 300 + b"1" + b"}" * 300, b"[" * 900 + b"]" * 900])
def test_deep_nesting_is_a_problem_and_no_crash(data: bytes) -> None:
    assert "nested too deeply" in parse(data).problems[0].reason


def test_a_deep_row_costs_itself() -> None:
    parsed = parse(b'[{"a": 1}, ' + b"[" * 300 + b"]" * 300 + b', {"a": 3}]')
    assert [row.where for row in parsed.records] == ["row 1", "row 3"]


def test_whole_numbers_past_64_bits_become_floats_on_both_paths() -> None:
    large = "123456789012345678901234567890"
    assert parse(f'{{"n": {large}}}'.encode()).value == {"n": 1.2345678901234568e29}
    assert parse(f'{{"n": {large}, "x": NaN}}'.encode()).value == {"n": 1.2345678901234568e29, "x": None}
    assert parse(b'{"n": ' + b"9" * 5000 + b"}").value == {"n": None}


def test_lone_surrogates_cannot_reach_the_store() -> None:
    parsed = parse(b'{"a": "\\ud800"}')
    orjson.dumps(parsed.value)
    assert parsed.shape == "object"


def test_plain_utf8_is_handed_on_without_a_copy() -> None:
    data = b'{"a": 1}'
    assert utf8(data) is data


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(), JSON_VALUES, max_size=5)


@given(st.lists(OBJECTS, min_size=1, max_size=5), st.booleans(), st.sampled_from([None, 1]))
def test_what_json_writes_is_read_back(rows: list[dict[str, object]], ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(rows, ensure_ascii=ascii_only, indent=indent)
    assert values(parse(text.encode("utf-8", "surrogatepass"))) == rows
    lines = "\n".join(json.dumps(row, ensure_ascii=ascii_only) for row in rows)
    assert values(parse(lines.encode("utf-8", "surrogatepass"))) == rows


@given(st.binary(max_size=60) | st.text(alphabet='{}[]":,\\ntrue1.e-N', max_size=40).map(str.encode))
def test_nothing_raises(data: bytes) -> None:
    parsed = parse(data)
    assert parsed.problems or parsed.shape != "none"
    orjson.dumps(parsed.value)


@pytest.mark.parametrize(
    "nested", [b'{"a": 1, "b": {"c": [1, {"d": "\\":"}]}}', b'[[[{"a": 1}], {"b": "c"}], 2]', b"[]"]
)
@pytest.mark.parametrize("long", [True, False])
def test_a_long_text_is_watched_for_keys_given_twice_as_a_short_one_is(nested: bytes, long: bool) -> None:
    pad = b'"' + b"x" * ((16 << 20) if long else 4) + b'"'
    rows = b", ".join([nested] * 300)
    clean = parse(b'{"pad": %b, "rows": [%b], "more": {"rows": [%b]}}\n' % (pad, rows, nested))
    assert clean.shape == "object"
    assert not clean.problems
    twice = parse(b'{"pad": %b, "rows": [%b, {"a": 1, "a": 2}]}' % (pad, rows))
    assert [problem.reason for problem in twice.problems] == [
        "the key 'a' is given more than once, so its value is in doubt"
    ]


# Lists of gaps, read apart


GAPS = st.lists(st.lists(st.floats(0, 10) | st.integers(0, 9), max_size=4), min_size=1, max_size=4)


def plain(value: object) -> object:
    """The value with lists where doubles were packed."""
    if isinstance(value, array):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


@given(
    st.lists(st.tuples(GAPS, st.text() | st.just('"itls": [[1.5]]')), min_size=1, max_size=3),
    st.sampled_from([None, 1]),
)
def test_lists_that_are_read_apart_come_back_where_they_stood(
    given_rows: list[tuple[list[list[float]], str]], indent: int | None
) -> None:
    rows = [{"text": text, "itls": gaps, "after": [{"itls": text}, "itls"]} for gaps, text in given_rows]
    text = json.dumps(rows, indent=indent).encode()
    apart = set_apart(text)
    assert apart is not None
    value = orjson.loads(apart.text)
    assert all(isinstance(row["itls"], str) for row in value)
    apart.put_back(value)
    assert plain(value) == rows


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": "no such list"}',
        b'{"itls": []}',
        b'{"itls": [1, 2]}',
        b'{"itls": [[1.5, null]]}',
        b'{"itls": [[1.5, NaN]]}',
        b'{"itls": [[1.5], "x"]}',
        b'{"itls": [[1.5, 2.',
        b'{"itls": [[1.5,,2]]}',
        b'{"text": "\\"itls\\": [[1.5]]"}',
        b'{"itls": [[1.5]], "text": "\\u2063set apart 0"}',
    ],
)
def test_what_is_no_list_of_numbers_stays_in_its_text(data: bytes) -> None:
    assert set_apart(data) is None


@pytest.mark.parametrize("lines", [False, True])
def test_a_long_text_is_the_same_to_its_readers_however_its_gaps_are_held(lines: bool) -> None:
    rows = [{"n": n, "itls": [[0.25, n + 0.5], [], [1, 2]], "pad": "x" * 700_000} for n in range(3)]
    data = ("\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)).encode()
    assert len(data) > LONG
    parsed = parse(data)
    assert [type(gaps) for gaps in parsed.records[0].value["itls"]] == [array, list, list]
    assert [plain(row) for row in values(parsed)] == rows
    twice = parse(data.replace(b'"n": 1', b'"n": 0, "n": 1'))
    assert [(problem.where, "'n' is given more than once" in problem.reason) for problem in twice.problems] == [
        ("line 2" if lines else "row 2", True)
    ]
    assert [row["itls"][0].tolist() for row in values(twice)] == [[0.25, 0.5], [0.25, 2.5]]


def test_a_text_with_flaws_is_mended_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsontext, "MENDED", 3 << 20)
    flawed = b'{"rate": NaN, "pad": "%b"}'
    assert parse(flawed % (b"x" * (2 << 20))).shape == "object"
    (problem,) = parse(flawed % (b"x" * (4 << 20))).problems
    assert problem.reason == (
        "it is no clean JSON (unexpected character, expected a JSON value at line 1, column 10), "
        "and at 4 MiB too long to be mended: 3 MiB at most"
    )
    row = b'{"a": 1}\n'
    assert len(values(parse(row * (4 << 20 >> 3) + b'{"a": NaN}\n'))) == (4 << 20 >> 3) + 1
