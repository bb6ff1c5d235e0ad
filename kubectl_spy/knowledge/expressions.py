"""Tests in CEL, the expression language of Kubernetes.

An object comes from a cluster, so what a test may cost is bounded before it runs. A
macro (`all`, `exists`, `filter`, `map`) goes through a list of the object, and what
stands within it is computed for each element.
https://github.com/google/cel-spec/blob/master/doc/langdef.md#macros
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

from kubectl_spy.knowledge.problem import BadEntry, Steps

_TOKEN = (
    r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(?P<macro>\.\s*(?:all|exists|exists_one"""
    r"""|filter|map)\s*\()|(?P<open>\()|(?P<close>\))"""
)
_LONGEST = 4_000  # characters of an expression
_MOST_STEPS = 5_000  # elements that the macros of an expression go through
_MOST_VALUES = 20_000  # of the members that it names
_DEEPEST = 100


class Expression:
    """A compiled expression. *where* is its place in its file."""

    def __init__(self, source: str, where: Steps) -> None:
        """Raises BadEntry if it is no CEL, or if the package for it is missing."""
        if len(source) > _LONGEST:
            raise BadEntry(where, f"at most {_LONGEST:,} characters are expected here")
        try:
            # Only who writes expressions has it, and its import takes 80 ms.
            celpy, re2 = import_module("celpy"), import_module("re2")
        except ImportError:
            needed = (
                "an expression needs one more package: pip install cel-python, or "
                "pipx inject kubectl-spy cel-python"
            )
            raise BadEntry(where, needed) from None
        environment = celpy.Environment()
        try:
            compiled = environment.compile(source)
            own = {"matches": _quiet_matches(re2, celpy.celtypes.BoolType)}
            self._program = environment.program(compiled, own)
        except (celpy.CELParseError, RecursionError):
            raise BadEntry(where, "an expression of CEL is expected here") from None
        self._convert = celpy.json_to_cel
        self._truth = bool, celpy.celtypes.BoolType
        self._source = source
        self._macros, self._depth = _macros_of(source)

    def holds(self, obj: Any) -> bool:
        """Return whether it is true of *obj*; False if it cannot be said."""
        named = {key: each for key, each in obj.items() if key in self._source}
        longest = _longest_list(named)
        if longest is None or self._macros * longest**self._depth > _MOST_STEPS:
            return False
        try:
            names = {key: self._convert(each) for key, each in named.items()}
            found = self._program.evaluate(names)
            return isinstance(found, self._truth) and bool(found)
        except Exception:  # what it raises on hostile input is not documented
            return False


def _quiet_matches(re2: Any, truth: Any) -> Callable[[str, str], Any]:
    """Return `matches` that raises for a bad pattern.

    That of celpy lets its library write the pattern to standard error, as it is. It
    may come from an object.
    """
    options = re2.Options()
    options.log_errors = False
    return lambda text, pattern: truth(
        re2.compile(pattern, options).search(text) is not None
    )


def _macros_of(source: str) -> tuple[int, int]:
    """Return how many macros *source* has, and how many at most are in each other.

    >>> _macros_of("a.filter(x, x > 1).all(y, b.exists(z, z == y))")
    (3, 2)
    """
    count, depth, open_macros = 0, 0, list[bool]()
    for token in re.finditer(_TOKEN, source):
        if token["macro"] or token["open"]:
            open_macros.append(bool(token["macro"]))
            count += bool(token["macro"])
            depth = max(depth, sum(open_macros))
        elif token["close"] and open_macros:
            open_macros.pop()
    return count, depth


def _longest_list(obj: Any) -> int | None:
    """Return the length of the longest list or map; None if *obj* is too large."""
    count, longest, level = 0, 0, [obj]
    for _ in range(_DEEPEST):
        count += len(level)
        if not level or count > _MOST_VALUES:
            break
        inner: list[Any] = []
        for each in level:
            if isinstance(each, (dict, list)):
                longest = max(longest, len(each))
                inner += each.values() if isinstance(each, dict) else each
        level = inner
    return None if level else longest
