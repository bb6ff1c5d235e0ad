"""Reads all that has arrived of an answer at once.

An API server sends each watch event as its own HTTP chunk and TLS record. http.client
returns one chunk at a time, and TLS one record. Under load that took a sixth of the
time.
"""

from __future__ import annotations

import http.client
import io
import ssl
from typing import Any

_AT_ONCE = 96 << 10
"""The most bytes to read at once.

With http.client's 8 KiB an event takes three times as long to read. From 128 KiB on it
takes twice as long, because malloc then maps memory each time.
"""

_SIZE_LINE = 18  # the most bytes of the line with a chunk's size


class Response(http.client.HTTPResponse):
    """A response whose `read1` returns the content of all chunks that have arrived."""

    def __init__(self, sock: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp.close()
        self._wire = _Wire(sock)
        self.fp = io.BufferedReader(self._wire, _AT_ONCE)

    def read1(self, n: int = -1) -> bytes:
        """Return at most *n* bytes, and wait only if there are none."""
        first = super().read1(n)
        if not 0 < len(first) < n or not self.chunked or self.chunk_left:
            return first
        self._wire.still = True
        try:
            arrived = self.fp.peek()
        finally:
            self._wire.still = False
        more, end = whole_chunks(arrived, n - len(first))
        if not more:
            return first
        self.fp.read(end)
        return b"".join((first, *more))


def whole_chunks(arrived: bytes, room: int) -> tuple[list[bytes], int]:
    """Return the content of the chunks in *arrived*, and where the last of them ends.

    The content has at most *room* bytes. *arrived* begins with the line end of the
    chunk before (RFC 9112, 7.1). This stops at a chunk that is not whole, is the last
    one, or has an odd size line. http.client reads on from there.

    >>> whole_chunks(b"\\r\\n2\\r\\nab\\r\\n3\\r\\ncde\\r\\n9\\r\\nfg", 100)
    ([b'ab', b'cde'], 15)
    """
    held: list[bytes] = []
    end = 0
    while arrived.startswith(b"\r\n", end):
        digits, found, _ = arrived[end + 2 : end + 2 + _SIZE_LINE].partition(b"\r\n")
        try:
            size = int(digits, 16) if found and digits.isalnum() else 0
        except ValueError:
            break
        start = end + 2 + len(digits) + 2
        if not 0 < size <= min(room, len(arrived) - start):
            break
        held.append(arrived[start : start + size])
        room -= size
        end = start + size
    return held, end


class _Wire(io.RawIOBase):
    """A socket as a stream. Each read returns all that has arrived.

    While *still* is set, reads return nothing.
    """

    def __init__(self, sock: Any) -> None:
        self._raw = sock.makefile("rb", buffering=0)
        self._tls = sock if isinstance(sock, ssl.SSLSocket) else None
        self._broken: OSError | None = None
        self.still = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self.still:
            return None
        if self._broken is not None:
            raise self._broken
        count: int | None = self._raw.readinto(buffer)
        if count and self._tls is not None:
            count += self._more(self._tls, memoryview(buffer)[count:])
        return count

    def _more(self, tls: ssl.SSLSocket, buffer: memoryview) -> int:
        """Read the records after the first. Return how many bytes."""
        count, timeout = 0, tls.gettimeout()
        tls.settimeout(0)
        try:
            while more := tls.recv_into(buffer[count:]) if count < len(buffer) else 0:
                count += more
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError as error:
            self._broken = error  # raised by the next read
        finally:
            tls.settimeout(timeout)
        return count

    def fileno(self) -> int:
        return int(self._raw.fileno())

    def close(self) -> None:
        self._raw.close()
        super().close()
