"""A document as YAML, with who wrote each line, and when."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.changes.blame import UNKNOWN, Leaf, Write, leaves
from kubectl_spy.core.objects import JSON
from kubectl_spy.render.columns import cut, pad, width
from kubectl_spy.render.inert import inert
from kubectl_spy.render.machine import yaml_lines
from kubectl_spy.render.moments import day_and_clock, local
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.values import inline, shortened

_WIDEST = 40  # the most columns of managers
_SECONDS = len("15:04:05")


def blame_lines(annotated: JSON, palette: Palette) -> Iterator[str]:
    """Yield the lines of an annotated document, behind who wrote them, and when.

    Times are local, with dates if they are of several days. The value before stands in
    a comment.
    """
    writes = [leaf.write for leaf in leaves(annotated)]
    days = {_moment(each)[0] for each in writes if each.time is not None}
    dated = len(days) > 1
    columns = min(max((width(_who(each)) for each in writes), default=0), _WIDEST)
    room = max((len(_when(each, dated=dated)) for each in writes), default=0)
    for line, leaf in _lines(annotated):
        write = UNKNOWN if leaf is None else leaf.write
        who = pad(cut(_who(write), columns, "…"), columns)
        when = f"{_when(write, dated=dated):<{room}}"
        before = f"  # was {_brief(write.before[0])}" if write.before else ""
        paint, faint = palette.paint, palette.faint
        yield f"{paint(palette.name, who)}  {paint(faint, when)}  {line}" + paint(
            faint, before
        )


def _lines(annotated: JSON) -> Iterator[tuple[str, Leaf | None]]:
    """Yield the YAML lines of *annotated*, each with the leaf that it shows."""
    if isinstance(annotated, Leaf):
        yield from _of_leaf(annotated.value, annotated)
    elif isinstance(annotated, dict):
        for key, each in annotated.items():
            if isinstance(each, Leaf):
                yield from _of_leaf({key: each.value}, each)
                continue
            yield yaml_lines({key: 0})[0].rpartition(" ")[0], None
            indent = "" if isinstance(each, list) else "  "
            yield from ((f"{indent}{line}", leaf) for line, leaf in _lines(each))
    else:
        for each in annotated:
            for place, (line, leaf) in enumerate(_lines(each)):
                yield f"{'  ' if place else '- '}{line}", leaf


def _of_leaf(value: JSON, leaf: Leaf) -> Iterator[tuple[str, Leaf | None]]:
    for number, line in enumerate(yaml_lines(value)):
        yield line, None if number else leaf


def _who(write: Write) -> str:
    if write.actor is not None:
        likely = "?" if write.actor.likely else ""
        return inert(f"{write.actor.user}{likely}")
    names = " or ".join(map(inert, write.managers))
    return f"{names}?" if write.unsure and names else names


def _when(write: Write, *, dated: bool) -> str:
    if write.time is None:
        return ""
    day, clock = _moment(write)
    shown = clock if write.version else clock[:_SECONDS]  # managedFields have no more
    return f"{day} {shown}" if dated else shown


def _moment(write: Write) -> tuple[str, str]:
    return day_and_clock(local(write.time or 0.0, None))


def _brief(value: JSON) -> str:
    return inline(value) or shortened(value if isinstance(value, str) else str(value))
