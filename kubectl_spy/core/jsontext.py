"""Parses and writes JSON that may be hostile.

It uses orjson, or the standard library where orjson has no wheel. RFC 8259 allows lone
surrogates and deep nesting, which orjson refuses: those take a slower path. NaN and
fractions beyond a double are refused.
"""

from __future__ import annotations

import json
import math
from typing import NoReturn

from kubectl_spy.core.objects import JSON

try:
    import orjson
except ImportError:  # this platform has no wheel
    orjson = None  # type: ignore[assignment]

_text = json.dumps if orjson is None else orjson.dumps
_quote = json.encoder.encode_basestring


_CONTAINERS = frozenset({dict, list})
LEVELS = 256
"""How deep a document of a recording may be, and twice as deep as a value of a patch.

Some views recurse, and Python allows a few hundred levels.
"""


class UnreadableJSON(ValueError):
    """The bytes are not JSON, or nested too deeply."""


def loads(raw: bytes | bytearray | memoryview) -> JSON:
    """Return the JSON document in *raw*.

    Integers past 64 bits become floats if a double can hold them. Raises UnreadableJSON
    if it is not JSON, not UTF-8, or nested more than some 1,000 levels deep.
    """
    if orjson is not None:
        try:
            return orjson.loads(raw)
        except ValueError:
            pass
    try:
        return json.loads(
            bytes(raw).decode(),
            parse_constant=_refuse,
            parse_float=_finite,
            parse_int=_whole,
        )
    except RecursionError:
        raise UnreadableJSON("it is nested too deeply") from None
    except UnreadableJSON:
        raise
    except ValueError:  # what Python says of it differs from version to version
        raise UnreadableJSON("it is not JSON") from None


def dumps(value: JSON) -> bytes:
    """Return *value* as compact UTF-8 JSON, with lone surrogates as `\\ud800`.

    >>> dumps({"replicas": 3, "paused": None})
    b'{"replicas":3,"paused":null}'
    """
    if orjson is not None:
        try:
            return orjson.dumps(value)
        except TypeError:  # the base class of orjson.JSONEncodeError
            pass
    return "".join(_encode(value)).encode("utf-8", "backslashreplace")


def is_deeper(value: JSON, levels: int) -> bool:
    """Return whether *value* has more than so many levels of lists and objects.

    >>> is_deeper([{}], 1), is_deeper([{}], 2)
    (True, False)
    """
    layer = [value]
    for _ in range(levels + 1):
        layer = [each for each in layer if type(each) in _CONTAINERS]
        if not layer:
            return False
        layer = [
            member
            for each in layer
            for member in (each.values() if type(each) is dict else each)
        ]
    return True


def certainly_equal(one: JSON, other: JSON) -> bool:
    """Return True only if two values are equal JSON. False may be wrong, but is quick.

    `==` stops at the first difference. Comparing the texts then tells `1` from `true`.
    Equal values with another order of members, or very deep ones, give False.
    """
    kind = type(one)
    if kind is not type(other):
        return False
    try:
        if one != other:
            return False
        return (kind is not dict and kind is not list) or _text(one) == _text(other)
    except (TypeError, RecursionError):
        return False


def canonical(value: JSON) -> bytes:
    """Return bytes that are equal exactly for equal JSON values.

    The order of members does not count. `1`, `1.0` and `true` differ.

    >>> canonical({"b": 1, "a": 2}) == canonical({"a": 2, "b": 1})
    True
    """
    if orjson is not None:
        try:
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        except TypeError:
            pass
    return "".join(_encode(value, sort=True)).encode("utf-8", "backslashreplace")


def _refuse(constant: str) -> NoReturn:
    raise UnreadableJSON(f"{constant} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise UnreadableJSON(f"{digits[:40]} is past the range of a number")
    return number


def _whole(digits: str) -> int | float:
    """Return the number in *digits*, as a float beyond 64 bits, like orjson.

    A number beyond a double stays an integer.
    """
    number, double = int(digits), float(digits)
    fits = -(2**63) <= number < 2**64 or math.isinf(double)
    return number if fits else double


def _encode(value: JSON, *, sort: bool = False) -> list[str]:
    """Encode without recursion, so that deep documents cost memory, not stack."""
    out: list[str] = []
    todo: list[tuple[bool, JSON]] = [(True, value)]
    while todo:
        encode, item = todo.pop()
        if not encode:
            out.append(item)
        elif isinstance(item, dict):
            members = sorted(item.items()) if sort else list(item.items())
            todo.append((False, "}"))
            for index in range(len(members) - 1, -1, -1):
                key, member = members[index]
                todo.append((True, member))
                todo.append((False, f"{',' if index else ''}{_quote(key)}:"))
            out.append("{")
        elif isinstance(item, list):
            todo.append((False, "]"))
            for index in range(len(item) - 1, -1, -1):
                todo.append((True, item[index]))
                if index:
                    todo.append((False, ","))
            out.append("[")
        elif isinstance(item, str):
            out.append(_quote(item))
        else:
            out.append(json.dumps(item, allow_nan=False))
    return out
