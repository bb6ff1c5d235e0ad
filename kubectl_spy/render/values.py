"""One value, or the change of one, in few columns and lines."""

from __future__ import annotations

from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.wording import common_ends
from kubectl_spy.render.inert import inert
from kubectl_spy.render.outline import outline, scalar

INLINE = 100  # characters of a value beside its pointer
BLOCK = 40  # lines of a value below its pointer
LINE = 200  # characters of a line of a longer text
_CONTEXT = 12  # unchanged characters on each side of a difference
_MARKS = 4  # characters of quotes and ellipses
_DIFFED = 500  # changed lines at most of two texts that are compared


def inline(value: JSON, room: int = INLINE) -> str | None:
    """Return *value* as JSON if that fits into *room* characters, else None."""
    kind = type(value)
    if kind is str:
        if len(value) > room:
            return None
        if value.isprintable() and '"' not in value and "\\" not in value:
            text = f'"{value}"'  # as `scalar` does, without the call
            return text if len(text) <= room else None
    elif kind is dict or kind is list:
        if len(value) > room:
            return None
        raw = dumps(value)
        if len(raw) > room and raw.isascii():
            return None  # escapes only make it longer
        text = inert(raw.decode())
        return text if len(text) <= room else None
    text = scalar(value)
    return text if len(text) <= room else None


def beside(old: JSON, new: JSON, room: int) -> tuple[str, str] | None:
    """Return two values as JSON if they fit beside each other in *room* characters."""
    if type(old) is str and type(new) is str:  # both at once, without a call
        length = len(old) + len(new) + 4
        if length > room or len(old) > INLINE - 2 or len(new) > INLINE - 2:
            return None
        both = old + new
        if both.isprintable() and '"' not in both and "\\" not in both:
            return f'"{old}"', f'"{new}"'
    before, after = inline(old), inline(new)
    if before is None or after is None or len(before) + len(after) > room:
        return None
    return before, after


def shortened(text: str, room: int = INLINE) -> str:
    """Return the beginning of a long string as JSON, and its length.

    >>> shortened("x" * 1000)[-18:]
    '(1,000 characters)'
    """
    start = inert(dumps(text[: max(room - 30, 8)]).decode())[:-1]
    return f'{start}…" ({len(text):,} characters)'


def block(value: JSON, *, lines: int = BLOCK) -> list[str]:
    """Return *value* as an outline, cut to *lines* lines."""
    if isinstance(value, str) and "\n" not in value:
        return [shortened(value)]
    return [clipped(line) for line in first_lines(outline(value), lines)]


def clipped(line: str) -> str:
    """Return the first `LINE` characters of an inert *line*, and its length.

    >>> clipped("x" * 1000)[LINE - 1 :]
    'x… (1,000 characters)'
    """
    if len(line) <= LINE + 20:
        return line
    return f"{line[:LINE]}… ({len(line):,} characters)"


def first_lines(lines: list[str], most: int) -> list[str]:
    """Return at most *most* of *lines*, and one that counts the others."""
    if len(lines) <= most + 1:
        return lines
    return [*lines[:most], f"… {len(lines) - most} more lines; -o yaml shows all"]


def excerpts(old: str, new: str, room: int = INLINE) -> tuple[str, str]:
    """Return the parts of two long strings in which they differ, as JSON strings.

    An ellipsis marks what is left out. Each takes at most *room* columns, if these are
    16 or more and nothing is escaped.

    >>> excerpts("a" * 300 + "1" + "b" * 300, "a" * 300 + "2" + "b" * 300)
    ('"…aaaaaaaaaaaa1bbbbbbbbbbbb…"', '"…aaaaaaaaaaaa2bbbbbbbbbbbb…"')
    """
    start, end = common_ends(old, new)
    return _excerpt(old, start, end, room), _excerpt(new, start, end, room)


def line_changes(old: str, new: str) -> list[tuple[str, str]] | None:
    """Return the lines that differ, as ("-", "+" or "@", line); None for too many."""
    import difflib

    before, after = old.split("\n"), new.split("\n")
    start, end = common_ends(before, after)
    gone = before[start : len(before) - end]
    come = after[start : len(after) - end]
    if max(len(gone), len(come)) > _DIFFED:
        return None
    changes: list[tuple[str, str]] = []
    matcher = difflib.SequenceMatcher(None, gone, come, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            continue
        changes.append(("@", f"line {start + j1 + 1}"))
        olds, news = gone[i1:i2], come[j1:j2]
        if len(olds) == len(news) == 1 and max(map(len, olds + news)) > LINE:
            # Mostly the annotation of kubectl apply.
            olds, news = ([part] for part in excerpts(olds[0], news[0]))
        changes += [("-", clipped(inert(line))) for line in olds]
        changes += [("+", clipped(inert(line))) for line in news]
    return changes


def _excerpt(text: str, start: int, end: int, room: int) -> str:
    context = _CONTEXT
    if room < INLINE:
        room -= _MARKS
        context = max(min(context, (room - (len(text) - start - end)) // 2), 3)
    first, last = max(start - context, 0), min(len(text) - end + context, len(text))
    middle = text[first:last]
    left, right = "…" if first else "", "…" if last < len(text) else ""
    if len(middle) > room:
        ending = f"… ({len(text):,} characters)" if len(text) > 2 * INLINE else "…"
        middle, right = middle[: max(room - len(ending) - 3, 8)], ending
    return f'"{left}{inert(dumps(middle).decode())[1:-1]}{right}"'


def byte_size(count: int) -> str:
    """Return a number of bytes, rounded, with one decimal below 10.

    >>> [byte_size(n) for n in (0, 999, 84_000, 1_530_000, 20_000_000_000)]
    ['0 B', '999 B', '84 KB', '1.5 MB', '20 GB']
    """
    if count < 1000:
        return f"{count} B"
    size, unit = float(count), 0
    while size >= 999.5 and unit < 4:
        size, unit = size / 1000, unit + 1
    return f"{size:.{1 if size < 9.95 else 0}f} {'?KMGT'[unit]}B"
