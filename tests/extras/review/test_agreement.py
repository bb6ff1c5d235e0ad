"""What review lists and counts, ls counts and serve plays is what replay shows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from math import inf
from pathlib import Path

import pytest

from kubectl_spy.core.changes.contents import Contents
from kubectl_spy.core.changes.filtering import parse_filter
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.extras.review.pages import Pages
from kubectl_spy.extras.review.session import Session
from kubectl_spy.extras.serve.recorded import RecordedCluster
from kubectl_spy.render.palette import PLAIN
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.recording import Recording
from tests.examples import part
from tests.resumed import record_resumed
from tests.sources.recording.test_index import with_damage
from tests.sources.recording.test_states import recorded

ROUNDS = part(24)


def check_agreement(file: Path) -> None:
    """Compare what each command makes of *file*."""
    replayed = [
        item
        for item in Recording(str(file))
        if isinstance(item, ChangeRecord) and not item.of_stream
    ]
    contents = Contents()
    for change in replayed:
        contents.note(change)
    changes = {row.name: row.changes for row in contents.rows("name")}
    with closing(Index(str(file))) as index:
        session = Session(index)
        while session.grow(inf):
            pass
        pages = Pages(index, PLAIN, lambda: 80)
        listed = [line for each in session.objects for line in session.versions(each)]
        versions = list(filter(None, map(pages.version, listed)))
        assert len(versions) == len(listed)
        check_records(replayed, [each.record for each in versions])
        named = {index.subjects[each].name: each for each in session.objects}
        initial = Counter(each.name for each in replayed if each.initial)
        for name, each in named.items():
            assert session.count_of(each) == changes[name] + initial[name]
        for name in changes:
            session.set_filter(parse_filter(f"=pod/{name}"))
            hidden = sum(changes.values()) - changes[name]
            assert session.hidden == (len(changes) - 1, hidden)
        session.set_filter(parse_filter("/status"))
        while session.grow(inf):
            pass
        assert listed_by(session) <= set(listed)
        at_status = [each for each in replayed if reaches_status(each)]
        assert len(listed_by(session)) == len(at_status)
        assert list(steps(index)) == sorted(listed)
        objects = [each for each in contents.gaps if not each.of_stream]
        of_objects = [each for each in index.gaps if index.is_version(each)]
        assert len(of_objects) == len(objects)


def check_records(replayed: list[ChangeRecord], listed: list[ChangeRecord]) -> None:
    """Compare records by the number of their line.

    A version that was held back while a recorder caught up is replayed at a later time.
    """
    found = {each.seq: each._replace(elapsed=None) for each in listed}
    expected = {each.seq: each for each in replayed}
    assert len(found) == len(listed) and found.keys() == expected.keys()
    for seq, one in expected.items():
        at = one.time if one.initial else found[seq].time
        assert found[seq]._replace(time=at) == one._replace(time=at)


def listed_by(session: Session) -> set[int]:
    return {line for each in session.objects for line in session.versions(each)}


def reaches_status(record: ChangeRecord) -> bool:
    if record.type.value == "ADDED":
        return bool(record.document.get("status"))
    return any(step.path.startswith("/status") for step in record.patch)


def steps(index: Index) -> Iterator[int]:
    """Yield the lines with a version, through which `serve` plays."""
    cluster = RecordedCluster(index)
    for line in range(len(index)):
        cluster.advance()
        assert cluster.line == line
        if index.is_version(line):
            yield line


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_runs_and_segments_of_several_streams(seed: int, tmp_path: Path) -> None:
    file, chance = tmp_path / "it.spy", random.Random(seed)
    for _ in range(chance.randrange(1, 4)):
        recorded(file, chance, Rotation(size=chance.choice([10_000, 30_000, None])))
    check_agreement(file)
    first = min(tmp_path.glob("it.spy*"))  # the oldest segments may be deleted
    if first != file:
        first.unlink()
        check_agreement(file)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_runs_that_go_on_from_before_the_end(seed: int, tmp_path: Path) -> None:
    file, chance = tmp_path / "it.spy", random.Random(seed)
    record_resumed(file, chance)
    check_agreement(file)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_damaged_lines(seed: int, tmp_path: Path) -> None:
    file, chance = tmp_path / "it.spy", random.Random(seed)
    for _ in range(2):
        recorded(file, chance)
    file.write_bytes(with_damage(file, chance))
    check_agreement(file)
