"""Applies an RFC 6902 patch, and returns the values that it replaced.

The original document does not change. The result shares what the patch does not touch.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from kubectl_spy.core.jsontext import LEVELS, is_deeper
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.operation import PatchOperation

_CONTAINERS = frozenset({dict, list})


class PatchConflict(ValueError):
    """A patch that does not fit the document, or is malformed."""


def applied(
    document: JSON, patch: Iterable[JSON]
) -> tuple[JSON, tuple[PatchOperation, ...]]:
    """Return *document* after *patch*, and the operations with the old values.

    *patch* is an RFC 6902 array of add, remove, replace and move.

    >>> applied({"a": 1}, [{"op": "replace", "path": "/a", "value": 2}])[0]
    {'a': 2}

    Raises PatchConflict if an operation is malformed, or its path does not exist.
    """
    patching = _Patching(document)
    try:
        operations = patching.apply(patch)
    except PatchConflict:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise PatchConflict(f"{type(error).__name__}: {error}") from None
    return patching.document, operations


class _Patching:
    """A document whose containers are copied before the first write into each."""

    def __init__(self, document: JSON) -> None:
        self.document = document
        self._own: dict[str, JSON] = {}
        """Copied containers by pointer, until they go or move.

        Most steps of a patch write into the same few.
        """
        self._inside: dict[str, list[str]] = {}  # pointers of the copies in each

    def apply(self, patch: Iterable[JSON]) -> tuple[PatchOperation, ...]:
        """Apply the steps of *patch* in order. Return them with the old values."""
        operations = []
        for step in patch:
            op, path, label = step["op"], step["path"], step.get("label", "")
            if type(path) is not str:
                raise PatchConflict("its path is no string")
            if type(label) is not str:
                raise PatchConflict("its label is no string")
            value, old, source = None, None, ""
            if op == "replace":
                value = step["value"]
                if type(value) in _CONTAINERS:
                    _check_depth(value)
                old = self._replace(path, value)
            elif op == "add":
                value = step["value"]
                if type(value) in _CONTAINERS:
                    _check_depth(value)
                self._add(path, value)
            elif op == "remove":
                old = self._remove(path)
            elif op == "move":
                source = step["from"]
                old = self._remove(source)
                if type(old) in _CONTAINERS:
                    _check_depth(old)
                self._add(path, old)
            else:
                named = op if type(op) is str else "that"
                raise PatchConflict(f"{named} is no operation of a recorded patch")
            operations.append(PatchOperation(op, path, value, old, source, label))
        return tuple(operations)

    def _add(self, path: str, value: JSON) -> None:
        if not path:
            self.document = value
            self._forget("")
            return
        parent, token = _split(path)
        holder = self._own.get(parent) or self._container(parent)
        if type(holder) is dict:
            if type(holder.get(token)) in _CONTAINERS:
                self._forget(path)
            holder[token] = value
            return
        self._forget(parent, itself=False)  # later elements move
        index = len(holder) if token == "-" else _index(token)
        if index > len(holder):
            raise PatchConflict(f"{path} is past the end of its list")
        holder.insert(index, value)

    def _remove(self, path: str) -> JSON:
        parent, token = _split(path)
        holder = self._own.get(parent) or self._container(parent)
        if type(holder) is dict:
            old = holder.pop(token)
            if type(old) in _CONTAINERS:
                self._forget(path)
            return old
        self._forget(parent, itself=False)  # later elements move
        return holder.pop(_index(token))

    def _replace(self, path: str, value: JSON) -> JSON:
        if not path:
            old, self.document = self.document, value
            self._forget("")
            return old
        parent, token = _split(path)
        holder = self._own.get(parent) or self._container(parent)
        place: str | int = token if type(holder) is dict else _index(token)
        old, holder[place] = holder[place], value
        if type(old) in _CONTAINERS:
            self._forget(path)
        return old

    def _container(self, path: str) -> JSON:
        """Return the container at *path*, copied with all containers around it."""
        own = self._own
        holder = own.get(path)
        if holder is not None:
            return holder
        if not path:
            self.document = own[""] = holder = _copied(self.document)
            return holder
        parent, token = _split(path)
        around = own.get(parent) or self._container(parent)
        place: str | int = token if type(around) is dict else _index(token)
        around[place] = own[path] = holder = _copied(around[place])
        self._inside.setdefault(parent, []).append(path)
        return holder

    def _forget(self, path: str, *, itself: bool = True) -> None:
        """Forget the copies inside *path*, and at *path* if *itself* is set.

        They go or move, and a later step must not write into them.
        """
        gone = [path] if itself else self._inside.pop(path, [])
        while gone:
            known = gone.pop()
            self._own.pop(known, None)
            gone += self._inside.pop(known, ())


def _check_depth(value: JSON) -> None:
    members = value.values() if type(value) is dict else value
    # Most values have no lists and objects inside.
    if not _CONTAINERS.isdisjoint(map(type, members)) and is_deeper(value, LEVELS // 2):
        raise PatchConflict("a value is nested too deeply")


def _copied(container: JSON) -> JSON:
    if type(container) not in _CONTAINERS:
        raise PatchConflict("a path leads through a value without members")
    return container.copy()


@lru_cache(1024)
def _split(path: str) -> tuple[str, str]:
    """Return the pointer to the container of *path*, and the last token of *path*."""
    parent, slash, last = path.rpartition("/")
    if not slash:
        raise PatchConflict("the whole document has nothing around it")
    if path.count("/") > LEVELS // 2:
        raise PatchConflict("a path is too long")
    (token,) = pointer.parse(f"/{last}")
    return parent, token


@lru_cache(1024)
def _index(token: str) -> int:
    """Return *token* as an index (RFC 6901, section 4): no leading zeros, no sign."""
    digits = token.isdigit() and token.isascii() and len(token) < 19
    if not digits or (token[0] == "0" != token):
        raise PatchConflict(f'"{token}" is no index of a list')
    return int(token)
