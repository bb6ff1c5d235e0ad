"""Lines of a recording in, the records that were recorded out; nothing is guessed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.line_reading import decode, line_of
from kubectl_spy.core.changes.lines import BadLine
from kubectl_spy.core.changes.playback import Playback
from kubectl_spy.core.changes.record import (
    Aside,
    ChangeRecord,
    Horizon,
    Item,
    Listed,
    Logged,
    OfStream,
    Refused,
    Watched,
)
from kubectl_spy.core.jsontext import canonical
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import segments_of
from tests.builders import SOME_PODS, event, pod
from tests.examples import examples
from tests.json_documents import hostile_json, kubernetes_objects
from tests.recordings import (
    START,
    first_list,
    items_of,
    record,
    recorder_to,
    resealed,
    sealed,
    story,
)


def played(raw: Iterable[bytes]) -> list[Item]:
    playback = Playback()
    items = (item for line in raw for item in playback.observe(line_of(line)))
    return [item for item in items if not isinstance(item, Aside)]


def shape(items: Iterable[Item]) -> list[str]:
    """Return what each item is, in a word or three."""
    return [
        f"{each.type.value} {each.name} {each.resource_version}".strip()
        if isinstance(each, ChangeRecord)
        else f"LISTED {each.objects}"
        if isinstance(each, Listed)
        else f"{type(each).__name__.upper()} {getattr(each, 'message', '')}"
        for each in items
    ]


def all_of(item: Item) -> bytes:
    """Return everything that anybody may show of *item*; `seq` is the file's own."""
    if isinstance(item, Listed):
        return canonical([item.objects, item.time])
    if isinstance(item, Refused | Watched):
        return canonical([item.message, item.time])
    if isinstance(item, Horizon):
        return canonical([item.as_json(), item.time])
    return canonical(
        [
            item.as_json() | {"seq": 0},
            [list(step) for step in item.patch if step.op != "move"],
            item.document if item.type.value in ("ADDED", "MODIFIED", "GAP") else None,
            [item.initial, item.time, item.since, item.until],
        ]
    )


def check_replay_of(events: list[Any], path: Path, **more: Any) -> list[Item]:
    """Check that what is read of a recording of *events* is what they gave."""
    live = list(items_of(History(), events))
    replayed = played(record(path, events, **more))
    assert shape(replayed) == shape(live)
    assert list(map(all_of, replayed)) == list(map(all_of, live))
    return replayed


def test_reading_gives_the_recorded_changes(tmp_path: Path) -> None:
    check_replay_of(story(), tmp_path / "file")


@given(st.lists(kubernetes_objects, min_size=2, max_size=4))
@examples(25)
def test_any_content_is_read_as_recorded(versions: list[dict[str, Any]]) -> None:
    events = [event("SYNCED", time=START)]
    for number, version in enumerate(versions):
        metadata = version["metadata"] | {"name": "web", "uid": "u"}
        metadata["resourceVersion"] = str(number)
        obj = {**version, "metadata": metadata}
        events.append(event("MODIFIED", obj, time=START + number))
    with TemporaryDirectory() as directory:
        check_replay_of(events, Path(directory) / "file")


def test_gaps_returns_and_inferred_deletes_are_read(tmp_path: Path) -> None:
    some: dict[str, Any] = {"selection": SOME_PODS}
    again = event("LISTING", time=START + 9, lost=True, since=START + 5, **some)
    events = [
        *first_list(pod("a", rv="1"), pod("b", rv="2"), time=START, **some),
        event("DELETED", pod("a", rv="3"), time=START + 1, **some),
        event("ADDED", pod("a", rv="4", phase="Failed"), time=START + 2, **some),
        again,
        event("LISTED", pod("a", rv="9"), time=START + 9, **some),
        event("SYNCED", time=START + 9, **some),
    ]
    replayed = check_replay_of(events, tmp_path / "file", selections=[SOME_PODS])
    assert shape(replayed) == [
        *("ADDED a 1", "ADDED b 2", "LISTED 2", "LEFT a 3", "GAP a 4", "GAP"),
        *("GAP a 9", "LEFT b 2"),
    ]


