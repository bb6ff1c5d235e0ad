"""Whatever ends a recorder, what it had written is there, whole, and can be read."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.recording.recording import Recording
from tests import processes
from tests.cli.changing import config_map, writing
from tests.cli.command import LOOK, PATIENCE, Spy
from tests.extras.serve.api_server.server import Serve
from tests.processes import wait_until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")

KILLED = 60


def ended_recorders(spy: Spy, files: list[Path], number: int, *more: str) -> list[int]:
    """End a recorder for each of *files*, at some moment; return their exit codes."""
    chance = random.Random(number)
    sizes = [max(0, chance.randrange(-10_000, 60_000)) for _ in files]
    delays = [chance.uniform(0, 0.02) for _ in files]

    def run(file: Path, size: int, delay: float) -> int:
        with spy.start("record", "cm", "-f", str(file), *more) as process:
            wait_until(lambda: written(file) >= size or process.poll() is not None)
            time.sleep(delay)
            process.send_signal(number)
            return process.wait(PATIENCE)

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(run, files, sizes, delays))


def written(file: Path) -> int:
    """Return how many bytes a recording and its segments have; -1 without a file."""
    if not file.exists():
        return -1
    try:
        return sum(each.stat().st_size for each in file.parent.glob(f"{file.name}*"))
    except FileNotFoundError:  # it was renamed just now
        return -1


def check_whole(path: Path) -> tuple[int, bool]:
    """Check that *path* reads to its last whole line, every patch applying.

    Return how many changes it holds, and whether its last line is torn.
    """
    recording = Recording(str(path))
    changes = sum(
        isinstance(item, ChangeRecord) and item.type.value == "MODIFIED"
        for item in recording
    )
    torn = [damage for damage in recording.damages if damage.torn]
    assert recording.damages == torn
    raw = path.read_bytes()
    assert recording.lines == raw.count(b"\n")
    assert bool(torn) == (not raw.endswith(b"\n"))
    return changes, bool(torn)


def test_a_killed_recorder_loses_one_line_at_most(spy: Spy, serve: Serve) -> None:
    server = serve()
    spy.run("changes", "cm", *LOOK.split())  # leaves a discovery cache
    files = [spy.home / f"{number}.spy" for number in range(KILLED)]
    with writing(server, objects=3, size=4000, pause=0.002):
        codes = ended_recorders(spy, files, signal.SIGKILL)
    assert codes == [-signal.SIGKILL] * KILLED
    held = [path for path in files if b"\n" in path.read_bytes()]
    changes = [check_whole(path)[0] for path in held]
    assert sum(count > 3 for count in changes) > KILLED // 4
    for path in set(files) - set(held):  # killed before the first line was whole
        with pytest.raises(SpyError, match="no recording"):
            Recording(str(path))
    ended = spy.run("ls", "--verify", str(held[-1]))
    assert ended.code == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_recording_with_an_end_line(
    spy: Spy, serve: Serve, number: int
) -> None:
    server = serve()
    spy.run("changes", "cm", *LOOK.split())
    files = [spy.home / f"{index}.spy" for index in range(24)]
    with writing(server, objects=3, size=4000, pause=0.002):
        codes = ended_recorders(spy, files, number)
    before = 128 + number  # the signal came before the first line
    assert codes == [0 if path.read_bytes() else before for path in files]
    reason = "interrupted" if number == signal.SIGINT else "terminated"
    begun = ended = 0
    for path in files:
        raw = path.read_bytes()
        if not raw:
            continue
        begun += 1
        assert not check_whole(path)[1]
        lines = [decode(line) for line in raw.splitlines(keepends=True)]
        assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
        ended += lines[-1].get("reason") == reason
    assert ended == begun > len(files) // 4


def test_a_killed_rotation_is_readable(spy: Spy, serve: Serve) -> None:
    server = serve()
    spy.run("changes", "cm", *LOOK.split())
    files = [spy.home / f"{number}.spy" for number in range(40)]
    with writing(server, objects=3, size=4000, pause=0.002):
        ended_recorders(spy, files, signal.SIGKILL, "--max-size", "20k")
    segments = 0
    for path in files:
        closed = list(spy.home.glob(f"{path.name}.*"))
        if not closed and b"\n" not in path.read_bytes():
            continue  # killed before its first line
        segments += len(closed)
        recording = Recording(str(path))
        assert all(isinstance(item, object) for item in recording)
        assert [damage for damage in recording.damages if not damage.torn] == []
    assert segments > 0


@pytest.mark.parametrize("limit", [3_000, 10_000, 25_000])
def test_a_full_file_ends_the_recording_with_an_error(
    spy: Spy, serve: Serve, limit: int
) -> None:
    server = serve()
    file = spy.home / "file.spy"
    with (
        writing(server, objects=3, size=4000, pause=0.002),
        processes.start(
            [*spy.command, "record", "cm", "-f", str(file)],
            env=spy.environ,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit,) * 2),
        ) as process,
    ):
        _, talk = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    errors = [line for line in talk.decode().splitlines() if "error" in line]
    assert len(errors) == 1 and errors[0].startswith(f"error: cannot write to {file}: ")
    assert "Traceback" not in talk.decode()
    assert not check_whole(file)[1]
    assert file.stat().st_size <= limit


def test_two_recorders_do_not_write_to_one_file(spy: Spy, serve: Serve) -> None:
    server = serve()
    server.put(config_map(1))
    file = spy.home / "file.spy"
    with spy.running("record", "cm", "-f", str(file)) as running:
        server.wait_for_watches(1, PATIENCE)
        second = spy.run("record", "cm", "-f", str(file))
        assert (second.code, second.out) == (2, "")
        assert "exists; choose another name" in second.err
        third = spy.run("record", "cm", "-f", str(file), "--append")
        assert (third.code, third.out) == (1, "")
        assert third.err.endswith(
            f"error: {file} is being recorded to by another process; "
            "choose another name\n"
        )
        server.put(config_map(2))
        wait_until(lambda: b'"MODIFIED"' in file.read_bytes())
        assert running.end().code == 0
    assert check_whole(file) == (1, False)
