"""A document as YAML, with who wrote each line, and when."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.changes.blame import Leaf, Write, leaves
from kubectl_spy.core.objects import JSON
from kubectl_spy.render.columns import width
from kubectl_spy.render.inert import inert
from kubectl_spy.render.machine import yaml_lines
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.values import clipped, inline, shortened

_SECONDS = len("15:04:05")


def blame_lines(annotated: JSON, palette: Palette, columns: int) -> Iterator[str]:
    """Yield an annotated document as YAML, with who wrote each value in a comment.

    The comment says when, too, and the value before. It stands above its line where
    both together are wider than *columns*; 0 is any width. Times are local, with dates
    if they are of several days.
    """
    writes = [leaf.write for leaf in leaves(annotated)]
    days = {day_and_clock(each.time)[0] for each in writes if each.time is not None}
    for line, leaf in _lines(annotated):
        said = "" if leaf is None else _said(leaf.write, dated=len(days) > 1)
        comment = palette.paint(palette.change, f"# {said}")
        if not said:
            yield line
        elif columns and width(line) + width(said) + len("  # ") > columns:
            yield " " * (len(line) - len(line.lstrip())) + comment
            yield line
        else:
            yield f"{line}  {comment}"


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
        yield clipped(line), None if number else leaf


def _said(write: Write, *, dated: bool) -> str:
    """Return who wrote a value, when, and what it was before; "" if none is known."""
    when = _when(write, dated=dated)
    parts = [" ".join(filter(None, (_who(write), when)))]
    if write.before:
        note = f" (≈ {inert(write.source)})" if write.source else ""
        parts.append(f"was {_brief(write.before[0])}{note}")
    return ", ".join(filter(None, parts))


def _who(write: Write) -> str:
    if write.actor is not None:
        likely = "?" if write.actor.likely else ""
        return inert(f"{write.actor.user}{likely}")
    names = " or ".join(map(inert, write.managers))
    return f"{names}?" if write.unsure and names else names


def _when(write: Write, *, dated: bool) -> str:
    if write.time is None:
        return ""
    day, clock = day_and_clock(write.time)
    shown = clock if write.version else clock[:_SECONDS]  # managedFields have no more
    return f"{day} {shown}" if dated else shown


def _brief(value: JSON) -> str:
    return inline(value) or shortened(value if isinstance(value, str) else str(value))
