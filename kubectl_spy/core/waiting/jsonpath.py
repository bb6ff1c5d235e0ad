"""kubectl's dialect of JSONPath, as in `kubectl wait --for jsonpath=…`.

It is older than RFC 9535, and is written in braces. An expression is translated to RFC
9535, which a library evaluates:
https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/client-go/util/jsonpath/parser.go

For a missing value, such as an index out of range, kubectl ends with an error. Here the
wait goes on. A quoted key may contain dots, with or without kubectl's backslash.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from kubectl_spy.core.objects import JSON

# A path, with or without braces and the first dot, as in kubectl.
_BRACED = re.compile(r"\{\.?([^{}]+)\}|\.?([^{}]+)")
_FIELD = re.compile(r"(?:\\.|[^\\\s.,\[\]$@{}])+")
_INDEX = re.compile(r"\*|-?[0-9]*:-?[0-9]*(?::-?[0-9]*)?|-?[0-9]+")
_QUOTED = re.compile(r"'((?:\\.|[^'\\])*)'|\"((?:\\.|[^\"\\])*)\"")
_COMPARISON = re.compile(r"(?P<left>[^!<>=]+)(?P<operator>[!<>=]+)(?P<right>.+)", re.S)
_OPERATORS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Path:
    """A path as typed, and its compiled form."""

    text: str
    find: Callable[[JSON], list[JSON]] = field(compare=False, repr=False)

    def value(self, document: JSON) -> list[JSON]:
        """Return the value at the path in *document*, or that there is none.

        Raises ValueError if there are several values, or *document* is too deep.
        """
        values = self.find(document)
        if len(values) > 1:
            raise ValueError(f"{self.text} leads to {len(values)} values")
        return values


def parse_path(expression: str) -> Path:
    """Return the path in *expression*. Raises ValueError if it is not a path."""
    # Importing the library takes 70 ms.
    import jsonpath

    try:
        compiled = jsonpath.compile(translate(expression), strict=True)
    except (jsonpath.JSONPathError, RecursionError):
        raise _bad(expression) from None

    def find(document: JSON) -> list[JSON]:
        if not isinstance(document, dict):
            return []  # the library would parse a text as JSON
        try:
            return list(compiled.findall(document))
        except jsonpath.JSONPathError:
            raise ValueError(f"{expression} cannot be looked for") from None

    return Path(expression, find)


def translate(expression: str) -> str:
    r"""Return kubectl's *expression* as a JSONPath of RFC 9535.

    >>> translate("{.metadata.labels.kubernetes\\.io/name}")
    '$["metadata"]["labels"]["kubernetes.io/name"]'

    Raises ValueError if it is not a path.
    """
    found = _BRACED.fullmatch(expression.strip())
    if found is None:
        raise _bad(expression)
    path = re.sub(r"^\.\s+\.?", ".", f".{found[1] or found[2]}")
    steps, end = _steps(path, 0, expression)
    if end or not steps:
        raise _bad(expression)
    return f"${steps}"


def printed(value: JSON) -> str:
    """Return a value as Go's %v prints it. kubectl compares these texts.

    Raises ValueError if it is an object or a list.
    """
    if isinstance(value, (dict, list)):
        raise ValueError("is an object or a list, which cannot be compared")
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if value.is_integer() and abs(value) < 1e21:
            return str(int(value))
        return repr(value)
    return str(value)


def _steps(path: str, at: int, whole: str) -> tuple[str, str]:
    """Translate the steps of *path* from *at*. Return them and the rest."""
    steps: list[str] = []
    while at < len(path):
        if path[at] in " $@":  # the current object: kubectl passes over them
            at += 1
            continue
        descends = path.startswith("..", at)
        if descends:
            at += 2
            steps.append("..")
        elif path[at] == ".":
            at += 1
            if path[at : at + 1] in ("[", "$", "@"):
                continue
        elif path[at] != "[":
            return "".join(steps), path[at:]
        if path[at : at + 1] == "[":
            end = _closing(path, at, whole)
            steps.append(f"[{_brackets(path[at + 1 : end].strip(), whole)}]")
            at = end + 1
            continue
        name = _FIELD.match(path, at)
        if name is None:
            raise _bad(whole)
        at = name.end()
        steps.append("[*]" if name[0] == "*" else f"[{_key(name[0])}]")
    return "".join(steps), ""


def _closing(path: str, at: int, whole: str) -> int:
    """Return where the bracket at *at* closes, outside of quotes."""
    depth, place = 0, at
    while place < len(path):
        if quoted := _QUOTED.match(path, place):
            place = quoted.end()
            continue
        depth += (path[place] == "[") - (path[place] == "]")
        if not depth:
            return place
        place += 1
    raise _bad(whole)


def _brackets(inside: str, whole: str) -> str:
    """Translate the content of brackets: keys, indices, slices, or a filter."""
    if inside.startswith("?(") and inside.endswith(")"):
        return f"?{_filter(inside[2:-1].strip(), whole)}"
    selectors = []
    place = 0
    while True:
        found = _QUOTED.match(inside, place) or _INDEX.match(inside, place)
        if found is None:
            raise _bad(whole)
        quoted = found.re is _QUOTED
        selectors.append(_key(found[1] or found[2] or "") if quoted else found[0])
        rest = inside[found.end() :].lstrip()
        if not rest:
            return ",".join(selectors)
        if not rest.startswith(","):
            raise _bad(whole)
        place = len(inside) - len(rest[1:].lstrip())


def _filter(condition: str, whole: str) -> str:
    compared = _COMPARISON.fullmatch(condition)
    if compared is None:
        return _operand(condition, whole)
    if compared["operator"] not in _OPERATORS:
        raise _bad(whole)
    left, right = (
        _operand(compared[each].strip(), whole) for each in ("left", "right")
    )
    return f"{left} {compared['operator']} {right}"


def _operand(operand: str, whole: str) -> str:
    if quoted := _QUOTED.fullmatch(operand):
        return _key(quoted[1] or quoted[2] or "")
    if _NUMBER.fullmatch(operand) or operand in ("true", "false"):
        return operand
    if operand[:1] not in ("@", "."):
        raise _bad(whole)
    steps, end = _steps(operand, 0, whole)
    if end:
        raise _bad(whole)
    return f"@{steps}"


def _key(name: str) -> str:
    """Return *name* without kubectl's backslashes, quoted for RFC 9535."""
    return json.dumps(re.sub(r"\\(.)", r"\1", name), ensure_ascii=False)


def _bad(expression: str) -> ValueError:
    return ValueError(
        f'"{expression}" is no path; {{.status.phase}} and '
        """{.status.conditions[?(@.type=="Ready")].status} are"""
    )
