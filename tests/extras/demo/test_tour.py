"""`kubectl spy demo` shows in a minute what the commands are for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kubectl_spy.extras.demo.tour import INCIDENT, demo_server, recording_names
from tests.cli.command import PATIENCE, Spy
from tests.cli.screen import on_a_terminal
from tests.extras.serve.demo.client import ask
from tests.extras.serve.demo.test_demo_playing import (
    follow_all,
    list_and_watch,
    recorded,
)

ROOT = Path(__file__).resolve().parents[3]
_LINES = 120
_SHOWN = (
    "$ kubectl spy status ",
    "MODIFIED  deployment.apps/nginx  +",
    "$ kubectl spy trace ",
    "✗ job.batch/failing  BackoffLimitExceeded: 2 failed Pods, backoffLimit 1 → fix",
    "exited with 7 (Error)",
    "$ kubectl spy record ",
    "$ kubectl spy summary ",
    "by: memory limit 256Mi → 64Mi, 3.8s before, by kubectl-set",
    "$ kubectl spy blame ",
    'memory: 64Mi  # kubectl-set 09:07:30.532, was "256Mi"',
    "$ kubectl spy review ",
    "79 objects · ? keys  q quit",
    str(INCIDENT),
)


def test_the_demo_shows_failures_causes_and_review_in_few_lines(spy: Spy) -> None:
    ended = spy.run("demo")
    assert ended.code == 0, ended.err
    assert len((ended.out + ended.err).splitlines()) <= _LINES
    assert "\x1b" not in ended.out
    at = -1
    for text in _SHOWN:
        at = ended.out.find(text, at + 1)
        assert at >= 0, (text, ended.out)
    assert "error: job.batch/failing: BackoffLimitExceeded: 2 failed Pods" in ended.err
    assert "recorded to rollout.spy: " in ended.err
    assert not (Path.cwd() / "rollout.spy").exists()


def test_the_first_page_of_review_has_colours_if_they_are_wanted(spy: Spy) -> None:
    ended = spy.run("demo", "--speed", "0", "--color", "always")
    page = ended.out.partition("$ kubectl spy review ")[2]
    assert "\x1b[31m✗" in page


def test_the_demo_is_short_on_a_terminal_too(spy: Spy) -> None:
    words = ("demo", "--speed", "0")
    with on_a_terminal(spy, *words, columns=80, rows=24) as (screen, process):
        assert process.wait(PATIENCE) == 0
    screen.wait_for_end()
    assert len(screen.all) <= _LINES


def test_the_demo_goes_on_without_textual(spy: Spy, tmp_path: Path) -> None:
    for name in ("textual", "rich"):
        missing = f"raise ModuleNotFoundError('', name='{name}')\n"
        (tmp_path / f"{name}.py").write_text(missing)
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    ended = spy.run("demo", "--speed", "0", environ={"PYTHONPATH": path})
    assert ended.code == 0, ended.err
    assert "review needs Textual, which is not installed; get it with pipx" in ended.err
    assert "# On a cluster:" in ended.out


def test_the_incident_is_the_labelled_one() -> None:
    labelled = ROOT / "tests/core/summary/incidents/memory-limit.spy.gz"
    assert INCIDENT.read_bytes() == labelled.read_bytes()


@pytest.mark.parametrize("name", recording_names())
def test_the_demo_serves_what_was_recorded(name: str) -> None:
    lists, events = recorded(name)
    with demo_server([name], speed=0, watches=len(lists)) as server:
        seen = follow_all(server, lists, events)
    for path, (listed, watched) in seen.items():
        assert len(listed["items"]) == len(lists[path]["items"])
        assert all(item in listed["items"] for item in lists[path]["items"])
        assert watched == events[path]


def test_the_server_of_the_demo_remembers_what_it_played(spy: Spy) -> None:
    path = "/api/v1/namespaces/pod-bad-image/pods"
    with demo_server(recording_names(), speed=0) as server:
        list_and_watch(server, path, 1)
        server.write_kubeconfig(spy.kubeconfig, namespace="pod-bad-image")
        ended = spy.run("summary")
    assert "complete since" in ended.err
    assert "too old" not in ended.err


def test_the_server_of_the_demo_has_the_namespaces_of_its_recordings() -> None:
    with demo_server(recording_names(), speed=1) as server:
        listed = ask(server, "/api/v1/namespaces").document["items"]
        names = [each["metadata"]["name"] for each in listed]
        assert names == sorted(server.namespaces)
        assert len(names) > 5
        assert ask(server, "/api/v1/namespaces/no").status == 404


def test_a_namespace_that_the_demo_has_not_is_named(spy: Spy) -> None:
    with demo_server(["pod-boot"], speed=1) as server:
        server.write_kubeconfig(spy.kubeconfig)
        ended = spy.run("summary", "-n", "pod-bot")
    assert ended.code == 1
    assert "there is no namespace pod-bot; did you mean pod-boot?" in ended.err
