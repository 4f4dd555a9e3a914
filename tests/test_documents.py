"""Files, folders, links and archives: each file once, or a sentence about it."""

import gzip
import io
import os
import random
import zipfile
from pathlib import Path

import pytest
import zstandard

from ingest.documents import Document, Problem, documents
from ingest.found import NoSuchPath, public
from ingest.unpack import Limits


def read(*paths: Path, limits: Limits | None = None) -> tuple[dict[str, bytes], dict[str, str]]:
    """Bytes and reasons by place."""
    parts = list(documents(paths, limits or Limits()))
    places = [part.place for part in parts]
    assert len(places) == len(set(places)), "a file was reported twice"
    return (
        {part.place: part.data for part in parts if isinstance(part, Document)},
        {part.place: part.reason for part in parts if isinstance(part, Problem)},
    )


def packed(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def test_a_folder_is_read_to_its_depths_in_order(tmp_path: Path) -> None:
    for name in ("b/2.json", "b/1.json", "a.json", "b-1/x.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    found, problems = read(tmp_path)
    assert [Path(place).relative_to(tmp_path).as_posix() for place in found] == [
        "a.json",
        "b/1.json",
        "b/2.json",
        "b-1/x.json",
    ]
    assert not problems


def test_places_are_shown_as_they_were_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.json").write_bytes(b"{}")
    monkeypatch.chdir(tmp_path)
    (document,) = documents([Path("runs")])
    assert isinstance(document, Document)
    assert document.place == "runs/a.json"
    assert document.resolved == str(tmp_path.resolve() / "runs" / "a.json")
    assert document.folders == ("runs",)


def test_the_order_of_arguments_and_overlaps_change_nothing(tmp_path: Path) -> None:
    for name in ("a/1.json", "a/2.json", "b/3.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"{}")
    arguments = [tmp_path / "a", tmp_path / "b", tmp_path, tmp_path / "a" / "1.json"]
    expected = list(read(*arguments)[0])
    assert len(expected) == 3
    for seed in range(5):
        random.Random(seed).shuffle(arguments)
        assert list(read(*arguments)[0]) == expected


def test_links_are_harmless_and_what_they_lead_to_is_read_once(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "far.json").write_bytes(b"far")
    (inside / "real.json").write_bytes(b"real")
    (inside / "a-link.json").symlink_to("real.json")
    (inside / "loop").symlink_to(inside)
    (inside / "away").symlink_to(outside)
    (inside / "broken.json").symlink_to("nowhere.json")
    found, problems = read(inside)
    assert sorted(found.values()) == [b"far", b"real"]
    assert f"{inside}/real.json" in found
    assert {Path(place).name for place in problems} == {"a-link.json", "loop", "broken.json"}
    assert "leads nowhere" in problems[f"{inside}/broken.json"]


def test_hidden_files_are_left_aside_unless_they_are_named(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_bytes(b"ref")
    (tmp_path / ".secret.json").write_bytes(b"{}")
    found, problems = read(tmp_path)
    assert not found
    assert "hidden folder" in problems[f"{tmp_path}/.git"]
    assert list(read(tmp_path, tmp_path / ".secret.json")[0]) == [f"{tmp_path}/.secret.json"]


def test_a_path_that_does_not_exist_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(NoSuchPath, match=r"nothing\.json does not exist"):
        list(documents([tmp_path / "nothing.json"]))


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in read(tmp_path)[1][f"{tmp_path}/pipe"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "git-LFS pointer"),
        (b"[ZoneTransfer]\r\nZoneId=3\r\n", "Zone.Identifier"),
        (b"\x1f\x8b\x08nonsense", "damaged"),
        (b"\x28\xb5\x2f\xfdnonsense", "damaged"),
        (b"PK\x03\x04nonsense", "damaged"),
        (b"PK\x05\x06" + bytes(18), "holds no files"),
        (b"7z\xbc\xaf\x27\x1c....", "7z archive"),
        (b"x" * 257 + b"ustar" + b"x" * 20, "tar archive"),
    ],
)
def test_what_cannot_be_a_result_is_refused_by_its_content(tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / "result.json").write_bytes(data)
    found, problems = read(tmp_path)
    assert not found
    assert words in problems[f"{tmp_path}/result.json"]


def test_gzip_and_zstandard_are_known_by_content_and_lose_their_suffix(tmp_path: Path) -> None:
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(b"one") + gzip.compress(b" two"))
    (tmp_path / "b.json.zst").write_bytes(zstandard.compress(b"three") + zstandard.compress(b" four"))
    (tmp_path / "c.json").write_bytes(gzip.compress(zstandard.compress(b"five")))
    parts = [part for part in documents([tmp_path]) if isinstance(part, Document)]
    assert [(part.name, part.data) for part in parts] == [
        ("a.json", b"one two"),
        ("b.json", b"three four"),
        ("c.json", b"five"),
    ]


def test_archives_are_read_through_to_their_innermost_files(tmp_path: Path) -> None:
    inner = packed({"sweep/agg.json": b"inner"})
    outer = packed({"b/inner.zip": inner, "a.json.gz": gzip.compress(b"packed"), "__MACOSX/._a.json": b"x"})
    (tmp_path / "runs.zip").write_bytes(outer)
    found, problems = read(tmp_path)
    place = f"{tmp_path}/runs.zip"
    assert found == {f"{place}!a.json.gz": b"packed", f"{place}!b/inner.zip!sweep/agg.json": b"inner"}
    assert "hidden" in problems[f"{place}!__MACOSX/._a.json"]
    last = [part for part in documents([tmp_path]) if isinstance(part, Document)][-1]
    assert last.folders == (tmp_path.name, "runs", "b", "inner", "sweep")
    assert last.name == "agg.json"


def test_a_member_whose_name_leads_out_is_refused_and_its_neighbours_are_not(tmp_path: Path) -> None:
    (tmp_path / "evil.zip").write_bytes(
        packed({"../../etc/passwd": b"x", "/abs.json": b"x", "C:\\x.json": b"x", "ok.json": b"ok"})
    )
    found, problems = read(tmp_path)
    assert list(found.values()) == [b"ok"]
    assert [reason for reason in problems.values() if "out of the archive" in reason] == list(problems.values())
    assert len(problems) == 3


def test_an_archive_that_blows_up_is_refused(tmp_path: Path) -> None:
    limits = Limits(file_bytes=1 << 20, archive_bytes=1 << 21, members=5, ratio=50, ratio_from=1000, depth=2)
    half = bytes(random.Random(1).choices(b"abcd", k=900_000))
    (tmp_path / "ratio.zip").write_bytes(packed({"zeros": bytes(1 << 19)}))
    (tmp_path / "large.zip").write_bytes(packed({"large": bytes((1 << 20) + 1)}))
    (tmp_path / "total.zip").write_bytes(packed({f"{n}": half for n in range(3)}))
    (tmp_path / "many.zip").write_bytes(packed({f"{n}": b"x" for n in range(6)}))
    deep = b"core"
    for level in range(4):
        deep = packed({f"{level}.zip": deep})
    (tmp_path / "deep.zip").write_bytes(deep)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(bytes((1 << 20) + 1)))
    (tmp_path / "plain").write_bytes(bytes((1 << 20) + 1))
    found, problems = read(tmp_path, limits=limits)
    assert sorted(Path(place).name for place in found) == ["total.zip!0", "total.zip!1"]
    said = {Path(place).name.partition("!")[0]: reason for place, reason in problems.items()}
    for name, words in {
        "ratio.zip": "50 times its size",
        "large.zip": "past the limit",
        "total.zip": "past the limit of 2 MiB",
        "many.zip": "more than 5 files",
        "deep.zip": "more than 2 times",
        "bomb.gz": "past the limit of 1 MiB",
        "plain": "past the limit of 1 MiB",
    }.items():
        assert words in said[name], name