def test_snapshots_are_written_and_yield_no_record(tmp_path: Path) -> None:
    events = first_list(pod(rv="0"), time=START)
    for number in range(1, 400):
        changed = pod(rv=str(number), phase=str(number))
        events.append(event("MODIFIED", changed, time=START + number))
    replayed = check_replay_of(events, tmp_path / "file")
    assert len(replayed) == 401
    lines = (tmp_path / "file").read_bytes().splitlines(keepends=True)
    snapshots = [each for each in map(decode, lines) if each["type"] == "SNAPSHOT"]
    assert len(snapshots) == 399 // 64


@pytest.mark.parametrize("missing", range(3, 11))
def test_lost_lines_hide_dependent_objects(tmp_path: Path, missing: int) -> None:
    """Whatever is read of an object was a version of it, and a GAP says what is not."""
    lines = record(tmp_path / "file", story())
    versions = {
        (item.uid, item.resource_version): canonical(item.document)
        for item in played(lines)
        if isinstance(item, ChangeRecord) and isinstance(item.document, dict)
    }
    kind = decode(lines[missing - 1])["type"]
    items = played(lines[: missing - 1] + lines[missing:])
    gaps = [item for item in items if isinstance(item, ChangeRecord) and item.of_stream]
    assert len(gaps) == 1
    assert kind in ("ADDED", "MODIFIED", "DELETED", "LISTED")
    for item in items:
        if isinstance(item, ChangeRecord) and isinstance(item.document, dict):
            known = versions[item.uid, item.resource_version]
            assert canonical(item.document) == known


def test_a_snapshot_brings_back_what_was_lost_as_a_gap(tmp_path: Path) -> None:
    events = first_list(pod(rv="0"), time=START)
    events += [
        event("MODIFIED", pod(rv=str(n), phase=str(n)), time=START + n)
        for n in range(1, 200)
    ]
    lines = record(tmp_path / "file", events)
    items = played(lines[:9] + lines[10:])
    gaps = [each for each in items if isinstance(each, ChangeRecord) and each.previous]
    first = next(each for each in gaps if each.type.value == "GAP")
    assert int(first.resource_version) - int(first.previous or 0) > 50
    assert first.document["status"] == {"phase": first.resource_version}
    assert [step.op for step in first.patch] == ["replace"]
    assert shape(items)[-1] == "MODIFIED web 199"


def test_a_change_of_an_unknown_version_is_a_bad_line(tmp_path: Path) -> None:
    lines = record(tmp_path / "file", story())
    at = next(n for n, raw in enumerate(lines) if decode(raw)["type"] == "MODIFIED")
    lines[at] = resealed(lines[at], previous="99")
    with pytest.raises(BadLine, match="version before it"):
        played(lines)


def test_a_snapshot_that_contradicts_patches_is_bad(tmp_path: Path) -> None:
    lines = record(tmp_path / "file", story())
    added = next(raw for raw in lines if decode(raw)["type"] == "ADDED")
    seq = decode(lines[-1])["seq"]
    good = resealed(added, type="SNAPSHOT", seq=seq, resourceVersion="3")
    a = decode(lines[5])
    assert (a["name"], a["resourceVersion"]) == ("a", "3")
    with pytest.raises(BadLine, match="not what the patches"):
        played([*lines[:6], resealed(good, seq=decode(lines[5])["seq"] + 1)])


TIMES = st.sampled_from(
    ["2026-11-21T15:04:05.000000Z", "0001-01-01T00:00:00+23:00", "soon", ""]
)
KINDS = ["HEADER", "RESUME", "STREAM", "LISTED", "SNAPSHOT", "ADDED", "MODIFIED"]
MEMBERS = ["object", "patch", "name", "uid", "resourceVersion", "previous", "stream"]
MORE = ["apiVersion", "kind", "since", "until", "managers", "namespace", "resource"]
LATER = ["DELETED", "LEFT", "GAP", "END", "RECONNECT", "LOG", "NEW"]


