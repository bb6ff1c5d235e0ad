"""JSON Pointers (RFC 6901), and the patterns with `*` of `--only` and `--ignore`."""

from __future__ import annotations

import re

from kubectl_spy.core.objects import JSON

Tokens = tuple[str, ...]


def escape(token: str) -> str:
    """Return *token* as one reference token of a pointer (RFC 6901 §3)."""
    if "~" in token or "/" in token:
        return token.replace("~", "~0").replace("/", "~1")
    return token


def parse(pointer: str) -> Tokens:
    """Return the reference tokens of *pointer*, unescaped (RFC 6901 §4).

    Raises ValueError if it does not start with "/", or has a "~" that escapes nothing.
    """
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise ValueError(f'the pointer "{pointer}" does not start with "/"')
    tokens = pointer[1:].split("/")
    if "~" not in pointer:
        return tuple(tokens)
    for token in tokens:
        if re.search("~(?![01])", token):
            raise ValueError(
                f'the pointer "{pointer}" has a "~" that is neither "~0" nor "~1"'
            )
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)


def join(tokens: Tokens) -> str:
    """Return the pointer for *tokens*."""
    return "".join(f"/{escape(token)}" for token in tokens)


def without(document: JSON, patterns: tuple[Tokens, ...]) -> JSON:
    """Return *document* without what *patterns* match. `*` matches any one token.

    *document* does not change, and the result shares parts of it. Removed list elements
    leave no gap.

    >>> without({"a": {"x": 1, "y": 2}}, (("*", "x"),))
    {'a': {'y': 2}}
    """
    if not patterns:
        return document
    if isinstance(document, dict):
        kept = {}
        for key, member in document.items():
            below = _below(patterns, key)
            if () not in below:
                kept[key] = without(member, below)
        return kept
    if isinstance(document, list):
        pruned = []
        for index, element in enumerate(document):
            below = _below(patterns, str(index))
            if () not in below:
                pruned.append(without(element, below))
        return pruned
    return document


_ABSENT = object()


def only(document: JSON, patterns: tuple[Tokens, ...]) -> JSON:
    """Return only the parts of *document* that *patterns* match, at their paths.

    >>> only({"a": {"x": 1, "y": 2}, "b": 3}, (("a", "x"),))
    {'a': {'x': 1}}
    """
    pruned = _only(document, patterns)
    return {} if pruned is _ABSENT else pruned


def _only(document: JSON, patterns: tuple[Tokens, ...]) -> JSON:
    if () in patterns:
        return document
    if isinstance(document, dict):
        kept = {}
        for key, member in document.items():
            if below := _below(patterns, key):
                pruned = _only(member, below)
                if pruned is not _ABSENT:
                    kept[key] = pruned
        return kept or _ABSENT
    if isinstance(document, list):
        elements = []
        for index, element in enumerate(document):
            if below := _below(patterns, str(index)):
                pruned = _only(element, below)
                if pruned is not _ABSENT:
                    elements.append(pruned)
        return elements or _ABSENT
    return _ABSENT


def _below(patterns: tuple[Tokens, ...], token: str) -> tuple[Tokens, ...]:
    return tuple(p[1:] for p in patterns if p and (p[0] == token or p[0] == "*"))
