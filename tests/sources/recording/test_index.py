"""The index of a recording yields what reading every line yields."""

from __future__ import annotations

import gzip
import random
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.recorded import bundled, record
from kubectl_spy.core.changes.contents import Contents
from kubectl_spy.core.changes.line_reading import stream_of
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.versions import (
    VersionAtLine,
    Versions,
    history,
    records_at,
)
from tests.examples import part
from tests.extras.otel.otlp_logs import otlp_file
from tests.extras.serve.api_server.streams import recording_names
from tests.sources.recording.test_states import recorded

ROUNDS = part(24)


def compare(file: Path) -> Index:
    """Compare the records of the index of *file* with those of `Recording`."""
    recording = Recording(str(file))
    expected = [item for item in recording if isinstance(item, ChangeRecord)]
    with closing(Index(str(file))) as index:
        while index.grow(0.0):
            pass
        found = [each for line in range(len(index)) for each in records_at(index, line)]
        for subject, names in enumerate(index.subjects):
            if names.name:
                compare_versions(index, subject)
    for one, other in zip(found, expected, strict=False):
        assert one == other
    assert len(found) == len(expected)
    assert index.recording.damages == recording.damages
    return index


def compare_versions(index: Index, subject: int) -> None:
    """Compare the versions at all lines of an object, in order and at random.

    Several streams may show an object in different orders: those are left out.
    """
    chance, versions = random.Random(subject), Versions(index, subject)
    lines = index.lines(subject)
    seen = {(index.run_of(each), stream_of(index.raw(each))) for each in lines}
    if len(seen) != len({run for run, _ in seen}):
        return
    for line in (*lines, *chance.choices(lines, k=len(lines))):
        records = [each for _, each in history(index, line)]
        assert versions.at(line) == (
            VersionAtLine(records[-1].resource_version, document_of(records[-1]))
            if records
            else None
        )


def with_damage(file: Path, chance: random.Random) -> bytes:
    """Return what is in *file* with lines lost, damaged and moved."""
    lines = file.read_bytes().splitlines(keepends=True)
    for _ in range(chance.randrange(1, 8)):
        at = chance.randrange(len(lines))
        match chance.randrange(4):
            case 0:
                del lines[at]
            case 1:
                lines[at] = lines[at].replace(b'"', b"'", chance.randrange(3))
            case 2:
                lines.insert(chance.randrange(len(lines)), lines.pop(at))
            case 3:
                lines[at] = lines[at][: chance.randrange(len(lines[at]))]
    if chance.random() < 0.3:
        lines[-1] = lines[-1][:-9]
    return b"".join(lines)


def document_of(record: ChangeRecord) -> object:
    return None if record.gone else record.document


def changes_of(file: Path) -> int:
    """Return how many changes of objects `ls` counts in *file*."""
    contents = Contents()
    for item in Recording(str(file)):
        if isinstance(item, ChangeRecord):
            contents.note(item)
    return sum(row.changes for row in contents.rows("name"))


@pytest.mark.parametrize("name", recording_names())
def test_the_records_of_every_bundled_stream(name: str, tmp_path: Path) -> None:
    file, stream = tmp_path / "it.spy", bundled(name)
    record(file, stream.selections, stream.events)
    index = compare(file)
    assert index.complete and not index.damaged
    changes = changes_of(file)
    assert sum(index.counts) - len(index.initial) == changes > 0


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_several_runs_in_several_segments(seed: int, tmp_path: Path) -> None:
    file, chance = tmp_path / "it.spy", random.Random(seed)
    for _ in range(3):
        recorded(file, chance, Rotation(size=chance.choice([10_000, 30_000])))
    compare(file)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_file_that_grows_while_it_is_read(seed: int, tmp_path: Path) -> None:
    file, growing = tmp_path / "whole.spy", tmp_path / "growing.spy"
    chance = random.Random(seed)
    for _ in range(2):
        recorded(file, chance, Rotation())
    content = file.read_bytes()
    if chance.random() < 0.5:
        content = content[: -chance.randrange(1, 200)]  # the recorder was killed
        file.write_bytes(content)
    at = content.index(b"\n") + 1
    growing.write_bytes(content[:at])
    compare(file)
    with (
        closing(Index(str(file))) as other,
        closing(Index(str(growing), live=True)) as index,
    ):
        while other.grow(9.0) or index.grow(9.0):
            pass
        while at < len(content):
            more = content[at : at + chance.randrange(1, 20_000)]
            at += len(more)
            with growing.open("ab") as end:
                end.write(more)
            while index.go_on(ended=at == len(content)) and index.grow(0.0):
                assert index.is_live
            assert not index.damaged or at == len(content)
        assert not index.is_live
        assert index.counts == other.counts and index.times == other.times
        assert [each._replace(file="") for each in index.recording.damages] == [
            each._replace(file="") for each in other.recording.damages
        ]
        for line in range(len(other)):
            if other.type(line) != "DAMAGED":
                assert records_at(index, line) == records_at(other, line)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_lost_damaged_and_moved_lines(seed: int, tmp_path: Path) -> None:
    file, chance = tmp_path / "it.spy", random.Random(seed)
    for _ in range(2):
        recorded(file, chance)
    damaged = with_damage(file, chance)
    file.write_bytes(damaged)
    compare(file)
    file.write_bytes(gzip.compress(damaged)[: -chance.randrange(1, 2000)])
    compare(file)


def test_log_records_of_a_collector(tmp_path: Path) -> None:
    file, stream = tmp_path / "it.spy", bundled("pod-crashloop")
    record(file, stream.selections, stream.events)
    exported = tmp_path / "logs.json"
    otlp_file(exported, file)
    compare(exported)
