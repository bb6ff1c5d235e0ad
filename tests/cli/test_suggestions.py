"""What is not there, but was perhaps meant: objects, namespaces, types."""

from __future__ import annotations

import threading

import pytest

from kubectl_spy.extras.serve.api_server.exchange import Answer, Request
from kubectl_spy.extras.serve.api_server.watching import Stream
from tests.builders import manifest, pod
from tests.cli.command import BRIEF, PATIENCE, Spy
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.recordings import first_list, record

WAITING = "configmap/nignx is not there yet in namespace shop: waiting for it"
MEANT = "did you mean configmap/nginx?"
NO_NAMESPACE = "there is no namespace shpo; did you mean shop?"


def put(server: ApiServer, name: str, namespace: str = "shop") -> None:
    server.put(manifest("ConfigMap", name, namespace))


@pytest.fixture
def server(serve: Serve) -> ApiServer:
    """A server with the ConfigMap nginx in the namespace of the context, shop."""
    server = serve(namespace="shop")
    put(server, "nginx")
    for name in ("default", "shop"):
        server.put(manifest("Namespace", name, None))
    return server


def lists(server: ApiServer, path: str) -> int:
    """Return how many lists of names were asked for at *path*."""
    return sum(
        each.route == path and "PartialObject" in each.headers.get("accept", "")
        for each in server.requests
    )


@pytest.mark.parametrize("command", ["status", "changes", "trace", "events", "spans"])
def test_a_similar_name_is_suggested_at_once(
    spy: Spy, server: ApiServer, command: str
) -> None:
    with spy.running(command, "cm/nignx", "--for", "create") as running:
        running.wait_for_talk(WAITING)
        put(server, "nignx")
        ended = running.ended()
    assert ended.code == 0
    assert f"{WAITING}; {MEANT}" in ended.err.splitlines()
    assert lists(server, "/api/v1/namespaces/shop/configmaps") == 1
    assert lists(server, "/api/v1/namespaces") == 0


def test_suggestions_cost_no_request_for_present_objects(
    spy: Spy, server: ApiServer
) -> None:
    assert spy.run("trace", "cm/nginx", "--once").code == 0
    assert not any("PartialObject" in str(each.headers) for each in server.requests)


def test_the_error_suggests_a_name(spy: Spy, server: ApiServer) -> None:
    near, far, several = spy.run_all(
        "trace cm/nignx --once", "trace cm/zzz --once", "trace cm/nignx cm/ngin --once"
    )
    absent = "not there in namespace shop"
    assert near.err.endswith(f"\nerror: configmap/nignx is {absent}; {MEANT}\n")
    assert far.err.endswith(
        f"\nerror: configmap/zzz is {absent}; leave out --once to wait for it\n"
    )
    assert several.err.endswith(f" are {absent}; {MEANT}\n")
    assert {near.code, far.code, several.code} == {1}


@pytest.mark.parametrize("target", ["cm/nginx", "pods", "pods,cm"])
def test_an_absent_namespace_gets_a_suggestion(
    spy: Spy, server: ApiServer, target: str
) -> None:
    with spy.running("changes", target, "-n", "shpo") as running:
        running.wait_for_talk(NO_NAMESPACE)
        ended = running.end()
    assert ended.err.count(NO_NAMESPACE) == 1
    once = spy.run("events", target, "-n", "shpo", "--once")
    assert NO_NAMESPACE in once.err


def test_a_present_namespace_gets_no_suggestion(spy: Spy, server: ApiServer) -> None:
    ended = spy.run("events", "pods", "--once")
    assert "no namespace" not in ended.err
    assert lists(server, "/api/v1/namespaces") == 1


@pytest.mark.parametrize("path", ["/api/v1/namespaces?", "/api/v1/namespaces/shpo/"])
def test_forbidden_lists_suggest_nothing(
    spy: Spy, server: ApiServer, path: str
) -> None:
    """The watch of one name is allowed; the list of all names is not."""
    server.refuse(
        f"{path}{'configmaps?limit' * path.endswith('/')}", 403, watches=False
    )
    ended = spy.run("trace", "cm/web", "-n", "shpo", "--once")
    assert ended.code == 1
    assert [line.partition(":")[0] for line in ended.err.splitlines()[1:]] == ["error"]


