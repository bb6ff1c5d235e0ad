"""`kubectl logs` of a served recording has what `record --logs` kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.builders import a_pod, container, over, running, waiting
from tests.cli.command import Spy
from tests.extras.serve.api_server.server import Serve
from tests.extras.serve.served import Served, needs_kubectl, serving
from tests.processes import wait_until

PODS = "/api/v1/namespaces/default/pods/"
KEPT = "only these last lines of the log were recorded, without times"
LONG = "x" * (1 << 14)  # our recorder reads no more of a log
CUT = f"{LONG}\n"
LOG = "connecting\npanic: no such host\n"
AGAIN = waiting("CrashLoopBackOff")


def run(name: str, code: int = 3) -> dict[str, Any]:
    """Return how the container with the ID *name* failed."""
    return over(code, containerID=f"containerd://{name}")


def named(name: str) -> dict[str, Any]:
    return {"name": name, "uid": f"uid-{name}", "namespace": "default"}


def its_log(pod: str, name: str, *, previous: bool) -> str:
    """Return the beginning of the path that our recorder asks for."""
    return f"{PODS}{pod}/log?container={name}&previous={str(previous).lower()}&"


@contextmanager
def served(spy: Spy, serve: Serve, *words: str) -> Iterator[Served]:
    """Serve a recording of a Pod whose container runs, fails, waits and runs again.

    Beside it runs one that never fails, and in two more Pods a container has failed.
    """
    server = serve(namespace="default")
    fine = container("fine", running(), ready=True)
    metadata = named("web")

    def write(**state: Any) -> None:
        server.put(a_pod(container("app", **state), fine, metadata=metadata))

    write(state=running())
    setup = container("setup", AGAIN, last=run("setup"), restarts=2)
    server.put(a_pod(container(state=None), init=(setup,), metadata=named("init")))
    once = container(state={"terminated": run("once")})
    never = {"restartPolicy": "Never"}
    server.put(a_pod(once, phase="Failed", spec=never, metadata=named("once")))
    server.refuse(its_log("web", "app", previous=True), 200, LOG)
    server.refuse(its_log("init", "setup", previous=True), 200, LONG)
    server.refuse(its_log("once", "app", previous=False), 200, "the end\n")
    file = spy.home / "web.spy"

    def recorded(text: str) -> Callable[[], bool]:
        return lambda: file.exists() and text in file.read_text()

    command = ("record", "pods", "-n", "default", "--logs", "-f", str(file))
    with spy.running(*command) as recorder:
        wait_until(recorded('"type":"LISTED"'))
        write(state=AGAIN, last=run("app"), restarts=1)
        wait_until(lambda: file.read_text().count('"type":"LOG"') == 3)
        write(state=running(), last=run("app"), restarts=1)
        wait_until(lambda: file.read_text().count('"type":"MODIFIED"') == 2)
        recorder.end()
    with serving(spy, str(file), *words) as started:
        yield started


def changes(file: Path) -> list[int]:
    """Return the numbers of the lines about changes."""
    lines = map(json.loads, file.read_text().splitlines())
    return [line["seq"] for line in lines if line["type"] == "MODIFIED"]


def test_the_log_of_a_failed_container_is_served(spy: Spy, serve: Serve) -> None:
    with served(spy, serve) as it:
        for query, log in (
            ("web/log?container=app&previous=true", LOG),
            (
                "web/log?container=app&previous=true&tailLines=1",
                "panic: no such host\n",
            ),
            ("web/log?container=app&previous=true&tailLines=9", LOG),
            ("web/log?container=app&previous=true&tailLines=0", ""),
            ("web/log?container=app&previous=true&limitBytes=4", "conn"),
            ("web/log?previous=true", LOG),  # the first container
            ("init/log?container=setup", CUT),
            ("init/log?container=setup&previous=true", CUT),
            ("once/log", "the end\n"),
        ):
            reply = it.ask(PODS + query)
            assert (reply.status, reply.body.decode()) == (200, log), query
            cut = "; the end of the last one is missing" if log == CUT else ""
            assert reply.headers["Warning"] == f'299 - "{KEPT}{cut}"'


def test_a_log_that_was_not_recorded_says_so(spy: Spy, serve: Serve) -> None:
    with served(spy, serve) as it:
        for query, what in (
            ("web/log?container=app", 'no log of container "app"'),  # it runs again
            ("web/log?container=fine", 'no log of container "fine"'),
            ("web/log?container=fine&previous=true", 'no previous log of container "f'),
            ("once/log?previous=true", 'no previous log of container "app"'),
            ("web/log?container=nobody", 'no log of container "nobody"'),
        ):
            reply = it.ask(PODS + query)
            message = reply.document["message"]
            assert reply.status == 404 and what in message
            assert " was recorded by this moment: record --logs keeps" in message
        nobody = it.ask(f"{PODS}nobody/log").document
        assert nobody["message"] == 'pods "nobody" not found'


def test_a_log_is_there_once_its_container_has_failed(spy: Spy, serve: Serve) -> None:
    log = f"{PODS}web/log?container=app"
    with served(spy, serve, "--at", "first") as it:
        versions = [it.ask(log).status]
        for change in changes(spy.home / "web.spy"):
            it.seek(f"seq:{change}")
            versions.append(it.ask(log).status)
        assert versions == [404, 200, 404]
        assert it.ask(f"{log}&previous=true").status == 200


@needs_kubectl
def test_kubectl_prints_it(spy: Spy, serve: Serve) -> None:
    with served(spy, serve) as it:
        logs = it.kubectl("logs", "web", "-c", "app", "--previous")
        assert (logs.stdout, logs.stderr) == (LOG, f"Warning: {KEPT}\n")
        last = it.kubectl("logs", "web", "-c", "app", "--previous", "--tail=1")
        assert last.stdout == "panic: no such host\n"
        assert it.kubectl("logs", "init", "-c", "setup").stdout == CUT
        assert it.kubectl("logs", "once", "-f").stdout == "the end\n"
        none = it.kubectl("logs", "web", "-c", "fine")
        (line,) = none.stderr.splitlines()
        assert none.returncode == 1 and "was recorded by this moment" in line
