"""Two long strings: the words that differ, or the changes inside JSON and YAML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.difference import operations_between

if TYPE_CHECKING:
    from kubectl_spy.core.patch.operation import PatchOperation

_LONGEST = 1 << 16
_BRACKETS = 200  # YAML with more brackets may be nested too deeply for libyaml's stack
_WORDS = 400
_ALIKE = 0.4  # the least share of words that two texts must have in common

Piece = tuple[str, str]  # a mark, one of "=", "-" and "+", and the text


def word_changes(old: str, new: str) -> list[Piece] | None:
    """Return the pieces of both texts in order. None if they have little in common.

    >>> word_changes("3 of 5 Pods are ready", "4 of 5 Pods are ready")
    [('-', '3'), ('+', '4'), ('=', ' of 5 Pods are ready')]
    """
    import difflib

    before, after = (re.findall(r"\s+|\w+|\W", text) for text in (old, new))
    if max(len(before), len(after)) > _WORDS:
        return None
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return None
    pieces: list[Piece] = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(("=", "".join(after[j1:j2])))
        else:
            sides = (("-", before[i1:i2]), ("+", after[j1:j2]))
            pieces += [(mark, "".join(words)) for mark, words in sides if words]
    return pieces


def inner_changes(old: str, new: str) -> list[PatchOperation]:
    """Return the operations between the documents in two strings; [] without them.

    >>> [step.path for step in inner_changes('{"a":1}', '{"a":2}')]
    ['/a']
    """
    before, after = _held(old), _held(new)
    if before is None or type(before) is not type(after):
        return []
    return operations_between(before, after)


def _held(text: str) -> JSON:
    """Return the object or list that *text* holds as JSON or YAML, or None."""
    if len(text) > _LONGEST:
        return None
    if text.lstrip()[:1] in ("{", "["):
        try:
            return loads(text.encode())
        except (UnreadableJSON, UnicodeEncodeError):
            return None
    brackets = text.count("[") + text.count("{")
    if "\n" not in text or brackets > _BRACKETS or re.search(r"(^|\s)[&*]\w", text):
        return None
    import yaml

    # Every scalar is a text: no dates, and no difference between 1 and "1".
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        held = yaml.load(text, Loader=loader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return held if isinstance(held, dict | list) else None
