"""Paths to values in an object: `spec.volumes[].configMap.name`."""

from __future__ import annotations

import re
from typing import Any

from kubectl_spy.knowledge.problem import BadEntry, Steps

EACH = "[]"
"""The step to each element of a list, or to each value of a map."""
_STEP = r"\.?(?P<name>[A-Za-z_$][\w-]*)|(?P<each>\[\])|\[(?P<key>[^\[\]]+)\]"
_MOST = 1_000  # the most values of a path that are looked at

Path = tuple[str, ...]


def path_of(value: Any, where: Steps, *, at_key: bool = False) -> Path:
    """Return the steps of a path. A key with dots stands in brackets.

    Raises BadEntry. *at_key* says that the path is a key.

    >>> path_of("metadata.annotations[a.io/b]", ())
    ('metadata', 'annotations', 'a.io/b')
    >>> path_of("spec.volumes[].name", ())
    ('spec', 'volumes', '[]', 'name')
    """
    steps: list[str] = []
    place = 0
    while isinstance(value, str) and (found := re.compile(_STEP).match(value, place)):
        steps.append(found["name"] or found["key"] or EACH)
        place = found.end()
    if not steps or place != len(value) or value.startswith((".", "[")):
        expected = "a path such as status.phase is expected here"
        raise BadEntry(where, expected, at_key=at_key)
    return tuple(steps)


def values_at(obj: Any, path: Path) -> list[Any]:
    """Return what is at *path* in *obj*; [] where it leads nowhere.

    >>> values_at({"volumes": [{"name": "a"}, {}]}, ("volumes", "[]", "name"))
    ['a']
    """
    found = [obj]
    for step in path:
        inner: list[Any] = []
        for each in found:
            if step == EACH:
                parts = each.values() if isinstance(each, dict) else each
                inner += parts if isinstance(each, (dict, list)) else ()
            elif isinstance(each, dict) and each.get(step) is not None:
                inner.append(each[step])
        found = inner[:_MOST]
    return found


def text_at(obj: Any, path: Path) -> str:
    """Return the first text, number or boolean at *path* that is not empty, or ""."""
    for each in values_at(obj, path):
        if isinstance(each, (str, int, float)) and each != "":
            return written(each)
    return ""


def written(value: Any) -> str:
    """Return *value* as it stands in YAML: `true`, `3`, `Failed`."""
    return str(value).lower() if isinstance(value, bool) else str(value)