@given(
    st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(KINDS + LATER), "time": TIMES},
            optional={
                name: hostile_json("1", "/a", "pods", "v1", "add")
                for name in (
                    *MEMBERS,
                    *MORE,
                    "objects",
                    "namespaced",
                    "shortNames",
                    "lines",
                )
            },
        ),
        max_size=4,
    )
)
@examples(20)
def test_lines_of_any_content_are_read_or_bad(lines: list[dict[str, Any]]) -> None:
    playback = Playback()
    stream = {
        "type": "STREAM",
        "time": "2026-11-21T15:04:05Z",
        "stream": 0,
        "apiVersion": "v1",
        "kind": "Pod",
        "resource": "pods",
        "namespaced": True,
    }
    for seq, line in enumerate([stream, *lines], 1):
        try:
            line = {"stream": 0, "kind": "Pod", **line, "seq": seq}
            for item in playback.observe(line_of(sealed(line))):
                assert isinstance(item, ChangeRecord | Logged | OfStream)
        except BadLine:
            pass


def test_a_line_that_is_nested_too_deeply_is_a_bad_one() -> None:
    name: Any = []
    for _ in range(300):
        name = [name]
    playback = Playback()
    stream = {"apiVersion": "v1", "kind": "Pod", "resource": "pods", "namespaced": True}
    common = {"time": "2026-11-21T15:04:05Z", "stream": 0}
    declared = {**common, **stream, "type": "STREAM", "seq": 1}
    list(playback.observe(line_of(sealed(declared))))
    line = {**common, "type": "DELETED", "kind": "Pod", "name": name, "seq": 2}
    with pytest.raises(BadLine, match="its name is no name"):
        line_of(sealed(line))
    log = {**common, "type": "LOG", "seq": 3}
    with pytest.raises(BadLine, match="its lines is no list"):
        line_of(sealed({**log, "lines": [["a"]]}))
    *_, item = playback.observe(line_of(sealed({**log, "lines": ["a"], "seq": 4})))
    assert isinstance(item, Logged) and (item.run.name, item.lines) == ("", ("a",))


def test_each_segment_says_which_lists_were_refused(tmp_path: Path) -> None:
    file, history = tmp_path / "file", History()
    recorder = recorder_to(file, history, rotation=Rotation(size=1))
    for each in first_list(pod("a", rv="1"))[:2]:
        list(history.observe(each))
    refused = event("REFUSED", time=START)._replace(reason="may not list pods")
    for item in history.items(refused):
        recorder.observe(item)
    recorder.end("done")
    later = file.read_bytes().splitlines(keepends=True)
    assert "REFUSED may not list pods" in shape(played(later))
    whole = [each for each in Recording(str(file)) if isinstance(each, Refused)]
    assert len(whole) == 1


def test_what_left_before_a_segment_and_returns_in_it_is_no_damage(
    tmp_path: Path,
) -> None:
    file, some = tmp_path / "file", {"selection": SOME_PODS}
    events = [
        *first_list(pod("a", rv="1"), pod("b", rv="2"), time=START, **some),
        event("DELETED", pod("a", rv="3"), time=START + 1, **some),
        event("MODIFIED", pod("b", rv="4", phase="Failed"), time=START + 2, **some),
        event("ADDED", pod("a", rv="5", phase="Failed"), time=START + 3, **some),
        event("MODIFIED", pod("a", rv="6", phase="Running"), time=START + 4, **some),
    ]
    history = History()
    recorder = recorder_to(
        file, history, selections=[SOME_PODS], rotation=Rotation(size=1)
    )
    for item in items_of(history, events):
        recorder.observe(item)
    recorder.end("done")
    while (held := segments_of(file))[1:]:
        held[0].unlink()
        recording = Recording(str(file))
        last = [each for each in recording if isinstance(each, ChangeRecord)][-1]
        assert recording.damages == []
        assert (last.name, last.resource_version) == ("a", "6")
        assert last.document["status"]["phase"] == "Running"
