"""Lines about objects are checked where they are read: members, names and depth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.changes.lines import BadLine
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.changes.recording_format import seal
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.recording import Recording
from tests.recordings import record, sealed, story


@pytest.fixture
def lines(tmp_path: Path) -> list[dict[str, Any]]:
    return [decode(raw) for raw in record(tmp_path / "whole.spy", story())]


def at(lines: list[dict[str, Any]], kind: str) -> int:
    return next(number for number, line in enumerate(lines) if line["type"] == kind)


def damages(file: Path, lines: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Return what a replay says is damaged, and what the index says."""
    file.write_bytes(b"".join(map(sealed, lines)))
    recording, index = Recording(str(file)), Index(str(file))
    assert all(recording)
    index.grow(60)
    index.close()
    both = recording.damages, index.recording.damages
    one, other = ([f"{each.line}: {each.reason}" for each in said] for said in both)
    return one, other


@pytest.mark.parametrize(
    ("kind", "member", "value", "reason"),
    [
        ("ADDED", "name", "", "its name is no name of an object"),
        ("ADDED", "object", None, "it has no object"),
        ("ADDED", "object", [], "its object is no object"),
        ("MODIFIED", "patch", {}, "its patch is no list"),
        ("MODIFIED", "uid", [["a"]], "its uid is no text"),
        ("DELETED", "kind", None, "it has no kind"),
        ("DELETED", "name", "other", "its object had another name before"),
        ("MODIFIED", "kind", "Node", "its object had another name before"),
        ("ADDED", "kind", "Node", "its object is of another type than its stream"),
        ("MODIFIED", "uid", "other", "the version before it was never there"),
    ],
)
def test_members_that_do_not_fit_are_damage_for_all(
    lines: list[dict[str, Any]],
    tmp_path: Path,
    kind: str,
    member: str,
    value: Any,
    reason: str,
) -> None:
    number = at(lines, kind)
    lines[number][member] = value
    replayed, indexed = damages(tmp_path / "f.spy", lines)
    assert replayed[0] == indexed[0] == f"{number + 1}: {reason}"


@pytest.mark.parametrize("member", ["managers", "edited", "previous", "namespace"])
def test_a_value_of_another_type_is_a_bad_line(
    lines: list[dict[str, Any]], member: str
) -> None:
    line = lines[at(lines, "MODIFIED")]
    decode(sealed(line))
    with pytest.raises(BadLine, match=f"its {member} is no"):
        decode(sealed({**line, member: {"time": "now"}}))


@pytest.mark.parametrize("at_end", [True, False])
def test_a_member_that_comes_twice_makes_no_difference(
    lines: list[dict[str, Any]], tmp_path: Path, at_end: bool
) -> None:
    """Whoever reads by name, and whoever reads all, take a line for the same object."""
    raws, number = list(map(sealed, lines)), at(lines, "MODIFIED")
    body = raws[number].rpartition(b',"crc32"')[0]
    second = b',"name":"b"'
    if not at_end:
        body, second = body.replace(b',"previous"', second + b',"previous"'), b""
    raws[number] = seal(body + second + b"}")
    file = tmp_path / "f.spy"
    file.write_bytes(b"".join(raws))
    for name in ("a", "b"):
        whole, narrowed = Recording(str(file)), Recording(str(file))
        narrowed.narrow_to({name.encode()})
        one, other = (
            [
                (each.type, each.resource_version)
                for each in recording
                if isinstance(each, ChangeRecord) and each.name == name
            ]
            for recording in (whole, narrowed)
        )
        assert one == other


@pytest.mark.parametrize("metadata", ["a", {"name": ["a"]}, {"uid": {}}])
def test_an_object_without_names_is_damage(
    lines: list[dict[str, Any]], tmp_path: Path, metadata: Any
) -> None:
    patch = {"op": "replace", "path": "/metadata", "value": metadata}
    number = at(lines, "MODIFIED")
    lines[number]["patch"].append(patch)
    replayed, _ = damages(tmp_path / "f.spy", lines)
    assert replayed[0] == f"{number + 1}: its object has no metadata with names"


def test_a_deep_document_is_damage_and_patches_do_not_make_one(
    lines: list[dict[str, Any]], tmp_path: Path
) -> None:
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    with pytest.raises(BadLine, match="nested too deeply"):
        decode(sealed({**lines[0], "redaction": {"deep": deep}}))
    number = at(lines, "MODIFIED")
    step = {"op": "add", "path": "/a" * 200, "value": 1}
    lines[number]["patch"] = [step]
    replayed, _ = damages(tmp_path / "f.spy", lines)
    assert replayed[0] == f"{number + 1}: its patch does not apply: a path is too long"


def test_a_first_line_that_is_no_header_is_damage(
    lines: list[dict[str, Any]], tmp_path: Path
) -> None:
    reason = "1: it is no header: the first lines are missing"
    assert damages(tmp_path / "f.spy", lines[1:]) == ([reason], [reason])


def test_a_snapshot_that_contradicts_the_patches_is_a_gap(
    lines: list[dict[str, Any]], tmp_path: Path
) -> None:
    last = lines.pop()
    changed = next(line for line in reversed(lines) if line["type"] == "MODIFIED")
    whole = next(line for line in lines if line.get("uid") == changed["uid"])
    snapshot = {**whole, "type": "SNAPSHOT", "seq": last["seq"]}
    snapshot |= {"resourceVersion": changed["resourceVersion"], "time": last["time"]}
    file = tmp_path / "f.spy"
    last["seq"] += 1
    file.write_bytes(b"".join(map(sealed, [*lines, snapshot, last])))
    recording = Recording(str(file))
    records = [each for each in recording if isinstance(each, ChangeRecord)]
    record = [each for each in records if not each.of_stream][-1]
    assert (record.type, record.document) == (ChangeType.GAP, whole["object"])
    assert [each.path for each in record.patch] == ["/status/phase"]
    assert "not what the patches before it give" in recording.damages[0].reason
