"""Which versions a stream brought lately: no server is to make us tell them twice."""

from __future__ import annotations

from collections import OrderedDict

from kubectl_spy.core.objects import JSON, EventType

_REMEMBERED = 1000


class Seen:
    """The last versions that came. One that comes again was sent again.

    A server or proxy may answer a resumed watch with what it already sent, and patches
    would lead back and forth. resourceVersions are compared for equality alone.
    """

    def __init__(self) -> None:
        # An ordered one: the first of a dict that loses it each time is long to find.
        self._versions: OrderedDict[tuple[str, str, bool], None] = OrderedDict()

    def forget(self) -> None:
        """Begin anew: in a cluster that was restored, versions may recur."""
        self._versions.clear()

    def again(self, event_type: EventType, obj: dict[str, JSON]) -> bool:
        """Whether that event is one of those that came; from now on, it is."""
        metadata = obj["metadata"]
        uid, version = metadata.get("uid"), metadata.get("resourceVersion")
        if not uid or not version:
            return False
        # Deleted may be the version that was the last before.
        key = (uid, version, event_type is EventType.DELETED)
        if key in self._versions:
            return True
        self._versions[key] = None
        if len(self._versions) > _REMEMBERED:
            self._versions.popitem(last=False)
        return False
