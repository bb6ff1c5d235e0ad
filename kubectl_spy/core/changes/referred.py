"""Counts the objects that were asked for apart from those they only refer to."""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_spy.core.objects import Selection
from kubectl_spy.core.wording import many


class Asked:
    """Tells which objects of *selections* are only referred to.

    They were recorded along with the targets, and are outside of their namespaces:
    nodes, volumes, what a target names of another namespace.
    """

    def __init__(self, selections: Iterable[Selection]) -> None:
        self._homes = {each.namespace for each in selections if each.asked}

    def refers_to(self, selection: Selection, namespace: str | None) -> bool:
        """Return whether an object of *selection* is only referred to."""
        home = namespace in self._homes or None in self._homes
        return not selection.asked and not (namespace and home)


def counted(objects: int, referred: int) -> str:
    """Return how many of *objects* were asked for, and how many are only *referred* to.

    >>> counted(47, 12), counted(2, 1), counted(3, 0), counted(3, 3)
    ('35 objects (and 12 that they refer to)', '1 object (and 1 that it refers to)', \
'3 objects', '3 objects')
    """
    asked = objects - referred
    if not referred or not asked:
        return many(objects, "object")
    which = "it refers" if asked == 1 else "they refer"
    return f"{many(asked, 'object')} (and {referred:,} that {which} to)"
