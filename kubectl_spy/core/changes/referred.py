"""Counts the objects that were asked for apart from those that explain them."""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_spy.core.changes.contents import ObjectRow
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.wording import many


class Asked:
    """Separates target objects from those that were only recorded with them.

    They were recorded along with the targets, and are outside of their namespaces:
    nodes, volumes, what a target names of another namespace. Without a target, all
    nodes and volumes are among them. Without *selections*, none is.
    """

    def __init__(self, selections: Iterable[Selection]) -> None:
        self._homes = {each.namespace for each in selections if each.asked}

    def refers_to(self, selection: Selection, namespace: str | None) -> bool:
        """Return whether an object of *selection* is only referred to."""
        if selection.asked or not self._homes:
            return False
        home = namespace in self._homes or None in self._homes
        return not (namespace and home)

    def counted(self, rows: Iterable[ObjectRow], noun: str = "object") -> str:
        """Return how many objects *rows* has, as `counted` does."""
        referred = [self.refers_to(each.selection, each.namespace) for each in rows]
        return counted(len(referred), sum(referred), noun)


def counted(objects: int, referred: int, noun: str = "object") -> str:
    """Return how many of *objects* were asked for, and how many are only *referred* to.

    >>> counted(47, 12), counted(2, 1), counted(3, 0), counted(3, 3)
    ('35 objects (and 12 that may explain them)', \
'1 object (and 1 that may explain it)', '3 objects', '3 objects')
    """
    asked = objects - referred
    if not referred or not asked:
        return many(objects, noun)
    them = "it" if asked == 1 else "them"
    return f"{many(asked, noun)} (and {referred:,} that may explain {them})"
