"""Label and field selectors, as list and watch requests carry them.

Labels: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
Fields: each type's registry in kube-apiserver lists those that it supports, for
example pkg/registry/core/pod/strategy.go. Here are those of Pods, Events and Secrets,
and the two of every type.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubectl_spy.api_server.cluster import Matches
from kubectl_spy.api_server.exchange import failure
from kubectl_spy.api_server.objects import Collection
from kubectl_spy.core.cluster.selectors import field_rules, label_rules

_EVERY = ("metadata.name", "metadata.namespace")
_OWN = {
    "pods": "spec.nodeName spec.restartPolicy spec.schedulerName status.phase "
    "spec.serviceAccountName spec.hostNetwork status.podIP status.nominatedNodeName",
    "events": "reason type source reportingComponent involvedObject.kind "
    "involvedObject.namespace involvedObject.name involvedObject.uid "
    "involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath",
    "secrets": "type",
}


def matcher(collection: Collection, query: Mapping[str, str]) -> Matches:
    """Return the predicate of the selectors in *query*, or raise Refused."""
    own = "" if collection.group else _OWN.get(collection.plural, "")

    def path_of(field: str) -> str:
        if field not in (*_EVERY, *own.split()):
            raise ValueError(f"field label not supported: {field}")
        return "source.component" if field == "source" else field

    try:
        rules = [
            *label_rules(query.get("labelSelector", "")),
            *field_rules(query.get("fieldSelector", ""), path_of),
        ]
    except ValueError as error:
        raise failure(400, "BadRequest", str(error)) from None
    return lambda item: all(rule(item) for rule in rules)
