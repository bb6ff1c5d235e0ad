"""Where the memory of an API server begins: one answer saves the others a request.

The watch cache of a type that is rarely written holds all since the server started, and
a watch from before that is refused with the version of the start. Others are asked for
what came after it at once. If a type knows of writes in the seconds of the start, these
are then left out. Nothing that is said of a past rests on this version.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/apiserver/pkg/storage/cacher/watch_cache.go
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from itertools import islice

from kubectl_spy.core.objects import Selection
from kubectl_spy.sources.watching.actions import Action, Recall, Replay

EARLIEST = "1"
_RARE = (
    *("limitranges", "podtemplates", "networkpolicies.networking.k8s.io"),
    *("storageclasses.storage.k8s.io", "ingressclasses.networking.k8s.io"),
)
_FIRST = 3  # rarely written types that ask first
_PATIENCE = 1.0  # seconds in which they answer; else each type asks for itself


class Beginning:
    """Tells *selections* from which version to replay, from any thread."""

    def __init__(self, selections: Iterable[Selection]) -> None:
        rare = (each for each in selections if each.resource.group_resource in _RARE)
        self._first = set(map(id, islice(rare, _FIRST)))
        self._left = set(self._first)
        self._oldest: list[int] = []
        self._known = threading.Event()

    def version(self, selection: Selection) -> str:
        """Return the version after which to ask for the past of *selection*."""
        # Events are often kept in another etcd, with numbers of its own.
        apart = selection.resource.gvk.kind == "Event"
        if apart or id(selection) in self._first or not self._first:
            return EARLIEST
        known = self._known.wait(_PATIENCE) and self._oldest
        return str(min(self._oldest)) if known else EARLIEST

    def note(self, selection: Selection, action: Action | None) -> None:
        """Take in what *selection* does after it asked; None is nothing more."""
        if id(selection) not in self._left or action == Replay(EARLIEST):
            return
        if isinstance(action, Replay) and action.oldest:
            self._oldest.append(action.oldest)
        elif action == Recall(EARLIEST):
            self._oldest.append(int(EARLIEST))
        self._left.discard(id(selection))
        if not self._left:
            self._known.set()
