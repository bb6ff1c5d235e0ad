"""`export --otlp-json`: a recording as log records of OpenTelemetry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.recorded import bundled, record
from kubectl_spy.extras.serve.demo.recordings import recording_names
from tests.cli.command import Spy


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


def test_one_kind_of_document_at_a_time(spy: Spy, file: Path) -> None:
    for flags in ((), ("--html", "--otlp-json"), ("--markdown", "--otlp-json")):
        ended = spy.run("export", str(file), *flags)
        assert ended.code == 2 and "one kind" in ended.err
