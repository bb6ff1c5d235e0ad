"""Print a recording as log records: `export -o otlp-json`."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.cli.run.reading import check_damages, opened, progress
from kubectl_spy.core.changes.line_reading import members_of
from kubectl_spy.core.changes.lines import BadLine, ObjectLine
from kubectl_spy.extras.otel.json_lines import json_lines, log_records
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording


def print_otlp_json(name: str, terminal: Terminal) -> None:
    """Print the recording *name* as log records, as a collector's file exporter does.

    Raises SpyError if it cannot be read, or is damaged.
    """
    recording = opened(name, terminal)
    terminal.write_utf8()
    with progress(recording, terminal):
        for line in json_lines(log_records(_undamaged(recording))):
            terminal.write(inert(line.decode().removesuffix("\n")) + "\n")
    check_damages(recording, terminal)


def _undamaged(recording: Recording) -> Iterator[bytes]:
    for place, line in recording.places():
        try:
            if isinstance(line, ObjectLine):
                members_of(line)
        except BadLine as error:
            recording.note_damage(place, str(error))
            continue
        if line is not None:
            yield place.raw
