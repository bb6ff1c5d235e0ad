"""Finds the field managers that likely wrote a change, in `metadata.managedFields`.

The API server keeps which fields each manager wrote last, and when:
https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management.
Its times have whole seconds, and some writes such as bindings leave no entry. So the
answer is likely, not certain, and may be empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from kubectl_spy.core.changes.record import Edited
from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.times import seconds, showable, time_of

Stamps = dict[tuple[JSON, ...], str]
"""When each manager last wrote, in RFC 3339 with whole seconds."""

CONTROLLERS = frozenset(
    {
        *("kube-apiserver", "kube-controller-manager", "cloud-controller-manager"),
        *("kube-scheduler", "kubelet", "kwok"),
    }
)
"""Managers of the control plane, which write on behalf of others or for themselves."""


_SEVERAL = "ancient-changes"
"""Stands for the oldest of more than ten that wrote: which of them did is not known.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/capmanagers.go
"""


class Owner(NamedTuple):
    """An entry of managedFields: what a manager owns, and when it last wrote."""

    manager: str
    time: float | None  # in whole seconds; writes of /scale have none
    subresource: str
    fields: JSON  # FieldsV1

    def owns(self, obj: JSON, path: pointer.Tokens) -> bool:
        """Return whether it owns the field at *path* of *obj*."""
        return _owns(self.fields, obj, path)


def owners_of(obj: dict[str, JSON]) -> list[Owner]:
    """Return the entries of managedFields of *obj*."""
    return [
        Owner(
            each["manager"],
            time_of(text(each, "time")),
            text(each, "subresource"),
            each.get("fieldsV1"),
        )
        for each in _entries(obj)
    ]


def stamps(obj: dict[str, JSON]) -> Stamps:
    """Return the time of each entry of an object's managedFields."""
    found: Stamps = {}
    for entry in _entries(obj):
        get = entry.get
        time = get("time")
        key = get("manager"), get("operation"), get("subresource"), get("apiVersion")
        try:
            found[key] = time if type(time) is str else ""
        except TypeError:  # a list in place of a string
            continue
    return found


def status_written(obj: dict[str, JSON]) -> float | None:
    """Return when the kubelet last wrote a Pod's status, by the API server's clock.

    The kubelet is the manager of `containerStatuses`. Others may write conditions.
    Times have whole seconds, so this is the end of that second.
    """
    written = (
        text(entry, "time")
        for entry in _entries(obj)
        if "f:containerStatuses" in mapping(entry, "fieldsV1", "f:status")
    )
    try:
        return seconds(max(written, default="")) + 1
    except ValueError:
        return None


def last_edit(obj: dict[str, JSON]) -> Edited | None:
    """Return when a client last wrote *obj* other than its status, and which manager.

    A manager that wrote its Pod template after its creation comes first. Controllers
    are left out: they write on behalf of others, for example revisions.
    """
    created = text(obj, "metadata", "creationTimestamp")
    found = [
        entry
        for entry in _entries(obj)
        if text(entry, "subresource") in ("", "scale")
        and entry["manager"] not in CONTROLLERS
        and mapping(entry, "fieldsV1").keys() - {"f:status"}
    ]
    managed = [it for it in found if "f:template" in mapping(it, "fieldsV1", "f:spec")]
    later = [each for each in managed if text(each, "time") > created] or found
    written = max((text(each, "time") for each in later), default="")
    names = {each["manager"] for each in later if text(each, "time") == written}
    try:
        time = showable(seconds(written))
    except ValueError:
        return None
    return Edited(time, names.pop() if len(names) == 1 else "", managed)


def newer(before: Stamps, after: Stamps) -> list[str]:
    """Return the managers with an entry in *after* that is new or has a newer time."""
    names: list[str] = []
    for identity, time in after.items():
        if before.get(identity) != time:
            known = before.get(identity)
            if (known is None or time > known) and identity[0] not in names:
                names.append(identity[0])
    return names


