"""What clients changed in an object, outside of its status."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.fields import mapping, mappings, moment, text
from kubectl_spy.core.headlines.noise import ANNOTATIONS, RENEWALS
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.wording import both_ends, differing, phrases

_MOST = 4
"""The most phrases about one change."""
_LEAVES = 10_000
"""The most members of an added or removed value to look at."""
_DATA = ("data", "stringData", "binaryData")
"""Members of an object whose own members are keys, of any name."""
_SAME_WRITE = 2.0
"""Seconds between a creation and its managedFields entry, both in whole seconds."""
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
_RESTARTED = "kubectl.kubernetes.io/restartedAt"
_AMOUNTS = {"limits": "limit", "requests": "request"}
_SWITCHES = {"paused": ("paused", "resumed"), "suspend": ("suspended", "resumed")}
"""Members of a spec, and what it means that they are true or not."""
_FIRST = ("replicas", "paused", "suspend", "type", "image")
"""Members of a spec whose changes are told first."""
_BY_SERVER = frozenset(
    {
        *("generation", "managedFields", "resourceVersion", "deletionTimestamp"),
        *("deletionGracePeriodSeconds", "uid", "creationTimestamp", "selfLink"),
    }
)
"""Members of metadata that the API server writes."""
_UNTOLD = RENEWALS | {("spec", "nodeName")}
"""What is no change of a client, or is told with the status."""
_BY_CONTROLLERS = ("deployment.kubernetes.io/", "deprecated.daemonset.template")


class Edit(NamedTuple):
    """What somebody changed in an object."""

    time: float
    """When, in seconds since the epoch."""
    managers: tuple[str, ...]
    """Who likely did it."""
    what: tuple[str, ...] = ()
    """What was changed. Empty if the object was created, or if it is not known."""
    created: bool = False

    def text(self, *, full: bool = False) -> str:
        """Return what was changed in few words, or in *full*."""
        return phrases(self.what, None if full else _MOST)


def edit_of(record: ChangeRecord) -> Edit | None:
    """Return what was changed in *record* outside of the status, or None."""
    if record.type is not ChangeType.ADDED:
        what = tuple(edits(record.patch, record.document))
        return Edit(record.time, record.managers, what) if what else None
    if record.edited is None:
        if record.initial:
            return None
        return Edit(record.time, record.managers, created=True)
    when, manager = record.edited
    began = moment(record.document, "metadata", "creationTimestamp")
    created = began is not None and abs(when - began) < _SAME_WRITE
    return Edit(when, (manager,), created=created)


def changed(patch: Iterable[PatchOperation], document: JSON) -> str:
    """Return what *patch* changes outside of the status, in few words; "" for nothing.

    *document* is the new version.

    >>> changed([PatchOperation("replace", "/spec/replicas", 5, 3)], {})
    'replicas 3 → 5'
    """
    return phrases(edits(patch, document), _MOST)


class _Leaf(NamedTuple):
    """One changed value."""

    tokens: tuple[str, ...]
    """Its path."""
    names: tuple[str, ...]
    """The names of the list elements on the path."""
    old: JSON
    new: JSON
    whole: str = ""
    """"added" or "removed", if it is a whole list element."""


def edits(patch: Iterable[PatchOperation], document: JSON) -> list[str]:
    """Return a phrase for each change outside of the status of *document*.

    The fields that most often explain a failure come first.
    """
    leaves = sorted((leaf for step in patch for leaf in _leaves(step)), key=_rank)
    found = (_phrase(leaf, document) for leaf in leaves)
    return list(dict.fromkeys(filter(None, found)))


def _rank(leaf: _Leaf) -> int:
    known = leaf.tokens[:1] == ("spec",) and leaf.tokens[-1] in _FIRST
    return _FIRST.index(leaf.tokens[-1]) if known else len(_FIRST)


def _leaves(step: PatchOperation) -> Iterator[_Leaf]:
    """Yield the values that *step* changed: the members of objects, and whole lists."""
    if step.op == "move" or step.path.startswith("/status/"):
        return
    tokens = pointer.parse(step.path)
    names = tuple(each.partition("=")[2] for each in step.label.split())
    if tokens[-1:] and tokens[-1].isdecimal() and tokens[0] not in _DATA:
        whole = {"add": "added", "remove": "removed"}.get(step.op, "")
        yield _Leaf(tokens, names, step.old, step.value, whole)
        return
    pending: list[tuple[pointer.Tokens, JSON, JSON]] = [(tokens, step.old, step.value)]
    for _ in range(_LEAVES):
        if not pending:
            return
        at, old, new = pending.pop()
        either = new if isinstance(new, dict | list) else old
        if isinstance(either, list) and at[-1:] == ("env",):
            yield from _variables(at, names, old, new)
            continue
        if not isinstance(either, dict) or (not at[1:] and at[:1] == ("status",)):
            yield _Leaf(at, names, old, new)
            continue
        before = old if isinstance(old, dict) else {}
        after = new if isinstance(new, dict) else {}
        keys: list[str] = list(dict.fromkeys([*after, *before]))
        pending += [((*at, k), before.get(k), after.get(k)) for k in reversed(keys)]


def _variables(
    at: tuple[str, ...], names: tuple[str, ...], old: JSON, new: JSON
) -> Iterator[_Leaf]:
    """Yield the variables of an env that is added or removed as a whole."""
    for each in old if isinstance(old, list) else ():
        yield _Leaf((*at, "0"), (*names, text(each, "name")), each, None, "removed")
    for each in new if isinstance(new, list) else ():
        yield _Leaf((*at, "0"), (*names, text(each, "name")), None, each, "added")


def _in_container(leaf: _Leaf) -> int:
    """Return how many tokens lead to the container that *leaf* is in; 0 if to none."""
    for place, token in enumerate(leaf.tokens[:-1]):
        if token in _CONTAINERS and leaf.tokens[0] == "spec":
            return place + 2 if leaf.tokens[place + 1].isdecimal() else 0
    return 0


def _phrase(leaf: _Leaf, document: JSON) -> str:
    top = leaf.tokens[:1]
    if top == ("metadata",):
        return _metadata(leaf, leaf.tokens[1:], "")
    if top in (("status",), ()) or leaf.tokens in _UNTOLD:
        return ""
    if place := _in_container(leaf):
        phrase = _container(leaf, leaf.tokens[place:])
        pod = mapping(document, *leaf.tokens[: place - 2])
        several = sum(len(mappings(pod, each)) for each in _CONTAINERS) > 1
        named = several and leaf.names and leaf.tokens[place:]
        return f"{leaf.names[0]}: {phrase}" if named else phrase
    if leaf.tokens[1:3] == ("template", "metadata"):
        return _metadata(leaf, leaf.tokens[3:], "template ")
    last = leaf.tokens[-1]
    switched = leaf.new is True or leaf.old is True
    if switched and last in _SWITCHES and leaf.tokens[:-1] == ("spec",):
        return _SWITCHES[last][0 if leaf.new is True else 1]
    shown = leaf.tokens[1:] if top[0] == "spec" or top[0] in _DATA else leaf.tokens
    return _field(shown or leaf.tokens, leaf.names, leaf)


def _field(tokens: tuple[str, ...], names: tuple[str, ...], leaf: _Leaf) -> str:
    """Return the phrase for *leaf*, which is at *tokens* of something."""
    if leaf.whole and names:
        return f"{_path(tokens[:-1], names[:-1])} {names[-1]} {leaf.whole}"
    if leaf.whole:
        return f"{_path(tokens, ())} {_value(_either(leaf))} {leaf.whole}"
    return _change(_path(tokens, names), leaf)


def _path(tokens: tuple[str, ...], names: tuple[str, ...]) -> str:
    """Return *tokens* with dots, and *names* instead of the places of elements."""
    places = [each for each in tokens if each.isdecimal()]
    if len(places) == len(names):
        named = iter(names)
        return ".".join(next(named) if each.isdecimal() else each for each in tokens)
    return ".".join(each for each in tokens if not (names and each.isdecimal()))


def _container(leaf: _Leaf, rest: tuple[str, ...]) -> str:
    container, *inner = leaf.names or ("",)
    name = inner[-1] if inner else ""
    if not rest:
        return f"container {container}" + (f" {leaf.whole}" if leaf.whole else "")
    if rest[0] == "env":
        return _variable(f"env {name}", leaf, rest[2:])
    if rest[0] == "resources" and len(rest) == 3 and rest[1] in _AMOUNTS:
        return _change(f"{rest[2]} {_AMOUNTS[rest[1]]}", leaf)
    return _field(rest, tuple(inner), leaf)


def _variable(what: str, leaf: _Leaf, rest: tuple[str, ...]) -> str:
    """Return the phrase for an environment variable, or for the field *rest* of it."""
    if leaf.whole:
        added = leaf.new if isinstance(leaf.new, dict) else {}
        value = _value(added.get("value", added.get("valueFrom", "")))
        return f"{what} {leaf.whole}" + (f": {value}" if value else "")
    if rest == ("value",) and None not in (leaf.old, leaf.new):
        return _change(what, leaf)
    return _change(" ".join(filter(None, (what, ".".join(rest)))), leaf)


def _metadata(leaf: _Leaf, rest: tuple[str, ...], prefix: str) -> str:
    if not rest or rest[0] in _BY_SERVER:
        return ""
    name = rest[-1]
    if name == _RESTARTED and leaf.new is not None:
        return "restarted"
    if rest[0] == "finalizers":
        found = _either(leaf)
        names = ", ".join(map(_value, found if isinstance(found, list) else [found]))
        whole = leaf.whole or ("removed" if leaf.new is None else "added")
        return f"finalizer {names} {whole}"
    if name.startswith(_BY_CONTROLLERS) or name in ANNOTATIONS:
        return ""
    if rest[0] in ("labels", "annotations") and len(rest) == 2:
        return _change(f"{prefix}{rest[0][:-1]} {name}", leaf)
    return f"{prefix}{rest[0]} changed"


def _either(leaf: _Leaf) -> JSON:
    return leaf.old if leaf.new is None else leaf.new


def _change(what: str, leaf: _Leaf) -> str:
    if leaf.old is None:
        return f"{what} {_value(leaf.new)}".rstrip()
    if leaf.new is None:
        return f"{what} removed"
    old, new = differing(_json(leaf.old), _json(leaf.new))
    return f"{what} {old} → {new}" if old != new else f"{what} changed"


def _value(value: JSON) -> str:
    return both_ends(_json(value))


def _json(value: JSON) -> str:
    """Return *value* as JSON, without the quotes of a string."""
    return value if isinstance(value, str) else dumps(value).decode("utf-8", "replace")
