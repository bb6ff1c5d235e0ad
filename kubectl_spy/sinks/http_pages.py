"""Serves a few pages over HTTP, for probes and Prometheus, from one thread."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import NamedTuple

from kubectl_spy.errors import SpyError, UsageError

_LONGEST_HEAD = 16 << 10  # bytes of a request
_PATIENCE = 5.0  # seconds for a request and its answer
_MOST = 64  # connections; one more ends the oldest, so that a probe is always heard


class Response(NamedTuple):
    """An answer."""

    body: str
    status: int = 200
    kind: str = "text/plain; charset=utf-8"


Responses = Mapping[str, Callable[[], Response]]


@contextmanager
def serving(address: str, pages: Responses) -> Iterator[str]:
    """Serve *pages* by their paths at *address* while the block runs. Yield the URL.

    *address* is HOST:PORT. :PORT is all addresses of the machine, PORT its loopback.
    Slow clients, long requests and many connections take little memory, and no more
    threads. Raises UsageError if *address* is none; SpyError if it cannot be used.
    """
    listening = _listen(address)
    host, port = listening.getsockname()[:2]
    loop = asyncio.new_event_loop()
    over = asyncio.Event()
    thread = threading.Thread(
        target=loop.run_until_complete,
        args=[_serve(listening, pages, over)],
        name="http",
        daemon=True,
    )
    thread.start()
    try:
        yield f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


def _listen(address: str) -> socket.socket:
    match = re.fullmatch(
        r"((\[[0-9A-Fa-f:.]+\]|[^:\[\]\s]*):)?([0-9]{1,5})", address, re.ASCII
    )
    if not match or int(match[3]) > 65535:
        raise UsageError(f"{address!r} is no address", "for example 127.0.0.1:8080")
    host = match[2].strip("[]") if match[1] else "127.0.0.1"
    every = not host and socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if ":" in host or every else socket.AF_INET
    where = host, int(match[3])
    try:
        return socket.create_server(where, family=family, dualstack_ipv6=every)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "this is no host name"
        why = why.partition(" (")[0].lower()  # Python repeats the address there
        raise SpyError(
            f"cannot listen on {address}: {why}", "choose another address"
        ) from None


async def _serve(
    listening: socket.socket, pages: Responses, over: asyncio.Event
) -> None:
    connections: deque[asyncio.StreamWriter] = deque()

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        connections.append(writer)
        if len(connections) > _MOST:
            connections[0].transport.abort()
        try:
            with suppress(OSError, EOFError, asyncio.TimeoutError):
                await asyncio.wait_for(_exchange(reader, writer, pages), _PATIENCE)
        finally:
            writer.transport.abort()
            connections.remove(writer)

    server = await asyncio.start_server(answer, sock=listening, limit=_LONGEST_HEAD)
    await over.wait()
    server.close()
    while connections:  # each ends as soon as its transport does
        connections[0].transport.abort()
        await asyncio.sleep(0)


async def _exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pages: Responses
) -> None:
    """Answer one request, and wait for the other side to close the connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        return
    wanted = re.match(rb"GET ([^ ?]*)", head)
    page = pages.get(wanted[1].decode("latin-1")) if wanted else None
    answer = page() if page else Response(f"GET one of {', '.join(pages)}\n", 404)
    status, body = HTTPStatus(answer.status), answer.body.encode()
    writer.write(
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {answer.kind}\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
        + body
    )
    await writer.drain()
    writer.write_eof()
    await reader.read(1)
