"""Answering a list: its parameters, its selectors, and its pages.

https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from kubectl_spy.core.cluster.selectors import field_rules, label_rules
from kubectl_spy.core.fields import mapping
from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.cluster import (
    Cluster,
    Collection,
    Expired,
    Matches,
    Object,
    is_custom,
    place_of,
)
from kubectl_spy.extras.serve.api_server.discovery import Target
from kubectl_spy.extras.serve.api_server.exchange import (
    DIGITS,
    Refused,
    as_list,
    failure,
    is_true,
    json_answer,
    parse_number,
    status_object,
)

# The parameters of lists and watches, and what may go together.
#
# https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/apimachinery/pkg/apis/meta/internalversion/validation/validation.go

_MATCH = "resourceVersionMatch"
_EXACT, _NOT_OLDER = "Exact", "NotOlderThan"
_WITH_CONTINUE = f"{_MATCH} is forbidden when continue is provided"


@dataclass(frozen=True, slots=True)
class ListOptions:
    """What a list or a watch asks for, but for its selectors."""

    limit: int
    token: str  # the continue token
    version: str  # the resourceVersion, as it was given
    match: str
    send_initial: bool | None  # None: it was not said
    bookmarks: bool
    timeout: int  # seconds; 0 without one

    @property
    def exact(self) -> bool:
        """Whether a list is to be as it was at the resourceVersion.

        Without a match, a limit means so.
        """
        if self.match == "" and self.version not in ("", "0") and not self.token:
            return self.limit > 0
        return self.match == _EXACT

    @property
    def revision(self) -> int:
        """The resourceVersion as a number, 0 without one. Raises Refused."""
        return parse_revision(self.version, "invalid resource version: ")


def list_options(query: Mapping[str, str], *, watches: bool) -> ListOptions:
    """Return the options in *query*. Raises Refused if they are invalid."""
    send = query.get("sendInitialEvents")
    options = ListOptions(
        limit=parse_number(query.get("limit", "")),
        token=query.get("continue", ""),
        version=query.get("resourceVersion", ""),
        match=query.get(_MATCH, ""),
        send_initial=None if send is None else is_true(send),
        bookmarks=is_true(query.get("allowWatchBookmarks")),
        timeout=parse_number(query.get("timeoutSeconds", "")),
    )
    causes = _of_watch(options) if watches else _of_list(options)
    if causes:
        raise _invalid(causes)
    return options


def parse_revision(version: str, prefix: str = "", status: int = 400) -> int:
    """Return a resourceVersion as a number, 0 without one, or raise Refused."""
    is_number = version.isascii() and version.isdecimal()
    if version and not (is_number and len(version) <= DIGITS):
        why = "value out of range" if is_number else "invalid syntax"
        message = (
            f'{prefix}resourceVersion: Invalid value: "{version}": strconv.ParseUint:'
            f' parsing "{version}": {why}'
        )
        raise failure(status, "BadRequest" if status == 400 else "", message)
    return int(version or 0)


def _of_list(options: ListOptions) -> list[JSON]:
    causes = []
    if options.match:
        if not options.version:
            reason = f"{_MATCH} is forbidden unless resourceVersion is provided"
            causes.append(_forbidden(_MATCH, reason))
        if options.token:
            causes.append(_forbidden(_MATCH, _WITH_CONTINUE))
        if options.match not in (_EXACT, _NOT_OLDER):
            causes.append(_unsupported(options.match, _EXACT, _NOT_OLDER, ""))
        if options.match == _EXACT and options.version == "0":
            reason = f'{_MATCH} "exact" is forbidden for resourceVersion "0"'
            causes.append(_forbidden(_MATCH, reason))
    if options.send_initial is not None:
        reason = "sendInitialEvents is forbidden for list"
        causes.append(_forbidden("sendInitialEvents", reason))
    return causes


def _of_watch(options: ListOptions) -> list[JSON]:
    causes = []
    sends = options.send_initial is not None
    if sends and options.match != _NOT_OLDER:
        reason = f"sendInitialEvents requires setting {_MATCH} to {_NOT_OLDER}"
        causes.append(_forbidden(_MATCH, reason))
    if options.match:
        if not sends:
            reason = (
                f"{_MATCH} is forbidden for watch unless sendInitialEvents is provided"
            )
            causes.append(_forbidden(_MATCH, reason))
        if options.match != _NOT_OLDER:
            causes.append(_unsupported(options.match, _NOT_OLDER))
        if options.token:
            causes.append(_forbidden(_MATCH, _WITH_CONTINUE))
    return causes


def _forbidden(field: str, reason: str) -> JSON:
    message = f"Forbidden: {reason}"
    return {"reason": "FieldValueForbidden", "message": message, "field": field}


def _unsupported(value: str, *supported: str) -> JSON:
    known = ", ".join(f'"{each}"' for each in supported)
    message = f'Unsupported value: "{value}": supported values: {known}'
    return {"reason": "FieldValueNotSupported", "message": message, "field": _MATCH}


def _invalid(causes: list[JSON]) -> Refused:
    said = [f"{each['field']}: {each['message']}" for each in causes]
    what = said[0] if len(said) == 1 else f"[{', '.join(said)}]"
    details = {"group": "meta.k8s.io", "kind": "ListOptions", "causes": causes}
    message = f'ListOptions.meta.k8s.io "" is invalid: {what}'
    return failure(422, "Invalid", message, details)


# Label and field selectors.
#
# Labels: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
# Fields: each type's registry in kube-apiserver lists those that it supports, for
# example pkg/registry/core/pod/strategy.go, and every type has two.

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


# The pages of a list.

_VERSION_TOO_OLD = "The resourceVersion for the provided list is too old."
_CONTINUE_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result."
)
_VERSION_WITH_TOKEN = "specifying resource version is not allowed when using continue"


def list_page(
    cluster: Cluster, target: Target, query: Mapping[str, str], *, in_pages: bool
) -> tuple[Object, list[Object]]:
    """Return the page of a list that *query* asks for, and its objects.

    If it is not *in_pages*, all that follows is one page, as the API allows:
    https://kubernetes.io/docs/reference/kubernetes-api/common-parameters/common-parameters/#limit
    Raises Refused if a parameter is invalid.
    """
    options = list_options(query, watches=False)
    collection, namespace = target.collection, target.namespace
    matches, start, at = matcher(collection, query), "", None
    with cluster.changed:
        asked, revision = options.revision, cluster.revision
        if asked > cluster.newest:
            raise _too_large(asked, cluster.newest)
        if options.token:
            revision, start = _parse_token(options.token)
            if asked:
                raise failure(400, "BadRequest", _VERSION_WITH_TOKEN)
        elif options.exact:
            revision = asked
        if options.token or options.exact:
            try:
                at = cluster.position_after(revision)
            except Expired:
                gone = _CONTINUE_TOO_OLD if options.token else _VERSION_TOO_OLD
                raise failure(410, "Expired", gone) from None
        # From a cache, which "0" asks for, everything comes at once.
        limit = options.limit if in_pages and options.version != "0" else 0
        found = cluster.select(collection, namespace, matches, at, start)
        page = list(islice(found, limit) if limit > 0 else found)
        more = next(found, None) is not None
        last = _place(page[-1]) if page else start
        left = cluster.count(collection, namespace, at, last)
    document = as_list(target.resource, page, revision)
    if more:
        metadata = document["metadata"]
        metadata["continue"] = _token(revision, last)
        if not {"labelSelector", "fieldSelector"} & query.keys():
            metadata["remainingItemCount"] = left
    return document, page


def _place(item: Object) -> str:
    """Return the place right behind *item*."""
    metadata = item["metadata"]
    return place_of((metadata.get("namespace", ""), metadata["name"])) + "\0"


def _token(revision: int, start: str) -> str:
    """Return a continue token in the encoding of the real server."""
    content = {"v": "meta.k8s.io/v1", "rv": revision, "start": start}
    encoded = base64.urlsafe_b64encode(json.dumps(content).encode())
    return encoded.decode().rstrip("=")


def _parse_token(token: str) -> tuple[int, str]:
    try:
        content = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        return int(content["rv"]), str(content["start"])
    except (ArithmeticError, RecursionError, ValueError, KeyError, TypeError):
        message = (
            "invalid continue token: continue key is not valid:"
            " invalid character '\\u0081' looking for beginning of value"
        )
        raise failure(400, "BadRequest", message) from None


def _too_large(revision: int, current: int) -> Refused:
    cause = {
        "reason": "ResourceVersionTooLarge",
        "message": "Too large resource version",
    }
    message = f"Timeout: Too large resource version: {revision}, current: {current}"
    details = {"causes": [cause], "retryAfterSeconds": 1}
    status = status_object(504, "Timeout", message, details)
    answer = json_answer(status, 504)
    return Refused(dataclasses.replace(answer, headers=(("Retry-After", "1"),)))
