"""`review`: every key on a real recording, a real terminal, and without Textual."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from textual.widgets import Static

from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.extras.review.keys import KEYS, KeysPage
from kubectl_spy.extras.review.panes import ObjectsPane, VersionsPane
from kubectl_spy.sources.recording.index import Index
from tests import processes
from tests.builders import event, pod
from tests.cli.command import Spy
from tests.extras.review.reviewing import Review, reviewed, settle
from tests.recordings import ORIGIN, START, first_list, record

screens = pytest.importorskip("tests.cli.screen", reason="terminals are POSIX's")

ESCAPE = "\x1b[2J\x1b]0;pwned\x07[red]x[/red]"


@pytest.fixture
def gappy(tmp_path: Path) -> Path:
    """A recording with a line missing, and another one damaged."""
    file = tmp_path / "gappy.spy"
    changes = [
        event("MODIFIED", pod("a", rv=str(n), phase=f"phase {n}"), time=START + n)
        for n in range(2, 12)
    ]
    lines = record(file, [*first_list(pod("a", rv="1"), time=START), *changes])
    lines[9] = lines[9].replace(b"phase", b"PHASE")
    del lines[6]
    file.write_bytes(b"".join(lines))
    return file


def test_arrows_and_tab_move_in_the_panes(rollout: Path) -> None:
    async def play(review: Review) -> None:
        assert review.focus == "objects"
        first = review.chosen
        await review.press("down")
        assert review.chosen == review.objects[1] != first
        await review.press("up")
        assert review.chosen == first
        await review.press("end", "down", "up")
        assert review.chosen == review.objects[-2]
        await review.press("home", "pagedown", "pageup")
        assert review.chosen == first
        order = ["versions", "change", "objects"]
        for pane in order:
            await review.press("tab")
            assert review.focus == pane
        for pane in reversed(["objects", *order[:-1]]):
            await review.press("shift+tab")
            assert review.focus == pane

    reviewed(rollout, play)


def test_a_long_name_leaves_room_for_the_namespace(tmp_path: Path) -> None:
    file = tmp_path / "names.spy"
    name = "a-very-long-name-of-a-pod"
    pods = [pod(name, uid=each, namespace=each) for each in ("frontend", "shop")]
    record(file, first_list(*pods, time=START))

    async def play(review: Review) -> None:
        pane = review.app.query_one(ObjectsPane)
        first, second = (pane.row(number).plain.split() for number in range(2))
        assert first == ["pod/a-very-long-nam…", "-n", "fron…", "1"]
        assert second == ["pod/a-very-long-name…", "-n", "shop", "1"]

    reviewed(file, play)


def test_hidden_changes_are_counted_as_ls_counts_them(rollout: Path, spy: Spy) -> None:
    found = json.loads(spy.run("ls", str(rollout), "-o", "json").out)["objects"]
    changes = sum(each["changes"] for each in found)
    (of,) = (each["changes"] for each in found if each["kind"] == "Deployment")
    by = spy.run("ls", str(rollout), "deployments", "--by", "kubectl", "-o", "json")
    (left,) = json.loads(by.out)["objects"]

    async def play(review: Review) -> None:
        await review.type("nothing-has-this-name")
        assert f" {changes} changes hidden" in review.status
        await review.press("escape", "slash", *"=deployment", "enter")
        assert f" {changes - of} changes hidden" in review.status
        await review.press("slash", *"by:=kubectl", "enter")
        await settle(review)
        assert f" {changes - left['changes']} changes hidden" in review.status

    reviewed(rollout, play)


def test_the_number_of_an_object_is_that_of_the_versions_shown(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.type("=deployment by:=kubectl")
        await settle(review)
        session, pane = review.app.session, review.app.query_one(ObjectsPane)
        count = len(session.versions(session.subject))
        assert 0 < count < session.index.counts[session.subject]
        assert pane.row(0).plain.split() == ["deployment/nginx", str(count)]

    reviewed(rollout, play)


def test_a_filter_that_hides_the_first_versions_says_so(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.type("deployment/nginx")
        await review.press("enter", "home")
        assert "ADDED" in review.change
        await review.press("escape", "slash", *"by:=kubectl", "enter")
        await settle(review)
        said = " ".join(review.change.split())
        assert said.startswith("The first change of deployment/nginx that the filters")
        await review.press("n")
        assert "replicas 3 → 5" in review.change

    reviewed(rollout, play)


def test_all_panes_share_one_clock(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.type("deployment/nginx")
        await review.press("enter", "home")
        assert "ADDED" in review.change
        await review.press("down", "down", "down")
        shown, clock = review.change, review.clock
        versions = review.app.query_one(VersionsPane)
        assert versions._cursor == 3
        assert "MODIFIED" in shown and "deployment.apps/nginx" in shown
        await review.press("n")
        assert review.clock > clock and versions._cursor == 4
        await review.press("p")
        assert (review.clock, review.change) == (clock, shown)

    reviewed(rollout, play)


def test_brackets_step_through_all_changes(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.press("home")
        session = review.app.session
        seen = [session.clock]
        for _ in range(30):
            await review.press("right_square_bracket")
            seen.append(session.clock)
            assert session.index.subject(session.clock) == session.subject
        assert seen == sorted(set(seen))
        for line in reversed(seen[1:-1]):
            await review.press("left_square_bracket")
            assert session.clock == line

    reviewed(rollout, play)


def test_enter_opens_and_escape_goes_back(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.press("enter")
        assert review.focus == "versions"
        await review.press("enter")
        assert review.focus == "change"
        assert not review.app.query_one("#left").display
        assert review.app.query_one("#change").size.width > 70
        await review.press("escape")
        assert review.app.query_one("#left").display
        assert review.focus == "versions"
        await review.press("escape")
        assert review.focus == "objects"

    reviewed(rollout, play)


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        ("deployment/", 1),
        ("pod/ !bc988676b", 3),
        ("pod -n nowhere", 0),
        ("pod/ ~being.deleted|deletionTimestamp", 4),
    ],
)
def test_a_filter_says_what_it_hides(rollout: Path, typed: str, left: int) -> None:
    async def play(review: Review) -> None:
        everything = len(review.objects)
        await review.type(typed)
        while review.app.session.progress:
            await review.pilot.pause()
        assert len(review.objects) == left
        assert f"{everything - left} objects, " in review.status
        assert "changes hidden" in review.status
        await review.press("escape")
        assert len(review.objects) == everything
        assert "hidden" not in review.status

    reviewed(rollout, play)


def test_a_filter_is_applied_while_it_is_typed(rollout: Path) -> None:
    async def play(review: Review) -> None:
        everything = len(review.objects)
        await review.press("slash", "d", "e", "p")
        assert 0 < len(review.objects) < everything
        await review.press("space", "tilde", "left_parenthesis")
        shown = review.app.query_one("#status", Static)
        assert "no regular expression" in str(shown.content)
        await review.press("escape")
        assert len(review.objects) == everything

    reviewed(rollout, play)


def test_d_shows_the_whole_object_and_f_everything(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.type("deployment/nginx")
        await review.press("enter", "home", "down", "down", "down")
        change = review.change
        await review.press("d")
        assert "apiVersion: apps/v1" in review.change
        await review.press("tab", "end", "home", "d")
        assert review.change == change and "more:" in change
        await review.press("f")
        assert "more:" not in review.change and "/status/" in review.change
        await review.press("f")
        assert review.change == change

    reviewed(rollout, play)


def test_g_goes_to_gaps_and_damage(gappy: Path) -> None:
    async def play(review: Review) -> None:
        assert "2 damages" in review.status
        clocks = []
        for words in ("1 line missing", "checksum", "1 line missing"):
            await review.press("g")
            clocks.append(review.app.session.clock)
            assert words in review.change.replace("\n", " ")
        assert clocks[0] == clocks[2] < clocks[1]

    reviewed(gappy, play)


def test_g_finds_nothing_in_a_whole_recording(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.press("g")
        assert "no gaps" in review.status

    reviewed(rollout, play)


def test_y_copies_a_command_that_shows_the_same(rollout: Path, spy: Spy) -> None:
    commands: list[str] = []
    shown: list[str] = []

    async def play(review: Review) -> None:
        await review.type("deployment/nginx")
        await review.press("enter", "home", "n", "n", "y", "d")
        commands.append(review.app.clipboard)
        shown.append(review.change)

    reviewed(rollout, play)
    (command,) = commands
    assert command.startswith(
        f"kubectl spy show '{rollout}' deployment.apps/nginx --at"
    )
    ended = spy.run(*shlex.split(command)[2:])
    assert ended.code == 0, ended.err
    assert yaml.safe_load(ended.out) == yaml.safe_load(shown[0])


def test_m_compares_versions_with_the_marked_one(rollout: Path, spy: Spy) -> None:
    commands: list[str] = []
    shown: list[str] = []

    async def play(review: Review) -> None:
        await review.type("deployment/nginx")
        await review.press("enter", "home", "n", "n", "m")
        assert "compared with A" in review.status and "MODIFIED" in review.change
        await review.press("n", "n", "n", "y")
        commands.append(review.app.clipboard)
        shown.append(review.change)
        await review.press("p", "p", "p", "p")
        first, second = review.change.splitlines()[:2]
        assert first.startswith("- ") and second.startswith("+ ")
        assert first[2:14] < second[2:14]
        await review.press("m")
        assert not review.change.startswith("- ")

    reviewed(rollout, play, size=(200, 50))
    ended = spy.run(*shlex.split(commands[0])[2:])
    assert ended.code == 0, ended.err
    pointers = re.compile(r"/(?:spec|status|metadata)/\S+")
    assert pointers.findall(shown[0]) == pointers.findall(ended.out) != []


def test_e_shows_the_events_of_an_object(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.type("pod/")
        await review.press("end", "e")
        assert review.objects
        assert all(each.startswith("event/nginx-") for each in review.objects)
        await review.press("escape")
        assert all(each.startswith("pod/") for each in review.objects)
        await review.press("escape")
        assert "deployment/nginx" in review.objects

    reviewed(rollout, play)


def test_question_mark_shows_every_key(rollout: Path) -> None:
    async def play(review: Review) -> None:
        await review.press("question_mark")
        assert isinstance(review.app.screen, KeysPage)
        text = str(review.app.screen.query_one(Static).content)
        assert all(each.meaning in text for each in KEYS)
        await review.press("question_mark")
        assert not isinstance(review.app.screen, KeysPage)

    reviewed(rollout, play)


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_it_ends(rollout: Path, key: str) -> None:
    async def play(review: Review) -> None:
        await review.press(key)
        assert not review.app.is_running or review.app._exit

    reviewed(rollout, play)


def test_a_click_on_the_time_bar_sets_the_clock(rollout: Path) -> None:
    async def play(review: Review) -> None:
        begin, clock = review.app.session.index.times[0], review.clock
        await review.pilot.click("#bar", offset=(60, 0))
        assert review.clock > clock >= begin
        await review.pilot.click(ObjectsPane, offset=(3, 4))
        assert review.chosen == review.objects[4]

    reviewed(rollout, play)


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[Path]:
    file = tmp_path / "hostile.spy"
    bad = pod("a", rv="1")
    bad["metadata"]["annotations"] = {"note": ESCAPE}
    worse = pod("a", rv="2", phase=ESCAPE)
    events = [*first_list(bad, time=START), event("MODIFIED", worse, time=START)]
    record(file, events, origin=ORIGIN._replace(owned=True))
    yield file


def test_hostile_strings_stay_inert(hostile: Path) -> None:
    async def play(review: Review) -> None:
        for keys in (["n"], ["d"], ["f"]):
            await review.press(*keys)
            assert "\x1b" not in review.change and "\x07" not in review.change
        assert "[red]x[/red]" in review.change
        for key in ("t", "S"):
            await review.press(key)
            assert "\\u001b[2J" in review.change
            assert "\x1b" not in review.change and "\x07" not in review.change

    reviewed(hostile, play)


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
def test_a_real_terminal_shows_it(
    rollout: Path, spy: Spy, size: tuple[int, int]
) -> None:
    columns, rows = size
    with screens.on_a_terminal(
        spy, "review", str(rollout), columns=columns, rows=rows
    ) as (screen, process):
        screen.wait_for_text("83 objects")
        screen.type("/deployment/\r")
        screen.wait_for_text("82 objects")
        screen.type("\r" + 3 * "\x1b[B")
        screen.wait_for_text("MODIFIED")
        assert len(screen.lines) == rows
        screen.resize(columns + 10, rows)
        screen.type("q")
        assert process.wait(processes.PATIENCE) == 0
        screen.wait_for(lambda it: b"\x1b[?1049l" in it.raw)


def test_no_color_is_respected(rollout: Path, spy: Spy) -> None:
    with screens.on_a_terminal(
        spy, "review", str(rollout), environ={"NO_COLOR": "1"}
    ) as (screen, process):
        screen.wait_for_text("83 objects")
        screen.type("]q")
        assert process.wait(processes.PATIENCE) == 0
    colour = rb"\x1b\[(?:[0-9]+;)*(?:3[0-8]|4[0-8]|9[0-7])(?:;[0-9]+)*m"
    assert not re.search(colour, screen.raw)


def test_a_gzipped_recording_and_a_pipe(rollout: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed.spy.gz"
    with rollout.open("rb") as plain, gzip.open(packed, "wb") as file:
        shutil.copyfileobj(plain, file)
    with closing(Index(str(rollout))) as one, closing(Index(str(packed))) as other:
        for index in (one, other):
            while index.grow(1.0):
                pass
        for line in range(len(one)):
            assert decode(one.raw(line)) == decode(other.raw(line))


def test_without_textual_one_line_says_how_to_get_it(rollout: Path) -> None:
    code = (
        "import sys; sys.modules['textual'] = None; sys.argv[0] = 'kubectl-spy'; "
        "from kubectl_spy.__main__ import main; main()"
    )
    ended = processes.run(
        [sys.executable, "-c", code, "review", str(rollout)], capture_output=True
    )
    assert ended.returncode == 1
    (line,) = ended.stderr.decode().splitlines()
    assert "pipx inject kubectl-spy 'textual>=8,<9', or with pip install" in line


def test_a_pipe_is_no_place_for_a_review(rollout: Path, spy: Spy) -> None:
    ended = spy.run("review", str(rollout))
    assert ended.code == 1
    assert "review needs a terminal" in ended.err
