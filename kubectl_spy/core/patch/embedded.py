"""Documents within strings: the JSON of an annotation, the YAML of a ConfigMap."""

from __future__ import annotations

import re

from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.operation import PatchOperation

LONGEST = 1 << 16
"""The most characters of a text that is read."""
_BRACKETS = 200  # YAML with more brackets may be nested too deeply for libyaml's stack

Inner = tuple[list[PatchOperation], JSON]
"""The operations between two documents, and the later one."""


def inner_changes(old: str, new: str, *, yaml: int = LONGEST) -> Inner:
    """Return the operations between the documents in two strings; none without them.

    YAML takes a hundred times as long as JSON: it is read up to *yaml* characters.

    >>> [step.path for step in inner_changes('{"a":1}', '{"a":2}')[0]]
    ['/a']
    """
    before, after = _held(old, yaml), _held(new, yaml)
    if before is None or type(before) is not type(after):
        return [], None
    return operations_between(before, after), after


def _held(text: str, longest_yaml: int) -> JSON:
    """Return the object or list that *text* holds as JSON or YAML, or None."""
    if len(text) > LONGEST:
        return None
    if text.lstrip()[:1] in ("{", "["):
        try:
            return loads(text.encode())
        except (UnreadableJSON, UnicodeEncodeError):
            return None
    if "\n" not in text or len(text) > longest_yaml:
        return None
    brackets = text.count("[") + text.count("{")
    if brackets > _BRACKETS or re.search(r"(^|\s)[&*]\w", text):
        return None
    import yaml

    # Every scalar is a text: no dates, and no difference between 1 and "1".
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        held = yaml.load(text, Loader=loader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return held if isinstance(held, dict | list) else None
