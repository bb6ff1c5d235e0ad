"""Drafts an entry for a kind of which nothing is known.

A draft shows the words that objects of the kind use. What they mean, only people know:
it claims nothing. What a cluster sends may be anything: only short words are shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from kubectl_spy.knowledge.paths import values_at
from kubectl_spy.knowledge.tests import CONDITIONS, conditions_in

_STATE = re.compile(r"[A-Za-z][A-Za-z _-]{0,39}")  # no digits: no address, no token
_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9./_-]{0,59}")  # of a condition
_REASON = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")
_STATUSES = ("False", "True", "Unknown")
_PATH = re.compile(r"\.?status(\.[A-Za-z][A-Za-z0-9_-]{0,39}){1,4}")
_WORDS = ("phase", "state", "status", "health", "result")
"""Members that usually say how an object is."""
_USUAL = ("status.phase", "status.state")
_MOST_PATHS = 20
_MOST_LINES = 30  # of values of a path, and of conditions
_DEEPEST = 4
_PLAIN = re.compile(r"[A-Za-z][A-Za-z_-]*")
_NOT_PLAIN = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_ASKED = "# failed, waiting or current?"


class Definition(NamedTuple):
    """What is known of a kind before it is drafted."""

    group: str
    kind: str
    version: str
    crd: Any = None  # its CustomResourceDefinition, if it could be read


class _Seen(dict[str, dict[str, int]]):
    """How many objects have each word, by the path. 0: the definition names it."""

    def add(self, path: str, word: Any = None, count: int = 1) -> None:
        if path not in self and len(self) == _MOST_PATHS:
            return
        words = self.setdefault(path, {})
        if not isinstance(word, str) or not _STATE.fullmatch(word):
            return
        if word in words or len(words) < _MOST_LINES:
            words[word] = words.get(word, 0) + count


def draft(of: Definition, objects: Sequence[Any]) -> str:
    """Return the draft of an entry, a YAML document with the words as comments."""
    seen = _Seen()
    for path in _USUAL:
        seen.add(path)
    version = _version(of)
    schema = values_at(version, ("schema", "openAPIV3Schema", "properties", "status"))
    for each in schema:
        _declare(each, "status", seen)
    for column in _columns(version):
        seen.add(column)
    for obj in objects:
        for path in list(seen):
            for value in values_at(obj, tuple(path.split("."))):
                seen.add(path, value)
    conditions = _conditions(objects)
    source = "its definition and " if version else ""
    lines = [
        f"# A draft for {of.kind}, from {source}{_many(len(objects))} in the cluster.",
        "# What the words mean is not known. Write it down: docs/knowledge.md has the",
        "# form. Take away the [], and the # before each line that says something.",
        f"group: {_scalar(of.group)}",
        "kinds:",
        f"  {_scalar(of.kind)}:",
        "    health: []",
    ]
    values = {path: words for path, words in seen.items() if words}
    for path, words in values.items():
        lines += (f"    {_ASKED}", *_tests(path, words))
    if conditions:
        lines += (f"    {_ASKED}", *_of_conditions(conditions))
        lines += _polarities(dict.fromkeys(kind for kind, _, _ in conditions))
    if not values and not conditions:
        lines.append("    # No condition, and no word such as a phase, was found.")
    return "\n".join(lines) + "\n"


def _version(of: Definition) -> Any:
    for each in values_at(of.crd, ("spec", "versions", "[]")):
        if isinstance(each, dict) and each.get("name") == of.version:
            return each
    return {}


def _columns(version: Any) -> Iterator[str]:
    for each in values_at(version, ("additionalPrinterColumns", "[]")):
        if isinstance(each, dict) and each.get("type") == "string":
            found = _PATH.fullmatch(str(each.get("jsonPath")))
            if found and CONDITIONS not in found[0]:
                yield found[0].lstrip(".")


def _declare(schema: Any, path: str, seen: _Seen, depth: int = 1) -> None:
    """Add the words that the *schema* of a status names."""
    for members in values_at(schema, ("properties",)):
        for name, each in members.items() if isinstance(members, dict) else ():
            if not isinstance(each, dict) or name == CONDITIONS:
                continue
            inner = f"{path}.{name}"
            named = isinstance(each.get("enum"), list)
            if not _PATH.fullmatch(inner):
                continue
            if each.get("type") == "string" and (named or name in _WORDS):
                seen.add(inner)
                for word in each["enum"] if named else ():
                    seen.add(inner, word, 0)
            elif depth < _DEEPEST:
                _declare(each, inner, seen, depth + 1)


def _conditions(objects: Iterable[Any]) -> dict[tuple[str, str, str], int]:
    """Return how many objects have a condition with a status and a reason."""
    found: dict[tuple[str, str, str], int] = {}
    for obj in objects:
        status = obj.get("status") if isinstance(obj, dict) else None
        for kind, each in conditions_in(status).items():
            said = str(each.get("status"))
            if not _TYPE.fullmatch(kind) or said not in _STATUSES:
                continue
            reason = each.get("reason")
            if not isinstance(reason, str) or not _REASON.fullmatch(reason):
                reason = ""
            key = kind, said, reason
            if key in found or len(found) < _MOST_LINES:
                found[key] = found.get(key, 0) + 1
    return dict(sorted(found.items()))


def _tests(path: str, words: dict[str, int]) -> Iterator[str]:
    for word, count in words.items():
        source = _many(count) if count else "in the definition"
        yield f"    # - STATE: {{{path}: {_scalar(word)}}}  # {source}"


def _of_conditions(conditions: dict[tuple[str, str, str], int]) -> Iterator[str]:
    for (kind, said, reason), count in conditions.items():
        wanted = f"{{status: {said}, reason: {_scalar(reason)}}}" if reason else said
        test = f"{{conditions: {{{_scalar(kind)}: {wanted}}}}}"
        yield f"    # - STATE: {test}  # {_many(count)}"


def _polarities(types: Iterable[str]) -> Iterator[str]:
    yield "    # Which types are good if true, which are bad, and which say nothing"
    yield "    # about health? Only where it is not plain from their names."
    yield "    # conditions:"
    yield "    #   good: []"
    yield "    #   bad: []"
    yield "    #   neutral: []"
    yield from (f"    #   {_scalar(each)}" for each in types)


def _many(count: int) -> str:
    return "1 object" if count == 1 else f"{count} objects"


def _scalar(text: str) -> str:
    """Return *text* as it stands in YAML."""
    plain = all(map(_PLAIN.fullmatch, text.split("."))) and text
    return text if plain and text.lower() not in _NOT_PLAIN else json.dumps(text)
