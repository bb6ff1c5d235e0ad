"""The tree on a terminal: drawn in place, folded to fit, left behind at the end."""

from __future__ import annotations

import re
import signal
import sys
from typing import Any

import pytest

from tests.builders import replica, replica_set
from tests.cli.command import PATIENCE, Spy
from tests.cli.test_hostile import OUR_COLOURS
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.recordings import record_stream

screens = pytest.importorskip("tests.cli.screen", reason="terminals are POSIX's")


def filled(server: ApiServer, pods: int, unready: int = 0) -> None:
    server.put(replica_set(pods, pods - unready))
    for number in range(pods):
        server.put(replica(number, number >= unready))


def failing(number: int) -> dict[str, Any]:
    """Return a Pod that fails in its own way."""
    broken = replica(number, False)
    waiting = {
        "reason": "CreateContainerConfigError",
        "message": f'configmap "config-{number}" not found',
    }
    broken["status"]["containerStatuses"][0]["state"] = {"waiting": waiting}
    return broken


def test_the_tree_is_drawn_in_place_and_left_behind(spy: Spy, serve: Serve) -> None:
    server = serve()
    filled(server, 2)
    with screens.on_a_terminal(spy, "trace", "rs/web") as (screen, process):
        screen.wait_for_text("pod/web-01")
        server.put(replica(2, False))
        screen.wait_for_text("pod/web-02")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        screen.wait_for(lambda it: it.raw.endswith(b"\x1b[?25h"))
    shown = screen.all
    assert shown[0].startswith("watching replicaset.apps/web")
    for number in range(3):
        (line,) = [line for line in shown if f"pod/web-0{number}" in line]
        assert line.lstrip("│├└─ ").startswith(("✓", "…", "✗", "?"))


def test_a_tree_is_folded_to_the_height(spy: Spy, serve: Serve) -> None:
    server = serve()
    filled(server, 40, unready=2)
    words = ("trace", "rs/web", "--full")
    with screens.on_a_terminal(spy, *words, rows=12) as (screen, _):
        screen.wait_for_text("38 more, all as they should be")
        assert [line for line in screen.lines if "pod/web-00" in line]
        assert not [line for line in screen.lines if "pod/web-39" in line]
        # However often it is drawn, nothing of it scrolls away.
        for number in range(5):
            server.put(replica(number, number % 2 == 0))
            screen.wait_for_text("more, all as they should be")
        assert (
            len([line for line in screen.all if "replicaset.apps/web  " in line]) == 1
        )
        assert folded(screen)


def folded(screen: Any) -> int:
    found = re.search(r"(\d+) rows folded", "\n".join(screen.lines))
    return int(found[1]) if found else 0


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (200, 50)])
@pytest.mark.parametrize("end", ["ctrl-c", "--for"])
def test_the_last_frame_is_left_and_no_more(
    spy: Spy, serve: Serve, columns: int, rows: int, end: str
) -> None:
    server = serve()
    server.put(replica_set(60, 0))
    for number in range(60):
        server.put(failing(number))
    awaited = ["--for", "condition=Done"] if end == "--for" else []
    with screens.on_a_terminal(
        spy, "trace", "rs/web", *awaited, columns=columns, rows=rows
    ) as (screen, process):
        screen.wait_for_text("rows folded")
        before = folded(screen)
        server.put(failing(60))
        screen.wait_for(lambda it: folded(it) > before)
        if end == "ctrl-c":
            process.send_signal(signal.SIGINT)
        else:
            done = replica_set(60, 0)
            done["status"]["conditions"] = [{"type": "Done", "status": "True"}]
            server.put(done)
        assert process.wait(PATIENCE) == (130 if end == "ctrl-c" else 0)
        screen.wait_for(lambda it: it.raw.endswith(b"\x1b[?25h"))
    left = screen.all
    (begun,) = (n for n, line in enumerate(left) if "replicaset.apps/web  " in line)
    (note,) = (n for n, line in enumerate(left) if "rows folded" in line)
    assert re.match(
        r"\d+ rows folded, \d+ of what fails; --once --full shows", left[note]
    )
    assert note - begun == rows - 2
    assert [line for line in left[note + 1 :] if line] == []
    assert screen.cursor == (0, min(note + 1, rows - 1))


INTERRUPTED = """
import os, signal, sys
from kubectl_spy.__main__ import main

made = 0
def count(frame, event, function):
    global made
    if event == "return" and frame.f_code.co_name == "entry_of":
        made += 1
        if made == int(os.environ["STEP"]):
            os.kill(os.getpid(), signal.SIGINT)
sys.setprofile(count)
main()
"""
"""Ctrl-C comes where an object is forgotten as it was, and not yet known as it is."""


@pytest.mark.parametrize("pods", [2, 3])
def test_ctrl_c_leaves_out_nothing(spy: Spy, serve: Serve, pods: int) -> None:
    server = serve()
    filled(server, pods)
    spy.command = (sys.executable, "-c", INTERRUPTED)
    step = {"STEP": str(pods + 2)}  # each was seen once before
    with screens.on_a_terminal(spy, "trace", "rs/web", environ=step) as (screen, it):
        screen.wait_for_text(f"pod/web-0{pods - 1}")
        server.put(replica(0, False))
        assert it.wait(PATIENCE) == 130
        screen.wait_for(lambda it: it.raw.endswith(b"\x1b[?25h"))
    left = "\n".join(screen.all)
    assert [n for n in range(pods) if f"pod/web-{n:02}" not in left] == [], left


