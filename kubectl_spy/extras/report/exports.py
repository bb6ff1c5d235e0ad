"""Print a recording for other programs: `export -o otlp-json`. Write it to a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path

from kubectl_spy.cli.run.reading import check_damages, opened, progress
from kubectl_spy.core.changes.line_reading import members_of
from kubectl_spy.core.changes.lines import BadLine, ObjectLine
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.private_files import check_private, replacing
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording


def print_otlp_json(name: str, terminal: Terminal) -> None:
    """Print the recording *name* as log records, as a collector's file exporter does.

    Raises SpyError if it cannot be read, or is damaged.
    """
    # Nothing else here needs OpenTelemetry, which takes a while to import.
    from kubectl_spy.extras.otel.json_lines import json_lines, log_records

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


@contextmanager
def writing_to(
    name: str | None, recording: str, terminal: Terminal
) -> Iterator[Terminal]:
    """Give a terminal whose standard output is the file *name*, if there is a name.

    The file is there as a whole or not at all. Of a damaged recording it has what could
    be read. Raises SpyError if it cannot be written, or is the *recording* itself.
    """
    if name is None or name == "-":
        yield terminal
        return
    if os.path.realpath(name) == os.path.realpath(recording):
        raise UsageError("-f and the recording name the same file", "choose another")
    path, damage = Path(name), None
    check_private(path)
    try:
        with replacing(path) as raw:
            text = TextIOWrapper(raw, encoding="utf-8", newline="")
            outlet = Terminal(text, sys.stderr)
            outlet.stdout_name = name
            try:
                yield outlet
            except SpyError as error:
                if error.code != "damaged":
                    raise
                damage = error
            finally:
                text.detach()
    except OSError as error:
        raise SpyError(f"cannot write {name}: {error.strerror or error}") from None
    terminal.say(f"wrote {name}")
    if damage is not None:
        raise damage
