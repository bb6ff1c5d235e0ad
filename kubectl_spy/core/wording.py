"""Numbers, misspelled names and foreign text in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_WIDTH = 300
_BOTH = 200
PHRASE = 700
"""The most characters of a phrase: two values and their path."""
_CONTEXT = 40
"""The most equal characters on each side of what differs in long texts."""


def many(count: int, noun: str) -> str:
    """Return *count* with *noun*, in the plural unless it is 1.

    >>> many(1, "old Pod"), many(2000, "old Pod"), many(2, "index")
    ('1 old Pod', '2,000 old Pods', '2 indexes')
    """
    return f"{count:,} {plural(count, noun)}"


def plural(count: int, noun: str) -> str:
    """Return *noun*, in the plural unless *count* is 1."""
    ending = "es" if noun.endswith(("s", "x")) else "s"
    return noun if count == 1 else noun + ending


def first_few(words: Sequence[str], most: int | None) -> list[str]:
    """Return the first *most* of *words*, and a last one that counts the others."""
    shown = list(words[:most])
    others = len(words) - len(shown)
    return [*shown, f"{others} more"] if others else shown


def in_brief(words: Sequence[str], most: int = 3, joint: str = ", ") -> str:
    """Return the first *most* of *words* in one text, and how many more there are.

    >>> in_brief(["a", "b", "c"], 2), in_brief(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    others = len(words) - most
    return joint.join(words[:most]) + (f" and {others} more" if others > 0 else "")


def phrases(parts: Sequence[str], most: int | None) -> str:
    """Return the first *most* of *parts* in one line.

    >>> phrases(["ready 2→3", "replicas 3 → 5", "paused"], 2)
    'ready 2→3 · replicas 3 → 5 · 1 more'
    """
    return " · ".join(both_ends(each, PHRASE) for each in first_few(parts, most))


def did_you_mean(word: str, names: Mapping[str, str]) -> str:
    """Return the question whether one of *names* was meant by *word*, or "".

    The values of *names* are what to print for them.

    >>> did_you_mean("nignx", {"nginx": "pod/nginx", "api": "pod/api"})
    'did you mean pod/nginx?'
    >>> did_you_mean("web", {"nginx": "pod/nginx"})
    ''
    """
    from difflib import get_close_matches  # few runs need it

    cutoff = 0.65 if len(word) < 5 else 0.7  # of three letters, two may be swapped
    near = get_close_matches(word, names, n=3, cutoff=cutoff)
    meant = " or ".join(dict.fromkeys(names[each] for each in near))
    return f"did you mean {meant}?" if meant else ""


def one_line(text: str, width: int = _WIDTH) -> str:
    r"""Return *text* as one line of at most *width* characters, not yet inert.

    >>> one_line("cat: can't open 'ok':\n  No such file\n", 24)
    "cat: can't open 'ok': N…"
    """
    start = text[: 4 * width]  # splitting all of a megabyte takes long
    line = " ".join(start.split())
    if len(line) <= width and len(start) == len(text):
        return line
    return line[: width - 1].rstrip() + "…"


def both_ends(text: str, width: int = _BOTH) -> str:
    r"""Return *text* as one line; of a long one, its beginning and its end.

    Errors in Go name their cause last.

    >>> both_ends("back-off   restarting\nfailed container")
    'back-off restarting failed container'
    >>> both_ends("failed to get cpu: unable to fetch metrics: not found", 30)
    'failed to get c … s: not found'
    """
    if len(text) > 8 * width:
        text = f"{text[: 4 * width]}{text[-4 * width :]}"
    line = " ".join(text.split())
    half = width // 2
    return line if len(line) <= width else f"{line[:half]} … {line[half + 3 - width :]}"


def differing(old: str, new: str, width: int = _BOTH) -> tuple[str, str]:
    """Return two texts in one line each; of long ones, the parts that differ.

    >>> differing("web:1", "web:2"), differing("a" * 60 + "1", "a" * 60 + "2", 50)[0]
    (('web:1', 'web:2'), '…aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1')
    """
    start, end = common_ends(old, new)
    if max(len(old), len(new)) <= width:
        start = end = 0
    return _part(old, start, end, width), _part(new, start, end, width)


def _part(text: str, start: int, end: int, width: int) -> str:
    """Return *text* without most of its first *start* and last *end* characters."""
    first = max(start - _CONTEXT, 0)
    last = len(text) - max(end - _CONTEXT, 0)
    left, right = "…" if first else "", "…" if last < len(text) else ""
    return f"{left}{both_ends(text[first:last], width)}{right}"


def common_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return how much two texts, or lists of lines, share at the beginning and end."""
    start = _common_start(one, other)
    shorter = min(len(one), len(other)) - start
    return start, _common_start(one[::-1][:shorter], other[::-1][:shorter])


def _common_start(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the common prefix of two sequences, by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
