"""What the command says when it is told no: one line, what happened, what to do."""

from __future__ import annotations

import pytest

from tests.builders import replica_set
from tests.cli.command import PATIENCE, Spy
from tests.extras.serve.api_server.server import ApiServer, Serve

MAPS = "/api/v1/namespaces/default/configmaps"


def error_of(spy: Spy, *arguments: str) -> str:
    """Return the last line of stderr of a command that fails and prints nothing."""
    ended = spy.run(*arguments)
    assert (ended.code, ended.out) == (1, ""), ended
    lines = ended.err.splitlines()
    assert lines[-1].startswith("error: ")
    assert "Traceback" not in ended.err and "bug" not in ended.err
    return lines[-1]


@pytest.mark.parametrize(
    ("typed", "type_", "said"),
    [
        ("changes deploymnt", '"deploymnt"', "did you mean deployments"),
        ("changes pdos", '"pdos"', "did you mean pods"),
        ("changes xyzzy", '"xyzzy"', "a target is TYPE or TYPE/NAME; see kubectl api-"),
        ("changes pods.v2.nosuch", '"pods.v2.nosuch"', "did you mean pods"),
        ("status v1 Pd web/nginx", "v1 Pd", "did you mean v1 Pod"),
    ],
)
def test_unknown_types_get_suggestions(
    spy: Spy, serve: Serve, typed: str, type_: str, said: str
) -> None:
    serve()
    error = error_of(spy, *typed.split())
    assert f"no resource type {type_}; {said}" in error


def test_the_status_of_what_has_none_leads_to_changes(spy: Spy, serve: Serve) -> None:
    server = serve()
    with spy.running("status", "cm") as running:
        server.wait_for_watches(1, PATIENCE)
        ended = running.end()
    assert (
        "note: configmaps have no status; try: kubectl spy changes configmaps"
        in ended.err.splitlines()
    )


def test_a_first_list_that_is_refused_is_exit_1(spy: Spy, serve: Serve) -> None:
    serve().refuse(MAPS, 403)
    said = "ask for the right to list (and watch) configmaps in namespace"
    assert said in error_of(spy, "changes", "cm")


def test_a_missing_right_to_watch_is_reported(spy: Spy, serve: Serve) -> None:
    server = serve()
    server.refuse(MAPS, 403, watches=True)
    ended = spy.run("changes", "cm")
    assert ended.code == 1
    error = ended.err.splitlines()[-1]
    assert "ask for the right to watch (and list) configmaps in namespace" in error


def test_a_busy_server_is_waited_for(spy: Spy, serve: Serve) -> None:
    server = serve()
    server.refuse(MAPS, 503, times=1)
    with spy.running("changes", "cm") as running:
        running.wait_for_talk("configmaps: watching\n")
        running.wait_for_lines(1)
        ended = running.end()
    assert ended.err.splitlines()[1].startswith("configmaps: refused: the server is")
    assert (ended.code, ended.out.count("LISTED")) == (130, 1)


@pytest.mark.parametrize(
    "command", ["trace --once", "events --once", "trace", "summary"]
)
def test_a_closed_port_is_one_error_also_where_the_types_are_known(
    spy: Spy, command: str
) -> None:
    words = (*command.split(), "rs/web")
    with ApiServer() as server:
        server.write_kubeconfig(spy.kubeconfig)
        server.put(replica_set(0, 0))
        assert spy.run("trace", "rs/web", "--once").code == 0  # keeps the types
    ended = spy.run(*words)
    watching, error = ended.err.splitlines()
    assert ended.code == 1 and watching.startswith("watching replicaset.apps/web")
    assert error.startswith("error: ") and "refused the connection" in error
