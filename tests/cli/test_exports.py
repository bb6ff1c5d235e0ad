"""`export -o otlp-json`: a recording as log records of OpenTelemetry."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.recorded import bundled, record
from tests.cli.command import Spy
from tests.extras.serve.api_server.streams import recording_names


@pytest.fixture(params=recording_names())
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Each of the bundled recordings."""
    path, stream = tmp_path / "it.spy", bundled(request.param)
    record(path, stream.selections, stream.events)
    return path


def test_log_records_are_the_recording(spy: Spy, file: Path, tmp_path: Path) -> None:
    exported = spy.run("export", str(file), "-o", "otlp-json")
    assert (exported.code, exported.err) == (0, "")
    again = tmp_path / "collected.json"
    again.write_bytes(exported.stdout)
    assert spy.printed("changes", str(again)) == spy.printed("changes", str(file))
    assert spy.run("ls", "--verify", str(again)).code == 0


def test_a_format_is_asked_for(spy: Spy, file: Path) -> None:
    ended = spy.run("export", str(file))
    assert ended.code == 2 and "export needs a format" in ended.err
