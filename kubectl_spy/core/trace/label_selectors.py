"""Whether labels match the selector of a workload.

https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
"""

from __future__ import annotations

from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON


def matches(selector: JSON, labels: dict[str, JSON]) -> bool:
    """Tell whether *labels* are all that a LabelSelector asks for.

    >>> matches({"matchLabels": {"app": "web"}}, {"app": "web", "tier": "front"})
    True
    """
    wanted = mapping(selector, "matchLabels")
    if any(key not in labels or labels[key] != wanted[key] for key in wanted):
        return False
    return all(_meets(each, labels) for each in mappings(selector, "matchExpressions"))


def unmet(selector: JSON, labels: dict[str, JSON]) -> list[str]:
    """Return the expressions of a LabelSelector that *labels* do not meet.

    >>> tier = {"key": "tier", "operator": "In", "values": ["web", "api"]}
    >>> unmet({"matchExpressions": [tier]}, {"tier": "db"})
    ['tier in (web, api)']
    """
    expressions = mappings(selector, "matchExpressions")
    return [_written(each) for each in expressions if not _meets(each, labels)]


def _written(requirement: dict[str, JSON]) -> str:
    """Return a requirement as `kubectl get -l` takes it."""
    key, operator = text(requirement, "key"), text(requirement, "operator")
    if operator == "Exists":
        return key
    if operator == "DoesNotExist":
        return f"!{key}"
    listed = requirement.get("values")
    values = ", ".join(map(str, listed if isinstance(listed, list) else []))
    return f"{key} {operator.lower()} ({values})"


def _meets(requirement: dict[str, JSON], labels: dict[str, JSON]) -> bool:
    key = text(requirement, "key")
    listed = requirement.get("values")
    values = listed if isinstance(listed, list) else []
    match requirement.get("operator"):
        case "In":
            return key in labels and labels[key] in values
        case "NotIn":
            return key not in labels or labels[key] not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
    return False
