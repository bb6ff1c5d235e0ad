"""Lists as a kube-apiserver writes them, and the numbers in a query."""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_spy.core.objects import JSON, Resource
from kubectl_spy.demo.exchange import failure
from kubectl_spy.demo.recordings import Object


def as_list(resource: Resource, items: Iterable[Object], revision: int) -> JSON:
    """Return the list of *items*.

    A custom resource's list differs: its items keep apiVersion and kind, and its
    metadata has `continue` even when there is no more.
    """
    # Groups of Kubernetes itself have no dot or end in `.k8s.io`.
    group = resource.gvk.group
    custom = "." in group and not group.endswith(".k8s.io")
    metadata: dict[str, JSON] = {"resourceVersion": str(revision)}
    if custom:
        metadata["continue"] = ""
    return {
        "kind": f"{resource.gvk.kind}List",
        "apiVersion": resource.gvk.api_version,
        "metadata": metadata,
        "items": list(items) if custom else [_without_type(item) for item in items],
    }


def parse_revision(value: str) -> int:
    """Return a resourceVersion as a number, 0 without one, or raise Refused."""
    if value and not (value.isascii() and value.isdecimal()):
        message = (
            f'resourceVersion: Invalid value: "{value}": strconv.ParseUint:'
            f' parsing "{value}": invalid syntax'
        )
        raise failure(400, "BadRequest", message)
    return int(value or 0)


def parse_number(name: str, value: str) -> int:
    """Return a numeric parameter, 0 without one, or raise Refused."""
    try:
        return int(value) if value else 0
    except ValueError:
        message = f'{name}: strconv.ParseInt: parsing "{value}": invalid syntax'
        raise failure(400, "BadRequest", message) from None


def _without_type(item: Object) -> Object:
    """Return *item* as in a list, which names the type for all of its items."""
    return {
        name: value
        for name, value in item.items()
        if name not in ("kind", "apiVersion")
    }
