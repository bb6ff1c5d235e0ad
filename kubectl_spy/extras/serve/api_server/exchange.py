"""One HTTP exchange as the API sees it: the request and the answer.

The error bodies have the shapes a kube-apiserver v1.36.2 answered with
(streams/errors.json); the others follow
https://github.com/kubernetes/apimachinery/blob/master/pkg/api/errors/errors.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON, Resource
from kubectl_spy.extras.serve.api_server.cluster import Object, is_custom

_NUMBER = re.compile(r"[+-]?[0-9]+")
_LARGEST, DIGITS = (1 << 63) - 1, 20  # of 64 bits


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it arrived. *path* includes the query."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)  # names in lower case
    read_body: Callable[[], bytes] = bytes  # raises Refused

    @property
    def route(self) -> str:
        """The path without the query."""
        return self.path.partition("?")[0]

    @property
    def query(self) -> dict[str, str]:
        """The parameters; of a repeated one the first, as net/url's Get does."""
        parsed = parse_qs(self.path.partition("?")[2], keep_blank_values=True)
        return {name: values[0] for name, values in parsed.items()}

    @property
    def watches(self) -> bool:
        return is_true(self.query.get("watch"))


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete response."""

    status: int
    body: bytes
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


class Refused(Exception):
    """The request is answered with an error, *answer*."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.body.decode(errors="replace"))
        self.answer = answer


def is_true(value: str | None) -> bool:
    """Return whether a query parameter is set, by the rules of the API server.

    https://github.com/kubernetes/apimachinery/blob/master/pkg/runtime/conversion.go
    """
    return value is not None and value.lower() not in ("false", "0")


def json_answer(document: JSON, status: int = 200) -> Answer:
    """Answer with a JSON document, ending in a newline as Go's encoder does."""
    return Answer(status, dumps(document) + b"\n")


def page_not_found() -> Answer:
    """Answer for a path that no API serves; not a Status."""
    return Answer(404, b"404 page not found\n", "text/plain; charset=utf-8")


def status_object(
    code: int, reason: str, message: str, details: Mapping[str, JSON] | None = None
) -> dict[str, JSON]:
    """Return the Status of a failure."""
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        **({"reason": reason} if reason else {}),
        **({"details": dict(details)} if details else {}),
        "code": code,
    }


def failure(
    code: int, reason: str, message: str, details: Mapping[str, JSON] | None = None
) -> Refused:
    """Return the exception that answers with a Status."""
    return Refused(json_answer(status_object(code, reason, message, details), code))


def not_found(plural: str, group: str, name: str) -> Refused:
    resource = f"{plural}.{group}" if group else plural
    details = {"name": name, **({"group": group} if group else {}), "kind": plural}
    return failure(404, "NotFound", f'{resource} "{name}" not found', details)


def no_such_resource() -> Refused:
    message = "the server could not find the requested resource"
    status = {**status_object(404, "NotFound", message), "details": {}}
    return Refused(json_answer(status, 404))


def not_allowed() -> Refused:
    message = "the server does not allow this method on the requested resource"
    return failure(405, "MethodNotAllowed", message)


def as_list(resource: Resource, items: Iterable[Object], revision: int) -> Object:
    """Return the list of *items*.

    A custom resource's list differs: its items keep apiVersion and kind, and its
    metadata has `continue` even when there is no more.
    """
    custom = is_custom(resource.gvk.group)
    metadata: dict[str, JSON] = {"resourceVersion": str(revision)}
    if custom:
        metadata["continue"] = ""
    return {
        "kind": f"{resource.gvk.kind}List",
        "apiVersion": resource.gvk.api_version,
        "metadata": metadata,
        "items": list(items) if custom else [_without_type(item) for item in items],
    }


def parse_number(value: str, prefix: str = "") -> int:
    """Return a parameter of 64 bits, 0 without one, or raise Refused."""
    if not value:
        return 0
    why = "invalid syntax"
    if _NUMBER.fullmatch(value):
        # Python refuses to read thousands of digits.
        if len(value) <= DIGITS and abs(number := int(value)) <= _LARGEST:
            return number
        why = "value out of range"
    message = f'{prefix}strconv.ParseInt: parsing "{value}": {why}'
    raise failure(400, "BadRequest", message)


def _without_type(item: Object) -> Object:
    """Return *item* as in a list, which names the type for all of its items."""
    return {
        name: value
        for name, value in item.items()
        if name not in ("kind", "apiVersion")
    }
