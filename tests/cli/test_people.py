"""What people and their tools wrote stands out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import event, pod
from tests.cli.command import Spy
from tests.core.summary import judge
from tests.recordings import START, first_list, record

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


@pytest.mark.parametrize(
    "manager",
    [
        *("kube-apiserver", "kube-controller-manager", "cloud-controller-manager"),
        *("kube-scheduler", "kubelet", "kwok", "kubectl-edit"),
    ],
)
def test_all_of_the_control_plane_is_nobody(
    spy: Spy, tmp_path: Path, manager: str
) -> None:
    file = tmp_path / "some.spy"
    wrote = {"manager": manager, "operation": "Update", "time": "2026-11-21T15:04:06Z"}
    written = pod(rv="2", labels={"team": "blue"}, managedFields=[wrote])
    changed = event("MODIFIED", written, time=START + 1)
    record(file, [*first_list(pod(), time=START), changed])
    by_people = manager == "kubectl-edit"
    shown = spy.run("changes", str(file), "--by", "people", "-o", "short").out
    assert ("label team blue" in shown) is by_people
    assert ("▸" in spy.run("changes", str(file), "-o", "short").out) is by_people
    assert ("label team blue" in spy.run("summary", str(file)).out) is by_people


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
