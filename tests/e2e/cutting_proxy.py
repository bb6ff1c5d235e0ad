"""A TCP proxy that lets no connection live for long."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

BLOCK = 1 << 16


class CuttingProxy:
    """Passes connections on to *target*, a port on loopback, and cuts each of them.

    After *lifetime* seconds, between the two, a connection is closed, reset, or reset
    in the middle of what it carries; the share *mute* of them is left open and carries
    nothing any more, as a link does whose middle has gone. *fates* counts all of them.
    """

    def __init__(
        self, target: int, *, lifetime: tuple[float, float], mute: float, seed: int
    ) -> None:
        self._target = target
        self._lifetime = lifetime
        self._mute = mute
        self._random = random.Random(seed)
        self._loop = asyncio.new_event_loop()
        self._relays: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self.fates: Counter[str] = Counter()
        self.port = 0

    @contextmanager
    def running(self) -> Iterator[CuttingProxy]:
        """Serve for as long as the block lasts."""
        thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        thread.start()
        starting = asyncio.run_coroutine_threadsafe(self._listen(), self._loop)
        server = starting.result(10)
        try:
            yield self
        finally:
            asyncio.run_coroutine_threadsafe(self._end(server), self._loop).result(10)
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join(10)
            self._loop.close()

    async def _listen(self) -> asyncio.Server:
        server = await asyncio.start_server(self._relay, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _end(self, server: asyncio.Server) -> None:
        server.close()
        for task in list(self._relays):
            task.cancel()
        await asyncio.gather(*self._relays, return_exceptions=True)
        for writer in self._writers:
            writer.transport.abort()
        closing = [writer.wait_closed() for writer in self._writers]
        await asyncio.gather(*closing, return_exceptions=True)

    async def _relay(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._relays.add(task)
        self._writers.add(writer)
        try:
            await self._carry(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self._relays.discard(task)
            await self._close(writer)

    async def _close(self, writer: asyncio.StreamWriter) -> None:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        self._writers.discard(writer)

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        fate = self._fate()
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers.add(back)
        pumps = [
            asyncio.ensure_future(pump(reader, back)),
            asyncio.ensure_future(pump(there, writer)),
        ]
        try:
            lifetime = self._random.uniform(*self._lifetime)
            done, _ = await asyncio.wait(
                pumps, timeout=lifetime, return_when=asyncio.FIRST_COMPLETED
            )
            if done:
                self.fates["ended by itself"] += 1
                return
            self.fates[fate] += 1
            await stop(pumps)
            if fate == "muted":
                await reader.read()  # until the other side has had enough
            elif fate == "reset within":
                with suppress(asyncio.TimeoutError):
                    block = await asyncio.wait_for(there.read(BLOCK), 5)
                    writer.write(block[: len(block) // 2])
                    await writer.drain()
            if fate.startswith("reset"):
                abandon(writer)
        finally:
            await stop(pumps)
            await self._close(back)

    def _fate(self) -> str:
        if self._random.random() < self._mute:
            return "muted"
        return self._random.choice(["closed", "reset", "reset within"])


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what comes until it ends."""
    while block := await reader.read(BLOCK):
        writer.write(block)
        await writer.drain()


async def stop(pumps: Sequence[asyncio.Future[None]]) -> None:
    """Cancel *pumps*, and wait until they are."""
    for each in pumps:
        each.cancel()
    await asyncio.gather(*pumps, return_exceptions=True)


def abandon(writer: asyncio.StreamWriter) -> None:
    """Make closing *writer* a reset."""
    connection: socket.socket = writer.get_extra_info("socket")
    linger = struct.pack("ii", 1, 0)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
