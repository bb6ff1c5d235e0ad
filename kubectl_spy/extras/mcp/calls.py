"""Runs a command of ours for each call, in a process of its own.

So a call can be cancelled at any moment, and has a time and a size that it cannot
exceed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL

import anyio
from anyio.abc import ByteReceiveStream, Process

from kubectl_spy.cli.run.this_program import this_program
from kubectl_spy.terms import Terms

_LONGEST = 1_000_000  # bytes of an answer
_MOST_NOTES = 20_000  # bytes on standard error
_AT_ONCE = 4  # processes
_PATIENCE = 2.0  # seconds for a process to end


@dataclass
class Answer:
    """What a command printed. *code* is None if it took too long.

    *said* are the lines of standard error, after the code of an error or "".
    """

    code: int | None = None
    text: str = ""
    said: list[tuple[str, str]] = field(default_factory=list)
    cut: bool = False  # whether it printed more


class Calls:
    """Starts commands in *directory*, which is empty: no word can name a file in it."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._environ = _environ(os.environ)
        self._turn = anyio.Semaphore(_AT_ONCE)
        self._running: set[Process] = set()

    async def run(self, words: Sequence[str], limit: float, terms: Terms) -> Answer:
        """Run our program with the arguments *words*, for at most *limit* seconds.

        Its messages use *terms*. If this is cancelled, the program is ended.
        """
        async with self._turn:
            process = await anyio.open_process(
                [*this_program(), "__tool", json.dumps(terms._asdict()), *words],
                stdin=DEVNULL,
                cwd=self._directory,
                env=self._environ,
            )
            self._running.add(process)
            try:
                return await _read(process, limit)
            finally:
                with anyio.CancelScope(shield=True):
                    await _stop(process)
                self._running.discard(process)

    def stop(self) -> None:
        """End all commands, without waiting for it."""
        for process in self._running:
            if process.returncode is None:
                process.terminate()


async def _read(process: Process, limit: float) -> Answer:
    answer = Answer()

    async def read_text() -> None:
        raw, answer.cut = await _start_of(process.stdout, _LONGEST)
        answer.text = raw.decode("utf-8", "replace")
        if answer.cut:
            group.cancel_scope.cancel()

    async def read_notes() -> None:
        raw, _ = await _start_of(process.stderr, _MOST_NOTES)
        answer.said = list(map(_message, raw.decode("utf-8", "replace").splitlines()))

    with anyio.move_on_after(limit):
        async with anyio.create_task_group() as group:
            group.start_soon(read_text)
            group.start_soon(read_notes)
        answer.code = 0 if answer.cut else await process.wait()
    return answer


def _message(line: str) -> tuple[str, str]:
    try:
        code, text = json.loads(line)
    except (TypeError, ValueError):  # of Python itself, or cut off
        return "", line
    return code, text


async def _start_of(stream: ByteReceiveStream | None, most: int) -> tuple[bytes, bool]:
    """Return at most *most* bytes of *stream*, and whether there are more."""
    read = b""
    assert stream is not None
    async for chunk in stream:
        read += chunk
        if len(read) > most:
            return read[:most], True
    return read, False


async def _stop(process: Process) -> None:
    if process.returncode is None:
        process.terminate()
        with anyio.move_on_after(_PATIENCE):
            await process.wait()
    if process.returncode is None:
        process.kill()
    await process.aclose()


def _environ(environ: Mapping[str, str]) -> dict[str, str]:
    """Return *environ* for another directory. Its paths may be relative."""
    changed = {"PYTHONUTF8": "1"}
    for name in ("KUBECONFIG", "KUBECTL_SPY_KNOWLEDGE"):
        paths = filter(None, environ.get(name, "").split(os.pathsep))
        absolute = os.pathsep.join(str(Path(each).absolute()) for each in paths)
        changed |= {name: absolute} if absolute else {}
    return {**environ, **changed}
