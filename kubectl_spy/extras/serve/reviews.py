"""What a client asks about its own rights: it may read everything, and write nothing.

Clients POST these questions, as JSON or as protobuf. Programs such as k9s ask them
before they read. The numbers of the fields are those of
https://github.com/kubernetes/api/blob/master/authorization/v1/generated.proto
"""

from __future__ import annotations

import json
from collections.abc import Callable

from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.exchange import (
    Answer,
    Request,
    failure,
    json_answer,
)

_READING = ("get", "list", "watch")
_READABLE = ("", "status", "log")  # subresources
_REASON = "a recording can be read, and not changed"
# The fields of the spec of a SelfSubjectAccessReview, by their numbers.
_RESOURCE = "namespace verb group version resource subresource name"
_ATTRIBUTES = {
    1: ("resourceAttributes", dict(enumerate(_RESOURCE.split(), 1))),
    2: ("nonResourceAttributes", {1: "path", 2: "verb"}),
}

Spec = dict[str, JSON]


def answer_review(request: Request, user: str) -> Answer | None:
    """Answer a review of the client's own rights; None if *request* is something else.

    *user* is who the client is. Raises Refused if the body is no such review.
    """
    answered = _REVIEWS.get(request.route)
    if request.method != "POST" or answered is None:
        return None
    kind, status = answered
    spec = _spec(request, kind)
    group, version = request.route.split("/")[2:4]
    document: dict[str, JSON] = {
        "kind": kind,
        "apiVersion": f"{group}/{version}",
        "metadata": {},
        **({"spec": spec} if spec else {}),
        "status": status(spec, user),
    }
    return json_answer(document, 201)


def _spec(request: Request, kind: str) -> Spec:
    """Return the spec of the review that *request* holds. Raises Refused for none."""
    body = request.read_body()
    try:
        if "protobuf" in request.headers.get("content-type", ""):
            return _from_protobuf(body, kind)
        return dict(mapping(json.loads(body), "spec"))
    except (ValueError, KeyError, DecodeError, RecursionError):
        raise failure(400, "BadRequest", f"the body is no {kind}") from None


def _from_protobuf(body: bytes, kind: str) -> Spec:
    """Return the spec of a review in the envelope of Kubernetes.

    Only that of a SelfSubjectAccessReview makes a difference.
    https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
    """
    envelope = _fields(body.removeprefix(b"k8s\0"))
    spec = _fields(_fields(envelope[2]).get(2, b""))
    return {
        name: {
            field: value.decode()
            for number, value in _fields(spec[at]).items()
            if (field := fields.get(number)) is not None and value
        }
        for at, (name, fields) in _ATTRIBUTES.items()
        if at in spec and kind == "SelfSubjectAccessReview"
    }


def _fields(message: bytes) -> dict[int, bytes]:
    """Return the strings and messages in a protobuf message, by their numbers."""
    unknown = UnknownFieldSet(Empty.FromString(message))
    fields = [unknown[at] for at in range(len(unknown))]
    return {
        each.field_number: each.data for each in fields if isinstance(each.data, bytes)
    }


def _access(spec: Spec, user: str) -> JSON:
    """Return whether the client may do what *spec* names.

    As with RBAC, a type that is not served may be read as well.
    """
    resource = mapping(spec, "resourceAttributes")
    path = mapping(spec, "nonResourceAttributes")
    if bool(resource) == bool(path):
        message = (
            "exactly one of nonResourceAttributes or resourceAttributes"
            " must be specified"
        )
        raise failure(422, "Invalid", message)
    if path:
        allowed = text(path, "verb") == "get"
    else:
        readable = text(resource, "subresource") in _READABLE
        allowed = readable and text(resource, "verb") in _READING
    return {"allowed": allowed, "reason": _REASON}


def _rules(spec: Spec, user: str) -> JSON:
    resources = ["*", *(f"*/{each}" for each in _READABLE if each)]
    rule = {"verbs": list(_READING), "apiGroups": ["*"], "resources": resources}
    return {
        "resourceRules": [rule],
        "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["*"]}],
        "incomplete": False,
    }


def _identity(spec: Spec, user: str) -> JSON:
    return {"userInfo": {"username": user, "groups": ["system:authenticated"]}}


_Status = Callable[[Spec, str], JSON]
_AUTHORIZATION = "/apis/authorization.k8s.io/v1"
_REVIEWS: dict[str, tuple[str, _Status]] = {
    f"{_AUTHORIZATION}/selfsubjectaccessreviews": ("SelfSubjectAccessReview", _access),
    f"{_AUTHORIZATION}/selfsubjectrulesreviews": ("SelfSubjectRulesReview", _rules),
    "/apis/authentication.k8s.io/v1/selfsubjectreviews": (
        "SelfSubjectReview",
        _identity,
    ),
}
