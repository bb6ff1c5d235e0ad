"""`review` in a real terminal: stopped and continued, and in other sizes."""

from __future__ import annotations

import signal
import termios
from collections.abc import Callable
from pathlib import Path

import pytest

from kubectl_spy.extras.review.keys import KEYS
from tests import processes
from tests.cli import screen as screens
from tests.cli.command import Spy


def _has(rows: int) -> Callable[[screens.Screen], bool]:
    return lambda screen: len(screen.lines) == rows


def test_all_keys_are_on_one_page(rollout: Path, spy: Spy) -> None:
    with screens.on_a_terminal(spy, "review", str(rollout), columns=80, rows=24) as (
        screen,
        process,
    ):
        screen.wait_for_text("83 objects")
        screen.type("?")
        screen.wait_for_text("▲ clock")
        shown = [*filter(None, map(str.strip, screen.lines))]
        explained = [each for each in KEYS if each.shown]
        assert shown[: len(explained)] == [
            f"{each.shown:6} {each.meaning}" for each in explained
        ]
        screen.type("\x03")
        assert process.wait(processes.PATIENCE) == 0


def test_there_are_at_most_25_keys() -> None:
    """The arrows and the keys of pages count as one, and so does Tab with Shift."""
    moves = {"up", "pagedown", "pageup", "home", "end", "shift+tab"}
    of_the_terminal = {"ctrl+z", "ctrl+c"}
    keys = {key for each in KEYS for key in each.keys.split(",")}
    assert len(keys - moves - of_the_terminal) <= 25


@pytest.mark.parametrize("keys", ["", "/pod", "?", "t"])
def test_ctrl_z_gives_the_terminal_back_until_it_goes_on(
    rollout: Path, spy: Spy, keys: str
) -> None:
    with screens.on_a_terminal(spy, "review", str(rollout), columns=80, rows=24) as (
        screen,
        process,
    ):
        cooked = screen.modes
        screen.wait_for_text("83 objects")
        screen.type(keys)
        assert not screen.modes & termios.ICANON
        screen.type("\x1a")
        processes.wait_until(
            lambda: screens.is_stopped(process.pid), lambda: str(screen.lines)
        )
        screen.wait_for(lambda it: it.raw.count(screens.LEFT) == 1)
        assert screen.modes == cooked and cooked & termios.ICANON
        screen.resize(100, 20)  # while it cannot see it
        process.send_signal(signal.SIGCONT)
        screen.wait_for(
            lambda it: it.raw.count(screens.ENTERED) == 2 and len(it.lines) == 20
        )
        screen.wait_for_text("previous failure" if keys == "?" else "rollout.spy")
        screen.type("\x03")
        assert process.wait(processes.PATIENCE) == 0
        screen.wait_for(lambda it: it.raw.count(screens.LEFT) == 2)
        assert screen.modes == cooked


def test_after_ctrl_z_everything_is_drawn_again(rollout: Path, spy: Spy) -> None:
    with screens.on_a_terminal(spy, "review", str(rollout), columns=80, rows=24) as (
        screen,
        process,
    ):
        screen.wait_for_text("deployment/nginx")
        screen.type("\x1a")
        processes.wait_until(lambda: screens.is_stopped(process.pid))
        process.send_signal(signal.SIGCONT)
        screen.wait_for(lambda it: it.raw.count(screens.ENTERED) == 2)
        screen.wait_for(
            lambda it: b"deployment/nginx" in it.raw.rpartition(screens.ENTERED)[2]
        )
        screen.type("q")
        assert process.wait(processes.PATIENCE) == 0


@pytest.mark.parametrize("keys", ["", "\x1a", "]]]]"])
def test_it_ends_with_its_terminal(rollout: Path, spy: Spy, keys: str) -> None:
    with screens.on_a_terminal(spy, "review", str(rollout)) as (screen, process):
        screen.wait_for_text("rollout.spy")
        screen.type(keys)
        if keys == "\x1a":
            processes.wait_until(lambda: screens.is_stopped(process.pid))
        screen.hang_up()
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGCONT)
        assert process.wait(processes.PATIENCE) == 128 + signal.SIGHUP


@pytest.mark.parametrize("keys", ["\r\r", "t", "d"])
def test_it_is_drawn_anew_in_every_size(rollout: Path, spy: Spy, keys: str) -> None:
    sizes = [(80, 24), (40, 8), (200, 60), (20, 4), (160, 50), (1, 1), (80, 24)]
    with screens.on_a_terminal(spy, "review", str(rollout), columns=80, rows=24) as (
        screen,
        process,
    ):
        screen.wait_for_text("83 objects")
        screen.type(keys)
        for columns, rows in sizes:
            screen.resize(columns, rows)
            process.send_signal(signal.SIGWINCH)  # as a terminal of its own sends it
            if columns >= 40:
                screen.wait_for(_has(rows))
        screen.wait_for_text("rollout.spy")
        screen.type("\x03")
        assert process.wait(processes.PATIENCE) == 0
    assert b"Traceback" not in screen.raw


def test_a_dumb_terminal_is_no_place_for_a_review(rollout: Path, spy: Spy) -> None:
    for what in (str(rollout), "pods"):
        with screens.on_a_terminal(
            spy, "review", what, columns=160, environ={"TERM": "dumb"}
        ) as (screen, process):
            screen.wait_for_text("error: review needs a terminal that can move")
            assert process.wait(processes.PATIENCE) == 1
            assert "use kubectl spy changes" in screen.lines[0]
            assert screen.raw.count(b"\n") == 1 and b"\x1b" not in screen.raw
