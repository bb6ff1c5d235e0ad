"""Print a recording for other programs: `export --audit`, `export --otlp-json`."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.cli.run.reading import check_damages, opened, progress
from kubectl_spy.core.changes.audit_events import audit_event
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.wording import many
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording


def print_audit(name: str, terminal: Terminal) -> None:
    """Print the changes in the recording *name* as an audit log, in JSON Lines.

    Raises SpyError if it cannot be read, or is damaged.
    """
    recording = opened(name, terminal)
    there = left = gaps = 0
    terminal.write_utf8()
    with progress(recording, terminal):
        for item in recording:
            if not isinstance(item, ChangeRecord):
                continue
            event = audit_event(item, str(recording.header.get("recording")))
            if event is not None:
                terminal.write(dumps(event).decode() + "\n")
            there += item.initial
            gaps += item.of_stream
            left += event is None and item.gone
    parts = [
        f"{many(there, 'object')} that were there already" if there else "",
        f"{many(left, 'object')} that left their selection" if left else "",
        f"{many(gaps, 'GAP')}: versions may be missing there" if gaps else "",
    ]
    if said := "; ".join(filter(None, parts)):
        terminal.say(f"note: an audit log has no event for {said}")
    check_damages(recording, terminal)


def print_otlp_json(name: str, terminal: Terminal) -> None:
    """Print the recording *name* as log records, as a collector's file exporter does.

    Raises SpyError if it cannot be read, or is damaged.
    """
    # Nothing else here needs OpenTelemetry, which takes a while to import.
    from kubectl_spy.sinks.otlp.json_lines import json_lines, log_records

    recording = opened(name, terminal)
    terminal.write_utf8()
    with progress(recording, terminal):
        for line in json_lines(log_records(_undamaged(recording))):
            terminal.write(line.decode())
    check_damages(recording, terminal)


def _undamaged(recording: Recording) -> Iterator[bytes]:
    for place, line in recording.places():
        if line is not None:
            yield place.raw
