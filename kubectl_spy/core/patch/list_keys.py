"""The keys of lists that the API server itself uses, for any type.

managedFields names an element of a list by the values of its keys, as in
`k:{"type":"Ready"}`, if the type declares the list a map. Custom resources do so, too:
https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.core.objects import BUILT_IN_GROUPS, JSON, GroupVersionKind, Selection
from kubectl_spy.core.patch.pointer import parse

Key = tuple[str, ...]
"""The members whose values together name an element."""

_INDEX = r"/[0-9]+(?=/|$)"  # compiled when it is needed: that takes time
_LONGEST = 1_000  # characters of a key in managedFields
_MEMBERS = 16  # the most members of a key


class ListKeys:
    """The keys of the lists of one type.

    Lists are named by patterns: pointers with `*` for indexes. *goes_first* says
    whether these keys come before those that lists of a name usually have. *read*
    is called before a key that is not known is looked up.
    """

    def __init__(
        self, *, goes_first: bool = True, read: Callable[[], None] | None = None
    ) -> None:
        self.goes_first = goes_first
        self.used: list[tuple[str, Key]] = []
        """Each key that decided, and which nobody would have guessed, in this order."""
        self._read = read
        self._known: dict[str, Key] = {}
        self._later: JSON = None
        self._earlier: JSON = None

    def look_in(self, obj: JSON) -> None:
        """Look for keys in the managedFields of *obj*, then of the one before it."""
        self._earlier, self._later = self._later, obj

    def note(self, pattern: str, key: Key) -> None:
        """Take in a key that is known from elsewhere."""
        self._known[pattern] = key

    def of(self, path: str) -> Key:
        """Return the key of the list at the pointer *path*; () without one."""
        pattern = re.sub(_INDEX, "/*", path)
        for obj in (self._later, self._earlier):
            if key := _key_at(path, obj):
                self._known[pattern] = key
                return key
        if pattern not in self._known and self._read is not None:
            self._read()
        return self._known.get(pattern, ())

    def uses(self, path: str, key: Key) -> None:
        """Note that the elements of the list at *path* were matched by *key*."""
        use = re.sub(_INDEX, "/*", path), key
        if use not in self.used:
            self.used.append(use)


class TypeKeys:
    """The keys of lists by type.

    *read* is called once, before a key that is not known is looked up. It notes all
    that it finds.
    """

    def __init__(self, read: Callable[[TypeKeys], None] | None = None) -> None:
        self._types: dict[GroupVersionKind, ListKeys] = {}
        self._read = read

    def of(self, selection: Selection) -> ListKeys:
        """Return the keys of the lists in the objects of *selection*.

        The usual keys of built-in types are what the server uses.
        """
        gvk = selection.resource.gvk
        keys = self._types.get(gvk)
        if keys is None:
            custom = gvk.group not in BUILT_IN_GROUPS
            read = None if self._read is None else self._read_once
            keys = self._types[gvk] = ListKeys(goes_first=custom, read=read)
        return keys

    def _read_once(self) -> None:
        read, self._read = self._read, None
        if read is not None:
            read(self)


def _key_at(path: str, obj: JSON) -> Key:
    """Return the key of the list at *path*, as the managedFields of *obj* say; or ().

    Which element it is in does not matter: all of them have the same type.
    """
    tokens = parse(path)
    for fields in _field_sets(obj):
        level = [fields]
        for token in tokens:
            level = [each for below in level for each in _below(below, token)]
        for below in level:
            for name in below if type(below) is dict else ():
                if name[:2] == "k:" and (key := _members(name[2:])):
                    return key
    return ()


def _below(fields: JSON, token: str) -> list[JSON]:
    """Return the fields of a member, or of all elements if *token* is an index."""
    if type(fields) is not dict:
        return []
    if (inner := fields.get(f"f:{token}")) is not None:
        return [inner]
    if not token.isdecimal():
        return []
    return [inner for name, inner in fields.items() if name[:2] == "k:"]


def _field_sets(obj: JSON) -> list[JSON]:
    """Return the FieldsV1 of each manager. A hostile server sends anything."""
    metadata = obj.get("metadata") if type(obj) is dict else None
    entries = metadata.get("managedFields") if type(metadata) is dict else None
    if type(entries) is not list:
        return []
    return [entry.get("fieldsV1") for entry in entries if type(entry) is dict]


def _members(text: str) -> Key:
    """Return the members that `k:` names, sorted as the API server writes them."""
    if len(text) > _LONGEST:
        return ()
    try:
        key: Any = loads(text.encode("utf-8", "replace"))
    except UnreadableJSON:
        return ()
    return tuple(key) if type(key) is dict and len(key) <= _MEMBERS else ()
