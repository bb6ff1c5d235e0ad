"""A place in an object that can be found again in its other versions."""

from __future__ import annotations

from kubectl_spy.core.jsontext import canonical, certainly_equal
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.apply import applied
from kubectl_spy.core.patch.natural_keys import natural_keys
from kubectl_spy.core.patch.operation import PatchOperation

_ABSENT = object()


class Place:
    """What *path* points to in *document*, with list elements by their natural keys.

    If the elements of a list have none, the place is the whole list: an index may stand
    for another element in another version.

    >>> before = {"ports": [{"name": "a"}, {"name": "b", "port": 1}]}
    >>> after = {"ports": [{"name": "b", "port": 2}]}
    >>> place = Place(before, "/ports/1/port")
    >>> place.pointer_in(after), place.differs(before, after)
    ('/ports/0/port', True)
    """

    def __init__(self, document: JSON, path: str) -> None:
        self._document = document
        self._path = pointer.parse(path)

    def pointer_in(self, document: JSON) -> str:
        """Return where it is in *document*; where it would be if it is not there."""
        return pointer.join(self._find(document)[0])

    def is_in(self, document: JSON) -> bool:
        """Return whether it is in *document*."""
        return self._find(document)[1] is not _ABSENT

    def differs(self, one: JSON, other: JSON) -> bool:
        """Return whether two versions differ at the place, or below it."""
        before, after = self._find(one)[1], self._find(other)[1]
        if before is _ABSENT or after is _ABSENT:
            return before is not after
        return not certainly_equal(before, after) and (
            canonical(before) != canonical(after)
        )

    def _find(self, document: JSON) -> tuple[pointer.Tokens, JSON]:
        here, there, found = self._document, document, list[str]()
        for number, token in enumerate(self._path):
            if isinstance(here, list) and isinstance(there, list):
                keys = natural_keys(found[-1] if found else "", here, there)
                index = int(token) if token.isdecimal() else len(here)
                if keys is None or index >= len(here):
                    break
                old, new = keys
                if old[index] not in new:
                    return (*found, *self._path[number:]), _ABSENT
                at = new.index(old[index])
                here, there = here[index], there[at]
                found.append(str(at))
            elif isinstance(there, dict) and token in there:
                here = here.get(token) if isinstance(here, dict) else None
                there = there[token]
                found.append(token)
            else:
                return (*found, *self._path[number:]), _ABSENT
        return tuple(found), there


def place_of(before: JSON, patch: tuple[PatchOperation, ...], number: int) -> Place:
    """Return the place of an operation of *patch*, which applies to *before*.

    Its pointer is meant for the document between the operations.
    Raises PatchConflict if the patch does not apply.
    """
    step = patch[number]
    done = patch[: number if step.op == "remove" else number + 1]
    return Place(applied(before, [each.as_json() for each in done])[0], step.path)