def test_suggested_names_are_escaped(spy: Spy, server: ApiServer) -> None:
    put(server, "hostile\x1b[2J")
    ended = spy.run("trace", "cm/hostile2j", "--once")
    assert "did you mean configmap/hostile\\u001b[2J?" in ended.err


class Hanging(ApiServer):
    """Answers requests for names only when it is allowed to."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = threading.Event()

    def respond(self, request: Request) -> Answer | Stream:
        """Wait, if names are asked for."""
        if "PartialObject" in request.headers.get("accept", ""):
            self.answers.wait(PATIENCE)
        return super().respond(request)


def test_suggestions_have_a_time_limit(spy: Spy) -> None:
    with Hanging() as server:
        server.write_kubeconfig(spy.kubeconfig, namespace="shop")
        put(server, "nginx")
        with spy.running("changes", "cm/nignx") as running:
            running.wait_for_talk(WAITING)
            put(server, "nignx")
            running.wait_for_lines(1)
            ended = running.end()
        once = spy.run("trace", "cm/other", "--once")
        server.answers.set()
    assert (ended.code, MEANT in ended.err) == (130, False)
    assert ended.took < BRIEF
    assert (once.code, once.err.splitlines()[-1][:22]) == (1, "error: configmap/other")


RECORDED = {
    "changes FILE pod/nignx": "did you mean pod/nginx?",
    "changes FILE pod/nginx -n shpo": NO_NAMESPACE,
    "changes --from FILE pod/nignx": "did you mean pod/nginx?",
    "changes --from FILE po/nginx-2 po/nignx": "did you mean pod/nginx?",
    "show FILE pod/nignx": "did you mean pod/nginx?",
    "show FILE pod/nginx -n shpo": NO_NAMESPACE,
    "show FILE v1 Pod shpo/nginx": NO_NAMESPACE,
    "diff FILE pod/nignx first last": "did you mean pod/nginx?",
    "show FILE pdo/nginx": 'nothing of "pdo" was recorded; did you mean pods?',
    "changes FILE pdos": 'nothing of "pdos" was recorded; did you mean pods?',
    "show FILE pod/hostile2j": "did you mean pod/hostile\\u001b[2J?",
}


def test_a_recording_suggests_its_objects(spy: Spy) -> None:
    file = spy.home / "file.spy"
    record(file, first_list(pod("nginx", rv="1"), pod("hostile\x1b[2J", rv="2")))
    lines = [line.replace("FILE", str(file)) for line in RECORDED]
    for said, ended in zip(RECORDED.values(), spy.run_all(*lines), strict=True):
        assert ended.code == 1
        error = ended.err.splitlines()[-1]
        assert error.startswith("error: ") and said in error
    empty = spy.run("changes", str(file), "-n", "shpo")
    assert (empty.code, empty.out) == (1, "")
    assert empty.err.endswith("there is no namespace shpo; did you mean shop?\n")


def test_a_recorded_first_list_counts_selected_objects(spy: Spy) -> None:
    file = spy.home / "file.spy"
    record(file, first_list(*(pod(name, rv="1") for name in "abc")))
    none, two, all_ = spy.run_all(
        *(f"changes {file} {pods}" for pods in ("po/x po/y", "po/a po/b", ""))
    )
    assert (none.code, none.out) == (1, "")
    assert two.out.endswith("  LISTED    2 pods in namespace shop\n")
    assert all_.out.endswith("  LISTED    3 pods in namespace shop\n")


def test_a_name_without_its_type_is_answered_with_both(
    spy: Spy, server: ApiServer
) -> None:
    for kind in ("Pod", "Service"):
        server.put(manifest(kind, "nginx"))
    server.refuse("/apis/apps/v1/namespaces/shop/deployments", 403)
    same, near = spy.run_all("status nginx", "trace nignx")
    error = 'error: the server has no resource type "{}"; did you mean service/nginx?\n'
    assert (same.code, same.err) == (1, error.format("nginx"))
    assert (near.code, near.err) == (1, error.format("nignx"))
