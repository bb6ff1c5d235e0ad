"""A value as an indented outline, which is YAML.

Written here because it is on the path of every event: a YAML library takes longer for a
dozen lines than the rest of the event does. Strings are quoted as in JSON, unless they
are words that YAML reads as strings.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.render.inert import inert

_DEEPEST = 60  # levels that are indented; deeper values are on one line
_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_./$-]*")
# Words that YAML 1.1 does not read as strings.
_RESERVED = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def outline(value: JSON) -> list[str]:
    """Return *value* as lines of YAML.

    >>> outline({"state": {"running": {}}, "args": ["-v", 1]})
    ['state:', '  running: {}', 'args:', '- "-v"', '- 1']
    >>> outline({"status": "True", "reason": "Completed"})
    ['status: "True"', 'reason: Completed']
    """
    lines: list[str] = []
    _write(lines, "", "", value, 0)
    return lines


def scalar(value: JSON) -> str:
    """Return *value* as JSON on one line."""
    # Most values need no escape, and so no encoder.
    kind = type(value)
    if kind is str:
        if value.isprintable() and '"' not in value and "\\" not in value:
            return f'"{value}"'
    elif kind is bool:
        return "true" if value else "false"
    elif kind is int:
        return str(value)
    elif value is None:
        return "null"
    return inert(dumps(value).decode())


def _write(lines: list[str], indent: str, start: str, value: JSON, depth: int) -> None:
    """Append *value* behind *start*, which is `key: `, `- ` or nothing."""
    kind = type(value)
    if kind is dict and value and depth < _DEEPEST:
        inner = _opened(lines, indent, start, "  ")
        first = len(lines)
        for key, member in value.items():
            _write(lines, inner, f"{_key(key)}: ", member, depth + 1)
    elif kind is list and value and depth < _DEEPEST:
        inner = _opened(lines, indent, start, "")
        first = len(lines)
        for element in value:
            _write(lines, inner, "- ", element, depth + 1)
    elif kind is str and "\n" in value and (block := _literal(value)):
        style, *rest = block
        lines.append(f"{indent}{start}{style}")
        lines += [f"{indent}  {line}" if line else "" for line in rest]
        return
    else:
        text = value if kind is str and _is_plain(value) else scalar(value)
        lines.append(f"{indent}{start}{text}")
        return
    if start == "- ":
        # The first line of an element stands behind its dash.
        lines[first] = f"{indent}- {lines[first][len(inner) :]}"


def _is_plain(text: str) -> bool:
    """Whether YAML reads *text* as the same string without quotes.

    Beginning with a letter, it is no number and no date.
    """
    return (
        text[:1].isalpha()
        and text.isascii()
        and text.isprintable()
        and ": " not in text
        and " #" not in text
        and text[-1] not in ": "
        and text.lower() not in _RESERVED
    )


def _opened(lines: list[str], indent: str, start: str, step: str) -> str:
    """Begin a block; return the indent of its lines."""
    if start == "- ":
        return f"{indent}  "
    if start:
        lines.append(f"{indent}{start[:-1]}")
        return f"{indent}{step}"
    return indent


def _literal(text: str) -> list[str] | None:
    """Return the style and lines of *text* as a literal block, if it can be one."""
    body = text.removesuffix("\n")
    lines = body.split("\n")
    if not lines[0] or not lines[-1] or lines[0][0] == " ":
        return None
    if not all(line.isprintable() for line in lines):
        return None
    return ["|" if body != text else "|-", *lines]


@lru_cache(maxsize=4096)
def _key(key: str) -> str:
    if _PLAIN_KEY.fullmatch(key) and key.lower() not in _RESERVED:
        return key
    return scalar(key)
