"""RFC 6902 patches for people: a line for each operation, long values below it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from kubectl_spy.core.patch.difference import inner_changes
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.wording import many
from kubectl_spy.render.columns import rows, width, wrapped
from kubectl_spy.render.inert import inert
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.values import (
    INLINE,
    beside,
    block,
    excerpts,
    first_lines,
    inline,
    line_changes,
    shortened,
)

_WORDS = 400
_ALIKE = 0.4  # the least share of words that two texts must have in common

Piece = tuple[str, str]  # a mark, one of "=", "-" and "+", and the text


def word_changes(old: str, new: str) -> list[Piece] | None:
    """Return the pieces of both texts in order. None if they have little in common.

    >>> word_changes("3 of 5 Pods are ready", "4 of 5 Pods are ready")
    [('-', '3'), ('+', '4'), ('=', ' of 5 Pods are ready')]
    """
    import difflib

    before, after = (re.findall(r"\s+|\w+|\W", text) for text in (old, new))
    if max(len(before), len(after)) > _WORDS:
        return None
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return None
    pieces: list[Piece] = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(("=", "".join(after[j1:j2])))
        else:
            sides = (("-", before[i1:i2]), ("+", after[j1:j2]))
            pieces += [(mark, "".join(words)) for mark, words in sides if words]
    return pieces


def marked(pieces: Sequence[Piece], palette: Palette) -> str:
    """Return *pieces* in one line, with marks around what went and came.

    >>> marked([("=", "is "), ("-", "up"), ("+", "down")], Palette())
    'is [-up-]{+down+}'
    """
    marks = {"-": ("[-", "-]"), "+": ("{+", "+}")} if len(pieces) > 1 else {}
    roles = {"-": palette.bad, "+": palette.good}
    whole = ""
    for mark, text in pieces:
        before, behind = marks.get(mark, ("", ""))
        whole += f"{before}{palette.paint(roles.get(mark, ''), inert(text))}{behind}"
    return whole


_INDENT = " " * 13
_AROUND = 18  # columns of a line beside its pointer, values and label
_LEAST = 32  # Columns for values at least. A narrow terminal wraps the line.
_PATH_COLUMN = 56  # columns to which the pointers of one patch are padded at most
_REMEMBERED = 1024  # painted pointers and labels that are cached
_WRAPPED = 2000  # characters of a string that is shown whole
_CHANGED = 60  # changed lines of a text that are shown


class OperationLines:
    """Renders patches. *columns* returns the terminal's width; None is any width."""

    def __init__(
        self,
        palette: Palette,
        *,
        arrow: str = "→",
        columns: Callable[[], int] | None = None,
    ) -> None:
        self._palette = palette
        self._arrow = arrow
        self._columns = columns
        self._framed = lru_cache(_REMEMBERED)(self._frame)
        self._old, old_end = palette.around(palette.faint)  # red is what fails
        new, self._new_end = palette.around(palette.good)
        self._arrowed = f"{old_end} {arrow} {new}"
        self._ops = {
            "add": palette.paint(palette.good, "add    "),
            "remove": palette.paint(palette.bad, "remove "),
            "replace": palette.paint(palette.change, "replace"),
            "move": palette.paint(palette.notice, "move   "),
        }

    def lines(self, patch: Sequence[PatchOperation]) -> list[str]:
        """Return the lines of *patch*. This takes most of the time of a record."""
        wide = min(max([len(step[1]) for step in patch], default=0), _PATH_COLUMN)
        columns = None if self._columns is None else self._columns()
        room = 2 * INLINE
        opening, arrowed, closing = self._old, self._arrowed, self._new_end
        lines: list[str] = []
        for op, path, value, old, source, label in patch:
            if op == "move":
                lines.append(self._moved(source, path, label))
                continue
            start, end = self._framed(op, path, label, wide)
            if columns is not None:
                taken = max(wide, len(path)) + len(label) + _AROUND
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
        return lines if columns is None else list(self._fitted(lines, columns))

    def _fitted(self, lines: Sequence[str], columns: int) -> Iterator[str]:
        """Yield *lines* in as many as a terminal of *columns* needs."""
        for line in lines:
            if rows(line, columns) == 1:
                yield line
                continue
            indent = len(line) - len(line.lstrip(" "))
            first, *more = wrapped(line[indent:], columns - len(_INDENT))
            yield f"{line[:indent]}{first}"
            yield from (f"{_INDENT}{each}" for each in more)

    def _moved(self, source: str, path: str, label: str) -> str:
        start, arrow = f"  {self._ops['move']}  ", self._arrow
        end = f"  {self._faint(label)}" if label else ""
        return f"{start}{self._path(source)} {arrow} {self._path(path)}{end}"

    def _path(self, path: str) -> str:
        return self._palette.paint(self._palette.path, inert(path))

    def _faint(self, label: str) -> str:
        return self._palette.paint(self._palette.faint, inert(label))

    def _frame(self, op: str, path: str, label: str, width: int) -> tuple[str, str]:
        padding = " " * (width - len(inert(path)))
        end = f"  {self._faint(label)}" if label else ""
        return f"  {self._ops[op]}  {self._path(path)}{padding}  ", end

    def _alone(self, op: str, value: object, room: int) -> tuple[str, Sequence[str]]:
        """Return a value in *room* columns behind its pointer, and the lines below."""
        palette = self._palette
        role = palette.good if op == "add" else palette.bad
        text = inline(value, min(room, INLINE))
        if text is not None:
            return palette.paint(role, text), ()
        if isinstance(value, str) and "\n" not in value:
            if len(value) > _WRAPPED:
                return palette.paint(role, shortened(value, min(room, INLINE))), ()
            return "", self._wrapped([("+" if op == "add" else "-", value)])
        if op == "remove":
            return palette.paint(role, _size(value)), ()
        return "", self._below(value)

    def _replaced(
        self, old: object, value: object, room: int
    ) -> tuple[str, Sequence[str]]:
        """Return a change that does not fit into *room* columns, as `_alone` does."""
        if isinstance(old, str) and isinstance(value, str):
            inner, _ = inner_changes(old, value)
            if inner:
                lines = first_lines(self.lines(inner), _CHANGED)
                return "", [f"    {line}" for line in lines]
            several = "\n" in old or "\n" in value
            if several and (changes := line_changes(old, value)) is not None:
                lines = [self._changed(mark, line) for mark, line in changes]
                lines = first_lines(lines, _CHANGED)
                return "", [f"{_INDENT}{line}" for line in lines]
            if max(len(old), len(value)) > _WRAPPED:
                return self._change(*excerpts(old, value, room // 2)), ()
            if (words := word_changes(old, value)) is not None:
                return "", self._wrapped(words)
            return "", self._both(old, value)
        before, after = inline(old) or _size(old), inline(value)
        if after is not None:
            return self._change(before, after), ()
        return self._change(before, ""), self._below(value)

    def _both(self, old: str, new: str) -> list[str]:
        """Return two texts: in one line with an arrow, or each behind its mark."""
        room = self._room
        if room is None or width(inert(f"{old} {self._arrow} {new}")) <= room:
            return [f"{_INDENT}{self._change(inert(old), inert(new))}"]
        lines: list[str] = []
        for mark, text in (("-", old), ("+", new)):
            first, *more = wrapped(inert(text), room - 2)
            changes = (self._changed(mark, first), *(f"  {each}" for each in more))
            lines += [f"{_INDENT}{each}" for each in changes]
        return lines

    def _wrapped(self, pieces: Sequence[Piece]) -> list[str]:
        whole, room = marked(pieces, self._palette), self._room
        lines = [whole] if room is None else wrapped(whole, room)
        return [f"{_INDENT}{line}" for line in lines]

    @property
    def _room(self) -> int | None:
        """The columns behind the indent; None is any number."""
        if self._columns is None:
            return None
        return max(self._columns() - len(_INDENT) - 1, _LEAST)

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
        return palette.paint(role, f"{mark} {line}")


def _size(value: object) -> str:
    if isinstance(value, dict):
        return f"{{… {many(len(value), 'member')}}}"
    if isinstance(value, list):
        return f"[… {many(len(value), 'element')}]"
    return shortened(value) if isinstance(value, str) else "…"
