"""Changes as the events of an audit log, for programs that read nothing else.

A recording knows versions, and not requests. So who and how is likely at best, and the
events say so. https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/
"""

from __future__ import annotations

import uuid

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339

_VERBS = {
    ChangeType.ADDED: "create",
    ChangeType.MODIFIED: "update",
    ChangeType.GAP: "update",
    ChangeType.DELETED: "delete",
}
_NOTE = "kubectl-spy/note"
_FROM_RECORDING = "made from a recording: the user is the field manager, if it is known"


def audit_event(record: ChangeRecord, recording: str) -> dict[str, JSON] | None:
    """Return *record*, of the *recording* with that id, as an audit.k8s.io/v1 Event.

    Return None for what no request is known for: an object that was there already, one
    that left its selection, and a GAP of a whole stream.
    """
    verb = _VERBS.get(record.type)
    if verb is None or record.initial or record.of_stream:
        return None
    resource, time = record.selection.resource, rfc3339(record.time)
    reference: dict[str, JSON] = {
        "resource": resource.plural,
        "namespace": record.namespace,
        "name": record.name,
        "uid": record.uid,
        "apiGroup": record.gvk.group,
        "apiVersion": record.gvk.version,
        "resourceVersion": record.resource_version,
    }
    identity = uuid.uuid5(uuid.NAMESPACE_URL, f"{recording}/{record.seq}")
    managers, path = ", ".join(record.managers), resource.path(record.namespace)
    known = {} if record.document is None else {"responseObject": record.document}
    return {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "level": "RequestResponse" if known else "Metadata",
        "auditID": str(identity),
        "stage": "ResponseComplete",
        # An object is created with a POST to its collection.
        "requestURI": path if verb == "create" else f"{path}/{record.name}",
        "verb": verb,
        "user": {"username": f"likely {managers}" if managers else "unknown"},
        "objectRef": {name: value for name, value in reference.items() if value},
        "responseStatus": {"metadata": {}, "code": 201 if verb == "create" else 200},
        **known,
        "requestReceivedTimestamp": time,
        "stageTimestamp": time,
        "annotations": {_NOTE: _note(record)},
    }


def _note(record: ChangeRecord) -> str:
    notes = [_FROM_RECORDING]
    if record.inferred:
        notes.append("found gone; when and how was missed")
    elif record.type is ChangeType.GAP:
        notes.append("versions before it may be missing")
    elif record.listed:
        notes.append("made earlier, and found by a list")
    return "; ".join(notes)
