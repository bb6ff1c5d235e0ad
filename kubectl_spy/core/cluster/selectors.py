"""Label and field selectors, as people and requests write them.

https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#list-and-watch-filtering
https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON

# Matches labels against LabelSelectors.
#
# https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors


class Requirement(NamedTuple):
    """An expression of a LabelSelector."""

    key: str
    operator: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        """Return the requirement in the syntax of `kubectl get -l`."""
        if self.operator == "Exists":
            return self.key
        if self.operator == "DoesNotExist":
            return f"!{self.key}"
        return f"{self.key} {self.operator.lower()} ({', '.join(self.values)})"


def requirements(selector: JSON) -> tuple[Requirement, ...]:
    """Return the expressions of a LabelSelector."""
    found = []
    for each in mappings(selector, "matchExpressions"):
        listed = each.get("values")
        values = tuple(map(str, listed if isinstance(listed, list) else ()))
        found.append(Requirement(text(each, "key"), text(each, "operator"), values))
    return tuple(found)


def matches(selector: JSON, labels: dict[str, JSON]) -> bool:
    """Return whether *labels* match a LabelSelector."""
    wanted = mapping(selector, "matchLabels")
    if any(key not in labels or labels[key] != wanted[key] for key in wanted):
        return False
    return all(meets(each, labels) for each in requirements(selector))


def unmet(selector: JSON, labels: dict[str, JSON]) -> list[str]:
    """Return the requirements of a LabelSelector that *labels* do not meet.

    >>> tier = {"key": "tier", "operator": "In", "values": ["web", "api"]}
    >>> unmet({"matchExpressions": [tier]}, {"tier": "db"})
    ['tier in (web, api)']
    """
    return [str(each) for each in requirements(selector) if not meets(each, labels)]


def meets(requirement: Requirement, labels: Mapping[str, JSON]) -> bool:
    """Return whether *labels* meet this requirement."""
    key, operator, values = requirement
    match operator:
        case "In":
            return key in labels and labels[key] in values
        case "NotIn":
            return key not in labels or labels[key] not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
    return False


Matches = Callable[[JSON], bool]

_NAME = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?"
_KEY = rf"(?:{_NAME}/)?{_NAME}"
_VALUE = r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?"
_REQUIREMENT = re.compile(
    rf"""\s*(?:
        !\s*(?P<absent>{_KEY})
      | (?P<key>{_KEY})\s*
        (?:
            (?P<operator>==|=|!=|>|<)\s*(?P<value>{_VALUE})
          | \s(?P<set>in|notin)\s*\((?P<values>[^()]*)\)
        )?
    )\s*(?:,(?!\s*$)|$)""",
    re.VERBOSE,
)
_FIELD = re.compile(r"(?P<field>[^=!]+)(?P<operator>==|=|!=)(?P<value>.*)")


_OPERATORS = {"==": "In", "=": "In", "!=": "NotIn", "in": "In", "notin": "NotIn"}


class Selectors:
    """Objects of a recording that match selectors.

    Fields are any path: status.phase=Failed. Raises ValueError if a selector cannot be
    read.
    """

    def __init__(self, labels: str | None, fields: str | None) -> None:
        self._rules = [*label_rules(labels or ""), *field_rules(fields or "", str)]
        self._held: set[str] = set()  # the identities of the objects that matched last

    def __bool__(self) -> bool:
        return bool(self._rules)

    def match(self, record: ChangeRecord) -> bool:
        """Return whether the object of *record* matches now."""
        return all(rule(record.document) for rule in self._rules)

    def concern(self, record: ChangeRecord) -> bool:
        """Return whether the object of *record* matches now, or did before.

        Call it with every record, in order.
        """
        if not self._rules or record.of_stream:
            return True
        did = record.identity in self._held
        self._held.discard(record.identity)
        if record.gone:
            return did
        does = self.match(record)
        if does:
            self._held.add(record.identity)
        return did or does


def label_rules(selector: str) -> list[Matches]:
    """Return the requirements of a label selector.

    Raises ValueError if it cannot be read.
    """
    rules, position = [], 0
    while position < len(selector):
        found = _REQUIREMENT.match(selector, position)
        if found is None:
            rest = selector[position:]
            raise ValueError(f"unable to parse requirement: found '{rest}'")
        position = found.end()
        rules.append(_label_rule(found))
    return rules


def field_rules(selector: str, path_of: Callable[[str], str]) -> list[Matches]:
    """Return the requirements of a field selector. *path_of* is where a field is.

    Raises ValueError if it cannot be read.
    """
    rules = []
    for term in filter(None, selector.split(",")):
        found = _FIELD.fullmatch(term)
        if found is None:
            raise ValueError(
                f"invalid selector: '{selector}'; can't understand '{term}'"
            )
        path = path_of(found["field"]).split(".")
        rules.append(_field_rule(path, found["value"], found["operator"] != "!="))
    return rules


def _label_rule(found: re.Match[str]) -> Matches:
    key, sign = found["key"] or found["absent"], found["set"] or found["operator"]
    if sign in (">", "<"):
        return lambda item: _is_beyond(_labels(item).get(key), sign, found["value"])
    values = found["values"].split(",") if found["set"] else [found["value"] or ""]
    operator = "DoesNotExist" if found["absent"] else _OPERATORS.get(sign, "Exists")
    rule = Requirement(key, operator, tuple(each.strip() for each in values))
    return lambda item: meets(rule, _labels(item))


def _is_beyond(label: JSON, operator: str, bound: str) -> bool:
    try:
        number, limit = int(str(label)), int(bound)
    except ValueError:
        return False
    return number > limit if operator == ">" else number < limit


def _labels(item: JSON) -> dict[str, JSON]:
    return mapping(item, "metadata", "labels")


def _field_rule(path: list[str], value: str, wanted: bool) -> Matches:
    return lambda item: (_text_at(item, path) == value) is wanted


def _text_at(item: JSON, path: list[str]) -> str:
    for name in path:
        item = item.get(name) if isinstance(item, dict) else None
    if isinstance(item, bool):
        return "true" if item else "false"
    return "" if item is None else str(item)
