"""Reads the YAML that kubectl writes, and JSON, without PyYAML.

Every command reads a kubeconfig before its first request, and importing PyYAML takes a
tenth of the time until then. Whatever is not certainly plain is for PyYAML.
"""

from __future__ import annotations

import re
from typing import Any

_KEY = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*):(?: (.*))?")
_TEXT = re.compile(r"-?-?[A-Za-z/][A-Za-z0-9_./+@=,: -]*")
_WORDS = {"null": None, "true": True, "false": False}
_OTHERS = frozenset(["yes", "no", "on", "off", "y", "n", *_WORDS])
"""The words that YAML takes for no texts, in lower case."""
_WIDEST = 40  # the most blanks before a line, which is how deep it may be
_DEEPEST = 100  # levels of JSON, as of YAML


class NotPlain(ValueError):
    """The text is YAML of another kind, or no YAML."""


def read_plain(text: bytes) -> Any:
    r"""Return the one document in *text*.

    >>> read_plain(b"users:\n- name: me\n  user:\n    token: abc\n")
    {'users': [{'name': 'me', 'user': {'token': 'abc'}}]}

    Raises NotPlain if it may be something else than it looks like.
    """
    if text.startswith(b"{") and b"\\" not in text:
        return _json(text)
    try:
        every = text.decode("ascii").split("\n")
    except UnicodeDecodeError:
        raise NotPlain from None
    lines: list[tuple[int, str]] = []
    for line in reversed(every):
        content = line.lstrip(" ")
        if content and not content.startswith("#"):
            lines.append((len(line) - len(content), content))
    if not lines or not all(map(str.isprintable, every)):
        raise NotPlain
    document = _block(lines)
    if lines:
        raise NotPlain
    return document


def _json(text: bytes) -> Any:
    from kubectl_spy.core.jsontext import UnreadableJSON, is_deeper, loads

    try:
        document = loads(text)
    except UnreadableJSON:
        raise NotPlain from None
    if is_deeper(document, _DEEPEST):
        raise NotPlain
    return document


def _block(lines: list[tuple[int, str]]) -> Any:
    """Take the next mapping or list from the end of *lines*, which are reversed."""
    indent, first = lines[-1]
    if indent > _WIDEST:
        raise NotPlain
    is_list = first.startswith("- ")
    items: list[Any] = []
    members: dict[str, Any] = {}
    while lines and _begins(lines, indent, is_list):
        content = lines.pop()[1]
        if is_list:
            item = content[2:]
            if _KEY.fullmatch(item):
                lines.append((indent + 2, item))
                items.append(_block(lines))
            else:
                items.append(_scalar(item))
            continue
        found = _KEY.fullmatch(content)
        if found is None or found[1].lower() in _OTHERS:
            raise NotPlain
        if found[2]:
            members[found[1]] = _scalar(found[2])
        elif lines and (lines[-1][0] > indent or _begins(lines, indent, True)):
            members[found[1]] = _block(lines)
        else:
            members[found[1]] = None
    if lines and lines[-1][0] > indent:  # the rest of a text
        raise NotPlain
    return items if is_list else members


def _begins(lines: list[tuple[int, str]], indent: int, is_list: bool) -> bool:
    """Return whether the next line has *indent*, and an item of a list or none."""
    return lines[-1][0] == indent and lines[-1][1].startswith("- ") == is_list


def _scalar(text: str) -> Any:
    inside = text[1:-1]
    if text == f'"{inside}"' and not {'"', "\\"} & set(inside):
        return inside
    if text in ("{}", "[]"):
        return {} if text == "{}" else []
    if text in _WORDS:
        return _WORDS[text]
    if (
        not _TEXT.fullmatch(text)
        or text.lower() in _OTHERS
        or ": " in text
        or text[-1] in ": "
    ):
        raise NotPlain
    return text
