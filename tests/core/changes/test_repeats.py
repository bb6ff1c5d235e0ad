"""What a resumed recorder writes again is told once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.objects import WatchEvent
from kubectl_spy.sources.recording.recording import Recording
from tests.builders import event, pod
from tests.cli.command import Spy
from tests.recordings import START, first_list, go_on, record

A, B = pod("a", rv="1"), pod("b", rv="2")
AGAIN = START + 100


def changed(name: str, rv: str, at: float, **more: Any) -> WatchEvent:
    return event("MODIFIED", pod(name, rv=rv, phase=rv, **more), time=START + at)


def gone(name: str, rv: str, at: float) -> WatchEvent:
    return event("DELETED", pod(name, rv=rv, phase="gone"), time=START + at)


def resumed(*objects: dict[str, Any], version: str = "2") -> list[WatchEvent]:
    """Return the events of a list of a past version."""
    begun = event("LISTING", time=AGAIN, since=START + 5, version=version)
    return [begun, *(event("LISTED", each, time=AGAIN) for each in objects)]


CAUGHT_UP = event("SYNCED", time=AGAIN + 50)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a.spy"


def told(file: Path) -> list[str]:
    """Return the changes that a reader sees, without what was there."""
    recording = Recording(str(file))
    records = [
        f"{each.type.value} {each.name} {each.resource_version}"
        for each in recording
        if isinstance(each, ChangeRecord) and not each.initial
    ]
    assert recording.damages == []
    return records


def last_states(file: Path) -> dict[str, str]:
    """Return the versions that a reader has of the Pods that are there at the end."""
    held: dict[str, str] = {}
    for each in Recording(str(file)):
        assert isinstance(each, ChangeRecord) or each.time
        if isinstance(each, ChangeRecord) and each.gone:
            del held[each.name]
        elif isinstance(each, ChangeRecord) and each.name:
            held[each.name] = each.document["status"]["phase"]
    return held


def test_changes_that_were_noted_come_once(file: Path) -> None:
    record(file, [*first_list(A, B, time=START), changed("a", "3", 1)])
    late = [changed("b", "4", 101), gone("a", "5", 101)]
    go_on(file, [*resumed(pod("a", rv="3", phase="3"), B), *late, CAUGHT_UP])
    assert told(file) == ["MODIFIED a 3", "MODIFIED b 4", "DELETED a 5"]


def test_changes_that_were_written_twice_are_told_once(file: Path) -> None:
    sent = [changed("a", "3", 1), changed("a", "4", 2), gone("b", "5", 3)]
    sent.append(event("ADDED", pod("c", rv="6"), time=START + 4))
    record(file, [*first_list(A, B, time=START), *sent])
    again = [each._replace(time=AGAIN + 1) for each in sent]
    go_on(file, [*resumed(A, B), *again, changed("a", "7", 102), CAUGHT_UP])
    names = ["MODIFIED a 3", "MODIFIED a 4", "DELETED b 5", "ADDED c 6"]
    assert told(file) == [*names, "MODIFIED a 7"]
    assert last_states(file) == {"a": "7", "c": "Pending"}


def test_a_kill_in_the_repetition_hides_nothing(file: Path) -> None:
    sent = [changed("a", "3", 1), changed("a", "4", 2), gone("b", "5", 3)]
    record(file, [*first_list(A, B, time=START), *sent])
    again = [each._replace(time=AGAIN + 1) for each in sent]
    for count in range(4):
        go_on(file, [*resumed(A, B), *again[:count]])
        assert told(file) == ["MODIFIED a 3", "MODIFIED a 4", "DELETED b 5"]
        assert last_states(file) == {"a": "4"}
    go_on(file, [*resumed(A, B), *again, changed("a", "6", 102), CAUGHT_UP])
    assert told(file)[3:] == ["MODIFIED a 6"]


def test_a_version_without_a_change_hides_nothing(file: Path) -> None:
    """A write of managedFields alone is not recorded. The list shows its version."""
    record(file, [*first_list(A, B, time=START), changed("a", "3", 1)])
    same = pod("a", rv="4", phase="3")
    go_on(file, [*resumed(same, B), changed("a", "5", 101), CAUGHT_UP])
    assert told(file) == ["MODIFIED a 3", "MODIFIED a 5"]
    go_on(file, [*resumed(pod("a", rv="6", phase="5"), B), CAUGHT_UP])
    assert last_states(file) == {"a": "5", "b": "Pending"}


def test_history_that_is_gone_after_all_is_a_gap(file: Path) -> None:
    record(file, [*first_list(A, B, time=START), changed("a", "3", 1)])
    lost = event("LISTING", time=AGAIN + 2, since=START + 5, lost=True)
    listed = event("LISTED", pod("a", rv="9", phase="9"), time=AGAIN + 2)
    synced = event("SYNCED", time=AGAIN + 2)
    go_on(file, [*resumed(A, B), changed("a", "3", 101), lost, listed, synced])
    assert told(file) == ["MODIFIED a 3", "GAP  ", "GAP a 9", "DELETED b 2"]
    assert last_states(file) == {"a": "9"}


def test_a_resumed_recording_is_verified(file: Path, tmp_path: Path) -> None:
    sent = [changed("a", "3", 1), changed("b", "4", 2)]
    record(file, [*first_list(A, B, time=START), *sent])
    again = [each._replace(time=AGAIN + 1) for each in sent]
    go_on(file, [*resumed(A, B), *again, changed("a", "7", 102), CAUGHT_UP])
    spy = Spy(tmp_path)
    assert spy.run("ls", "--verify", str(file)).code == 0
    assert "no lines missing, 1 change was made before the recorded time" in (
        spy.run("ls", str(file)).out
    )
    assert "made earlier" in spy.run("changes", "--from", str(file)).out
