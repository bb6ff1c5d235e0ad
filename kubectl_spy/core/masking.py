"""Take the values out of Secrets before anything else sees them.

A masked value is `***` and a keyed tag of what it was: one that changes is seen to
change, and nobody without the key can try values against it. The key lives as long as
the process, so tags of two runs have nothing to do with each other.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from contextlib import suppress
from hashlib import blake2b

from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.objects import JSON

_VALUES = ("data", "stringData")

# Annotations in which tools keep the whole object as it was applied.
# https://kubernetes.io/docs/reference/labels-annotations-taints/
_COPIES = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        "banzaicloud.com/last-applied",
        "kapp.k14s.io/original",
        "kapp.k14s.io/original-diff",
        "objectset.rio.cattle.io/applied",
    }
)

# Other tools keep copies as well, also of versions before, whose values are gone from
# the object: whatever has a member of these names, in JSON, in JSON within, in YAML.
_COPY = re.compile(r'\b(?:data|stringData)\\*"?\s*:')
_GZIP = "\x1f\udc8b"

_TAG = re.compile(r"\*\*\* [0-9a-f]{16}")
_UNKNOWN = "*** (masked, cannot compare)"

_SHORTEST = 4
"""Length from which a value is looked for in annotations; below, it is everywhere."""
_TELLING = 16
"""Length from which an annotation is looked for in values: a token out of a file."""


class SecretMask:
    """Masks Secrets with one key: at least 16 random bytes, kept in memory only."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def __call__(self, document: dict[str, JSON]) -> dict[str, JSON]:
        """Return *document*, or its masked copy if it is a Secret.

        Values of `data` and `stringData`, annotations that hold a copy of the object
        or one of the values, and those that are part of a value are masked.
        """
        if document.get("kind") != "Secret":
            return document
        masked = dict(document)
        metadata = document.get("metadata")
        if isinstance(metadata, dict):
            place = f"{metadata.get('namespace')}/{metadata.get('name')}"
            annotations = metadata.get("annotations")
            if isinstance(annotations, dict):
                values = _in_all_forms(document)
                masked["metadata"] = {
                    **metadata,
                    "annotations": {
                        name: self._tag(text, place, name)
                        if name in _COPIES or _tells(text, values)
                        else text
                        for name, text in annotations.items()
                    },
                }
        else:
            place = ""
        for member in _VALUES:
            held = document.get(member)
            if isinstance(held, dict):
                masked[member] = {
                    key: self._tag(value, place, key) for key, value in held.items()
                }
            elif held is not None:
                masked[member] = self._tag(held, place, member)
        return masked

    def _tag(self, value: JSON, place: str, key: str) -> str:
        """Return `*** ` and 16 hexadecimal digits: 64 bits.

        Where the value stood goes into the tag, so that two places that hold the
        same value do not show it.
        """
        text = canonical([place, key, value])
        return f"*** {blake2b(text, key=self._key, digest_size=8).hexdigest()}"


def incomparable(one: JSON, other: JSON) -> tuple[JSON, JSON, int]:
    """Return two versions of an object that were masked with different keys.

    With what is masked in both made equal, for whether it changed cannot be known, and
    how many values these are.
    """
    if not isinstance(one, dict) or not isinstance(other, dict):
        equal = one == other or not (_is_masked(one) and _is_masked(other))
        return (one, other, 0) if equal else (_UNKNOWN, _UNKNOWN, 1)
    left, right, count = dict(one), dict(other), 0
    for name in one.keys() & other.keys():
        left[name], right[name], found = incomparable(one[name], other[name])
        count += found
    return left, right, count


def _is_masked(value: JSON) -> bool:
    return isinstance(value, str) and _TAG.fullmatch(value) is not None


def _in_all_forms(document: dict[str, JSON]) -> set[str]:
    """Return the values of a Secret as text: base64, decoded, and as JSON writes them.

    Base64 is that of both alphabets (RFC 4648 §4 and §5), padded or not. Go's JSON has
    `<`, `>` and `&` escaped.
    """
    texts = set()
    for member in _VALUES:
        held = document.get(member)
        for value in held.values() if isinstance(held, dict) else ():
            if not isinstance(value, str):
                continue
            for text in (value, _decoded(value)):
                quoted = json.dumps(text, ensure_ascii=False)[1:-1]
                for char in "<>&":
                    quoted = quoted.replace(char, f"\\u{ord(char):04x}")
                texts |= {text, quoted, json.dumps(text)[1:-1], *_encoded(text)}
    return {text for text in texts if len(text) >= _SHORTEST}


def _encoded(text: str) -> tuple[str, str]:
    """Return *text* in base64, in both alphabets, without padding."""
    raw = text.encode("utf-8", "surrogatepass")
    with suppress(UnicodeError):  # as `_decoded` gives what is no UTF-8
        raw = text.encode("utf-8", "surrogateescape")
    plain = base64.b64encode(raw).decode().rstrip("=")
    return plain, plain.replace("+", "-").replace("/", "_")


def _decoded(text: str) -> str:
    """Return what *text* is the base64 of, or "" if it is none."""
    try:
        return base64.b64decode(text, validate=True).decode("utf-8", "surrogateescape")
    except (binascii.Error, ValueError):
        return ""


def _tells(text: JSON, values: set[str]) -> bool:
    """Whether an annotation gives away what the Secret holds, or held."""
    if not isinstance(text, str):
        return True
    decoded = _decoded(text)
    for form in (text, decoded):
        if _COPY.search(form) or any(value in form for value in values):
            return True
    if decoded.startswith(_GZIP):
        return True
    return len(text) >= _TELLING and any(text in value for value in values)
