"""Apply an RFC 6902 patch, and get back what it took away.

The document it is applied to stays as it was: what a patch does not touch is shared.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from kubectl_spy.core import pointer
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.operation import PatchOperation, operation_of

_CONTAINERS = frozenset({dict, list})


class PatchConflict(ValueError):
    """A patch that does not fit the document, or is none."""


def applied(
    document: JSON, patch: Iterable[JSON]
) -> tuple[JSON, tuple[PatchOperation, ...]]:
    """Return *document* as *patch* leaves it, and the operations with the old values.

    *patch* is an RFC 6902 array of add, remove, replace and move.

    >>> applied({"a": 1}, [{"op": "replace", "path": "/a", "value": 2}])[0]
    {'a': 2}

    Raises:
        PatchConflict: an operation is malformed, or its place is not there.
    """
    patching = _Patching(document)
    try:
        operations = tuple([patching.apply(step) for step in patch])
    except PatchConflict:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise PatchConflict(f"{type(error).__name__}: {error}") from None
    return patching.document, operations


class _Patching:
    """A document whose containers are copied before the first write into each."""

    def __init__(self, document: JSON) -> None:
        self.document = document
        self._own: dict[int, JSON] = {}
        """By id. Held, lest another container gets the id of one that has gone."""
        self._holders: dict[str, JSON] = {}
        """Containers by their pointers, until one goes or moves: most steps of a patch
        write into the same few."""

    def apply(self, step: JSON) -> PatchOperation:
        op, path, label = step["op"], step["path"], step.get("label", "")
        if type(path) is not str:
            raise PatchConflict("its path is none")
        if type(label) is not str:
            label = str(label)
        if op == "replace":
            value = step["value"]
            old = self._replace(path, value)
            return operation_of((op, path, value, old, "", label))
        if op == "add":
            value = step["value"]
            self._add(path, value)
            return operation_of((op, path, value, None, "", label))
        if op == "remove":
            return operation_of((op, path, None, self._remove(path), "", label))
        if op == "move":
            source = step["from"]
            moved = self._remove(source)
            self._add(path, moved)
            return operation_of((op, path, None, moved, source, label))
        raise PatchConflict(f"{op} is no operation of a recorded patch")

    def _add(self, path: str, value: JSON) -> None:
        if not path:
            self.document = value
            self._holders.clear()
            return
        holder, token = self._holder(path)
        if type(holder) is dict:
            if type(holder.get(token)) in _CONTAINERS:
                self._holders.clear()
            holder[token] = value
            return
        self._holders.clear()
        index = len(holder) if token == "-" else _index(token)
        if index > len(holder):
            raise PatchConflict(f"{path} is past the end of its list")
        holder.insert(index, value)

    def _remove(self, path: str) -> JSON:
        holder, token = self._holder(path)
        if type(holder) is dict:
            return self._let_go(holder.pop(token))
        self._holders.clear()
        return self._let_go(holder.pop(_index(token)))

    def _replace(self, path: str, value: JSON) -> JSON:
        if not path:
            old, self.document = self.document, value
            return self._let_go(old)
        holder, token = self._holder(path)
        place: str | int = token if type(holder) is dict else _index(token)
        old, holder[place] = holder[place], value
        return self._let_go(old) if type(old) in _CONTAINERS else old

    def _let_go(self, old: JSON) -> JSON:
        """Return *old*, which stays as it is: a step after this one may reach into it.

        What is ours lies in what is ours: only then there is anything to forget.
        """
        if type(old) in _CONTAINERS:
            self._holders.clear()
            if id(old) in self._own:
                self._own.clear()
        return old

    def _holder(self, path: str) -> tuple[JSON, str]:
        """Return the container that *path* ends in, our own to write, and the token."""
        parent, tokens, token = _split(path)
        holder = self._holders.get(parent)
        if holder is None:
            holder = self._holders[parent] = self._found(tokens)
        return holder, token

    def _found(self, tokens: pointer.Tokens) -> JSON:
        """Return the container at *tokens*, and it and all around it our own."""
        # Not a call for each: these are most of what a patch costs.
        own, holder = self._own, self.document
        if id(holder) not in own:
            self.document = holder = self._copied(holder)
        for token in tokens:
            place: str | int = token if type(holder) is dict else _index(token)
            inner = holder[place]
            if id(inner) not in own:
                inner = holder[place] = self._copied(inner)
            holder = inner
        return holder

    def _copied(self, container: JSON) -> JSON:
        """Return a copy of *container* that is our own to write."""
        if type(container) not in _CONTAINERS:
            raise PatchConflict("a path leads through a value without members")
        copied = container.copy()
        self._own[id(copied)] = copied
        return copied


@lru_cache(1024)
def _split(path: str) -> tuple[str, pointer.Tokens, str]:
    """Return the pointer to what *path* ends in, its tokens, and the last of *path*.

    Patches of one object write into the same few places again and again.
    """
    parent, slash, last = path.rpartition("/")
    if not slash:
        raise PatchConflict("the whole document has nothing around it")
    (token,) = pointer.parse(f"/{last}")
    return parent, pointer.parse(parent), token


@lru_cache(1024)
def _index(token: str) -> int:
    """Return the index that *token* is (RFC 6901 §4: no leading zeros, no sign)."""
    if not (token.isdigit() and token.isascii()) or (token[0] == "0" != token):
        raise PatchConflict(f'"{token}" is no index of a list')
    return int(token)
