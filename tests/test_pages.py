"""What the pages say that the commands print, the commands print.

A line `$ kubectl spy …` is a command, and what follows its output; a line `…` stands
for any number of lines that are left out. Times, sizes and tags of masked values differ
from run to run.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from kubectl_spy.extras.demo.tour import INCIDENT
from tests.cli.command import MODULE, PATIENCE, Running, Spy
from tests.cli.screen import on_a_terminal
from tests.extras.serve.api_server.server import ApiServer
from tests.processes import is_at_rest

ROOT = Path(__file__).resolve().parent.parent
README = "README.md"
PAGES = ("docs/guide.md", "docs/waiting.md")
GAP = "…"
DIFFERENT = (
    (re.compile(r"\d\d:\d\d:\d\d\.\d{3}"), "TIME"),
    (re.compile(r"\d\d:\d\d:\d\d(?=, \d)"), "TIME"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"), "TIME"),
    (re.compile(r"\d{4}-\d\d-\d\d TIME"), "TIME"),
    (re.compile(r"\*\*\* [0-9a-f]{16}"), "TAG"),
    (re.compile(r"(?<![\w.])\+?\d+(\.\d+)?(ms|s|m|m\d+s)(?!\w)"), "LONG"),
    # The last two states of the Job are 3 ms apart; a busy machine sees one of them.
    (re.compile(r"Fail(ing|ed)  0 of 1 succeeded, 2 failed.*"), "Failed"),
    (re.compile(r"\d+ (KB|lines|changes|objects)"), "SIZE"),
    (re.compile(r"[ ·▏▎▍▌▋▊▉█▐▕▶│]{2,}"), " "),
)


class Example(NamedTuple):
    """A command of a page, and the lines that are said to come of it."""

    page: str
    command: str
    output: tuple[str, ...]


def examples(page: str) -> Iterator[Example]:
    """Yield the commands of a page that output is shown of."""
    command, output = "", list[str]()
    for line in [*(ROOT / page).read_text().splitlines(), "end"]:
        shown = line.startswith("    ")
        if command and (not shown or line.startswith("    $ ")):
            yield Example(page, command, tuple(output))
            command = ""
        if line.startswith("    $ kubectl spy "):
            command, output = line.removeprefix("    $ kubectl spy "), []
        elif command and shown:
            output.append(line.removeprefix("    "))


def plain(lines: list[str] | tuple[str, ...]) -> list[str]:
    """Return *lines* without what differs from run to run."""
    found = []
    for line in lines:
        for pattern, instead in DIFFERENT:
            line = pattern.sub(instead, line)
        found.append(line.strip())
    return found


def check(expected: list[str], printed: list[str]) -> None:
    """Check that *printed* is what was *expected*, with any lines for each gap."""
    chunks = _chunks(expected)
    at = 0
    for place, chunk in enumerate(chunks):
        last = len(printed) - len(chunk)
        starts = range(at, last + 1) if place else range(1)
        if place and place == len(chunks) - 1:
            starts = range(last, last + 1)
        found = [each for each in starts if printed[each : each + len(chunk)] == chunk]
        assert found and found[0] >= at, "\n".join(
            ["not there:", *chunk, "but:", *printed]
        )
        at = found[0] + len(chunk)
    assert len(chunks) > 1 or at == len(printed), printed[at:]


def _chunks(lines: list[str]) -> list[list[str]]:
    chunks: list[list[str]] = [[]]
    for line in lines:
        if line == GAP:
            chunks.append([])
        else:
            chunks[-1].append(line)
    return chunks


def printed_by(spy: Spy, command: str, expected: list[str]) -> list[str]:
    """Return what a terminal would show of *command*.

    What goes on is interrupted when it has printed what is *expected*.
    """
    words = shlex.split(command)
    recording = words[words.index("-n") + 1] if "-n" in words else "deploy-rollout"
    owned = words[0] in ("trace", "events", "spans") or "--owned" in words
    goes_on = words[0] in ("status", "changes", "record", "trace", "events", "spans")
    ends = {"--for", "--once", "--timeout"} & set(words) or any(
        map(_is_file, words[1:2])
    )
    with ApiServer(
        [recording], speed=8, longest_pause=0.5, watches_before_play=3 if owned else 1
    ) as server:
        server.write_kubeconfig(spy.kubeconfig)
        with spy.running(*words) as running:
            if goes_on and not ends:
                server.wait_until_played(PATIENCE)
                wait_until_quiet(running, expected)
                running.process.send_signal(signal.SIGINT)
            ended = running.ended()
    assert ended.code in (0, 1, 130), ended.out
    return ended.out.splitlines()


def _is_file(word: str) -> bool:
    return word.endswith((".spy", ".jsonl")) or word.startswith("loki+")


def wait_until_quiet(running: Running, expected: list[str]) -> None:
    """Wait for what is expected; where its end brings the rest, for some quiet.

    That is 5 s in which neither the command nor the server had anything to do.
    """
    before = quiet = 0
    while quiet < 50 and running.process.poll() is None:
        if holds(expected, plain(running.stdout.decode().splitlines())):
            return
        time.sleep(0.1)
        if len(running.stdout) != before:
            before, quiet = len(running.stdout), 0
        elif is_at_rest(running.process.pid) and is_at_rest(
            os.getpid(), threading.get_native_id()
        ):
            quiet += 1


def holds(expected: list[str], found: list[str]) -> bool:
    """Return whether `check` has nothing to say."""
    with suppress(AssertionError):
        check(expected, found)
        return True
    return False


@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_the_page_says(page: str, tmp_path: Path) -> None:
    # One after the other: some read what others recorded. Both streams, as on a
    # terminal.
    spy = Spy(tmp_path, ("sh", "-c", 'cd "$HOME" && exec "$0" "$@" 2>&1', *MODULE))
    shown = list(examples(page))
    assert shown
    for example in shown:
        expected = plain(example.output)
        printed = printed_by(spy, example.command, expected)
        print(example.command, *printed, sep="\n")
        found = plain(printed)
        if example.command.startswith("spans "):
            # What is a millisecond apart stands in one order or the other.
            assert set(expected) - {GAP} <= set(found), found
        else:
            check(expected, found)


def test_the_readme_shows_what_a_terminal_shows_of_the_incident(tmp_path: Path) -> None:
    shutil.copyfile(INCIDENT, tmp_path / "incident.spy.gz")
    spy = Spy(tmp_path, ("sh", "-c", 'cd "$HOME" && exec "$0" "$@"', *MODULE))
    shown = list(examples(README))
    assert len(shown) > 2
    for example in shown:
        words = shlex.split(example.command)
        with on_a_terminal(spy, *words, columns=92, rows=200) as (screen, process):
            assert process.wait(PATIENCE) == 0
        screen.wait_for_end()
        check(list(example.output), screen.lines)


def test_the_readme_is_short() -> None:
    assert len((ROOT / README).read_bytes()) <= 7 * 1024


def commands_alone() -> Iterator[str]:
    """Yield the commands that no output is shown of."""
    for page in (README, *PAGES):
        for line in (ROOT / page).read_text().splitlines():
            if line.startswith("    kubectl spy "):
                yield line.removeprefix("    kubectl spy ").partition(" |")[0]


@pytest.mark.parametrize("command", list(commands_alone()))
def test_commands_without_output_are_understood(spy: Spy, command: str) -> None:
    """Without a cluster or a file they get as far as looking for one."""
    ended = spy.run(*shlex.split(command, comments=True))
    assert ended.code in (0, 1), ended.err


@pytest.fixture
def spy(tmp_path: Path) -> Spy:
    """The command in an empty home."""
    return Spy(tmp_path)


def test_the_still_of_the_picture_says_why_and_who() -> None:
    picture = (ROOT / "docs" / "incident.svg").read_text()
    rows = dict(re.findall(r'<text id="(\w+)"[^>]*>(.*?)</text>', picture))
    still = re.findall(r'<use href="#(\w+)" x="14\.0"', picture)
    shown = re.sub("<.*?>", "", "\n".join(rows[each] for each in still))
    assert "OOMKilled (limit 64Mi)" in shown
    assert re.search("by kubectl-set: ?memory limit 256Mi → 64Mi", shown)
