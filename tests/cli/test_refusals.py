"""What the command says when it is told no: one line, what happened, what to do."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any

import pytest

from tests.builders import replica_set, resource
from tests.cli.command import PATIENCE, Spy
from tests.extras.serve.api_server.server import ApiServer

Serve = Callable[..., ApiServer]

MAPS = "/api/v1/namespaces/default/configmaps"
KNATIVE = resource("Service", "serving.knative.dev")


def error_of(spy: Spy, *arguments: str) -> str:
    """Return the last line of stderr of a command that fails and prints nothing."""
    ended = spy.run(*arguments)
    assert (ended.code, ended.out) == (1, ""), ended
    lines = ended.err.splitlines()
    assert lines[-1].startswith("error: ")
    assert "Traceback" not in ended.err and "bug" not in ended.err
    return lines[-1]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("deploymnt", "did you mean deployments"),
        ("pdos", "did you mean pods"),
        ("xyzzy", "see kubectl api-resources"),
        ("pods.v2.nosuch", "did you mean pods"),
    ],
)
def test_unknown_types_get_suggestions(
    spy: Spy, serve: Serve, typed: str, said: str
) -> None:
    serve()
    error = error_of(spy, "changes", typed)
    assert f'the server has no resource type "{typed}"; ' in error
    assert said in error


def test_unknown_kinds_of_kubespy_get_suggestions(spy: Spy, serve: Serve) -> None:
    serve()
    error = error_of(spy, "status", "v1", "Pd", "web/nginx")
    assert "no resource type v1 Pd; did you mean v1 Pod" in error


def test_a_type_of_several_groups_is_noted(spy: Spy, serve: Serve) -> None:
    server = serve(custom_resources=[KNATIVE])
    with spy.running("changes", "services") as running:
        server.wait_for_watches(1, PATIENCE)
        ended = running.end()
    assert ended.err.splitlines()[0] == (
        'note: "services" is served by several API groups: following services.v1.; '
        "for another one say services.serving.knative.dev"
    )


def test_a_type_that_cannot_be_watched_is_refused(spy: Spy, serve: Serve) -> None:
    serve()
    error = error_of(spy, "changes", "componentstatuses")
    assert "error: componentstatuses cannot be watched: the server offers " in error


def test_the_status_of_what_has_none_leads_to_changes(spy: Spy, serve: Serve) -> None:
    server = serve()
    with spy.running("status", "cm") as running:
        server.wait_for_watches(1, PATIENCE)
        ended = running.end()
    assert (
        "note: configmaps have no status; try: kubectl spy changes configmaps"
        in ended.err.splitlines()
    )


def test_absent_contexts_and_files_are_named(spy: Spy, serve: Serve) -> None:
    serve()
    unknown = error_of(spy, "changes", "cm", "--context", "prod")
    assert 'no context "prod" in ' in unknown and "known: demo" in unknown
    missing = error_of(spy, "changes", "cm", "--kubeconfig", "/nowhere/config")
    assert "/nowhere/config does not exist" in missing
    spy.kubeconfig.unlink()
    nothing = error_of(spy, "changes", "cm")
    assert "no kubeconfig: looked for " in nothing and "--kubeconfig" in nothing


def test_a_refused_connection_is_said_to_be_one(spy: Spy) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    error = error_of(spy, "changes", "cm", "-s", address)
    assert error == (
        f"error: {address} refused the connection; "
        "is the API server running, and is this the right --context?"
    )


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (401, None, "wants credentials and the kubeconfig has none (401)"),
        (403, None, "ask for the right to list (and watch) configmaps in namespace"),
        (404, None, "check the name, the namespace and --context"),
        (404, "404 page not found", "nothing is served there; check the server URL"),
        (400, {"message": "unknown field"}, "unknown field; check the request"),
    ],
)
def test_a_first_list_that_is_refused_is_exit_1(
    spy: Spy, serve: Serve, status: int, body: Any, said: str
) -> None:
    server = serve()
    server.refuse(MAPS, status, body)
    assert said in error_of(spy, "changes", "cm")


def test_a_missing_right_to_watch_is_reported(spy: Spy, serve: Serve) -> None:
    server = serve()
    server.refuse(MAPS, 403, watches=True)
    ended = spy.run("changes", "cm")
    assert ended.code == 1
    error = ended.err.splitlines()[-1]
    assert "ask for the right to watch (and list) configmaps in namespace" in error


def test_a_wrong_token_is_refused_and_never_shown(spy: Spy, serve: Serve) -> None:
    serve(token="right")
    config = json.loads(spy.kubeconfig.read_text())
    config["users"][0]["user"]["token"] = "s3cret-token"
    spy.kubeconfig.write_text(json.dumps(config))
    error = error_of(spy, "changes", "cm")
    assert 'does not accept the token of user "demo" (401)' in error
    ended = spy.run("changes", "cm", "--debug")
    assert "s3cret-token" not in error + ended.err


def test_a_busy_server_is_waited_for(spy: Spy, serve: Serve) -> None:
    server = serve()
    server.refuse(MAPS, 503, times=1)
    with spy.running("changes", "cm") as running:
        running.wait_for_talk("configmaps: watching\n")
        running.wait_for_lines(1)
        ended = running.end()
    assert ended.err.splitlines()[1].startswith("configmaps: refused: the server is")
    assert (ended.code, ended.out.count("LISTED")) == (130, 1)


def test_server_warnings_are_printed_once(spy: Spy, serve: Serve) -> None:
    server = serve(warnings=['v1 "Endpoints" is old'])
    with spy.running("changes", "cm") as running:
        server.wait_for_watches(1, PATIENCE)
        ended = running.end()
    said = [line for line in ended.err.splitlines() if "Warning" in line]
    assert said == ['Warning: v1 "Endpoints" is old']


@pytest.mark.parametrize("command", ["trace --once", "events --once", "trace"])
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
