"""Label and field selectors, as list and watch requests carry them.

Labels: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
Fields: each type's registry in kube-apiserver lists those that it supports, for
example pkg/registry/core/pod/strategy.go, and every type has two.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubectl_spy.core.cluster.selectors import field_rules, label_rules
from kubectl_spy.core.fields import mapping
from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.cluster import (
    Collection,
    Matches,
    Object,
    is_custom,
)
from kubectl_spy.extras.serve.api_server.exchange import failure

_EVERY = ("metadata.name", "metadata.namespace")
_OWN = {
    "pods": "spec.nodeName spec.restartPolicy spec.schedulerName status.phase "
    "spec.serviceAccountName spec.hostNetwork status.podIP status.nominatedNodeName",
    "events": "reason type source reportingComponent involvedObject.kind "
    "involvedObject.namespace involvedObject.name involvedObject.uid "
    "involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath",
    "nodes": "spec.unschedulable",
    "namespaces": "status.phase",
    "secrets": "type",
    "services": "spec.type spec.clusterIP",
    "replicationcontrollers": "status.replicas",
    "jobs.batch": "status.successful",
}
_PATHS = {"source": "source.component", "status.successful": "status.succeeded"}
_FALSE: tuple[tuple[str, str, JSON], ...] = (
    ("spec", "hostNetwork", False),
    ("spec", "unschedulable", False),
    ("status", "replicas", 0),
    ("status", "succeeded", 0),
)
"""The fields that are left out while they are false, or 0."""


def matcher(collection: Collection, query: Mapping[str, str]) -> Matches:
    """Return the predicate of the selectors in *query*, or raise Refused."""
    names = filter(None, (collection.plural, collection.group))
    own = _OWN.get(".".join(names), "").split()
    selected = query.get("fieldSelector", "")

    def path_of(field: str) -> str:
        if field in (*_EVERY, *own):
            return _PATHS.get(field, field)
        if own or is_custom(collection.group):
            raise ValueError(f"field label not supported: {field}")
        known = ", ".join(f'"{each}"' for each in _EVERY)
        raise ValueError(f'"{field}" is not a known field selector: only {known}')

    try:
        labels = label_rules(query.get("labelSelector", ""))
        fields = field_rules(selected, path_of)
    except ValueError as error:
        raise failure(400, "BadRequest", str(error)) from None
    if not fields:
        return lambda item: all(rule(item) for rule in labels)

    def matches(item: Object) -> bool:
        whole = item
        for part, name, value in _FALSE:
            whole = {**whole, part: {name: value, **mapping(whole, part)}}
        return all(rule(item) for rule in labels) and all(
            rule(whole) for rule in fields
        )

    return matches