def test_another_size_is_another_drawing(spy: Spy, serve: Serve) -> None:
    server = serve()
    filled(server, 20, unready=1)
    words = ("trace", "rs/web", "--full")
    with screens.on_a_terminal(spy, *words, rows=40) as (screen, _):
        screen.wait_for_text("pod/web-19")
        screen.resize(60, 10)
        screen.wait_for_text("19 more, all as they should be")
        assert len(screen.lines) <= 10
        assert all(len(line) <= 60 for line in screen.lines)
        screen.resize(120, 45)
        screen.wait_for_text("pod/web-19")


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}])
def test_dumb_terminals_get_lines(
    spy: Spy, serve: Serve, environ: dict[str, str]
) -> None:
    server = serve()
    filled(server, 1)
    with screens.on_a_terminal(spy, "trace", "rs/web", environ=environ) as (screen, _):
        screen.wait_for_text("Available  1 of 1 ready")
        assert b"\x1b" not in screen.raw


def test_messages_stand_above_the_tree(spy: Spy, serve: Serve) -> None:
    server = serve()
    filled(server, 1)
    with screens.on_a_terminal(spy, "trace", "rs/web") as (screen, _):
        screen.wait_for_text("pod/web-00")
        server.refuse("/apis/apps", 503, watches=True)
        server.drop_watches()
        screen.wait_for_text("trying again")
        text = "\n".join(screen.lines)
        assert text.index("trying again") < text.index("pod/web-00")


def test_hostile_names_move_no_cursor(spy: Spy, serve: Serve) -> None:
    server = serve()
    hostile = replica_set(1, 0)
    hostile["status"]["conditions"] = [
        {
            "type": "ReplicaFailure",
            "status": "True",
            "reason": "Failed\x1b[2J",
            "message": "\x1b]0;owned\x07\u202eevil [bold]markup[/bold] :smile:",
        }
    ]
    server.put(hostile)
    with screens.on_a_terminal(spy, "trace", "rs/web") as (screen, _):
        screen.wait_for_text("replicaset.apps/web")
        assert b"\x1b[2J" not in screen.raw
        assert b"\x1b]0;" not in screen.raw


@pytest.mark.parametrize("recorded", [False, True])
def test_a_tree_that_is_printed_fits_the_terminal(
    spy: Spy, serve: Serve, recorded: bool
) -> None:
    server = serve()
    server.put(replica_set(1, 0))
    server.put(failing(0))
    source = ["--once"]
    if recorded:
        source = ["--from", str(spy.home / "web.spy")]
        spy.run("trace", "rs/web", "--once", "--record", source[1])
    with screens.on_a_terminal(spy, "trace", "rs/web", *source, columns=40) as (
        screen,
        process,
    ):
        assert process.wait(PATIENCE) in (0, 1)
        screen.wait_for_text("└─")
    printed = OUR_COLOURS.sub("", screen.raw.decode()).split("\r\n")
    (begun,) = (n for n, each in enumerate(printed) if each.startswith("✗ replica"))
    tree = printed[begun:]
    assert max(map(len, tree)) <= 40, tree
    told = " ".join(" ".join(tree).replace("│", "").split())
    assert "create ConfigMap config-0 in namespace" in told


def test_the_last_frame_is_what_is_printed_and_its_commands_can_be_copied(
    spy: Spy, serve: Serve
) -> None:
    serve("workloads")
    words = ("trace", "job/failing", "-n", "workloads")
    left = []
    for once in ([], [], ["--once"]):  # the first one sees it happen
        with screens.on_a_terminal(spy, *words, *once, columns=50) as (screen, it):
            assert it.wait(PATIENCE) == (0 if once else 1)
            screen.wait_for_end()
        shown = "\n".join(screen.all).partition("\nerror: ")[0].splitlines()
        left.append(shown[max(n for n, line in enumerate(shown) if "✗ job" in line) :])
    _, frame, printed = left
    assert frame == printed
    assert "    → kubectl logs failing-jc2bj -c m -n workloads" in "".join(frame)
    assert b"\x1b[1mkubectl logs failing-jc2bj -c m -n workloads\x1b[0m" in screen.raw


@pytest.mark.parametrize("flags", [[], ["--full"]])
def test_news_on_a_terminal_is_wrapped_and_its_commands_can_be_copied(
    spy: Spy, flags: list[str]
) -> None:
    file = spy.home / "jobs.spy"
    record_stream("workloads", file)
    words = ("trace", "job/failing", "-n", "workloads", "--from", str(file), *flags)
    with screens.on_a_terminal(spy, *words, columns=60) as (screen, it):
        assert it.wait(PATIENCE) == 0
        screen.wait_for_text("└─")
    # What was cleared is not seen: how far the recording is read, where that is slow.
    seen = re.sub(r"[^\n]*\r\x1b\[K", "", screen.raw.decode())
    lines = OUR_COLOURS.sub("", seen).split("\r\n")
    news = lines[1 : lines.index("")]
    commands = [line for line in news if "kubectl logs" in line]
    assert "    → kubectl logs failing-dhvfk -c m -n workloads" in commands
    assert all(line.startswith("    → kubectl") for line in commands)
    assert max(len(line) for line in news if line not in commands) <= 60
    whole = " ".join(" ".join(news).split())
    assert "exited with 7 (Error); no restart (restartPolicy Never)" in whole
