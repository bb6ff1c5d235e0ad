"""The objects of a recording as a table for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo

from kubectl_spy.core.changes.contents import ObjectRow
from kubectl_spy.core.wording import first_few, many
from kubectl_spy.render.columns import pad, width
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.render.palette import Palette

# Also those of the page that `export -o html` makes.
COLUMNS = ("Changes", "First", "Last", "Namespace", "Object", "By")
_MANAGERS = 3  # the most field managers of a row


def contents_table(rows: Sequence[ObjectRow], palette: Palette) -> Iterator[str]:
    """Yield a header and a line for each of *rows*, in local time.

    Dates are shown if the rows are of several days, and namespaces if of several.
    """
    days = {day_and_clock(time)[0] for row in rows for time in (row.first, row.last)}
    lines = [tuple(map(str.upper, COLUMNS))]
    lines += [cells(row, dated=len(days) > 1) for row in rows]
    columns = list(zip(*lines, strict=True))
    if len({row.namespace for row in rows}) == 1:
        del columns[COLUMNS.index("Namespace")]
    widths = [max(map(width, column)) for column in columns]
    for number, (count, *texts) in enumerate(zip(*columns, strict=True)):
        padded = map(pad, texts, widths[1:])
        line = "  ".join((f"{count:>{widths[0]}}", *padded)).rstrip()
        faint = not number or rows[number - 1].gone
        yield palette.paint(palette.faint, line) if faint else line


def cells(
    row: ObjectRow, *, dated: bool, zone: tzinfo | None = None
) -> tuple[str, ...]:
    """Return the texts of *row* in the order of COLUMNS, with times in *zone*."""
    first, last = (
        f"{day} {clock}" if dated else clock
        for day, clock in (day_and_clock(time, zone) for time in (row.first, row.last))
    )
    names = [name for name, _ in row.managers.most_common()]
    notes = ["gone"] if row.gone else []
    notes += [f"{len(row.uids)} objects of this name"] if len(row.uids) > 1 else []
    by = "; ".join(filter(None, (*notes, ", ".join(first_few(names, _MANAGERS)))))
    name = f"{row.gvk.printed}/{row.name}"
    return tuple(
        map(inert, (str(row.changes), first, last, row.namespace or "", name, by))
    )


def made_earlier(count: int) -> str:
    """Return what to say of changes that were read when a recorder was back."""
    verb = "was" if count == 1 else "were"
    return f"{many(count, 'change')} {verb} made before the recorded time"
