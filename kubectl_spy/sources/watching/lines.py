"""Bytes as they arrive to lines: the framing of a watch, without a socket.

A watch is one JSON document a line:
https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
"""

from __future__ import annotations

LONGEST = 8 * 1024 * 1024
"""Bytes a line may have; etcd refuses objects past 1.5 MiB, other stores may not."""


class LineSplitter:
    """Fed chunks, returns the lines they complete; remembers the rest.

    A line past `LONGEST` bytes is dropped, and stands as an empty one in the result.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._dropping = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that end in *chunk*, without their newlines."""
        *lines, rest = chunk.split(b"\n")
        if lines:
            if self._dropping:
                lines[0] = b""
            elif self._rest:
                self._rest += lines[0]
                lines[0] = bytes(self._rest)
            # A new one: clear() would leave a large one's memory with the next event.
            self._rest, self._dropping = bytearray(), False
        if rest and not self._dropping:
            self._rest += rest
            if len(self._rest) > LONGEST:
                self._rest, self._dropping = bytearray(), True
        return [line if len(line) <= LONGEST else b"" for line in lines]

    @property
    def torn(self) -> bool:
        """Whether the end of a line has not arrived."""
        return self._dropping or bool(self._rest)
