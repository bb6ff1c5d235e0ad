"""Recordings from OpenTelemetry log records, whatever the transport does to them."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.objects import JSON, WatchEvent
from kubectl_spy.errors import SpyError
from kubectl_spy.extras.otel.otlp_lines import parts_in
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import lines_of
from tests.builders import entry, event, pod
from tests.examples import examples
from tests.extras.otel.otlp_logs import log_records, otlp_file, requests_in_json
from tests.json_documents import hostile_json, hostile_text
from tests.recordings import START, first_list, record, story

Lines = list[bytes]
ODD = b"\\ud800"  # no name of a recording, and no UTF-8


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    """The lines of a small recording."""
    return record(tmp_path / "whole.spy", story())


def read(path: Path, requests: list[bytes]) -> tuple[Lines, list[str]]:
    """Return the lines that are read, and what is said to be damaged."""
    path.write_bytes(b"".join(requests))
    recording = Recording(str(path))
    items = list(recording)
    assert items
    name = f"{path} (recording {recording.header['recording']})"
    damages = [str(each).replace(name, "R") for each in recording.damages]
    whole = [each.raw for each in lines_of(str(path)) if not each.reason]
    return whole, [each.replace(str(path), "FILE") for each in damages]


def one_by_one(lines: Lines, longest: int = 1000) -> list[bytes]:
    return requests_in_json(log_records(lines, longest=longest), 1)


def versions(texts: list[str]) -> list[WatchEvent]:
    """Return the events of a Pod that gets each of *texts* as an annotation."""
    events = first_list(pod(rv="1"), time=START)
    for number, each in enumerate(texts, 2):
        changed = pod(
            rv=str(number),
            annotations={"text": each, "n": str(number)},
            managedFields=[entry(each, time=f"2026-01-01T00:00:{number:02}Z")],
        )
        events.append(event("MODIFIED", changed, time=START + number))
    return events


@examples(60)
@given(
    st.lists(hostile_text | st.text(min_size=50, max_size=400), max_size=8),
    st.integers(64, 700),
    st.integers(1, 9),
    st.randoms(use_true_random=False),
)
def test_any_order_repetition_batch_and_cut_gives_the_same_recording(
    texts: list[str], longest: int, size: int, dice: random.Random
) -> None:
    with TemporaryDirectory() as directory:
        path = Path(directory)
        lines = record(path / "whole.spy", versions(texts))
        records = log_records(lines, longest=longest)
        records += dice.choices(records, k=dice.randrange(len(records)))
        dice.shuffle(records)
        packed = b"".join(requests_in_json(records, size))
        (path / "logs").write_bytes(gzip.compress(packed) if size % 2 else packed)
        assert [each.raw for each in lines_of(str(path / "logs"))] == lines


def test_missing_lines_and_parts_are_named(lines: Lines, tmp_path: Path) -> None:
    path = tmp_path / "otlp.jsonl"
    whole = one_by_one(lines, longest=280)
    assert read(path, whole) == (lines, [])
    cut = max(n for n, each in enumerate(whole) if b"kubectl_spy.parts" in each)
    (part,) = parts_in(json.loads(whole[cut]))
    rest, damages = read(path, whole[:cut] + whole[cut + 1 :])
    lost = f"part {part.total} of {part.total} is missing"
    assert damages == [f"R: line {part.seq} is damaged: {lost}"]
    assert rest == [each for n, each in enumerate(lines, 1) if n != part.seq]
    short = one_by_one(lines)
    rest, damages = read(path, short[:6] + short[8:])
    assert damages == ["R: line 9 is damaged: 2 lines missing before it"]
    assert rest == lines[:6] + lines[8:]


def test_reading_begins_at_the_first_header(lines: Lines, tmp_path: Path) -> None:
    path = tmp_path / "otlp.jsonl"
    path.write_bytes(b"".join(one_by_one(lines)[1:]))
    with pytest.raises(SpyError, match=r"11 lines of recording .*, but no HEADER"):
        Recording(str(path))
    segment = tmp_path / "ring.spy"
    later = record(segment, story(), rotation=Rotation(size=1))
    whole = [each.raw for each in lines_of(str(segment))]
    begins = [n for n, each in enumerate(whole) if b'"type":"HEADER"' in each]
    assert later and len(begins) > 1
    rest, damages = read(path, one_by_one(whole)[1:])
    said = f"{begins[1] - 1} lines before the first HEADER cannot be used"
    assert damages == [f"R: line {begins[1]} is damaged: {said}"]
    assert rest == whole[begins[1] :]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (b"{oops\n", "FILE: line 3 is damaged: it is no JSON"),
        (b"\x00\n", "FILE: line 3 is damaged: it is no JSON"),
        (b'{"resourceLogs":[{"scopeLogs', "FILE: its last line is torn"),
    ],
)
def test_an_unreadable_request_is_named_and_the_others_are_read(
    lines: Lines, tmp_path: Path, bad: bytes, said: str
) -> None:
    requests = requests_in_json(log_records(lines), 6)
    assert len(requests) == 2
    path = tmp_path / "otlp.jsonl"
    rest, (damage,) = read(path, [*requests, bad])
    assert rest == lines and damage.startswith(said)


def test_a_request_behind_a_torn_one_is_read(lines: Lines, tmp_path: Path) -> None:
    """A collector was killed, and its successor appends to the file."""
    one, other = requests_in_json(log_records(lines), 6)
    path = tmp_path / "otlp.jsonl"
    assert read(path, [one, other[:-9], other]) == (
        lines,
        ["FILE: line 2 is damaged: it is no JSON"],
    )
    path.write_bytes(one[:-9] + other)
    with pytest.raises(SpyError, match=r"but no HEADER.*; 1 line of the file cannot"):
        Recording(str(path))


def test_a_whole_copy_is_better_than_a_truncated_one(
    lines: Lines, tmp_path: Path
) -> None:
    requests = one_by_one(lines)
    truncated = requests[7].replace(b'\\"crc32\\":', b"...")
    assert truncated != requests[7]
    path = tmp_path / "otlp.jsonl"
    for both in ([truncated, requests[7]], [requests[7], truncated]):
        assert read(path, requests + both) == (lines, [])
    rest, damages = read(path, [*requests[:7], truncated, *requests[8:]])
    assert damages == ["R: line 8 is damaged: its checksum does not match"]
    assert len(rest) == len(lines)


def test_other_telemetry_in_the_file_is_ignored(lines: Lines, tmp_path: Path) -> None:
    other = [
        b'{"resourceMetrics":[]}\n',
        b'{"resourceSpans":[{"scopeSpans":[]}]}\n',
        b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"hello"}'
        b',"attributes":[{"key":"kubectl_spy.recording","value":{"intValue":"1"}},3]}'
        b",7]},null]},[]]}\n",
        b'{"resourceLogs":{}}\n',
        one_by_one(lines)[3].replace(json.loads(lines[0])["recording"].encode(), ODD),
        b"[]\n",
    ]
    path = tmp_path / "otlp.jsonl"
    assert read(path, [*other, *one_by_one(lines)]) == (lines, [])
    path.write_bytes(b"".join(other))
    with pytest.raises(SpyError, match="its log records are not of kubectl spy"):
        Recording(str(path))


def test_one_of_several_recordings_is_chosen_by_its_name(tmp_path: Path) -> None:
    one, other = tmp_path / "one.spy", tmp_path / "other.spy"
    lines = record(one, story())
    later = record(other, versions(["a"]))
    path = otlp_file(tmp_path / "otlp.jsonl", one, other)
    first, second = (json.loads(each[0])["recording"] for each in (lines, later))
    with pytest.raises(SpyError) as refusal:
        Recording(path)
    assert str(refusal.value) == (
        f"{path} holds 2 recordings: {second} (from 2026-11-21T15:04:05Z, 6 lines), "
        f"{first} (from 2026-11-21T15:04:05Z, 12 lines); "
        f"name {path}#{second}"
    )
    assert [each.raw for each in lines_of(f"{path}#{first}")] == lines
    assert [each.raw for each in lines_of(f"{path}#{second[:6]}")] == later
    with pytest.raises(SpyError, match="and none is nope"):
        Recording(f"{path}#nope")
    with pytest.raises(SpyError, match="holds one recording"):
        Recording(f"{one}#{first}")


def test_two_lines_with_one_number_are_reported(tmp_path: Path) -> None:
    lines = record(tmp_path / "one.spy", story())
    requests = one_by_one(lines)
    name = json.loads(lines[0])["recording"].encode()
    other = record(tmp_path / "other.spy", versions(["a"] * 6))
    foreign = json.loads(other[0])["recording"].encode()
    clash = one_by_one(other)[8].replace(foreign, name)
    _, damages = read(tmp_path / "otlp.jsonl", [*requests, clash])
    assert damages == ["R: line 9 is damaged: 2 different lines have its number"]


@examples(150)
@given(st.randoms(use_true_random=False), st.integers(1, 6), st.integers(150, 900))
def test_a_damaged_file_is_read_or_refused_and_never_a_bug(
    dice: random.Random, size: int, longest: int
) -> None:
    with TemporaryDirectory() as directory:
        path = Path(directory)
        lines = record(path / "whole.spy", story())
        raw = b"".join(requests_in_json(log_records(lines, longest=longest), size))
        for _ in range(dice.randrange(1, 5)):
            start = dice.randrange(len(raw))
            end = start + dice.choice((0, 1, 1, 2, 40, 600))
            other = dice.choice(
                (b"", b"7", b'"', b"\n", b"null", b"[", raw[:90], b"\xff")
            )
            raw = raw[:start] + other + raw[end:]
        (path / "logs").write_bytes(raw)
        try:
            recording = Recording(str(path / "logs"))
            for item in recording:
                assert item.time
        except SpyError:
            return
        whole = {each.raw for each in lines_of(str(path / "logs")) if not each.reason}
        assert recording.lines <= len(whole & set(lines)) + len(recording.damages)


@examples(100)
@given(
    hostile_json(
        *("resourceLogs", "scopeLogs", "logRecords", "attributes", "body", "value"),
        *("key", "stringValue", "intValue", "kubectl_spy.recording", "kubectl_spy.seq"),
    )
)
def test_made_up_requests_hold_no_bug(request: JSON) -> None:
    nested = {"resourceLogs": [{"scopeLogs": [{"logRecords": [request, [request]]}]}]}
    for each in (request, nested, {"resourceLogs": [request]}):
        for part in parts_in(each):
            assert part.recording and part.seq > 0
