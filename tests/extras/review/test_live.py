"""A live review: it follows what is recorded meanwhile, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from tests import processes
from tests.builders import config_map, pod
from tests.cli.command import Spy
from tests.extras.serve.api_server.server import Serve

screens = pytest.importorskip("tests.cli.screen", reason="terminals are POSIX's")

LIVE = ("review", "pods", "-A")


@pytest.fixture
def temporary(spy: Spy) -> Path:
    """Where the command puts its temporary files."""
    place = spy.home / "tmp"
    place.mkdir()
    spy.environ["TMPDIR"] = str(place)
    return place


def recorders(place: Path) -> list[int]:
    """Return the processes that have a file below *place* on their command line."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(place).encode() in each.read_bytes():
                found.append(int(each.parent.name))
        except OSError:
            continue
    return found


def test_it_follows_until_the_clock_is_moved(
    spy: Spy, serve: Serve, temporary: Path
) -> None:
    server = serve()
    server.put(pod("web", phase="Pending"))
    with screens.on_a_terminal(spy, *LIVE) as (screen, process):
        screen.wait_for_text("● live  pods")
        screen.wait_for_text("pod/web")
        server.put(pod("web", phase="Running"))
        screen.wait_for_text('"Running"')
        screen.type("p")
        screen.wait_for_text("● recording (G: live)")
        server.put(pod("other", phase="Pending"))
        server.put(pod("web", phase="Failed"))
        screen.wait_for_text("pod/other")
        assert not any('"Failed"' in line for line in screen.lines)
        screen.type("G")
        screen.wait_for_text("● live")
        screen.wait_for_text('"Failed"')
        [held] = temporary.rglob("live.spy")
        assert held.stat().st_mode & 0o777 == 0o600
        screen.type("q")
        assert process.wait(processes.PATIENCE) == 0
    assert not list(temporary.iterdir())
    assert not recorders(temporary)


def test_without_a_target_it_follows_everything_of_the_namespace(
    spy: Spy, serve: Serve, temporary: Path
) -> None:
    server = serve(namespace="shop")
    server.put(pod("web"))
    server.put(config_map("settings"))
    with screens.on_a_terminal(spy, "review") as (screen, process):
        screen.wait_for_text("● live  everything")
        screen.wait_for_text("pod/web")
        screen.wait_for_text("configmap/settings")
        screen.type("q")
        assert process.wait(processes.PATIENCE) == 0
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("keys", ["", "p", "/pod"])
def test_ctrl_z_stops_the_screen_and_not_the_recorder(
    spy: Spy, serve: Serve, temporary: Path, keys: str
) -> None:
    server = serve()
    server.put(pod("web", phase="Pending"))
    with screens.on_a_terminal(spy, *LIVE, columns=80, rows=24) as (screen, process):
        cooked = screen.modes
        screen.wait_for_text("● live  pods")
        screen.wait_for_text("pod/web")
        server.put(pod("web", phase="Running"))
        screen.wait_for_text('"Running"')
        screen.type(f"{keys}\x1a")
        processes.wait_until(lambda: screens.is_stopped(process.pid))
        screen.wait_for(lambda it: it.raw.count(screens.LEFT) == 1)
        assert screen.modes == cooked
        [held] = temporary.rglob("live.spy")
        server.put(pod("meanwhile"))
        processes.wait_until(lambda: b'"meanwhile"' in held.read_bytes())
        assert b"meanwhile" not in screen.raw
        process.send_signal(signal.SIGCONT)
        screen.wait_for(lambda it: it.raw.count(screens.ENTERED) == 2)
        screen.wait_for_text("pod/meanwhile")
        screen.wait_for_text("● recording (G: live)" if keys == "p" else "● live")
        screen.type("\x03")
        assert process.wait(processes.PATIENCE) == 0
        assert screen.modes == cooked
    assert not list(temporary.iterdir())
    assert not recorders(temporary)


