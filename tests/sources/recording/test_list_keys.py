"""A recording keeps which keys the server uses: live, replay and diff say the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.changes.projection import Excerpt, Projection
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.objects import GroupVersionKind, Selection, WatchEvent
from kubectl_spy.core.patch.list_keys import TypeKeys
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import lines_of
from tests.builders import PODS, entry, event
from tests.recordings import (
    START,
    continue_with,
    first_list,
    items_of,
    record,
    resealed,
)

WIDGETS = Selection(
    PODS._replace(
        gvk=GroupVersionKind("example.org", "v1", "Widget"), plural="widgets"
    ),
    namespace="shop",
)
KEYS = {"stream": 0, "path": "/spec/hosts", "members": ["address", "zone"]}
BY_ADDRESS: Any = {
    "f:spec": {
        "f:hosts": {'k:{"address":"1","zone":"a"}': {".": {}, "f:weight": {}}},
        "f:size": {},
    }
}
ONLY = Excerpt(only=(("spec", "hosts"),))


def widget(rv: int, *hosts: tuple[str, str, int], fields: Any = BY_ADDRESS) -> Any:
    names = ("address", "zone", "weight")
    listed = [dict(zip(names, each, strict=True)) for each in hosts]
    return {
        "apiVersion": "example.org/v1",
        "kind": "Widget",
        "metadata": {
            "name": "web",
            "namespace": "shop",
            "uid": "uid-web",
            "resourceVersion": str(rv),
            "managedFields": [entry("bob", fields)],
        },
        "spec": {"hosts": listed, "size": rv},
    }


A, B, C = ("1", "a", 5), ("1", "b", 5), ("2", "a", 5)
VERSIONS = [
    widget(1, A, B),
    widget(2, A, B),  # of another member
    widget(3, C, A, B),
    widget(4, C, ("1", "a", 9), B),
    widget(5, B, C, ("1", "a", 7), fields={}),  # and no key in sight
]


def happening() -> list[WatchEvent]:
    first, *later = VERSIONS
    events = first_list(first, time=START, selection=WIDGETS)
    return events + [
        event("MODIFIED", each, time=START + number, selection=WIDGETS)
        for number, each in enumerate(later, 1)
    ]


def recorded(path: Path, **more: Any) -> list[dict[str, Any]]:
    record(path, happening(), selections=[WIDGETS], **more)
    return [decode(line.raw) for line in lines_of(str(path))]


def projected(items: Any, keys: TypeKeys) -> list[Any]:
    """Return the patches of what `--only /spec/hosts` shows."""
    shown = Projection(ONLY, keys=keys)
    records = (shown.narrowed(each) for each in items if isinstance(each, ChangeRecord))
    return [each.as_json()["patch"] for each in records if each and each.patch]


def test_a_key_is_noted_once_before_its_first_use(tmp_path: Path) -> None:
    lines = recorded(tmp_path / "it.spy")
    kinds = [line["type"] for line in lines]
    assert kinds.count("KEYS") == 1
    at = kinds.index("KEYS")
    assert lines[at].items() >= KEYS.items()
    assert lines[at + 1]["resourceVersion"] == "3"


def test_each_patch_says_what_happened_and_applies_back(tmp_path: Path) -> None:
    path = tmp_path / "it.spy"
    recorded(path)
    document, told = None, []
    for item in Recording(str(path)):
        if isinstance(item, ChangeRecord):
            patch = [step.as_json() for step in item.patch]
            if item.patch:
                document = jsonpatch.apply_patch(document, patch)
                assert document == item.document
            document = item.document
            told.append([(s.op, s.path) for s in item.patch if s.path != "/spec/size"])
    assert told[2:] == [
        [("add", "/spec/hosts/0")],
        [("replace", "/spec/hosts/1/weight")],
        [("move", "/spec/hosts/0"), ("replace", "/spec/hosts/2/weight")],
    ]


def test_live_and_replay_show_the_same_part(tmp_path: Path) -> None:
    path = tmp_path / "it.spy"
    recorded(path)
    history = History()
    live = projected(items_of(history, happening()), history.keys)
    recording = Recording(str(path))
    assert projected(recording, recording.keys) == live
    assert [len(each) for each in live] == [1, 1, 2]


def test_a_key_that_is_noted_later_counts_from_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "it.spy"
    recorded(path)
    (selection,) = Recording(str(path)).declared
    assert Recording(str(path)).keys.of(selection).of("/spec/hosts") == (
        "address",
        "zone",
    )


def test_each_segment_has_the_keys(tmp_path: Path) -> None:
    path = tmp_path / "it.spy"
    recorded(path, rotation=Rotation(size=1_500))
    segments = [each for each in tmp_path.iterdir() if each != path]
    assert len(segments) > 1
    newest = path.read_bytes().splitlines(keepends=True)
    assert sum(b'"type":"KEYS"' in line for line in newest) == 1


def test_a_resumed_recording_notes_the_keys_again(tmp_path: Path) -> None:
    path = tmp_path / "it.spy"
    recorded(path)
    continue_with(path, happening(), selections=[WIDGETS])
    kinds = [decode(line.raw)["type"] for line in lines_of(str(path))]
    again = kinds.index("RESUME")
    assert "KEYS" in kinds[again:] and "KEYS" in kinds[:again]


def test_an_index_knows_the_keys_that_it_read(tmp_path: Path) -> None:
    path = tmp_path / "it.spy"
    recorded(path)
    index = Index(str(path))
    while index.grow(1.0):
        pass
    (selection,) = index.recording.declared
    keys = index.recording.keys.of(selection)
    index.close()
    assert keys.of("/spec/hosts") == ("address", "zone")
    assert index.recording.damages == []


@pytest.mark.parametrize(
    "members",
    [
        {"members": []},
        {"members": "zone"},
        {"members": [1]},
        {"path": 5},
        {"stream": 7},
        {"stream": "0"},
    ],
)
def test_a_damaged_line_of_keys_is_told(tmp_path: Path, members: Any) -> None:
    path = tmp_path / "it.spy"
    recorded(path)
    lines = path.read_bytes().splitlines(keepends=True)
    damaged = [
        resealed(line, **members) if b'"type":"KEYS"' in line else line
        for line in lines
    ]
    path.write_bytes(b"".join(damaged))
    recording = Recording(str(path))
    shown = [each for each in recording if isinstance(each, ChangeRecord)]
    assert len(recording.damages) == 1
    assert shown[-1].document == {
        **VERSIONS[-1],
        "metadata": {
            name: value
            for name, value in VERSIONS[-1]["metadata"].items()
            if name not in ("managedFields", "resourceVersion")
        },
    }
    index = Index(str(path))
    while index.grow(1.0):
        pass
    index.close()
    assert len(index.recording.damages) == 1
    assert json.dumps([str(each) for each in index.recording.damages]) == json.dumps(
        [str(each) for each in recording.damages]
    )


def test_a_recording_without_keys_is_read_as_before(tmp_path: Path) -> None:
    path = tmp_path / "it.spy"
    lines = recorded(path)
    kept = [
        resealed(raw, seq=number, version="1.4")
        if b'"type":"HEADER"' in raw
        else resealed(raw, seq=number)
        for number, raw in enumerate(
            (
                raw
                for raw in path.read_bytes().splitlines(keepends=True)
                if b'"type":"KEYS"' not in raw
            ),
            1,
        )
    ]
    path.write_bytes(b"".join(kept))
    recording = Recording(str(path))
    patches = [
        each.as_json()["patch"]
        for each in recording
        if isinstance(each, ChangeRecord) and each.patch
    ]
    assert recording.damages == []
    assert patches == [
        [{k: v for k, v in step.items() if k != "label"} for step in line["patch"]]
        for line in lines
        if "patch" in line
    ]
