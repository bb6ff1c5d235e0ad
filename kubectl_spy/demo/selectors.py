"""Label and field selectors, as list and watch requests carry them.

Labels: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
Fields: each type's registry in kube-apiserver lists those that it supports, for
example pkg/registry/core/pod/strategy.go. Here are those of Pods, Events and Secrets,
and the two of every type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from kubectl_spy.core.cluster.label_selectors import Requirement, meets
from kubectl_spy.core.objects import JSON
from kubectl_spy.demo.exchange import failure
from kubectl_spy.demo.recordings import Collection, Object

Matches = Callable[[Object], bool]

_KEY = r"[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?"
_VALUE = r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?"
_REQUIREMENT = re.compile(
    rf"""\s*(?:
        !\s*(?P<absent>{_KEY})
      | (?P<key>{_KEY})\s*
        (?:
            (?P<operator>==|=|!=|>|<)\s*(?P<value>{_VALUE})
          | \s(?P<set>in|notin)\s*\((?P<values>[^()]*)\)
        )?
    )\s*(?:,|$)""",
    re.VERBOSE,
)
_FIELD = re.compile(r"(?P<field>[^=!]+)(?P<operator>==|=|!=)(?P<value>.*)")

_EVERY = ("metadata.name", "metadata.namespace")
_OWN = {
    "pods": "spec.nodeName spec.restartPolicy spec.schedulerName status.phase "
    "spec.serviceAccountName spec.hostNetwork status.podIP status.nominatedNodeName",
    "events": "reason type source reportingComponent involvedObject.kind "
    "involvedObject.namespace involvedObject.name involvedObject.uid "
    "involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath",
    "secrets": "type",
}
_OPERATORS = {"==": "In", "=": "In", "!=": "NotIn", "in": "In", "notin": "NotIn"}


def matcher(collection: Collection, query: Mapping[str, str]) -> Matches:
    """Return the predicate of the selectors in *query*.

    Raises:
        Refused: a selector has no valid syntax, or a field is not supported.
    """
    rules = [
        *_label_rules(query.get("labelSelector", "")),
        *_field_rules(collection, query.get("fieldSelector", "")),
    ]
    return lambda item: all(rule(item) for rule in rules)


def _label_rules(selector: str) -> Iterator[Matches]:
    position = 0
    while position < len(selector):
        found = _REQUIREMENT.match(selector, position)
        if found is None:
            rest = selector[position:]
            raise failure(
                400, "BadRequest", f"unable to parse requirement: found '{rest}'"
            )
        position = found.end()
        yield _label_rule(found)


def _label_rule(found: re.Match[str]) -> Matches:
    key, sign = found["key"] or found["absent"], found["set"] or found["operator"]
    if sign in (">", "<"):
        return lambda item: _is_beyond(_labels(item).get(key), sign, found["value"])
    values = found["values"].split(",") if found["set"] else [found["value"] or ""]
    operator = "DoesNotExist" if found["absent"] else _OPERATORS.get(sign, "Exists")
    rule = Requirement(key, operator, tuple(each.strip() for each in values))
    return lambda item: meets(rule, _labels(item))


def _is_beyond(label: str | None, operator: str, bound: str) -> bool:
    try:
        number, limit = int(label or ""), int(bound)
    except ValueError:
        return False
    return number > limit if operator == ">" else number < limit


def _labels(item: Object) -> dict[str, str]:
    labels: dict[str, str] = item["metadata"].get("labels") or {}
    return labels


def _field_rules(collection: Collection, selector: str) -> Iterator[Matches]:
    own = "" if collection.group else _OWN.get(collection.plural, "")
    for term in filter(None, selector.split(",")):
        found = _FIELD.fullmatch(term)
        if found is None:
            message = f"invalid selector: '{selector}'; can't understand '{term}'"
            raise failure(400, "BadRequest", message)
        field = found["field"]
        if field not in (*_EVERY, *own.split()):
            message = f"field label not supported: {field}"
            raise failure(400, "BadRequest", message)
        path = "source.component" if field == "source" else field
        wanted = found["operator"] != "!="
        yield _field_rule(path.split("."), found["value"], wanted)


def _field_rule(path: list[str], value: str, wanted: bool) -> Matches:
    return lambda item: (_text_at(item, path) == value) is wanted


def _text_at(item: JSON, path: list[str]) -> str:
    for name in path:
        item = item.get(name) if isinstance(item, dict) else None
    if isinstance(item, bool):
        return "true" if item else "false"
    return "" if item is None else str(item)
