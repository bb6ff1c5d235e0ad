"""Lists that come late, or never: what is shown without them, and what says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kubectl_spy.cli.parsed import run
from kubectl_spy.cli.views.events import EventFormat, events
from kubectl_spy.cli.views.tree import TreeFormat, tree
from kubectl_spy.core.waiting.awaited import Step, parse_step
from kubectl_spy.errors import Overdue, TimedOut
from kubectl_spy.extras.spans.view import SpanFormat, spans
from kubectl_spy.sinks.terminal import open_terminal
from kubectl_spy.sources.connection.access import ConnectionSettings
from tests.builders import replica, replica_set
from tests.cli.command import Spy
from tests.cli.test_events import reported
from tests.processes import PATIENCE, limits
from tests.sources.api_server import Answer, ApiServer, aggregated, as_json, serve
from tests.sources.connection.kubeconfigs import kubeconfig, write

COMMANDS = ("trace", "events", "spans")
POD_LIST = "/api/v1/namespaces/default/pods"
EVENT_LIST = "/api/v1/namespaces/default/events"
SET_LIST = "/apis/apps/v1/namespaces/default/replicasets"


def listed(*objects: dict[str, Any], **metadata: str) -> dict[str, Any]:
    """Return a list of *objects*, each with a resourceVersion."""
    versions = {"resourceVersion": "9", **metadata}
    for at, each in enumerate(objects):
        each["metadata"] |= {"resourceVersion": str(at + 1)}
        each["metadata"].setdefault("uid", f"uid-{each['metadata']['name']}")
    return {"metadata": versions, "items": list(objects)}


@pytest.fixture
def server(spy: Spy) -> Iterator[ApiServer]:
    """A server with a ReplicaSet, a Pod of it, and an Event about the Pod."""
    started = reported("Started", 9, "uid-0", "Pod")
    answers = {
        **aggregated(),
        SET_LIST: as_json(listed(replica_set(1, 1))),
        POD_LIST: as_json(listed(replica(0, True))),
        EVENT_LIST: as_json(listed(reported("Created", 5), started)),
    }
    with serve(answers) as api:
        write(spy.kubeconfig, kubeconfig({"server": api.url}))
        yield api


def delayed(api: ApiServer, path: str, seconds: float) -> None:
    """Let *api* answer *path* so many seconds late."""
    api.answers[path] = Answer(body=api.answers[path].body, delay=seconds)


def test_a_timeout_on_connecting_names_the_server(spy: Spy, server: ApiServer) -> None:
    delayed(server, POD_LIST, 2 * PATIENCE)
    last = f"the time given with --timeout is over; waited for {server.url}\n"
    ended = spy.run_in_time("changes", "pods", done=lambda it: it.err.endswith(last))
    assert ended.code == 124
    assert ended.err.endswith(last)


@pytest.mark.parametrize("late", [POD_LIST, EVENT_LIST, SET_LIST])
def test_once_waits_for_every_list(spy: Spy, server: ApiServer, late: str) -> None:
    delayed(server, late, 2.0)
    for ended in spy.run_all(*(f"{each} rs/web --once -o json" for each in COMMANDS)):
        assert ended.code == 0, ended.err
        assert "not listed yet" not in ended.err
        assert "web-00" in ended.out and "Started" in ended.out


def look_once(
    spy: Spy,
    command: str,
    *,
    within: float = 60.0,
    timeout: float | None = None,
    awaited: tuple[Step, ...] = (),
) -> None:
    """Run *command* with --once in this process, with a bound of its own.

    With *awaited*, it is run without --once, and with --for.
    """
    cache = str(spy.home / "cache")
    connection = ConnectionSettings(kubeconfig=str(spy.kubeconfig), cache_dir=cache)
    flags: dict[str, Any] = {
        **connection._asdict(),
        "target": ("rs/web",),
        "all_namespaces": False,
        "label_selector": None,
        "field_selector": None,
        "show_secrets": False,
        "timeout": timeout,
        "awaited": awaited,
    }
    how: dict[str, Any] = {
        "output": "json" if command == "events" else "text",
        "color": "never",
        "once": not awaited,
    }
    specs = {
        "trace": tree(TreeFormat(**how)),
        "events": events(EventFormat(**how, types=frozenset(), since=None)),
        "spans": spans(SpanFormat(**how)),
    }
    spec = specs[command]._replace(within=within)
    run(flags, spec, open_terminal())


SHOWN = {
    "trace": "replicaset.apps/web",
    "events": "Created",
    "spans": "ReplicaSet.Created",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_once_waits_for_lists_and_names_the_missing_ones(
    spy: Spy, server: ApiServer, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    delayed(server, POD_LIST, 2 * PATIENCE)
    for seconds in limits(1):
        with pytest.raises(Overdue) as over:
            look_once(spy, command, within=seconds)
        out = capsys.readouterr().out
        if "not listed yet: pods;" in str(over.value):
            break
    assert str(over.value) == (
        f"the lists made no progress for {seconds} s; give them longer with --timeout; "
        "not listed yet: pods; what is shown lacks them"
    )
    assert over.value.exit_code == 1
    assert SHOWN[command] in out and "web-00" not in out


def test_once_ends_though_a_list_always_fails(spy: Spy, server: ApiServer) -> None:
    server.answers[SET_LIST] = Answer(500)
    with pytest.raises(Overdue, match="the lists made no progress for 2 s"):
        look_once(spy, "trace", within=2, timeout=0, awaited=(parse_step("delete"),))


def test_a_timeout_is_the_bound_where_it_is_given(
    spy: Spy, server: ApiServer, capsys: pytest.CaptureFixture[str]
) -> None:
    delayed(server, EVENT_LIST, 2 * PATIENCE)
    for seconds in limits(2):
        with pytest.raises(TimedOut) as over:
            look_once(spy, "trace", within=seconds / 2, timeout=seconds)
        out = capsys.readouterr().out
        if "not listed yet: events;" in str(over.value):
            break
    assert str(over.value) == (
        "the time given with --timeout is over; "
        "not listed yet: events; what is shown lacks them"
    )
    assert over.value.exit_code == 124
    assert "web-00" in out


def test_an_endless_list_counts_as_missing(
    spy: Spy, server: ApiServer, capsys: pytest.CaptureFixture[str]
) -> None:
    page = listed(replica(0, True), **{"continue": "more"})
    server.answers[POD_LIST] = as_json(page)
    for seconds in limits(0.5):
        with pytest.raises(Overdue) as over:
            look_once(spy, "trace", within=seconds)
        out = capsys.readouterr().out
        if "not listed yet: pods;" in str(over.value) and "web-00" in out:
            break
    assert "not listed yet: pods;" in str(over.value)
    assert "web-00" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_an_early_live_view_names_missing_lists(
    spy: Spy, server: ApiServer, command: str
) -> None:
    delayed(server, POD_LIST, 2 * PATIENCE)
    with spy.running(command, "rs/web", "-o", "json") as running:
        running.wait_for_talk("note: not listed yet: pods; what is shown lacks them\n")
        if command != "spans":
            running.wait_until(lambda it: b"web" in it.stdout)
        ended = running.end()
    assert ended.code == 130
    assert ended.err.count("not listed yet") == 1


def test_missing_lists_are_recorded_and_said_once(spy: Spy, server: ApiServer) -> None:
    delayed(server, POD_LIST, 2 * PATIENCE)
    note = "note: not listed yet: pods; what is shown lacks them\n"
    file = str(spy.home / "it.spy")
    with spy.running("trace", "rs/web", "--record", file) as running:
        running.wait_for_talk(note)
        running.end()
    for words in (["changes", file], ["trace", "--from", file]):
        assert spy.run(*words).err.count(note) == 1


def test_a_list_that_is_refused_is_not_waited_for(spy: Spy, server: ApiServer) -> None:
    server.answers[POD_LIST] = Answer(403, b"{}")
    for ended in spy.run_all(*(f"{each} rs/web --once" for each in COMMANDS)):
        assert ended.code == 0, ended.err
        assert ended.took < 30
