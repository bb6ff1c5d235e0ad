"""`export --audit` and `--otlp-json`: a recording in the formats of other programs."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from uuid import UUID

import pytest

from benchmarks.recorded import bundled, record
from kubectl_spy.demo.recordings import recording_names
from tests.builders import event, pod
from tests.cli.command import Spy
from tests.recordings import START, first_list
from tests.recordings import record as recorded


@pytest.fixture(params=recording_names())
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Each of the bundled recordings."""
    path, stream = tmp_path / "it.spy", bundled(request.param)
    record(path, stream.selections, stream.events)
    return path


def changes(spy: Spy, file: Path) -> list[dict[str, object]]:
    ended = spy.run("replay", str(file), "--instant", "-o", "json")
    return [json.loads(line) for line in ended.out.splitlines()]


def test_log_records_are_the_recording(spy: Spy, file: Path, tmp_path: Path) -> None:
    exported = spy.run("export", str(file), "--otlp-json")
    assert (exported.code, exported.err) == (0, "")
    again = tmp_path / "collected.json"
    again.write_bytes(exported.stdout)
    assert changes(spy, again) == changes(spy, file)
    assert spy.run("verify", str(again)).code == 0


def test_an_audit_log_has_each_change_once(
    spy: Spy, file: Path, tmp_path: Path
) -> None:
    exported = spy.run("export", str(file), "--audit")
    assert exported.code == 0
    events = [json.loads(line) for line in exported.out.splitlines()]
    held = [each for each in changes(spy, file) if not each.get("initial")]
    assert len(events) == len(held) > 0
    for one, other in zip(events, held, strict=True):
        about = one["objectRef"]
        assert (one["kind"], one["apiVersion"]) == ("Event", "audit.k8s.io/v1")
        assert (
            one["stage"] == "ResponseComplete" and one["responseStatus"]["code"] < 300
        )
        assert (about["name"], about.get("namespace")) == (
            other["name"],
            other.get("namespace"),
        )
        assert about["resourceVersion"] == other["resourceVersion"]
        # A create is a POST to the collection.
        part = "" if one["verb"] == "create" else f"/{about['name']}"
        assert one["requestURI"].endswith(f"/{about['resource']}{part}")
        at = datetime.fromisoformat(one["stageTimestamp"].replace("Z", "+00:00"))
        assert abs(at.timestamp() - _moment(other["time"])) < 1e-6
        managers = other.get("managers") or []
        assert isinstance(managers, list)
        who = f"likely {', '.join(managers)}" if managers else "unknown"
        assert one["user"]["username"] == who
        if one["verb"] != "delete":
            assert one["responseObject"]["metadata"]["name"] == about["name"]
    assert len({UUID(each["auditID"]) for each in events}) == len(events)
    assert spy.run("export", str(file), "--audit").stdout == exported.stdout
    log = tmp_path / "audit.log"
    log.write_bytes(exported.stdout)
    joined = spy.run(
        "replay", str(file), "--instant", "-o", "json", "--audit", str(log)
    )
    shown = [json.loads(line) for line in joined.out.splitlines()]
    named = [each for each in shown if not each.get("initial") and each.get("audit")]
    deleted = sum(each["verb"] == "delete" for each in events)
    assert len(named) >= len(events) - deleted


def _moment(text: object) -> float:
    return datetime.fromisoformat(str(text).replace("Z", "+00:00")).timestamp()


def test_what_no_event_says_is_counted(spy: Spy, tmp_path: Path) -> None:
    file = tmp_path / "it.spy"
    lines = recorded(
        file,
        [
            *first_list(pod("a", rv="1"), pod("b", rv="1"), time=START),
            *(
                event(
                    "MODIFIED", pod("a", rv=str(n), phase=f"phase {n}"), time=START + n
                )
                for n in range(2, 12)
            ),
        ],
    )
    del lines[7]
    file.write_bytes(b"".join(lines))
    ended = spy.run("export", str(file), "--audit")
    assert ended.code == 1
    assert "2 objects that were there already" in ended.err
    assert "1 GAP" in ended.err and "is damaged" in ended.err
    assert 0 < len(ended.out.splitlines()) < 9


def test_one_kind_of_document_at_a_time(spy: Spy, file: Path) -> None:
    for flags in ((), ("--audit", "--markdown"), ("--audit", "--otlp-json")):
        ended = spy.run("export", str(file), *flags)
        assert ended.code == 2 and "one kind" in ended.err
