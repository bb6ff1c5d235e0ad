"""Start the command as a fork of a process that has imported it.

A fork has streams, signals, an environment and an exit code of its own, as any process
has. Only the start of the interpreter is left out, most of the time of a short run.
"""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import pkgutil
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import kubectl_spy
from tests import leash, processes

_LAZY = ("deepdiff", "jsonpath", "rich.live")
"""Libraries that the command imports only where it needs them."""
_EARLY = ("PYTHON", "LANG", "LC_", "OTEL_")
"""Beginnings of variables that are read when Python starts or a library is imported."""
_NUMBER = struct.Struct("q")
_STARTING = threading.Lock()


def suits(environ: Mapping[str, str] | None) -> bool:
    """Return whether a command can be a fork, with *environ* in its environment."""
    return sys.platform == "linux" and not any(
        name.startswith(_EARLY) for name in environ or ()
    )


def prepare() -> None:
    """Start the process that forks in this thread, with which it ends."""
    if suits(None):
        _server()


class Fork:
    """A process, with what the tests use of Popen."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        env: Mapping[str, str],
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
    ) -> None:
        self._status, status = os.pipe()
        theirs = [status, _opened(stdin, os.O_RDONLY)]
        self.stdout, self.stderr = (_piped(each, theirs) for each in (stdout, stderr))
        request = {"arguments": arguments, "env": dict(env), "cwd": str(Path.cwd())}
        with _STARTING:
            server = _server()
        socket.send_fds(server, [json.dumps(request).encode()], theirs)
        for each in theirs:
            if each not in (stdin, stdout, stderr):
                os.close(each)
        self.returncode: int | None = None
        self._polling = threading.Lock()
        number = self._number(processes.PATIENCE)
        assert number is not None, "no process was forked"
        self.pid = number

    def poll(self) -> int | None:
        """Return the exit code, or None while the process runs."""
        return self._ended(0)

    def wait(self, timeout: float = processes.PATIENCE) -> int:
        """Return the exit code once the process has ended."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("kubectl-spy", timeout)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process at once."""
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Fork:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        self.wait()
        os.close(self._status)

    def _ended(self, timeout: float) -> int | None:
        with self._polling:
            if self.returncode is None:
                self.returncode = self._number(timeout)
            return self.returncode

    def _number(self, timeout: float) -> int | None:
        if not select.select([self._status], [], [], timeout)[0]:
            return None
        number: int = _NUMBER.unpack(os.read(self._status, _NUMBER.size))[0]
        return number


def _opened(stream: int, mode: int) -> int:
    return os.open(os.devnull, mode) if stream == subprocess.DEVNULL else stream


def _piped(stream: int, theirs: list[int]) -> Any:
    """Append the end that the process writes to; return the end of a pipe to read."""
    if stream != subprocess.PIPE:
        theirs.append(_opened(stream, os.O_WRONLY))
        return None
    ours, end = os.pipe()
    theirs.append(end)
    return os.fdopen(ours, "rb", 0)


@functools.cache
def _server() -> socket.socket:
    """Return the way to the process that forks, which ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    root = str(Path(__file__).parents[1])
    with theirs:
        descriptor = theirs.fileno()
        process = processes.start(
            [sys.executable, "-m", "tests.forks", descriptor],
            cwd=root,
            env={**os.environ, "PYTHONPATH": root, "PYTHONUTF8": "1"},
            pass_fds=[descriptor],
        )

    def end() -> None:
        ours.close()
        process.wait(processes.PATIENCE)

    atexit.register(end)
    ours.settimeout(processes.PATIENCE)
    ours.recv(1)  # it has imported all
    ours.settimeout(None)
    return ours


def _serve(control: socket.socket) -> None:
    ours = pkgutil.walk_packages(kubectl_spy.__path__, "kubectl_spy.")
    for name in (*(module.name for module in ours), *_LAZY):
        import_module(name)
    gc.collect()
    gc.freeze()
    control.send(b"!")
    running: dict[int, int] = {}
    # A signal that comes just before a system call does not end it: a pipe does.
    ended, ending = os.pipe()
    os.set_blocking(ending, False)
    signal.set_wakeup_fd(ending, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    parent = os.getpid()
    while True:
        ready: list[Any] = select.select([control.fileno(), ended], [], [])[0]
        if ended in ready:
            os.read(ended, 4096)
            _reap(running)
        if control.fileno() not in ready:
            continue
        request, descriptors, _, _ = socket.recv_fds(control, 1 << 20, 4)
        if not request:
            return
        pid = os.fork()
        if not pid:
            _become(parent, descriptors[1:], **json.loads(request))
        running[pid], *streams = descriptors
        for each in streams:
            os.close(each)
        os.write(running[pid], _NUMBER.pack(pid))


def _reap(running: dict[int, int]) -> None:
    """Tell the exit codes of the processes that have ended."""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            with suppress(BrokenPipeError), os.fdopen(running.pop(pid), "wb") as to:
                to.write(_NUMBER.pack(os.waitstatus_to_exitcode(status)))


def _become(
    parent: int,
    streams: list[int],
    *,
    arguments: list[str],
    env: dict[str, str],
    cwd: str,
) -> None:
    """Be `python -m kubectl_spy` with *arguments*, to the end of the process."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, 1024)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    leash.tie(parent)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    os.chdir(cwd)
    # The streams of Python's UTF-8 mode: https://peps.python.org/pep-0540/
    sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape")
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape")
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace")
    from kubectl_spy import __main__ as program

    sys.argv = [program.__file__, *arguments]
    code: Any = 1
    try:
        program.main()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    # As the interpreter ends, but for freeing each object.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        code = 120
    os._exit(code)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
