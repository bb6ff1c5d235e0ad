"""A recording damaged in every place: told, where, and never a wrong object."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.recording import Damage, Recording
from tests.examples import part
from tests.recordings import record, resealed, sealed, story

Versions = dict[tuple[str, str], bytes]


@pytest.fixture
def lines(tmp_path: Path) -> list[bytes]:
    """The lines of a small recording."""
    return record(tmp_path / "whole.spy", story())


def read(path: Path, raw: bytes | Iterable[bytes]) -> tuple[Versions, list[Damage]]:
    """Return every version that is shown, and what is said to be damaged."""
    path.write_bytes(raw if isinstance(raw, bytes) else b"".join(raw))
    recording = Recording(str(path))
    versions = {
        (item.uid, item.resource_version): canonical(item.document)
        for item in recording
        if isinstance(item, ChangeRecord) and isinstance(item.document, dict)
    }
    return versions, recording.damages


def line_at(lines: list[bytes], position: int) -> int:
    """Return the number, from 1, of the line that the byte at *position* is in."""
    for number, raw in enumerate(lines, 1):
        position -= len(raw)
        if position < 0:
            return number
    raise AssertionError


@pytest.mark.parametrize("mask", [0x01, 0x2A])
def test_flipped_bytes_are_found(lines: list[bytes], tmp_path: Path, mask: int) -> None:
    raw = b"".join(lines)
    whole, _ = read(tmp_path / "copy", raw)
    step = 4 // part(2)
    for position in (*range(mask % step, len(raw), step), len(raw) - 1):
        flipped = bytearray(raw)
        flipped[position] ^= mask
        versions, damages = read(tmp_path / "copy", bytes(flipped))
        assert versions.items() <= whole.items()
        last = position == len(raw) - 1
        assert damages[0].torn == last
        assert damages[0].line == line_at(lines, position)


def test_a_cut_recording_is_read_to_its_end(lines: list[bytes], tmp_path: Path) -> None:
    raw = b"".join(lines)
    whole, _ = read(tmp_path / "copy", raw)
    for size in range(len(lines[0]), len(raw)):
        versions, damages = read(tmp_path / "copy", raw[:size])
        assert versions.items() <= whole.items()
        cut = raw[size - 1 : size] != b"\n"
        assert [damage.torn for damage in damages] == [True] * cut
    for size in range(len(lines[0])):
        with pytest.raises(SpyError, match="no recording"):
            read(tmp_path / "copy", raw[:size])


def test_deleted_lines_are_missed(lines: list[bytes], tmp_path: Path) -> None:
    whole, _ = read(tmp_path / "copy", lines)
    for first in range(1, len(lines) - 1):
        for count in (1, 2):
            rest = lines[:first] + lines[first + count :]
            if len(rest) == first:
                continue  # the end of a recording may have been cut off
            versions, damages = read(tmp_path / "copy", rest)
            assert versions.items() <= whole.items()
            assert damages[0].line == first + 1
            missing = many(count, "line")
            assert f"{missing} missing before it" in damages[0].reason


def test_swapped_and_doubled_lines_are_bad(lines: list[bytes], tmp_path: Path) -> None:
    whole, _ = read(tmp_path / "copy", lines)
    for at in range(1, len(lines) - 1):
        one, other = lines[at : at + 2]
        swapped = [*lines[:at], other, one, *lines[at + 2 :]]
        versions, damages = read(tmp_path / "copy", swapped)
        assert versions.items() <= whole.items()
        assert (damages[0].line, damages[0].torn) == (at + 1, False)
    for one_at, at in pairwise(range(len(lines))):
        for again in (one_at, at):
            doubled = [*lines[: at + 1], lines[again], *lines[at + 1 :]]
            versions, damages = read(tmp_path / "copy", doubled)
            assert versions.items() <= whole.items()
            assert (damages[0].line, damages[0].torn) == (at + 2, False)


def test_a_line_moved_back_changes_nothing(lines: list[bytes], tmp_path: Path) -> None:
    """An object's ADDED at the end would show its first version as the last."""
    added = next(raw for raw in lines if b'"ADDED"' in raw)
    path = tmp_path / "copy"
    path.write_bytes(b"".join([*lines[:-1], added, lines[-1]]))
    recording = Recording(str(path))
    last = [item for item in recording if getattr(item, "name", "") == "a"][-1]
    assert isinstance(last, ChangeRecord)
    assert last.resource_version == "8"
    assert [damage.line for damage in recording.damages] == [len(lines)]


