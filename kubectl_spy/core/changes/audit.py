"""The users behind changes, from an API server's audit log.

https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/
"""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.changes.record import Actor, ChangeRecord
from kubectl_spy.core.fields import mapping, moment, number, text
from kubectl_spy.core.objects import JSON

_NEAR = 2.0
"""Seconds between an audited request and the record of what it changed."""
_NAMES = ("apiGroup", "resource", "namespace", "name")
_WRITES = frozenset({"create", "update", "patch", "delete", "deletecollection"})


class _Request(NamedTuple):
    time: float
    verb: str
    actor: Actor


class AuditLog:
    """Finds who made a change. `note` takes in the events of the log, in any order.

    An event at the level RequestResponse holds the version that it led to. Others are
    joined by object and time, and that is only likely.
    """

    def __init__(self) -> None:
        self._by_version: dict[tuple[str, str], _Request] = {}
        self._by_name: dict[tuple[str, ...], list[_Request]] = {}
        self.asked = self.answered = 0  # the changes of `actor`, and those it knows

    def note(self, event: JSON) -> None:
        """Take in one event."""
        code = number(event, "responseStatus", "code")
        time = moment(event, "stageTimestamp")
        verb = text(event, "verb")
        if (
            text(event, "stage") != "ResponseComplete"
            or not 200 <= code < 300
            or time is None
            or verb not in _WRITES
        ):
            return
        actor = Actor(
            text(event, "impersonatedUser", "username")
            or text(event, "user", "username"),
            text(event, "userAgent").partition(" ")[0],
            next(map(str, _list(event, "sourceIPs")), ""),
        )
        request = _Request(time, verb, actor)
        written = mapping(event, "responseObject", "metadata")
        version = text(written, "uid"), text(written, "resourceVersion")
        if all(version):
            # What changes nothing is answered with the version that was there.
            known = self._by_version.setdefault(version, request)
            if known.actor[:3] != actor[:3]:
                first = min(known, request, key=lambda each: each.time)
                unsure = first.actor._replace(likely=True)
                self._by_version[version] = first._replace(actor=unsure)
            if not verb.startswith("delete"):
                return
        of = mapping(event, "objectRef")
        key = tuple(text(of, each) for each in _NAMES)
        self._by_name.setdefault(key, []).append(request)

    def actor(self, record: ChangeRecord) -> Actor | None:
        """Return who made the change of *record*, or None if that is not known."""
        if record.initial or record.listed or record.of_stream:
            return None
        found = self._actor(record)
        self.asked += 1
        self.answered += found is not None
        return found

    def _actor(self, record: ChangeRecord) -> Actor | None:
        exact = self._by_version.get((record.uid, record.resource_version))
        if exact is not None:
            return exact.actor
        group, plural = record.gvk.group, record.selection.resource.plural
        key = group, plural, record.namespace or "", record.name
        near = [
            each
            for each in self._by_name.get(key, ())
            if abs(each.time - record.time) <= _NEAR
            and record.gone == each.verb.startswith("delete")
        ]
        if not near:
            return None
        nearest = min(near, key=lambda each: abs(each.time - record.time))
        return nearest.actor._replace(likely=True)


def _list(event: JSON, name: str) -> list[JSON]:
    found = event.get(name) if isinstance(event, dict) else None
    return found if isinstance(found, list) else []
