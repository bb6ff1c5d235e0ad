"""Matches labels against LabelSelectors.

https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON


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