def test_a_live_review_that_is_stopped_ends_with_its_terminal(
    spy: Spy, serve: Serve, temporary: Path
) -> None:
    serve().put(pod("web"))
    with screens.on_a_terminal(spy, *LIVE) as (screen, process):
        screen.wait_for_text("● live")
        screen.type("\x1a")
        processes.wait_until(lambda: screens.is_stopped(process.pid))
        screen.hang_up()
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGCONT)
        assert process.wait(processes.PATIENCE) == 128 + signal.SIGHUP
    processes.wait_until(lambda: not recorders(temporary))
    assert not list(temporary.rglob("live.spy"))


def test_it_says_that_nothing_is_watched(
    spy: Spy, serve: Serve, temporary: Path
) -> None:
    server = serve()
    server.put(pod("web"))
    with screens.on_a_terminal(spy, *LIVE) as (screen, process):
        screen.wait_for_text("● live")
        server.refuse("/api/v1", 503)
        server.drop_watches()
        screen.wait_for_text("✗ not watched since")
        server.admit()
        screen.wait_for_text("● live")
        [recorder] = recorders(temporary)
        os.kill(recorder, signal.SIGKILL)
        screen.wait_for_text("its recorder was killed")
        screen.type(2 * "\x1b[B" + 2 * "\x1b[A")
        screen.wait_for_text("✗ no longer recorded")
        screen.type("q")
        assert process.wait(processes.PATIENCE) == 0


def test_a_review_that_is_killed_leaves_no_recorder(
    spy: Spy, serve: Serve, temporary: Path
) -> None:
    serve().put(pod("web"))
    with screens.on_a_terminal(spy, *LIVE) as (screen, process):
        screen.wait_for_text("pod/web")
        [held] = temporary.rglob("live.spy")
        assert recorders(temporary)
        process.kill()
        processes.wait_until(lambda: not recorders(temporary))
        assert not held.exists() and not list(temporary.iterdir())


def test_it_says_what_it_waits_for(spy: Spy, serve: Serve, temporary: Path) -> None:
    server = serve()
    words = ("review", "pod/web", "-n", "shop")
    with screens.on_a_terminal(spy, *words, columns=160) as (screen, process):
        screen.wait_for_text("pod/web is not there yet in namespace shop")
        assert not any("1970" in line for line in screen.lines)
        server.put(pod("web"))
        screen.wait_for_text("ADDED")
        screen.type("q")
        assert process.wait(processes.PATIENCE) == 0


def test_record_keeps_it(spy: Spy, serve: Serve, tmp_path: Path) -> None:
    server, file = serve(), tmp_path / "kept.spy"
    server.put(pod("web", phase="Pending"))
    kept = ("--record", str(file))
    with screens.on_a_terminal(spy, *LIVE, *kept) as (screen, process):
        screen.wait_for_text("● live  kept.spy")
        screen.wait_for_text("pod/web")
        screen.type("q")
        assert process.wait(processes.PATIENCE) == 0
    assert spy.run("ls", "--verify", str(file)).code == 0
    with screens.on_a_terminal(spy, *LIVE, *kept) as (screen, process):
        assert process.wait(processes.PATIENCE) == 1
        screen.wait_for_text("is there already")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("review", "nosuch.spy"), "cannot read nosuch.spy"),
        (("review", "pods", "--until", "10:00"), "--until is for a recording"),
        (("review", "a.spy", "-A"), "--all-namespaces is for a live review"),
        (("review", "a.spy", "--until=10:00"), "--until chooses what to read"),
        (("review", "nosuch"), "nosuch"),
        (("review", "pods", "--owned", "--as"), "--as"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    spy: Spy, serve: Serve, words: tuple[str, ...], said: str
) -> None:
    serve()
    with screens.on_a_terminal(spy, *words, columns=160) as (screen, process):
        assert process.wait(processes.PATIENCE) in (1, 2)
        screen.wait_for_end()
        shown = " ".join(" ".join(screen.all).split())
    assert re.search(rf"error: .*{re.escape(said)}", shown), shown
    assert "Traceback" not in shown
