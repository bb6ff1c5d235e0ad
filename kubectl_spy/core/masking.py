"""Take the values out of Secrets before anything else sees them.

A masked value is `***` and a keyed tag of what it was: one that changes is seen to
change, and nobody without the key can try values against it. The key lives as long as
the process, so tags of two runs have nothing to do with each other.
"""

from __future__ import annotations

import base64
import binascii
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

_SHORTEST = 4
"""Length from which a value is looked for in annotations; below, it is everywhere."""


class SecretMask:
    """Masks Secrets with one key: at least 16 random bytes, kept in memory only."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def __call__(self, document: dict[str, JSON]) -> dict[str, JSON]:
        """Return *document*, or its masked copy if it is a Secret.

        Values of `data` and `stringData`, annotations known to hold a copy of the
        object, and any annotation that holds one of the values are masked.
        """
        if document.get("kind") != "Secret":
            return document
        masked = dict(document)
        metadata = document.get("metadata")
        if isinstance(metadata, dict):
            place = f"{metadata.get('namespace')}/{metadata.get('name')}"
            annotations = metadata.get("annotations")
            if isinstance(annotations, dict):
                values = _plain_and_encoded(document)
                masked["metadata"] = {
                    **metadata,
                    "annotations": {
                        name: self._tag(text, place, name)
                        if name in _COPIES or _holds(text, values)
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


def _plain_and_encoded(document: dict[str, JSON]) -> list[str]:
    """Return the values of a Secret as text, decoded as well as base64."""
    texts = []
    for member in _VALUES:
        held = document.get(member)
        for value in held.values() if isinstance(held, dict) else ():
            if not isinstance(value, str):
                continue
            texts.append(value)
            try:
                texts.append(base64.b64decode(value, validate=True).decode())
            except (binascii.Error, ValueError):
                continue
    return [text for text in texts if len(text) >= _SHORTEST]


def _holds(text: JSON, values: list[str]) -> bool:
    return isinstance(text, str) and any(value in text for value in values)
