"""Line by line difference of two versions of an object, with context."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from kubectl_spy.core.objects import JSON
from kubectl_spy.core.wording import common_ends, many
from kubectl_spy.render.columns import width
from kubectl_spy.render.operations import marked, word_changes
from kubectl_spy.render.outline import outline
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.values import LINE, clipped, excerpts
from kubectl_spy.render.wrapping import plain, wrapped

_COMPARED = 2000  # lines at most of what differs, that are compared


class Row(NamedTuple):
    """A line of the old version, and that of the new; None if one lacks it."""

    old: str | None
    new: str | None

    @property
    def differs(self) -> bool:
        """Whether the lines differ."""
        return self.old != self.new


def rows_between(before: JSON, after: JSON) -> list[Row]:
    """Return the lines of two versions in pairs. None is an absent version.

    Members of maps are sorted, as in `kubectl get -o yaml`: their order means nothing.
    """
    old, new = (
        [] if each is None else outline(_sorted(each)) for each in (before, after)
    )
    start, end = common_ends(old, new)
    gone, come = old[start : len(old) - end], new[start : len(new) - end]
    rows = [Row(each, each) for each in old[:start]]
    if max(len(gone), len(come)) > _COMPARED:
        rows += (Row(each, None) for each in gone)
        rows += (Row(None, each) for each in come)
    else:
        rows += _compared(gone, come)
    return rows + [Row(each, each) for each in old[len(old) - end :]]


def _sorted(value: JSON) -> JSON:
    """Return *value* with the members of its maps sorted by name."""
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_sorted(each) for each in value]
    return value


def _compared(gone: Sequence[str], come: Sequence[str]) -> Iterator[Row]:
    matcher = difflib.SequenceMatcher(None, gone, come, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            yield from (Row(each, each) for each in gone[i1:i2])
        else:
            yield from _paired(gone[i1:i2], come[j1:j2])


def _paired(gone: Sequence[str], come: Sequence[str]) -> Iterator[Row]:
    """Yield lines of the same member in one row, and others in rows of their own."""
    members, done = [each.partition(":")[0] for each in come], 0
    for old in gone:
        member, colon, _ = old.partition(":")
        place = members.index(member, done) if member in members[done:] else -1
        if not colon or place < 0:
            yield Row(old, None)
            continue
        yield from (Row(None, each) for each in come[done:place])
        yield Row(old, come[place])
        done = place + 1
    yield from (Row(None, each) for each in come[done:])


def near(rows: Sequence[Row], context: int) -> Iterator[Row | int]:
    """Yield rows that differ, *context* rows around them, and counts of others."""
    shown = set[int]()
    for number, row in enumerate(rows):
        if row.differs:
            shown.update(range(number - context, number + context + 1))
    left = 0
    for number, row in enumerate(rows):
        if number in shown:
            if left:
                yield left
            yield row
            left = 0
        else:
            left += 1
    if left:
        yield left


def unified(
    rows: Sequence[Row], context: int, palette: Palette, columns: int
) -> list[str]:
    """Return marked lines: ~ if some words of a line changed, - and + otherwise."""
    lines: list[str] = []
    for row in near(rows, context):
        if isinstance(row, int):
            lines.append(_left_out(row, palette))
            continue
        (left, right), both = _painted(row, palette)
        signs = (("~", both),) if both else (("-", left), ("+", right))
        for sign, text in signs if row.differs else ((" ", right),):
            if text is not None:
                lines += _cell(sign, text, columns)
    return lines


def side_by_side(
    rows: Sequence[Row], context: int, palette: Palette, columns: int
) -> list[str]:
    """Return lines with the old version on the left, and the new one on the right."""
    half = (columns - 3) // 2
    lines: list[str] = []
    for row in near(rows, context):
        if isinstance(row, int):
            lines.append(_left_out(row, palette))
            continue
        signs = ("-", "+") if row.differs else (" ", " ")
        cells = (
            [] if text is None else _cell(sign, text, half)
            for sign, text in zip(signs, _painted(row, palette)[0], strict=True)
        )
        for one, other in zip_longest(*cells, fillvalue=""):
            lines.append(f"{one}{' ' * (half - width(plain(one)))} │ {other}".rstrip())
    return lines


def _painted(
    row: Row, palette: Palette
) -> tuple[tuple[str | None, str | None], str | None]:
    """Return the old and the new line, and both in one if they share words."""
    old, new = row
    if old is not None and new is not None and row.differs:
        if max(len(old), len(new)) > LINE:
            old, new = excerpts(old, new)
        if pieces := word_changes(old, new):
            left, right = (
                marked([each for each in pieces if each[0] != other], palette)
                for other in "+-"
            )
            return (left, right), marked(pieces, palette)
    roles = (palette.bad, palette.good) if row.differs else ("", "")
    gone, come = (
        None if text is None else palette.paint(role, clipped(text))
        for role, text in zip(roles, (old, new), strict=True)
    )
    return (gone, come), None


def _cell(sign: str, text: str, columns: int) -> list[str]:
    """Return *text* behind *sign* in lines of *columns*."""
    room, shown = columns - 2, plain(text)
    if width(shown) <= room:
        return [f"{sign} {text}"]
    indent = min(len(shown) - len(shown.lstrip()) + 2, room // 2)
    first, *more = wrapped(text, room - indent)
    return [f"{sign} {first}", *(f"  {' ' * indent}{each}" for each in more)]


def _left_out(count: int, palette: Palette) -> str:
    return palette.paint(palette.faint, f"  … {many(count, 'line')}")
