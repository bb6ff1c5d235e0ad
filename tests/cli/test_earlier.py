"""--since beyond what the server remembers: what else tells of it, marked as such."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from kubectl_spy.core.times import rfc3339
from tests.builders import Object, config_map, workload
from tests.cli.command import LOOK, Ended, Spy, wait_for_lists
from tests.extras.serve.api_server.server import ApiServer, Serve

REVISION = "deployment.kubernetes.io/revision"
IMAGES = ("shop/web:1", "shop/web:2")


WHOLE = re.compile("complete since [0-9:]+: ")


def ago(seconds: float) -> str:
    return f"{rfc3339(time.time() - seconds)[:19]}Z"


def template(image: str) -> Object:
    return {"spec": {"containers": [{"name": "app", "image": image}]}}


@pytest.fixture
def server(serve: Serve) -> ApiServer:
    """A server that remembers nothing of a Deployment with two revisions."""
    started = serve()
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "web"}
    for number, image in enumerate(IMAGES, 1):
        made = workload(
            "ReplicaSet", f"web-{number}", spec={"template": template(image)}
        )
        made["metadata"] |= {
            "uid": f"web-{number}",
            "namespace": "default",
            "creationTimestamp": ago(1200 - 300 * number),
            "annotations": {REVISION: str(number)},
            "ownerReferences": [{**owner, "controller": True}],
        }
        started.put(made)
    web = workload("Deployment", spec={"replicas": 1, "template": template(IMAGES[1])})
    owns: Object = {"f:spec": {"f:template": {"f:spec": {}}}}
    web["metadata"] |= {
        "uid": "web",
        "namespace": "default",
        "generation": 3,
        "creationTimestamp": ago(900),
        "annotations": {REVISION: "2"},
        "managedFields": [
            {
                "manager": "kubectl-set",
                "operation": "Update",
                "time": ago(600),
                "fieldsV1": owns,
            }
        ],
    }
    started.put(web)
    started.compact()
    return started


def since(
    spy: Spy, *words: str, at: str = "1h", server: ApiServer | None = None
) -> Ended:
    """Run the command until it tells of the past, and keep only what it then asked."""

    def told(ended: Ended) -> bool:
        ready = "known before that" in ended.err or bool(WHOLE.search(ended.err))
        if server is not None and not ready:
            server.requests.clear()
        return ready

    return spy.run_in_time(*words, "--since", at, done=told)


def record_since(spy: Spy, file: Path, *words: str) -> Ended:
    """Record the past and the first lists to *file*."""
    words = ("record", *words, "--since", "1h", "-f", str(file))
    with spy.running(*words) as running:
        wait_for_lists(file)
        return running.end()


def test_it_is_marked_and_says_what_tells_of_it(spy: Spy, server: ApiServer) -> None:
    ended = since(spy, "changes", "deploy/web", "-o", "short")
    first, second = ended.out.splitlines()
    assert first.startswith("≈") and "PAST" in first
    assert "▸ image shop/web:1 → shop/web:2  by kubectl-set" in first
    assert first.endswith("(ReplicaSet web-2, revision 2)")
    assert "first remembered version" in second
    assert "before that, 1 write marked ≈ as told by ReplicaSet" in ended.err
    assert "2 of 3 writes of its spec are known before that" in ended.err


def test_programs_get_a_line_that_is_no_version(spy: Spy, server: ApiServer) -> None:
    past, added = since(spy, "changes", "deploy/web", "-o", "json").records
    assert (past["type"], past["origin"]) == ("PAST", "ReplicaSet")
    (step,) = past["patch"]
    assert (step["before"], step["value"]) == IMAGES
    assert "seq" not in past and added["seq"] == 1
    ended = since(spy, "changes", "deploy/web", "-o", "jsonpatch")
    assert [each["path"] for each in json.loads(ended.out)] == [""]


def test_nothing_of_it_is_asked_without_since_or_within_what_is_remembered(
    spy: Spy, serve: Serve, server: ApiServer
) -> None:
    spy.run("changes", "deploy/web", *LOOK.split())
    assert not [each for each in server.requests if "replicasets" in each.path]
    since(spy, "changes", "deploy/web", server=server)
    asked = [each.path for each in server.requests if "replicasets" in each.path]
    assert asked == ["/apis/apps/v1/namespaces/default/replicasets?limit=500"]
    remembers = serve()
    remembers.put(workload("Deployment"))
    since(spy, "changes", "deploy/web", "-n", "shop")
    assert not [each for each in remembers.requests if "replicasets" in each.path]


@pytest.mark.parametrize("words", ["summary", "summary deploy/web --since 1h"])
def test_a_summary_tells_of_it_by_what_is_listed_anyway(
    spy: Spy, server: ApiServer, words: str
) -> None:
    ended = spy.run(*words.split(), "--full")
    assert "≈ image shop/web:1 → shop/web:2, by kubectl-set" in ended.out
    asked = [each.path for each in server.requests]
    assert sorted(set(asked)) == sorted(asked)
    for plural in ("replicasets", "events"):
        lists = [each for each in server.requests if each.route.endswith(plural)]
        assert [each.watches for each in lists].count(False) == 1


def test_without_since_a_summary_reads_no_history_of_releases(
    spy: Spy, server: ApiServer
) -> None:
    annotations = {"meta.helm.sh/release-name": "web"}
    web = config_map(a="1")
    web["metadata"] |= {"namespace": "default", "annotations": annotations}
    server.put(web)
    server.compact()
    for words, asks in (("summary", False), ("summary --since 1h", True)):
        server.requests.clear()
        spy.run(*words.split())
        secrets = [each for each in server.requests if "secrets" in each.path]
        helm = [each for each in secrets if "owner%3Dhelm" in each.path]
        assert bool(helm) is asks, words


def test_what_it_changed_is_left_out_by_the_excerpt(
    spy: Spy, server: ApiServer
) -> None:
    words = {
        "status deploy/web -o short": False,
        "changes deploy/web --by jane -o short": False,
        "changes deploy/web --by people -o short": True,
        "changes deploy/web --only /spec/replicas": False,
    }
    for line, told in words.items():
        assert ("PAST" in since(spy, *line.split()).out) == told, line


def test_what_is_before_the_time_is_not_told(spy: Spy, server: ApiServer) -> None:
    assert "PAST" not in since(spy, "changes", "deploy/web", at="5m").out


def test_a_recording_has_it_and_says_the_same(
    spy: Spy, server: ApiServer, tmp_path: Path
) -> None:
    live = since(spy, "changes", "deploy/web", "-o", "short")
    file = str(tmp_path / "web.spy")
    recorded = record_since(spy, Path(file), "deploy/web")
    assert "1 object at the end, 0 changes, 1 earlier write, " in recorded.err
    assert spy.run("ls", "--verify", file).code == 0
    replayed = spy.run("changes", file, "-o", "short")
    assert replayed.out.splitlines()[0] == live.out.splitlines()[0]
    told = spy.run("summary", file).out
    assert "≈ image shop/web:1 → shop/web:2, by kubectl-set (ReplicaSet web-2" in told
    (write,) = json.loads(spy.run("summary", file, "-o", "json").out)["edits"]
    assert (write["type"], write["source"]) == ("PAST", "ReplicaSet web-2, revision 2")


def test_blame_says_the_value_before(spy: Spy, server: ApiServer) -> None:
    ended = spy.run("blame", "deploy/web", "--since", "1h", "--only", "/spec/template")
    assert 'was "shop/web:1" (≈ ReplicaSet web-2, revision 2)' in ended.out


def test_a_recording_of_everything_begins_with_the_past(
    spy: Spy, serve: Serve, tmp_path: Path
) -> None:
    """A tick while the lists are awaited must not move its clock."""
    from tests.cli.test_since import edited

    server = serve()
    server.put(edited(0))
    server.put(edited(1))
    file = tmp_path / "all.spy"
    record_since(spy, file, "-n", "default")
    found = [json.loads(line) for line in file.read_text().splitlines()]
    (header,) = [each for each in found if each["type"] == "HEADER"]
    versions = [each["time"] for each in found if each.get("name") == "web"]
    assert versions and max(versions) < found[-1]["time"]
    assert header["time"] < min(versions)


@pytest.mark.parametrize("path", ["replicasets", "events"])
def test_what_is_refused_is_one_line(spy: Spy, server: ApiServer, path: str) -> None:
    prefix = "/api/v1" if path == "events" else "/apis/apps/v1"
    server.refuse(f"{prefix}/namespaces/default/{path}?", 403)
    ended = since(spy, "changes", "deploy/web", "-o", "short")
    assert f"note: {path} tell nothing of the past: there is no right" in ended.err
    assert "first remembered version" in ended.out