def test_joined_recordings_are_separate(lines: list[bytes], tmp_path: Path) -> None:
    more = record(tmp_path / "more.spy", story())
    versions, damages = read(tmp_path / "copy", [*lines, *more])
    assert damages == []
    assert versions == read(tmp_path / "copy", lines)[0]


def test_a_later_minor_version_may_say_more(lines: list[bytes], tmp_path: Path) -> None:
    header = resealed(lines[0], version="1.7", colour="blue")
    news = [
        resealed(raw, seq=2 * number, new={"a": [1]}) if number else header
        for number, raw in enumerate(lines)
    ]
    more = [
        sealed({"seq": 2 * n + 1, "time": "2026-11-21T15:04:05Z", "type": "MOOD"})
        for n in range(1, len(lines))
    ]
    mixed = [header]
    for raw, extra in zip(news[1:], more, strict=True):
        mixed += [raw, extra]
    assert read(tmp_path / "copy", mixed)[0] == read(tmp_path / "other", lines)[0]
    assert read(tmp_path / "copy", mixed)[1] == []


@pytest.mark.parametrize("version", ["2.0", "11.0", "2", "10"])
def test_later_major_versions_are_refused(
    lines: list[bytes], tmp_path: Path, version: str
) -> None:
    with pytest.raises(SpyError, match=f"format {version}; this kubectl spy reads 1"):
        read(tmp_path / "copy", [resealed(lines[0], version=version), *lines[1:]])


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n",
        b"{}\n" * 3,
        b'{"seq":1,"time":"","type":"HEADER"}\n',
        bytes(range(256)) * 100,
        b"\x1f\x8b",
        b"\x1f\x8b" + bytes(100),
        gzip.compress(b"not a recording\n" * 5000, mtime=0),
        sealed(
            {"seq": 1, "time": "", "type": "HEADER", "format": "x", "version": "1.0"}
        ),
        sealed({"seq": 1, "time": "", "type": "HEADER", "format": [], "version": {}}),
        sealed({"a": 1}),
    ],
)
def test_other_files_are_refused(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(SpyError, match=r"no recording|something else"):
        read(tmp_path / "copy", raw)


def test_a_cut_gzip_is_torn_and_a_bad_one_is_damaged(
    lines: list[bytes], tmp_path: Path
) -> None:
    raw = b"".join(lines)
    packed = gzip.compress(raw, 1)
    whole, _ = read(tmp_path / "copy", raw)
    for size in range(len(packed) - len(packed) // 3, len(packed), 7):
        try:
            versions, damages = read(tmp_path / "copy", packed[:size])
        except SpyError:
            continue  # not one line came out
        assert versions.items() <= whole.items()
        assert [damage.torn for damage in damages] == [True]
    changed = bytearray(packed)
    changed[-6] ^= 0xFF  # the CRC of the whole
    versions, damages = read(tmp_path / "copy", bytes(changed))
    assert versions == whole
    assert [damage.torn for damage in damages] == [False]


@pytest.mark.parametrize(("noted", "missing"), [(9, 0), (11, 0), (14, 3)])
def test_numbers_left_out_after_a_kill_are_no_loss_but_noted_ones_are(
    lines: list[bytes], tmp_path: Path, noted: int, missing: int
) -> None:
    """A killed recorder noted that it had sent line *noted*; line 11 came in last."""
    seq = noted + 1_000_000
    again = resealed(lines[0], seq=seq, type="RESUME", after=noted)
    more = [resealed(each, seq=seq + n) for n, each in enumerate(lines[1:6], 1)]
    versions, damages = read(tmp_path / "copy", [*lines[:11], again, *more])
    reasons = [f"{many(missing, 'line')} missing before it"] if missing else []
    assert [each.reason for each in damages] == reasons
    assert len(versions) > 5