def test_damaged_encrypted_and_doubled_members_are_named(tmp_path: Path) -> None:
    data = bytearray(packed({"a.json": b"some content that is long enough", "b.json": b"fine"}))
    at = data.index(b"a.json") + len("a.json") + 3
    data[at] ^= 0xFF
    (tmp_path / "damaged.zip").write_bytes(data)
    sealed = bytearray(packed({"a.json": b"x"}))
    sealed[6] |= 1
    sealed[sealed.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "sealed.zip").write_bytes(sealed)
    twin = packed({"a.json": b"first", "b.json": b"second"}).replace(b"b.json", b"a.json")
    (tmp_path / "twice.zip").write_bytes(twin)
    parts = list(documents([tmp_path]))
    assert [part.data for part in parts if isinstance(part, Document)] == [b"fine", b"first"]
    reasons = {part.place.removeprefix(f"{tmp_path}/"): part.reason for part in parts if isinstance(part, Problem)}
    assert "damaged" in reasons["damaged.zip!a.json"]
    assert "encrypted" in reasons["sealed.zip!a.json"]
    assert "twice" in reasons["twice.zip!a.json"]


def test_names_that_are_no_text_can_be_printed(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"bad\xff.json")).write_bytes(b"{}")
    (tmp_path / "line\nbreak\x1b[31m.json").write_bytes(b"{}")
    found, _ = read(tmp_path)
    assert len(found) == 2
    for place in found:
        assert place.isprintable()
        place.encode()


def test_nothing_is_opened_before_it_is_asked_for(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_bytes(b"{}")
    parts = iter(documents([tmp_path]))
    next(parts)
    (tmp_path / "b.json").unlink()
    late = next(parts)
    assert isinstance(late, Problem)
    assert "no such file" in late.reason


@pytest.mark.parametrize(
    ("place", "seen"),
    [
        ("/home/ann/sweeps/june/bmk/agg.json", "sweeps/june/bmk/agg.json"),
        ("../shared/data/agg.json", "shared/data/agg.json"),
        ("results/agg.json", "results/agg.json"),
        ("/home/ann/a.zip!deep/inside/agg.json", "a.zip!deep/inside/agg.json"),
    ],
)
def test_pages_show_where_a_file_lay_but_no_absolute_path(place: str, seen: str) -> None:
    assert public(place) == seen
