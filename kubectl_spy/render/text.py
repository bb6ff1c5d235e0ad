"""Change records for people: their RFC 6902 patches as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import clock, day_and_clock, duration, local
from kubectl_spy.render.outline import outline
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.values import (
    INLINE,
    beside,
    block,
    clipped,
    excerpts,
    first_lines,
    inline,
    line_changes,
    shortened,
)

if TYPE_CHECKING:
    from kubectl_spy.core.objects import GroupVersionKind, Selection
    from kubectl_spy.core.patch.operation import PatchOperation

_INDENT = " " * 13
_AROUND = 18
"""Columns of a line beside its pointer, values and label."""
_LEAST = 32
"""Columns for values at least; a narrow terminal wraps the line."""
_PATH_COLUMN = 56
"""Columns to which the pointers of one record are padded at most."""
_REMEMBERED = 1024
"""Painted pointers, labels and names that are cached."""
_CHANGED = 60
"""Changed lines of a text that are shown."""
_DOCUMENT = 24
"""Lines of a new object that was not asked for by name."""


class TextRenderer:
    """Renders records as lines, with times in *zone*; None is the local one.

    *columns* returns the width of the terminal; None is a pipe with lines of any width.
    With *whole*, objects are shown in full, also those of the first list. Without, a
    first list is one line a type.
    """

    def __init__(
        self,
        palette: Palette,
        *,
        zone: tzinfo | None,
        whole: bool,
        arrow: str = "→",
        columns: Callable[[], int] | None = None,
    ) -> None:
        self._palette = palette
        self._zone = zone
        self._whole = whole
        self._arrow = arrow
        self._columns = columns
        self._framed = lru_cache(_REMEMBERED)(self._frame)
        self._named = lru_cache(_REMEMBERED)(self._name)
        self._old, old_end = palette.around(palette.bad)
        new, self._new_end = palette.around(palette.good)
        self._arrowed = f"{old_end} {arrow} {new}"
        self._day = ""
        self._time: float | None = None
        self._time_of_day = ""
        self._types = {
            ChangeType.ADDED: palette.paint(palette.good, "ADDED   "),
            ChangeType.MODIFIED: palette.paint(palette.change, "MODIFIED"),
            ChangeType.DELETED: palette.paint(palette.bad, "DELETED "),
            ChangeType.LEFT: palette.paint(palette.bad, "LEFT    "),
            ChangeType.GAP: palette.paint(palette.notice, "GAP     "),
        }
        self._ops = {
            "add": palette.paint(palette.good, "add    "),
            "remove": palette.paint(palette.bad, "remove "),
            "replace": palette.paint(palette.change, "replace"),
            "move": palette.paint(palette.notice, "move   "),
        }

    def render_record(self, record: ChangeRecord) -> str:
        """Return the lines of *record*, each with its newline; "" for none."""
        if record.initial and not self._whole:
            return ""
        lines = [self._header(record)]
        if record.type is ChangeType.ADDED:
            document = outline(record.document)
            shown = (
                document
                if self._whole
                else map(clipped, first_lines(document, _DOCUMENT))
            )
            lines += [f"  {line}" for line in shown]
        else:
            lines += self._operations(record.patch)
        return "\n".join(lines) + "\n"

    def render_patch(self, patch: Sequence[PatchOperation]) -> str:
        """Return the lines of *patch* alone, each with its newline."""
        return "".join(f"{line}\n" for line in self._operations(patch))

    def render_listed(self, selection: Selection, count: int, time: float) -> str:
        """Return the line for the *count* objects of a first list."""
        if self._whole:
            return ""
        palette = self._palette
        where = f" in namespace {selection.namespace}" if selection.namespace else ""
        if selection.resource.namespaced and not selection.namespace:
            where = " in all namespaces"
        what = inert(f"{count} {selection.resource.group_resource}{where}")
        return (
            f"{palette.paint(palette.faint, self._clock(time))}  "
            f"{palette.paint(palette.faint, 'LISTED  ')}  {what}\n"
        )

    def _header(self, record: ChangeRecord) -> str:
        palette = self._palette
        parts = [
            palette.paint(palette.faint, self._clock(record.time)),
            self._types[record.type],
        ]
        if record.of_stream:
            since = clock(local(record.since or record.time, self._zone))
            parts += [
                palette.paint(palette.name, inert(record.selection.resource.plural)),
                f"versions since {since} may have been missed",
            ]
            return "  ".join(parts)
        parts.append(self._named(record.gvk, record.name))
        if record.namespace and record.selection.namespace is None:
            parts.append(f"-n {inert(record.namespace)}")
        if record.elapsed is not None:
            elapsed = f"+{duration(record.elapsed)}"
            parts.append(palette.paint(palette.faint, elapsed))
        if record.managers:
            parts.append("by " + ", ".join(map(inert, record.managers)))
        remark = _remark(record)
        if remark:
            parts.append(palette.paint(palette.notice, remark))
        return "  ".join(parts)

    def _name(self, gvk: GroupVersionKind, name: str) -> str:
        palette = self._palette
        return palette.paint(palette.name, inert(f"{gvk.printed}/{name}"))

    def _operations(self, patch: Sequence[PatchOperation]) -> list[str]:
        """Return the lines of *patch*: it takes most of the time of a record."""
        width = min(max([len(step[1]) for step in patch], default=0), _PATH_COLUMN)
        columns = None if self._columns is None else self._columns()
        room = 2 * INLINE
        opening, arrowed, closing = self._old, self._arrowed, self._new_end
        lines: list[str] = []
        for op, path, value, old, source, label in patch:
            if op == "move":
                lines.append(self._moved(source, path, label))
                continue
            start, end = self._framed(op, path, label, width)
            if columns is not None:
                taken = max(width, len(path)) + len(label) + _AROUND
                room = max(columns - taken, _LEAST)
            if op == "replace":
                both = beside(old, value, room)
                if both is not None:
                    was, now = both
                    lines.append(f"{start}{opening}{was}{arrowed}{now}{closing}{end}")
                    continue
                text, below = self._replaced(old, value, room)
            else:
                text, below = self._alone(op, value if op == "add" else old, room)
            lines.append(f"{start}{text}{end}".rstrip())
            lines += below
        return lines

    def _moved(self, source: str, path: str, label: str) -> str:
        start, arrow = f"  {self._ops['move']}  ", self._arrow
        end = f"  {self._faint(label)}" if label else ""
        return f"{start}{self._path(source)} {arrow} {self._path(path)}{end}"

    def _path(self, path: str) -> str:
        return self._palette.paint(self._palette.path, inert(path))

    def _faint(self, label: str) -> str:
        return self._palette.paint(self._palette.faint, inert(label))

    def _frame(self, op: str, path: str, label: str, width: int) -> tuple[str, str]:
        """Return the text before and behind the values of an operation."""
        padding = " " * (width - len(inert(path)))
        end = f"  {self._faint(label)}" if label else ""
        return f"  {self._ops[op]}  {self._path(path)}{padding}  ", end

    def _alone(self, op: str, value: object, room: int) -> tuple[str, Sequence[str]]:
        """Return a value behind its pointer, in *room* columns, and the lines below."""
        palette = self._palette
        role = palette.good if op == "add" else palette.bad
        text = inline(value, min(room, INLINE))
        if text is not None:
            return palette.paint(role, text), ()
        if isinstance(value, str) and "\n" not in value:
            return palette.paint(role, shortened(value, min(room, INLINE))), ()
        if op == "remove":
            return palette.paint(role, _size(value)), ()
        return "", self._below(value)

    def _replaced(
        self, old: object, value: object, room: int
    ) -> tuple[str, Sequence[str]]:
        """Return the same for two values that do not fit into *room* columns."""
        if isinstance(old, str) and isinstance(value, str):
            if "\n" in old or "\n" in value:
                changes = line_changes(old, value)
                if changes is not None:
                    lines = [self._changed(mark, line) for mark, line in changes]
                    return "", first_lines(lines, _CHANGED)
            return self._change(*excerpts(old, value, room // 2)), ()
        before, after = inline(old) or _size(old), inline(value)
        if after is not None:
            return self._change(before, after), ()
        return self._change(before, ""), self._below(value)

    def _below(self, value: object) -> list[str]:
        palette = self._palette
        return [
            f"{_INDENT}{palette.paint(palette.good, line)}" for line in block(value)
        ]

    def _change(self, old: str, new: str) -> str:
        return f"{self._old}{old}{self._arrowed}{new}{self._new_end}"

    def _changed(self, mark: str, line: str) -> str:
        palette = self._palette
        role = {"-": palette.bad, "+": palette.good}.get(mark, palette.faint)
        return f"{_INDENT}{palette.paint(role, f'{mark} {line}')}"

    def _clock(self, time: float) -> str:
        """Return the time, with the date if it differs from that of the last record."""
        if time == self._time:  # records of one batch share it
            return self._time_of_day
        today, self._time_of_day = day_and_clock(local(time, self._zone))
        turned = self._day and self._day != today
        self._time, self._day = time, today
        return f"{today} {self._time_of_day}" if turned else self._time_of_day


def missed(gap: ChangeRecord) -> str:
    """Return the line of a GAP of a whole stream, with local times."""
    since, until = (
        clock(local(gap.time if time is None else time, None))
        for time in (gap.since, gap.until)
    )
    what = inert(gap.gvk.printed)
    return f"GAP: changes of {what} objects between {since} and {until} may be missing"


def _remark(record: ChangeRecord) -> str:
    """Return a remark that the type of *record* does not make."""
    if record.initial:
        return "already there"
    if record.type is ChangeType.LEFT:
        return "deleted, or no longer matching the selector"
    if record.inferred:
        return "found gone; when and how was missed"
    if record.type is ChangeType.GAP:
        return "versions in between were, or may have been, missed"
    return ""


def _size(value: object) -> str:
    if isinstance(value, dict):
        return f"{{… {len(value)} members}}"
    if isinstance(value, list):
        return f"[… {len(value)} elements]"
    return shortened(value) if isinstance(value, str) else "…"
