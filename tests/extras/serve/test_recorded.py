"""The served cluster is, at every line, what reading all lines up to it gives."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from math import inf
from pathlib import Path
from typing import Any

import pytest

from benchmarks.recorded import bundled, record
from kubectl_spy.core.changes.line_reading import decode, line_of
from kubectl_spy.core.changes.playback import Playback
from kubectl_spy.core.changes.points import Beginning
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType, Listed
from kubectl_spy.extras.serve.recorded import RecordedCluster
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.segments import lines_of
from kubectl_spy.sources.recording.states import find_line
from tests.builders import event, pod
from tests.examples import part
from tests.extras.serve.api_server.streams import recording_names
from tests.recordings import continue_with, first_list
from tests.recordings import record as record_events
from tests.resumed import record_resumed
from tests.sources.recording.test_states import recorded

Objects = dict[tuple[str, str, str], Any]
ROUNDS = part(12)


@contextmanager
def served(file: Path) -> Iterator[RecordedCluster]:
    with closing(Index(str(file))) as index:
        index.grow(inf)
        yield RecordedCluster(index)


def states(file: Path) -> list[Objects]:
    """Return the objects after each line, from reading all of them in order."""
    playback, present, found = Playback(), Objects(), []
    seen: dict[tuple[str, str, str], tuple[int, bool]] = {}
    for place in lines_of(str(file)):
        line = decode(place.raw)
        if line["type"] == "RESUME":
            seen = {}
        for item in playback.observe(line_of(place.raw)):
            if isinstance(item, Listed):
                kind = item.selection.resource.gvk.kind
                inside = item.selection.namespace, item.selection.name
                for key in set(present) - set(seen):
                    if key[0] == kind and all(
                        each in (None, named)
                        for each, named in zip(inside, key[1:], strict=True)
                    ):
                        del present[key]
            if not isinstance(item, ChangeRecord) or item.of_stream:
                continue
            key = item.gvk.kind, item.namespace or "", item.name
            version = int(item.resource_version)
            latest, left = seen.get(key, (0, False))
            left = left or item.type is ChangeType.DELETED
            if version < latest or (version == latest and not left):
                continue  # another stream was faster
            seen[key] = version, item.type is ChangeType.LEFT
            present.pop(key, None)
            if not item.gone:
                metadata = {
                    **item.document["metadata"],
                    "resourceVersion": item.resource_version,
                }
                present[key] = {**item.document, "metadata": metadata}
        found.append(dict(present))
    return found


def present_in(recorded: RecordedCluster) -> Objects:
    return {
        (
            each.gvk.kind,
            item["metadata"].get("namespace", ""),
            item["metadata"]["name"],
        ): (item)
        for each in recorded.resources
        for item in recorded.cluster.select(
            recorded.collection(each), None, lambda item: True
        )
    }


def compare(file: Path, chance: random.Random) -> None:
    """Compare at every line, in order, and then at lines at random."""
    expected = states(file)
    with served(file) as cluster:
        cluster.seek(0)
        for line in range(1, len(expected)):
            cluster.advance()
            assert present_in(cluster) == expected[line], line
        for _ in range(part(60)):
            line = chance.randrange(len(expected))
            cluster.seek(line)
            assert present_in(cluster) == expected[line], line
            if line + 1 < len(expected):
                cluster.advance()
                assert present_in(cluster) == expected[line + 1], line


@pytest.mark.parametrize("name", recording_names())
def test_every_bundled_stream(name: str, tmp_path: Path) -> None:
    file, stream = tmp_path / "it.spy", bundled(name)
    record(file, stream.selections, stream.events)
    compare(file, random.Random(name))


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_several_runs_in_several_segments(seed: int, tmp_path: Path) -> None:
    file, chance = tmp_path / "it.spy", random.Random(seed)
    for _ in range(3):
        recorded(file, chance, Rotation(size=chance.choice([10_000, 30_000])))
    compare(file, chance)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_runs_that_go_on_from_before_the_end(seed: int, tmp_path: Path) -> None:
    """In between, an object may be there a few lines earlier than in a replay."""
    file, chance = tmp_path / "it.spy", random.Random(seed)
    record_resumed(file, chance)
    expected = states(file)
    with served(file) as cluster:
        cluster.seek(len(expected) - 1)
        assert present_in(cluster) == expected[-1]


def test_what_a_later_run_does_not_list_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "it.spy"
    record_events(file, first_list(pod("a", rv="1"), pod("b", rv="2"), time=1e9))
    continue_with(file, first_list(pod("b", rv="2"), time=1e9 + 60))
    compare(file, random.Random(0))
    with served(file) as cluster:
        cluster.seek(len(cluster.index) - 1)
        assert [name for _, _, name in present_in(cluster)] == ["b"]


def test_a_seek_tells_watchers_what_is_different(tmp_path: Path) -> None:
    file = tmp_path / "it.spy"
    steps = [
        event("ADDED", pod("new", rv="3")),
        event("MODIFIED", pod("a", rv="4", phase="Running")),
        event("DELETED", pod("b", rv="5")),
    ]
    record_events(file, [*first_list(pod("a", rv="1"), pod("b", rv="2")), *steps])
    with served(file) as served_cluster:
        cluster = served_cluster.cluster
        last = len(served_cluster.index) - 1
        begin = find_line(served_cluster.index, Beginning())
        served_cluster.seek(begin)
        at = cluster.end
        served_cluster.seek(last)
        forth = [each.seen_through(lambda item: True) for each in cluster.since(at)]
        at = cluster.end
        served_cluster.seek(begin)
        back = [each.seen_through(lambda item: True) for each in cluster.since(at)]
    assert [told(each) for each in forth] == [
        ("ADDED", "new", "3"),
        ("MODIFIED", "a", "4"),
        ("DELETED", "b", "5"),
    ]
    assert [told(each) for each in back] == [
        ("DELETED", "new", "3"),
        ("MODIFIED", "a", "1"),
        ("ADDED", "b", "2"),
    ]


def told(seen: tuple[str, Any] | None) -> tuple[str, str, str]:
    assert seen is not None
    kind, item = seen
    return kind, item["metadata"]["name"], item["metadata"]["resourceVersion"]
