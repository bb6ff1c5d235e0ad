"""By what name an Event knows the object that it is about: its uid, most of the time.

The kubelet gives a Node's name for its uid, not knowing better, and of a static Pod the
hash of its file: the Pod in the API is a mirror of it, and has another uid. Some
operators write no uid at all, and no apiVersion.
https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-config-mirror
"""

from __future__ import annotations

from kubectl_spy.core.fields import text
from kubectl_spy.core.objects import JSON, GroupVersionKind

_MIRROR = "kubernetes.io/config.mirror"
_ANY = "*"
"""Stands for the group where an Event does not say it."""


def subject(reference: JSON) -> str:
    """Return by what an Event's *reference* names an object; "" if by nothing.

    >>> subject({"kind": "Node", "name": "n1", "uid": "n1"})
    'node/n1'
    >>> subject({"kind": "Pod", "name": "web", "namespace": "shop"})
    '*/Pod/shop/web'
    """
    kind, name = text(reference, "kind"), text(reference, "name")
    version = text(reference, "apiVersion")
    if kind == "Node" and name and version in ("", "v1"):
        return _node(name)
    uid = text(reference, "uid")
    if uid or not kind or not name:
        return uid
    group = version.rpartition("/")[0] if version else _ANY
    return _called(group, kind, text(reference, "namespace"), name)


def aliases(
    gvk: GroupVersionKind, namespace: str | None, name: str, document: JSON
) -> tuple[str, ...]:
    """Return what Events may name an object by, beside its uid.

    >>> aliases(GroupVersionKind("", "v1", "Node"), None, "n1", {})
    ('node/n1',)
    """
    group, kind = gvk.group, gvk.kind
    if (group, kind) == ("", "Node"):
        return (_node(name),)
    found = tuple(_called(each, kind, namespace or "", name) for each in (group, _ANY))
    if (group, kind) == ("", "Pod"):
        mirrored = text(document, "metadata", "annotations", _MIRROR)
        return (mirrored, *found) if mirrored else found
    return found


def _node(name: str) -> str:
    return f"node/{name}"


def _called(group: str, kind: str, namespace: str, name: str) -> str:
    return f"{group}/{kind}/{namespace}/{name}"
