"""What people and their tools wrote stands out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import Spy
from tests.core.summary import judge

FILE = str(Path(judge.__file__).with_name("incidents") / "two-causes.spy.gz")
WRITTEN = [
    "deployment.apps/web  ▸ image registry.example.com/web:1.0",
    "deployment.apps/api  ▸ label team blue  by kubectl-label",
    "configmap/settings  ▸ MODE removed",
    "deployment.apps/reader  ▸ restarted  by kubectl-rollout",
    "deployment.apps/web  +23s  ▸ annotation example.com/note see-runbook",
]
"""What the players of the incident did. Nobody is known to have removed MODE."""


@pytest.mark.parametrize("flags", [(), ("--by", "people")])
def test_the_writes_of_people_are_marked_and_can_be_chosen(
    spy: Spy, flags: tuple[str, ...]
) -> None:
    lines = spy.run("changes", FILE, "-o", "short", *flags).out.splitlines()
    marked = [line for line in lines if "▸" in line]
    assert len(marked) == len(WRITTEN)
    for line, expected in zip(marked, WRITTEN, strict=True):
        assert expected in line
    others = [line for line in lines if "▸" not in line and "LISTED" not in line]
    assert bool(others) is not bool(flags)


def test_people_and_a_manager_can_be_chosen_together(spy: Spy) -> None:
    ended = spy.run("ls", FILE, "--by", "people", "--by", "kubelet", "-o", "json")
    assert '"name":"settings"' in ended.out and '"kubelet"' in ended.out


def test_a_summary_and_a_trace_mark_them(spy: Spy) -> None:
    changed = spy.run("summary", FILE).out.partition("Changed\n")[2]
    assert changed.count("▸ ") == len(WRITTEN)
    trace = spy.run("trace", FILE, "--once").out
    assert "▸ changed 09:10:21, 32s ago by helm: image" in trace
    assert "configmap/settings ▸ changed 09:10:29, 24s ago: MODE removed" in trace


def test_they_are_bold_and_only_failures_are_red(spy: Spy) -> None:
    words = ("changes", FILE, "-o", "short", "--color", "always")
    shown = spy.run(*words).out
    assert "\x1b[1m▸\x1b[0m \x1b[1mlabel team blue\x1b[0m  \x1b[1mby kubectl" in shown
    assert "\x1b[31m✗ app: ErrImagePull\x1b[0m" in shown
    full = spy.run("changes", FILE, "deploy/web", "--color", "always").out
    assert '\x1b[2m"registry.example.com/web:1.0"\x1b[0m → \x1b[32m' in full


@pytest.mark.parametrize("command", ["changes -o short", "summary", "trace"])
def test_terminals_of_few_letters_get_another_mark(spy: Spy, command: str) -> None:
    ascii_only = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii:backslashreplace"}
    ended = spy.run(*command.split(), FILE, environ=ascii_only)
    assert "> " in ended.out and "\\u" not in ended.out
