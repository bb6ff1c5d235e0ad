"""Read all that has arrived of an answer at once.

An API server sends each event of a watch as an HTTP chunk of its own, and as a TLS
record of its own. http.client gives out one chunk at a time, and TLS one record; under
load, that took a sixth of all the time.
"""

from __future__ import annotations

import http.client
import io
import ssl
from collections.abc import Mapping
from typing import Any

_AT_ONCE = 96 << 10
"""Bytes to read at once at most. With http.client's 8 KiB an event takes three times as
long to read; from 128 KiB on twice as long, for malloc then maps memory each time."""

_SIZE_LINE = 18
"""Bytes of a chunk's line of its size, with its end, that are looked at."""


class Response(http.client.HTTPResponse):
    """One whose `read1` returns what is in all chunks that have arrived."""

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
    """Return what the chunks at the start of *arrived* hold, up to *room* bytes of it.

    And where the last of them ends. In front of each stands the end of the line of the
    one before (RFC 9112 §7.1). At what is not whole, the last one, or anything but a
    few digits and letters for a size, it is left to http.client to go on.

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


def reading_ahead(pools: Mapping[str, type[Any]]) -> dict[str, type[Any]]:
    """Return urllib3's classes of connection pools, by scheme, with such answers."""
    classes = {}
    for scheme, pool in pools.items():
        connection = pool.ConnectionCls
        ahead = type(connection.__name__, (connection,), {"response_class": Response})
        classes[scheme] = type(pool.__name__, (pool,), {"ConnectionCls": ahead})
    return classes


class _Wire(io.RawIOBase):
    """The bytes of a socket, with each read all that has arrived.

    While it is *still* none come, as if none were there.
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
        """Read the records that have arrived behind the first; return the bytes."""
        count, timeout = 0, tls.gettimeout()
        tls.settimeout(0)
        try:
            while more := tls.recv_into(buffer[count:]) if count < len(buffer) else 0:
                count += more
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError as error:
            self._broken = error  # behind what was read before
        finally:
            tls.settimeout(timeout)
        return count

    def fileno(self) -> int:
        return int(self._raw.fileno())

    def close(self) -> None:
        self._raw.close()
        super().close()
