"""The names that Events use for their objects: usually the uid.

A kubelet writes a Node's name as its uid, and for a static Pod the hash of its file,
which differs from the uid of its mirror Pod. Some operators write no uid and no
apiVersion.
https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-config-mirror
"""

from __future__ import annotations

from kubectl_spy.core.fields import text
from kubectl_spy.core.objects import JSON, GroupVersionKind

_MIRROR = "kubernetes.io/config.mirror"
_ANY = "*"
"""Replaces a group that an Event does not name."""


def subject(reference: JSON) -> str:
    """Return the name of an object in an Event's *reference*, or "".

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
    """Return other names than its uid that Events may use for an object.

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
