"""Run the command as a person does: a process of its own, its two streams apart.

On Linux it is a fork of a process that has imported it (`tests/forks.py`), unless
SPY_COMMAND names another program, or a test another command or how Python starts.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import kubectl_spy
from tests import forks, processes

PATIENCE = processes.PATIENCE
PROMPT = 0.7
"""Seconds within which Ctrl-C ends the command: 0.2 and a slow machine."""
BRIEF = 5.0
"""Seconds of a whole run that waits for nothing: most of it is the start."""
LOOK = "--for delete --timeout 0"
"""Flags that end a command that follows what stays, once it has printed it."""
MODULE = (sys.executable, "-m", "kubectl_spy")
COMMAND = tuple(shlex.split(os.environ.get("SPY_COMMAND", ""))) or MODULE
"""What is tested: the checkout, or what SPY_COMMAND names, such as a krew archive's."""
Process = subprocess.Popen[bytes] | forks.Fork


@dataclass(frozen=True)
class Ended:
    """What a process left behind. *took* is from the signal, or the start, to the end.

    It is by a clock that stands still while programs wait for a CPU.
    The streams are bytes: what matters of them is what a terminal would get.
    """

    code: int
    stdout: bytes
    stderr: bytes
    took: float

    @property
    def out(self) -> str:
        return self.stdout.decode()

    @property
    def records(self) -> list[Any]:
        """The lines of JSON on standard output."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def err(self) -> str:
        return self.stderr.decode()


class Running:
    """A process under way. With *read*, its streams are read as they come."""

    def __init__(self, process: Process, *, read: bool = True) -> None:
        self.process = process
        self.stdout = b""
        self.stderr = b""
        self._arrived = threading.Condition()
        self.mark()
        self._readers = [
            threading.Thread(target=self._read, args=(name,), daemon=True)
            for name in ("stdout", "stderr")
            if read and getattr(process, name) is not None
        ]
        for reader in self._readers:
            reader.start()

    def wait_until(self, ready: Callable[[Running], bool]) -> None:
        """Wait until what was printed so far is enough for *ready*."""
        with self._arrived:
            came = self._arrived.wait_for(lambda: ready(self), PATIENCE)
        assert came, (self.stdout[-2000:].decode(), self.stderr[-2000:].decode())

    def wait_for_lines(self, count: int) -> None:
        """Wait until standard output has *count* lines."""
        self.wait_until(lambda running: running.stdout.count(b"\n") >= count)

    def wait_for_talk(self, text: str) -> None:
        """Wait until standard error says *text*."""
        self.wait_until(lambda running: text.encode() in running.stderr)

    def mark(self) -> None:
        """Count from now on how long it takes."""
        self._since = processes.clock()

    def end(self, number: int = signal.SIGINT) -> Ended:
        """Send a signal, and return how the process ended."""
        self.mark()
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> Ended:
        """Wait for the end."""
        processes.wait_until(
            lambda: self.process.poll() is not None,
            lambda: (self.stdout[-2000:].decode(), self.stderr[-2000:].decode()),
        )
        code = self.process.wait()
        took = processes.clock() - self._since
        for reader in self._readers:
            reader.join(PATIENCE)
        return Ended(code, self.stdout, self.stderr, took)

    def _read(self, name: str) -> None:
        stream: IO[bytes] = getattr(self.process, name)
        while chunk := os.read(stream.fileno(), 1 << 16):
            with self._arrived:
                setattr(self, name, getattr(self, name) + chunk)
                self._arrived.notify_all()
        with self._arrived:
            self._arrived.notify_all()


class Spy:
    """The command in a home of its own, with that home's kubeconfig if there is one."""

    def __init__(self, home: Path, command: tuple[str, ...] = COMMAND) -> None:
        self.home = home
        self.kubeconfig = home / "config"
        self.command = command
        size = ("COLUMNS", "LINES")  # of this terminal; pytest-xdist has them set
        ours = ("KUBE", "NO_COLOR", "TERM", *size, "http_proxy", "https_proxy")
        self.environ = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith((*ours, "HTTP_PROXY", "HTTPS_PROXY"))
        }
        self.environ |= {
            "HOME": str(home),
            "KUBECONFIG": str(self.kubeconfig),
            "PYTHONPATH": str(Path(kubectl_spy.__file__).parents[1]),
            "PYTHONUTF8": "1",
            "TERM": "xterm",
            "TZ": "UTC",
        }

    def run(
        self, *arguments: str, environ: Mapping[str, str] | None = None, **streams: int
    ) -> Ended:
        """Run the command to its end."""
        with self.running(*arguments, environ=environ, **streams) as running:
            return running.ended()

    def run_in_time(
        self, *arguments: str, done: Callable[[Ended], object], first: float = 1.0
    ) -> Ended:
        """Run the command with a --timeout in which it gets *done*.

        That is *first* seconds, or more on a slow machine.
        """
        for seconds in processes.limits(first):
            ended = self.run(*arguments, "--timeout", f"{seconds * 1000:.0f}ms")
            if done(ended):
                break
        return ended

    def printed(self, *arguments: str) -> list[Any]:
        """Return the lines of JSON that a command prints, which ends well."""
        ended = self.run(*arguments, "-o", "json")
        assert ended.code == 0, ended.err
        return ended.records

    def run_all(self, *commands: str) -> list[Ended]:
        """Run several commands, given as a shell has them, side by side."""
        forks.prepare()
        with ThreadPoolExecutor(3) as pool:
            return list(pool.map(lambda line: self.run(*shlex.split(line)), commands))

    def start(
        self,
        *arguments: str,
        environ: Mapping[str, str] | None = None,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
    ) -> Process:
        """Start the command on streams of one's own."""
        env = {**self.environ, **(environ or {})}
        if self.command == MODULE and forks.suits(environ):
            return forks.Fork(
                arguments, env=env, stdin=stdin, stdout=stdout, stderr=stderr
            )
        return processes.start(
            [*self.command, *arguments],
            env=env,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
        )

    @contextmanager
    def running(
        self, *arguments: str, environ: Mapping[str, str] | None = None, **streams: int
    ) -> Iterator[Running]:
        """Start the command; kill it at the end of the block if it still runs."""
        with self.start(*arguments, environ=environ, **streams) as process:
            running = Running(process)
            try:
                yield running
            finally:
                process.kill()
                running.ended()


def wait_for_file(path: Path, text: bytes) -> None:
    """Wait until a recorder has written *text*."""
    processes.wait_until(lambda: path.exists() and text in path.read_bytes())


def wait_for_lists(path: Path) -> None:
    """Wait until a recorder has written all first lists."""

    def listed() -> bool:
        held = path.read_text() if path.exists() else ""
        return held.count('"type":"LISTED"') == held.count('"type":"STREAM"') > 0

    processes.wait_until(listed)
