"""Where a recording left off, and from where it can go on: the file of --resume."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kubectl_spy.core.changes.line_reading import decode, selection_of
from kubectl_spy.core.changes.lines import BadLine
from kubectl_spy.core.changes.recording_format import seal, stream_line
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import Position, Selection
from kubectl_spy.core.times import rfc3339, seconds

_NOTE = "DELIVERED"


class Resumed(NamedTuple):
    """Where an earlier run left off: at line *seq*, at *time* (RFC 3339).

    It may have sent lines after *after* that it did not note. *positions* are those
    from which streams go on without a GAP.
    """

    seq: int
    time: str
    recording: str
    segment: int
    after: int | None = None
    positions: Mapping[Selection, Position] = {}


class Delivered(NamedTuple):
    """The lines up to *seq*, written at *time* (RFC 3339), were delivered."""

    seq: int = 0
    time: str = ""
    positions: Mapping[Selection, Position] = {}

    def line(self) -> bytes:
        """Return it as a line of the file of --resume."""
        streams = [
            stream_line(number, selection)
            | {"resourceVersion": version, "since": rfc3339(time)}
            for number, (selection, (version, time)) in enumerate(
                self.positions.items()
            )
        ]
        ordered = {"seq": self.seq, "time": self.time, "type": _NOTE}
        return seal(dumps({**ordered, "streams": streams}))


def delivered(path: Path) -> Delivered | None:
    """Return what was delivered, by the file of --resume at *path*; None if unknown."""
    for raw in path.read_bytes().splitlines(keepends=True):
        try:
            line: dict[str, Any] = decode(raw)
            if line["type"] == _NOTE:
                positions = {
                    selection_of(each): Position(
                        str(each["resourceVersion"]), seconds(each["since"])
                    )
                    for each in line["streams"]
                }
                return Delivered(line["seq"], line["time"], positions)
        except (BadLine, KeyError, TypeError, ValueError):
            continue
    return None


def resumable(
    known: Mapping[Selection, Position], selections: Sequence[Selection]
) -> dict[Selection, Position]:
    """Return the positions in *known* from which *selections* can be resumed.

    What is recorded for owners depends on the targets: these must be the same. Two
    streams of one type share the objects of a family, and neither has all of them.
    """
    positions = {_key(selection): position for selection, position in known.items()}
    same = _targets(known) == _targets(selections)
    types = [selection.resource.gvk for selection in selections]
    family = not all(selection.asked for selection in selections)
    return {
        selection: positions[key]
        for selection in selections
        if (key := _key(selection)) in positions
        and (same or selection.asked)
        and not (family and types.count(selection.resource.gvk) > 1)
    }


def _targets(selections: Iterable[Selection]) -> set[tuple[object, ...]]:
    return {_key(selection) for selection in selections if selection.asked}


def _key(selection: Selection) -> tuple[object, ...]:
    """Return what a list asks for, without short names, which may change."""
    resource, *restrictions = selection
    return resource.gvk, resource.plural, *restrictions
