"""`kubectl spy serve`: who is let in, what stands still, and what moves."""

from __future__ import annotations

import base64
import json
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from kubectl_spy.sinks.closed_segments import Rotation
from tests import processes
from tests.builders import ALL_PODS, CONFIG_MAPS, event, pod
from tests.cli.command import LOOK, Spy
from tests.extras.serve.demo.client import Reply
from tests.extras.serve.served import Served, needs_kubectl, serving
from tests.recordings import START, first_list, record

PODS = "/api/v1/namespaces/shop/pods"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
CREATED = {"creationTimestamp": "2026-11-21T15:00:00Z"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Record two Pods that run after 10 s, a third one from then on, and one's end."""
    path = tmp_path / "shop.spy"
    listed = first_list(pod("a", rv="1", **CREATED), pod("b", rv="2"), time=START)
    then = START + 10
    later = [
        event("MODIFIED", pod("a", rv="3", phase="Running", **CREATED), time=then),
        event("ADDED", pod("c", rv="4", phase="Running"), time=then),
        event("DELETED", pod("b", rv="5"), time=START + 20),
    ]
    record(path, [*listed, *later])
    return path


def test_only_who_has_the_token_is_let_in(spy: Spy, file: Path) -> None:
    with serving(spy, str(file)) as served:
        assert served.kubeconfig.stat().st_mode & 0o777 == 0o600
        assert urlsplit(f"//{served.host}").hostname == "127.0.0.1"
        assert served.ask(PODS).status == 200
        bearer = f"Bearer {served.token.strip('/')}"
        assert served.ask(PODS, token="", Authorization=bearer).status == 200
        for token in ("", "/", "/x", served.token[:-1], "/%00"):
            assert served.ask(PODS, token=token).status == 401
            assert served.ask("/version", token=token).status == 401
            assert (
                served.ask("/spy/seek?at=first", token=token, method="POST").status
                == 401
            )
        assert served.token.strip("/") not in served.running.stderr.decode()


def test_other_names_are_refused(spy: Spy, file: Path) -> None:
    ours = {"localhost:80": 200, "[::1]": 200}
    others = dict.fromkeys(("evil.example:80", "[::1", ""), 403)
    with serving(spy, str(file)) as served:
        for host, status in {**ours, **others}.items():
            assert served.ask(PODS, Host=host).status == status, host


def test_nothing_can_be_written(spy: Spy, file: Path) -> None:
    with serving(spy, str(file)) as served:
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            reply = served.ask(f"{PODS}/a", method=method, body="{}")
            assert (reply.status, reply.document["reason"]) == (405, "MethodNotAllowed")
            said = "this is a recording, which cannot be changed"
            assert reply.document["message"] == said
            assert phases(served) == {"a": "Running", "c": "Running"}


def test_it_is_at_its_end_or_where_it_is_told(spy: Spy, file: Path) -> None:
    with serving(spy, str(file)) as served:
        assert phases(served) == {"a": "Running", "c": "Running"}
        listed = served.ask(PODS).document
        assert listed["metadata"]["resourceVersion"] == "5"
    with serving(spy, str(file), "--at", "first") as served:
        assert phases(served) == {"a": "Pending", "b": "Pending"}
        assert served.ask(PODS).document["metadata"]["resourceVersion"] == "2"
    with serving(spy, str(file), "--at", "15:04:16") as served:
        assert phases(served) == {"a": "Running", "b": "Pending", "c": "Running"}


def test_ages_are_those_of_the_moment(spy: Spy, file: Path) -> None:
    with serving(spy, str(file), "--at", "15:05:00") as served:
        table = served.ask(f"{PODS}?fieldSelector=metadata.name=a", Accept=TABLE)
        (row,) = table.document["rows"]
        assert row["cells"][:5] == ["a", "0/0", "Running", "0", "5m"]


def test_a_seek_moves_it_and_tells_who_watches(spy: Spy, file: Path) -> None:
    with serving(spy, str(file), "--at", "first") as served:
        connection = HTTPConnection(served.host, timeout=processes.PATIENCE)
        connection.request("GET", f"{served.token}{PODS}?watch=1&resourceVersion=2")
        response = connection.getresponse()
        reply = served.ask("/spy/seek?at=last", method="POST")
        assert (reply.status, reply.document["status"]) == (200, "Success")
        assert [told(response.readline()) for _ in range(3)] == [
            ("MODIFIED", "a", "3"),
            ("ADDED", "c", "4"),
            ("DELETED", "b", "5"),
        ]
        assert served.ask("/spy/seek", method="POST", body="first").status == 200
        assert [told(response.readline()) for _ in range(3)] == [
            ("DELETED", "c", "4"),
            ("MODIFIED", "a", "1"),
            ("ADDED", "b", "2"),
        ]
        assert phases(served) == {"a": "Pending", "b": "Pending"}
        gone = served.ask(f"{PODS}?watch=1&resourceVersion=5").document
        assert (gone["type"], gone["object"]["code"]) == ("ERROR", 410)
        connection.close()


def test_a_ring_begins_with_the_objects_that_were_there(
    spy: Spy, file: Path, tmp_path: Path
) -> None:
    ring = tmp_path / "ring.spy"
    events = [
        *first_list(pod("a", rv="1"), pod("b", rv="2"), time=START),
        event("MODIFIED", pod("a", rv="3", phase="Running"), time=START + 1),
        event("MODIFIED", pod("a", rv="4", phase="Failed"), time=START + 2),
    ]
    record(ring, events, rotation=Rotation(size=1))
    oldest, *_ = sorted(tmp_path.glob("ring.spy.*"))
    oldest.unlink()
    with serving(spy, str(ring), "--at", "first") as served:
        assert set(phases(served)) == {"a", "b"}


DEEP = base64.urlsafe_b64encode(b"[" * 5000).decode()


HOSTILE = {
    "//[": 404,
    f"{PODS}?limit={1 << 63}": 400,
    f"{PODS}?limit=1_0": 400,
    f"{PODS}?resourceVersion={'9' * 5000}": 400,
    f"{PODS}?continue={DEEP}": 400,
}


def test_a_hostile_request_is_answered_and_leaves_no_traceback(
    spy: Spy, file: Path
) -> None:
    review = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    with serving(spy, str(file)) as served:
        said = served.running.stderr
        for path, status in HOSTILE.items():
            assert served.ask(path).status == status
        assert served.ask(review, method="POST", body="[" * 4000).status == 400
        assert served.ask(PODS).status == 200
        assert served.running.stderr == said


def test_a_seek_beside_the_recording_says_so(spy: Spy, file: Path) -> None:
    def sought(point: str) -> Reply:
        return served.ask(f"/spy/seek?at={point}", method="POST")

    with serving(spy, str(file)) as served:
        for point in ("", "3h", "rv:77"):
            reply = sought(point)
            assert (reply.status, reply.document["reason"]) == (400, "BadRequest")
            assert phases(served) == {"a": "Running", "c": "Running"}
        late = sought("2030-01-01T00:00:00Z").document["message"]
        assert late == (
            "at 2030-01-01T00:00:00.000000Z, which is after the end of the recording"
        )
        assert phases(served) == {"a": "Running", "c": "Running"}
        assert "after" not in sought("last").document["message"]
        began = json.loads(file.read_bytes().partition(b"\n")[0])["time"]
        early = sought("2020-01-01T00:00:00Z")
        assert (early.status, early.document["message"]) == (200, f"at {began}")


def test_it_plays_from_the_first_watch_on(spy: Spy, file: Path) -> None:
    with serving(spy, str(file), "--speed", "20") as served:
        assert phases(served) == {"a": "Pending", "b": "Pending"}
        connection = HTTPConnection(served.host, timeout=processes.PATIENCE)
        begun = time.monotonic()
        connection.request("GET", f"{served.token}{PODS}?watch=1&resourceVersion=2")
        response = connection.getresponse()
        seen, times = [], []
        for _ in range(3):
            seen.append(told(response.readline()))
            times.append(time.monotonic() - begun)
        connection.close()
    assert seen == [("MODIFIED", "a", "3"), ("ADDED", "c", "4"), ("DELETED", "b", "5")]
    assert times[0] >= 0.45 and times[2] >= 0.95


def phases(served: Served) -> dict[str, str]:
    """Return the phase of each Pod."""
    items = served.ask(PODS).document["items"]
    return {each["metadata"]["name"]: each["status"]["phase"] for each in items}


def told(line: bytes) -> tuple[str, str, str]:
    document: dict[str, Any] = json.loads(line)
    metadata = document["object"]["metadata"]
    return document["type"], metadata["name"], metadata["resourceVersion"]


@needs_kubectl
def test_kubectl_looks_into_it(spy: Spy, file: Path) -> None:
    with serving(spy, str(file), "--at", "15:05:00") as served:
        assert served.kubectl("get", "pods").stdout == (
            "NAME   READY   STATUS    RESTARTS   AGE\n"
            "a      0/0     Running   0          5m\n"
            "c      0/0     Running   0          <unknown>\n"
        )
        assert "node1" in served.kubectl("get", "po", "-A", "-o", "wide").stdout
        assert "Name:         a\n" in served.kubectl("describe", "pod", "a").stdout
        names = served.kubectl("api-resources", "-o", "name").stdout
        assert names == "pods\n"
        nothing = served.kubectl("get", "pod", "b").stderr
        assert nothing == 'Error from server (NotFound): pods "b" not found\n'
        refused = served.kubectl("delete", "pod", "a", "--wait=false").stderr
        assert refused == (
            "Error from server (MethodNotAllowed): this is a recording, which cannot "
            "be changed\n"
        )


@needs_kubectl
def test_kubectl_says_that_there_is_nothing_to_explain_from(
    spy: Spy, file: Path
) -> None:
    with serving(spy, str(file)) as served:
        for path in ("/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1"):
            reply = served.ask(path)
            assert (reply.status, reply.document["reason"]) == (404, "NotFound")
        for words in ((), ("--output", "plaintext-openapiv2")):
            explained = served.kubectl("explain", "pod", *words)
            assert explained.stderr == (
                "Error from server (NotFound): the server could not find the requested "
                "resource\n"
            )


def test_our_own_commands_look_into_it(spy: Spy, tmp_path: Path) -> None:
    file = tmp_path / "it.spy"
    record(file, first_list(pod("a", rv="1", phase="Running"), time=START))
    with serving(spy, str(file)) as served:
        environ = {"KUBECONFIG": str(served.kubeconfig)}
        status = spy.run("status", "pod/a", *LOOK.split(), environ=environ)
        assert status.code == 124 and "Running" in status.out, status.err
        trace = spy.run("trace", "pod/a", "--once", environ=environ)
        assert trace.code == 0 and "pod/a" in trace.out


def test_a_namespace_of_which_nothing_was_recorded_is_an_error_as_on_a_cluster(
    spy: Spy, tmp_path: Path
) -> None:
    file = tmp_path / "it.spy"
    record(file, first_list(pod("a", rv="1", phase="Running"), time=START))
    with serving(spy, str(file)) as served:
        environ = {"KUBECONFIG": str(served.kubeconfig)}
        for command in ("trace --once", "trace", "summary", "changes"):
            ended = spy.run(*command.split(), "-n", "shpo", environ=environ)
            assert (ended.code, ended.out) == (1, ""), command
            absent = "error: there is no namespace shpo; did you mean shop?\n"
            assert ended.err.endswith(absent), command
        assert spy.run("trace", "-n", "shop", "--once", environ=environ).code == 0
        assert served.ask("/api/v1/namespaces?watch=true").status == 404
        assert served.ask("/api/v1/namespaces/shop").status == 501


@pytest.mark.parametrize(("forbidden", "status"), [(True, 403), (False, 503)])
def test_what_was_refused_to_the_recorder_is_no_empty_list(
    spy: Spy, tmp_path: Path, forbidden: bool, status: int
) -> None:
    file, maps = tmp_path / "less.spy", ALL_PODS._replace(resource=CONFIG_MAPS)
    refused = event("REFUSED", time=START, selection=maps)
    refused = refused._replace(reason="may not list configmaps", forbidden=forbidden)
    listed = first_list(pod("a", rv="1"), time=START)
    record(file, [*listed, refused], selections=(ALL_PODS, maps))
    with serving(spy, str(file)) as served:
        answer = served.ask("/api/v1/namespaces/shop/configmaps")
        assert answer.status == status
        assert b"not recorded: may not list configmaps" in answer.body
        assert served.ask(PODS).status == 200


def test_a_recording_without_objects_is_served_at_its_beginning(
    spy: Spy, file: Path
) -> None:
    header, _, _ = file.read_bytes().partition(b"\n")
    file.write_bytes(header + b"\n")
    with serving(spy, str(file)) as served:
        began = json.loads(header)["time"][:10]
        assert f"as it was at {began} " in served.running.stderr.decode()


def test_an_address_that_is_not_ours(spy: Spy, file: Path) -> None:
    ended = spy.run("serve", str(file), "--address", "192.0.2.1")
    assert ended.code == 1
    assert ended.err.startswith("error: cannot listen on 192.0.2.1: ")
