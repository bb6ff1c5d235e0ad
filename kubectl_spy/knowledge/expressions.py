"""Tests in CEL, the expression language of Kubernetes.

An object comes from a cluster, so what its tests may cost is bounded: each part of an
expression that is computed is a step, and all expressions of an object share a budget.
A macro (`all`, `exists`, `filter`, `map`) computes what stands within it for each
element of a list, whether that is the object's or stands in the expression.
https://github.com/google/cel-spec/blob/master/doc/langdef.md#macros
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from kubectl_spy.knowledge.problem import BadEntry, Steps

_LONGEST = 4_000  # characters of an expression
_MOST_STEPS = 50_000  # of all expressions of an object, which take 2 s
_MOST_VALUES = 20_000  # of the members that an expression names
_VALUES, _CHARACTERS = 10, 10_000  # that are looked at in a step
_DEEPEST = 100
_CHEAP = frozenset(("_&&_", "_||_", "_?_:_", "!_", "_[_]", "size", "type"))
"""Functions that look at no elements of their arguments."""
checks: list[Callable[[], None]] = []
"""Called at each step. They raise what ends the command, as `--timeout` does."""


class TooMuch(Exception):
    """The expressions of an object would take too many steps."""


class Budget:
    """The steps that all expressions may take on one object."""

    def __init__(self) -> None:
        self._left: float = _MOST_STEPS

    def spend(self, steps: float = 1) -> None:
        """Take *steps* off. Raises TooMuch if none is left, and what `checks` raise."""
        self._left -= steps
        if self._left < 0:
            raise TooMuch
        for check in checks:
            check()

    def weigh(self, value: Any) -> None:
        """Spend what it costs to look at all of *value*."""
        if isinstance(value, (str, bytes)):
            self.spend(len(value) / _CHARACTERS)
        elif isinstance(value, (list, tuple, dict)):
            self.spend(len(value) / _VALUES)
            for each in value.values() if isinstance(value, dict) else value:
                self.weigh(each)


class Expression:
    """A compiled expression. *where* is its place in its file."""

    def __init__(self, source: str, where: Steps) -> None:
        """Raises BadEntry if it is no CEL, or if the package for it is missing."""
        if len(source) > _LONGEST:
            raise BadEntry(where, f"at most {_LONGEST:,} characters are expected here")
        try:
            self._celpy, self._evaluator, self._functions = _evaluation()
        except ImportError:
            needed = (
                "an expression needs one more package: pip install cel-python, or "
                "pipx inject kubectl-spy cel-python"
            )
            raise BadEntry(where, needed) from None
        environment = self._celpy.Environment()
        try:
            self._tree = environment.compile(source)
        except (self._celpy.CELParseError, RecursionError):
            raise BadEntry(where, "an expression of CEL is expected here") from None
        self._annotations = environment.annotations
        self._source = source

    def holds(self, obj: Any, budget: Budget) -> bool:
        """Return whether it is true of *obj*; False if it cannot be said.

        Raises what the *budget* raises.
        """
        celpy = self._celpy
        named = {key: each for key, each in obj.items() if key in self._source}
        budget.spend(_count(named) / _VALUES)
        functions = {
            name: each if name in _CHEAP else _charged(each, budget)
            for name, each in self._functions.items()
        }
        try:
            names = {key: celpy.json_to_cel(each) for key, each in named.items()}
            activation = celpy.evaluation.Activation(
                annotations=self._annotations, functions=functions
            )
            found = self._evaluator(self._tree, activation, budget).evaluate(names)
            return isinstance(found, (bool, celpy.celtypes.BoolType)) and bool(found)
        except Exception:  # what it raises on hostile input is not documented
            budget.spend(0)  # raises again if it was the budget
            return False


@cache
def _evaluation() -> tuple[Any, Any, dict[str, Any]]:
    """Return celpy, what evaluates a tree and spends steps, and the functions of CEL.

    celpy visits the children of each part of an expression, and makes an evaluator for
    what stands within a macro. Only who writes expressions has it, and its import takes
    80 ms. Raises ImportError.
    """
    celpy, re2 = import_module("celpy"), import_module("re2")

    class Evaluator(celpy.evaluation.Evaluator):  # type: ignore[misc, name-defined]
        def __init__(self, tree: Any, activation: Any, budget: Budget) -> None:
            super().__init__(tree, activation)
            self._budget = budget

        def sub_evaluator(self, ast: Any) -> Any:
            return Evaluator(ast, self.activation, self._budget)

        def visit_children(self, tree: Any) -> Any:
            self._budget.spend()
            return super().visit_children(tree)

    functions = {
        **celpy.evaluation.base_functions,
        "matches": _quiet_matches(re2, celpy.celtypes.BoolType),
        "_%_": _remainder,
    }
    return celpy, Evaluator, functions


def _charged(function: Callable[..., Any], budget: Budget) -> Callable[..., Any]:
    """Return *function*, which spends what it costs to look at its arguments."""

    def call(*args: Any) -> Any:
        budget.weigh(args)
        return function(*args)

    return call


def _remainder(one: Any, other: Any) -> Any:
    """Return the remainder of numbers. For texts, Python would format the first."""
    if isinstance(one, (str, bytes)):
        raise TypeError
    return one % other


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


def _count(obj: Any) -> int:
    """Return how many values *obj* holds. Raises TooMuch if too many, or too deep."""
    count, level = 0, [obj]
    for _ in range(_DEEPEST):
        count += len(level)
        if not level or count > _MOST_VALUES:
            break
        inner: list[Any] = []
        for each in level:
            if isinstance(each, (dict, list)):
                inner += each.values() if isinstance(each, dict) else each
        level = inner
    if level:
        raise TooMuch
    return count
