r"""Templates of sentences, filled with facts.

| part | what it becomes |
|---|---|
| `{name}` | the argument; a list is `a, b and c` |
| `{name,; }` | a list, joined by what stands behind the comma: `a; b` |
| `{name~3}` | a list of at most so many, and how many more there are |
| `{count Pod}`, `{count Pod is}` | `1 Pod`, `2 Pods`; `1 Pod is`, `2 Pods are` |
| `{count }` | a count whose noun comes later: `1` of 3 Pods |
| `{names node}`, `{names node~3}` | a list with its noun: `nodes a and b` |
| `{names#does\|do}` | one of two words, by whether it is one or several |
| `{name!}` | nothing: it only asks whether the argument is there |
| `[…]` | its text, if each argument in it is there |
| `[…\|…]` | the first of several of which each argument is there |

An argument is there unless it is missing, empty or False. 0 is there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from kubectl_spy.core.wording import first_few, many, plural

_PART = re.compile(r"\{(\w+)([^}]*)\}|([\[\]|])|([^{\[\]|]+)")


class _Slot(NamedTuple):
    name: str
    how: str


class _Choice(NamedTuple):
    parts: tuple[_Parts, ...]


_Parts = tuple[str | _Slot | _Choice, ...]


def fill(
    template: str, args: Mapping[str, object], say: Callable[[object], str]
) -> str:
    """Return *template* with its *args*, each as *say* tells it.

    >>> fill("{n Pod is} late[: {why}|, nobody knows why]", {"n": 2}, str)
    '2 Pods are late, nobody knows why'
    """
    return "".join(_filled(_parsed(template), args, say))


def counts(template: str) -> frozenset[str]:
    """Return the names of the arguments that *template* prints with a noun.

    >>> sorted(counts("{n Pod} of {all}[ ({others other})]"))
    ['n', 'others']
    """
    return frozenset(
        slot.name for slot in _slots(_parsed(template)) if slot.how[:1] == " "
    )


def names(template: str) -> list[str]:
    """Return the names of all arguments of *template*, in order."""
    return list(dict.fromkeys(slot.name for slot in _slots(_parsed(template))))


def in_full(template: str) -> str:
    """Return *template* for people: arguments in capitals, what may be in brackets.

    >>> in_full("{n Pod is} late[: {why}|, nobody knows why][ ({x})]")
    'N Pods are late(: WHY | , nobody knows why)[ (X)]'
    """
    return "".join(_outline(_parsed(template)))


def _outline(parts: _Parts) -> Iterator[str]:
    for each in parts:
        if isinstance(each, str):
            yield each
        elif isinstance(each, _Slot):
            yield _said(each, each.name.upper(), str)
        elif len(each.parts) == 1:
            yield f"[{''.join(_outline(each.parts[0]))}]"
        else:
            yield f"({' | '.join(''.join(_outline(it)) for it in each.parts)})"


@lru_cache(None)
def _parsed(template: str) -> _Parts:
    parts, rest = _alternatives(list(_PART.finditer(template)), 0)
    assert rest == len(_PART.findall(template)), template
    return parts[0]


def _alternatives(found: list[re.Match[str]], at: int) -> tuple[list[_Parts], int]:
    """Return the alternatives from *at* to the next `]`, and where they end."""
    every: list[_Parts] = []
    parts: list[str | _Slot | _Choice] = []
    while at < len(found):
        name, how, mark, words = found[at].groups()
        at += 1
        if name:
            parts.append(_Slot(name, how))
        elif mark == "[":
            inner, at = _alternatives(found, at)
            parts.append(_Choice(tuple(inner)))
        elif mark == "|":
            every.append(tuple(parts))
            parts = []
        elif mark == "]":
            break
        else:
            parts.append(words)
    return [*every, tuple(parts)], at


def _slots(parts: _Parts) -> Iterator[_Slot]:
    for each in parts:
        if isinstance(each, _Slot):
            yield each
        elif isinstance(each, _Choice):
            for inner in each.parts:
                yield from _slots(inner)


def _filled(
    parts: _Parts, args: Mapping[str, object], say: Callable[[object], str]
) -> Iterator[str]:
    for each in parts:
        if isinstance(each, str):
            yield each
        elif isinstance(each, _Slot):
            yield _said(each, args.get(each.name, ""), say)
        else:
            for inner in each.parts:
                if all(_is_there(args.get(it.name)) for it in _own_slots(inner)):
                    yield from _filled(inner, args, say)
                    break


def _own_slots(parts: _Parts) -> Iterator[_Slot]:
    return (each for each in parts if isinstance(each, _Slot))


def _is_there(arg: object) -> bool:
    return bool(arg) or type(arg) is int


def _said(slot: _Slot, arg: object, say: Callable[[object], str]) -> str:
    how = slot.how
    if how == "!":
        return ""
    count = len(arg) if type(arg) is tuple else arg
    if how[:1] == "#":
        one, _, several = how[1:].partition("|")
        return one if count == 1 else several
    if how[:1] == ",":
        return how[1:].join(map(say, arg if type(arg) is tuple else (arg,)))
    noun, _, most = how.partition("~")
    noun, verb, _ = noun.strip().partition(" is")
    be = verb and (" is" if count == 1 else " are")
    if type(arg) is tuple:
        few = first_few([say(each) for each in arg], int(most) if most else None)
        *first, last = few or [""]
        listed = f"{', '.join(first)} and {last}" if first else last
        return f"{plural(len(arg), noun)} {listed}{be}" if noun else listed
    if not noun:
        return say(arg)
    if isinstance(arg, int):
        return many(arg, noun) + be
    return f"{say(arg)} {plural(2, noun)}{be}"
