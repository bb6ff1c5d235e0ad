"""Keeps many similar documents in little memory."""

from __future__ import annotations

import zlib

from kubectl_spy.core.jsontext import dumps, loads
from kubectl_spy.core.objects import JSON

_LEVEL = 1  # of zlib: five times as fast as the default, for a tenth more bytes


class Packing:
    """Packs documents of one type.

    The first one is the dictionary of the others (RFC 1950, FDICT): a version of a Pod
    then takes some 300 bytes instead of 5,000.
    """

    def __init__(self) -> None:
        self._dictionary = b""

    def pack(self, document: JSON) -> bytes:
        """Return *document* in few bytes."""
        text = dumps(document)
        self._dictionary = self._dictionary or bytes(text)
        packer = zlib.compressobj(_LEVEL, zdict=self._dictionary)
        return packer.compress(text) + packer.flush()

    def unpack(self, packed: bytes) -> JSON:
        """Return the document in *packed*, anew each time."""
        return loads(zlib.decompressobj(zdict=self._dictionary).decompress(packed))
