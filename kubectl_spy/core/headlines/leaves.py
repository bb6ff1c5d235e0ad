"""The single values that a patch changes, with the names of the list elements above."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.natural_keys import label as label_of
from kubectl_spy.core.patch.natural_keys import labels_along, names_in
from kubectl_spy.core.patch.operation import PatchOperation

DATA = ("data", "stringData", "binaryData")
"""Members of an object whose own members are keys, of any name."""
_MOST = 10_000
"""The most members of an added or removed value to look at."""
_SHORT = 80
"""The most characters of an object without a name that is shown itself."""


class Leaf(NamedTuple):
    """One changed value."""

    tokens: pointer.Tokens
    """Its path."""
    names: tuple[str, ...]
    """For each token, the name of the list element that it leads to, or ""."""
    old: JSON
    new: JSON
    whole: str = ""
    """"added" or "removed", if it is a whole list element."""
    alike: int = 0
    """How many elements of its list without names are alike, if they are counted."""
    inner: bool = False
    """Whether it is in a document within a string."""


def leaves(step: PatchOperation, document: JSON, *, inner: bool) -> Iterator[Leaf]:
    """Yield the values that *step* changed: the members of objects, and whole lists.

    *document* is the new version, or with *inner* what a string of it holds. Without
    *inner*, nothing in its status is yielded.
    """
    status = not inner and step.path.startswith("/status/")
    if step.op == "move" or status:
        return
    tokens = pointer.parse(step.path)
    names = _names(step, tokens, document)
    if tokens[-1:] and tokens[-1].isdecimal() and (inner or tokens[0] not in DATA):
        whole = {"add": "added", "remove": "removed"}.get(step.op, "")
        yield Leaf(tokens, names, step.old, step.value, whole, inner=inner)
        return
    pending: list[tuple[pointer.Tokens, JSON, JSON]] = [(tokens, step.old, step.value)]
    for _ in range(_MOST):
        if not pending:
            return
        at, old, new = pending.pop()
        named = (*names, *[""] * (len(at) - len(tokens)))
        either = new if isinstance(new, dict | list) else old
        several = isinstance(either, list) and (old is None or new is None)
        if several and (at[-1:] == ("env",) or {*map(type, either)} == {dict}):
            yield from _elements(at, named, old, new, inner=inner)
            continue
        status = not inner and at == ("status",)
        if not isinstance(either, dict) or (not at[1:] and status):
            yield Leaf(at, named, old, new, inner=inner)
            continue
        before = old if isinstance(old, dict) else {}
        after = new if isinstance(new, dict) else {}
        keys: list[str] = list(dict.fromkeys([*after, *before]))
        pending += [((*at, k), before.get(k), after.get(k)) for k in reversed(keys)]


def _elements(
    at: pointer.Tokens, names: tuple[str, ...], old: JSON, new: JSON, *, inner: bool
) -> Iterator[Leaf]:
    """Yield the elements of a list that is added or removed as a whole."""
    for value, whole in ((old, "removed"), (new, "added")):
        for place, each in enumerate(value[:_MOST] if isinstance(value, list) else ()):
            path = *at, str(place)
            named = *names, "".join(names_in(label_of(at[-1] if at else "", each)))
            gone, come = (each, None) if whole == "removed" else (None, each)
            yield Leaf(path, named, gone, come, whole, inner=inner)


def counted(found: Iterable[Leaf]) -> list[Leaf]:
    """Return *found* with one leaf for all elements of a list that have no names.

    One that is short stays as it is, because it says more than its number.
    """
    kept: list[Leaf] = []
    places: dict[tuple[pointer.Tokens, str], int] = {}
    for leaf in found:
        value = leaf.new if leaf.old is None else leaf.old
        nameless = leaf.whole and not leaf.names[-1]
        if not nameless or not isinstance(value, dict | list):
            kept.append(leaf)
            continue
        place = leaf.tokens[:-1], leaf.whole
        if place not in places:
            places[place] = len(kept)
            long = len(dumps(value)) > _SHORT
            kept.append(leaf._replace(alike=1 if long else 0))
        else:
            first = kept[places[place]]
            kept[places[place]] = first._replace(alike=max(first.alike, 1) + 1)
    return kept


def _names(
    step: PatchOperation, tokens: pointer.Tokens, document: JSON
) -> tuple[str, ...]:
    """Return for each of *tokens* the name of the element that it leads to, or "".

    The label of *step* does not say which element has which name, so *document* does.
    Indexes before the last are those of the new version.
    """
    places = [place for place, token in enumerate(tokens) if token.isdecimal()]
    names = [""] * len(tokens)
    if not places:
        return tuple(names)
    last = step.old if step.op == "remove" else step.value
    labels = labels_along(tokens, document, None if step.op == "replace" else last)
    parts = names_in(step.label)
    if _agree(step.label, labels.values()):
        places = list(labels)
        parts = names_in(" ".join(labels.values()))
    if len(parts) == len(places):
        for place, name in zip(places, parts, strict=True):
            names[place] = name
    return tuple(names)


def _agree(label: str, labels: Iterable[str]) -> bool:
    """Return whether *label* holds only some of *labels*, in their order.

    Recordings of earlier versions name fewer elements.
    """
    for each in labels:
        if f"{label} ".startswith(f"{each} "):
            label = label[len(each) + 1 :]
    return not label
