"""Run commands and take their time: to the end, to the first line, to a marker."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PATIENCE_SECONDS = 300.0
POLL_SECONDS = 0.002


class Failed(Exception):
    """A command ended early or did not come to its end; says what it wrote last."""


@dataclass(frozen=True, slots=True)
class Command:
    """What to run, where its kubeconfig and caches are, and where its output goes."""

    argv: Sequence[str]
    env: Mapping[str, str]
    directory: Path

    @property
    def stdout(self) -> Path:
        return self.directory / "stdout"

    @property
    def stderr(self) -> Path:
        return self.directory / "stderr"

    @contextmanager
    def running(self, stdout: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
        """Start the command, into a file unless *stdout* says otherwise; end it."""
        with self.stdout.open("wb") as out, self.stderr.open("wb") as err:
            process = subprocess.Popen(
                self.argv,
                stdin=subprocess.DEVNULL,
                stdout=out if stdout is None else stdout,
                stderr=err,
                env=dict(self.env),
                cwd=self.directory,
            )
            try:
                yield process
            finally:
                end(process)
                if process.stdout is not None:
                    process.stdout.close()

    def failed(self, what: str) -> Failed:
        """Return what to raise; the last line of stderr usually tells why."""
        lines = self.stderr.read_text(errors="replace").strip().splitlines()
        return Failed(f"{' '.join(self.argv)}: {what}: {lines[-1] if lines else ''}")


def end(process: subprocess.Popen[bytes]) -> None:
    """End *process* as Ctrl-C does, and for certain two seconds later."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def to_exit(command: Command) -> float:
    """Return the seconds *command* takes to exit with 0."""
    started = time.perf_counter()
    with command.running() as process:
        # To wait with a timeout is to look now and then: every 50 ms in the end.
        patience = threading.Timer(PATIENCE_SECONDS, process.kill)
        patience.daemon = True
        patience.start()
        code = process.wait()
        seconds = time.perf_counter() - started
        patience.cancel()
    if code != 0:
        raise command.failed(f"exit code {code}")
    return seconds


def to_first_line(command: Command) -> float:
    """Return the seconds until *command* has written the start of its first line."""
    started = time.perf_counter()
    with command.running(subprocess.PIPE) as process:
        assert process.stdout is not None
        if not process.stdout.read(1):
            raise command.failed("no output")
        return time.perf_counter() - started


def to_marker(command: Command, marker: str) -> float:
    """Return the seconds until *command* has written *marker*."""
    started = time.perf_counter()
    with command.running() as process:
        wait_for_marker(command, process, marker)
        return time.perf_counter() - started


def wait_for_marker(
    command: Command, process: subprocess.Popen[bytes], marker: str, times: int = 1
) -> None:
    """Wait until the output holds *marker* so many *times*."""
    sought, seen, rest = marker.encode(), 0, b""
    deadline = time.monotonic() + PATIENCE_SECONDS
    with command.stdout.open("rb") as output:
        while True:
            ended = process.poll() is not None
            text = rest + output.read()
            if len(text) > len(rest):
                seen += text.count(sought)
                if seen >= times:
                    return
                rest = text[max(0, len(text) - len(sought) + 1) :]
            elif ended:
                raise command.failed(f"ended with {process.returncode}")
            if time.monotonic() > deadline:
                raise command.failed(f"no {marker} in its output")
            time.sleep(POLL_SECONDS)


def count(path: Path, token: bytes) -> int:
    """Return how often *token* occurs in the file at *path*."""
    found, rest = 0, b""
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            text = rest + block
            found += text.count(token)
            rest = text[max(0, len(text) - len(token) + 1) :]
    return found


def peak_bytes(pid: int) -> int:
    """Return the most memory that process *pid* has had resident so far.

    Not getrusage: after a fork its maximum includes the parent's.
    """
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise Failed("no VmHWM in /proc; memory is measured on Linux only")


def cpu_seconds(pid: int) -> float:
    """Return the processor time process *pid* has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interleaved(
    candidates: Mapping[str, Callable[[], float]], runs: int
) -> dict[str, float | Failed]:
    """Return the median of *runs* rounds, in each of which every candidate runs once.

    The first round warms caches and is not counted. Who fails once is out.
    """
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    failures: dict[str, Failed] = {}
    for number in range(runs + 1):
        for name, run in candidates.items():
            if name in failures:
                continue
            try:
                taken = run()
            except Failed as failure:
                failures[name] = failure
            else:
                if number > 0:
                    seconds[name].append(taken)
    return {
        name: failures.get(name) or statistics.median(taken)
        for name, taken in seconds.items()
    }
