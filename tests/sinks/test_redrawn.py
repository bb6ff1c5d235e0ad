"""What is redrawn in tmux stays out of its history."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests import processes

pytestmark = pytest.mark.skipif(not shutil.which("tmux"), reason="there is no tmux")

PROGRAM = """
import os, sys, time
from pathlib import Path
from kubectl_spy.sinks.terminal import Redrawn

def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()

def draw(rows, columns):
    return [f"frame {number} of {columns}", *["a line"] * height]

height = int(sys.argv[1])
place = Redrawn(write, lambda: tuple(os.get_terminal_size()))
number = 0
while not Path(sys.argv[2]).exists():
    place.show(draw)
    number += 1
    time.sleep(0.02)
place.close()
time.sleep(600)
"""


@pytest.mark.parametrize("height", [0, 12])
def test_redraws_after_a_resize_leave_no_copies(tmp_path: Path, height: int) -> None:
    stop = tmp_path / "stop"
    words = (sys.executable, "-c", PROGRAM, str(height), str(stop))
    command = ("tmux", "-D", "-f", "/dev/null", "-S", str(tmp_path / "socket"))

    def tmux(*arguments: str) -> str:
        client = (*command[:1], *command[2:], *arguments)
        return str(processes.run(client, capture_output=True, text=True).stdout)

    def shows(text: str) -> bool:
        return text in tmux("capture-pane", "-p")

    def number() -> int:
        return int(
            tmux("capture-pane", "-p").partition("frame ")[2].partition(" ")[0] or 0
        )

    with processes.start(command) as server:
        try:
            processes.wait_until((tmp_path / "socket").exists)
            tmux("new-session", "-d", "-x", "120", "-y", "30", *words)
            processes.wait_until(lambda: shows("of 120"))
            tmux("resize-window", "-x", "121")
            processes.wait_until(lambda: shows("of 121"))
            enough = number() + 20
            processes.wait_until(lambda: number() > enough)
            stop.touch()
            left = tmux("capture-pane", "-p", "-S", "-")
        finally:
            server.kill()
    assert left.count("frame") == 1