def writers(
    before: Stamps,
    after: Stamps,
    obj: dict[str, JSON],
    operations: Sequence[PatchOperation],
    *,
    single: bool,
) -> list[str]:
    """Return the managers that likely made *operations*, which led to *obj*.

    *before* and *after* are the stamps of the version before and of *obj*. If *single*,
    there was one write: where several managers may have made it, those that own most of
    what was written are named, and of them those that wrote last.
    """
    newest = newer(before, after)
    if len(newest) == 1 or (newest and not single):
        return newest
    owned = owners(obj, operations)
    if newest:
        owned = {name: each for name, each in owned.items() if name in newest}
    if not single:
        return list(owned)
    most = max(owned.values(), default=(0, ""))
    return [name for name, each in owned.items() if each == most] or newest


def owners(
    obj: dict[str, JSON], operations: Iterable[PatchOperation]
) -> dict[str, tuple[int, str]]:
    """Return the managers of *obj* that own paths written by *operations*.

    Each has the number of those paths, and the time of its last write.
    """
    paths = [pointer.parse(step.path) for step in operations if step.op != "remove"]
    found: dict[str, tuple[int, str]] = {}
    for entry in _entries(obj):
        name, fields = entry["manager"], entry.get("fieldsV1")
        count = sum(_owns(fields, obj, path) for path in paths)
        if count:
            most, last = found.get(name, (0, ""))
            found[name] = most + count, max(last, text(entry, "time"))
    return found


def owners_below(
    obj: JSON,
) -> Callable[[pointer.Tokens], tuple[tuple[str, ...], float | None, bool]]:
    """Return a function from a path to who wrote it last by the managedFields of *obj*.

    It returns the managers that own the path and wrote last, when they did, and whether
    there are others that own it.
    """
    entries = [
        (text(entry, "time"), entry["manager"], entry.get("fieldsV1"))
        for entry in (_entries(obj) if isinstance(obj, dict) else ())
    ]

    def found(path: pointer.Tokens) -> tuple[tuple[str, ...], float | None, bool]:
        owning = [each for each in entries if _owns(each[2], obj, path)]
        last = max((time for time, _, _ in owning), default="")
        names = dict.fromkeys(name for time, name, _ in owning if time == last)
        try:
            return tuple(names), seconds(last), len(owning) > 1
        except ValueError:
            return tuple(names), None, len(owning) > 1

    return found


def _entries(obj: dict[str, JSON]) -> list[dict[str, Any]]:
    """Return the entries that name their manager. A hostile server sends anything."""
    metadata = obj.get("metadata")
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    if not isinstance(entries, list):
        return []
    return [
        entry
        for entry in entries
        if type(entry) is dict
        and type(entry.get("manager")) is str
        and entry["manager"] != _SEVERAL
    ]


def _owns(fields: JSON, value: JSON, path: pointer.Tokens) -> bool:
    """Return whether a FieldsV1 tree contains *path* in the document *value*.

    An empty set owns all below it: an atomic list or a scalar.
    """
    for token in path:
        if not isinstance(fields, dict):
            return False
        if not fields:
            return True
        if isinstance(value, dict):
            below, value = fields.get(f"f:{token}"), value.get(token)
        elif isinstance(value, list) and token.isdigit() and int(token) < len(value):
            value = value[int(token)]
            below = _element(fields, value)
        else:
            return False
        if below is None:
            return False
        fields = below
    return isinstance(fields, dict)


def _element(fields: dict[str, JSON], element: JSON) -> JSON:
    """Return the set below a list's element: `k:{"type":"Ready"}` or `v:"value"`."""
    for name, below in fields.items():
        kind, written = name[:2], name[2:]
        if kind not in ("k:", "v:"):
            continue
        try:
            wanted = loads(written.encode("utf-8", "replace"))
        except UnreadableJSON:
            continue
        if kind == "v:" and wanted == element:
            return below
        if not isinstance(wanted, dict) or not isinstance(element, dict):
            continue
        if all(element.get(key) == member for key, member in wanted.items()):
            return below
    return None
