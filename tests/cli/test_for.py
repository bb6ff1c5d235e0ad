"""`--for`: the command ends when something comes, or cannot come any more."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builders import (
    STREAMS,
    manifest,
    recorded_lines,
    reference,
    replica_set,
    workload,
)
from tests.cli.command import PATIENCE, Running, Spy, wait_for_file
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.processes import limits

WAITING = Path(__file__).parents[2] / "docs" / "waiting.md"


def pod(name: str, phase: str = "Pending", **labels: str) -> dict[str, Any]:
    """Return a Pod that is ready if it is Running."""
    ready = "True" if phase == "Running" else "False"
    status = {"phase": phase, "conditions": [{"type": "Ready", "status": ready}]}
    return manifest("Pod", name, metadata={"labels": labels}, spec={}, status=status)


@pytest.fixture
def server(serve: Serve) -> ApiServer:
    """A server whose context's namespace is shop; nothing is there."""
    return serve(namespace="shop")


def last_line(err: str) -> str:
    return err.splitlines()[-1]


def test_a_rollout_is_awaited_to_its_last_change(spy: Spy, serve: Serve) -> None:
    serve("deploy-rollout")
    ended = spy.run("status", "deploy/nginx", "--for", "ready", "-o", "json")
    assert (ended.code, last_line(ended.err)) == (
        0,
        "deployment.apps/nginx: ready (3 of 3 updated replicas are available)",
    )
    assert last_line(ended.err) in WAITING.read_text()
    printed = ended.records
    last = {"op": "replace", "path": "/status/availableReplicas", "value": 3}
    assert [last in each.get("patch", ()) for each in printed].index(True) == (
        len(printed) - 1
    )


@pytest.mark.parametrize("flags", [(), ("--watch-only",)])
def test_what_is_there_already_counts(
    spy: Spy, server: ApiServer, flags: tuple[str, ...]
) -> None:
    server.put(pod("web", "Running"))
    ended = spy.run("changes", "pod/web", "--for", "ready", *flags)
    assert (ended.code, last_line(ended.err)) == (
        0,
        "pod/web: ready (it is running and ready)",
    )
    assert ("  already there\n" in ended.out) == (not flags)


def after(
    spy: Spy, server: ApiServer, *command: str, do: Callable[[], Any]
) -> tuple[int, str, str]:
    """Return how *command* ended after *do* was done while it watched."""

    def watches(running: Running) -> bool:
        return b"\n" in running.stdout or b"waiting" in running.stderr

    with spy.running(*command) as running:
        running.wait_until(watches)
        server.wait_for_watches(1, PATIENCE)
        do()
        ended = running.ended()
    return ended.code, ended.out, last_line(ended.err)


PUT, DELETE = ApiServer.put, ApiServer.delete


@pytest.mark.parametrize(
    ("condition", "do", "code", "said", "printed"),
    [
        ("create", PUT, 0, "pod/web: created", "ADDED     pod/web"),
        ("delete", DELETE, 0, "pod/web: deleted", "DELETED   pod/web"),
        ("ready", DELETE, 1, "error: pod/web was deleted while", "DELETED   pod/web"),
    ],
    ids=["until it comes", "until it is gone", "until it was deleted"],
)
def test_an_object_is_waited_for(
    spy: Spy,
    server: ApiServer,
    condition: str,
    do: Callable[[ApiServer, Any], Any],
    code: int,
    said: str,
    printed: str,
) -> None:
    if do is DELETE:
        server.put(pod("web"))
    words = ("status", "pod/web", "--for", condition)
    ended = after(spy, server, *words, do=lambda: do(server, pod("web")))
    assert ended[0] == code
    assert printed in ended[1] and ended[2].startswith(said)


@pytest.mark.parametrize(
    ("phase", "condition", "said"),
    [
        (
            *("Failed", "ready"),
            "failed (it has ended in failure); look at its Events and at what it owns",
        ),
        (
            *("Succeeded", "failed"),
            "it has completed, and cannot fail any more; "
            "to wait for that, use --for ready",
        ),
        (
            *("Pending", "jsonpath={.status.*}=a"),
            "{.status.*} leads to 2 values; name one value, that of a single field",
        ),
    ],
)
def test_what_cannot_come_any_more_is_not_waited_for(
    spy: Spy, server: ApiServer, phase: str, condition: str, said: str
) -> None:
    server.put(pod("web", phase))
    ended = spy.run("status", "pod/web", "--for", condition)
    assert (ended.code, last_line(ended.err)) == (1, f"error: pod/web: {said}")
    assert "  already there\n" in ended.out


def test_a_failed_job_is_reported_as_documented(spy: Spy, serve: Serve) -> None:
    serve("workloads")
    ended = spy.run("status", "job/failing", "--for", "ready")
    assert ended.code == 1
    assert f"\n    {last_line(ended.err)}\n" in WAITING.read_text()


def test_lists_in_any_order_report_the_cause(spy: Spy, server: ApiServer) -> None:
    """Live, the list of what is waited for may come before all others."""
    stuck = {"type": "Progressing", "status": "False", "reason": EXCEEDED}
    spec = {"replicas": 1, "progressDeadlineSeconds": 600}
    server.put(workload("Deployment", spec=spec, conditions=[stuck]))
    file = spy.home / "it.spy"
    live = [
        spy.run("trace", "deploy/web", "--for", "ready", "--record", str(file)),
        spy.run("status", "deploy/web", "--for", "ready"),
    ]
    recorded = [
        spy.run(each, "deploy/web", "--for", "ready", "--from", str(file))
        for each in ("trace", "status")
    ]
    for ended in (*live, *recorded):
        assert (ended.code, last_line(ended.err)) == (
            1,
            "error: deployment.apps/web: ProgressDeadlineExceeded: no progress for "
            "600 s; fix what its Pods show",
        )


def test_a_failure_waits_for_lists_for_a_time_only(spy: Spy, server: ApiServer) -> None:
    server.put(job("Failed"))
    server.refuse("/api/", 503)
    ended = spy.run("status", "job/it", "cm/other", "--for", "ready")
    assert ended.code == 1
    assert last_line(ended.err).startswith("error: job.batch/it: ")


def test_a_timeout_reports_a_pending_failure(spy: Spy, server: ApiServer) -> None:
    server.put(job("Failed"))
    server.refuse("/api/", 503)
    ended = spy.run_in_time(
        *("status", "job/it", "cm/other", "--for", "ready"),
        done=lambda it: last_line(it.err).startswith("error: job.batch/it: "),
    )
    assert ended.code == 1
    assert last_line(ended.err).startswith("error: job.batch/it: ")


def test_a_timeout_names_the_missing_lists(spy: Spy, server: ApiServer) -> None:
    server.refuse("/apis/batch/v1/", 503)
    ended = spy.run_in_time(
        *("status", "job/it", "--for", "ready"), done=lambda it: "waited for" in it.err
    )
    assert ended.code == 124
    assert last_line(ended.err).endswith(
        "waited for ready: job.batch/it: not listed yet"
    )


EXCEEDED = "ProgressDeadlineExceeded"


def job(*true: str) -> dict[str, Any]:
    status = {
        "startTime": "2026-11-21T15:04:05Z",
        "conditions": [{"type": each, "status": "True"} for each in true],
    }
    return manifest("Job", "it", spec={"backoffLimit": 0}, status=status)


def test_a_timeout_names_the_failing_pod(spy: Spy, server: ApiServer) -> None:
    owner, below = replica_set(1, 0, "shop"), without_image("web-a")
    below["metadata"]["ownerReferences"] = [reference(owner)]
    reason = {"reason": "ErrImagePull", "message": "no such host"}
    below["status"]["containerStatuses"][0]["state"] = {"waiting": reason}
    server.put(owner)
    server.put(below)
    words = ("trace", "rs/web", "--for", "ready")
    for seconds in limits(2):
        file = str(spy.home / f"{seconds}.spy")
        live = spy.run(*words, "--record", file, "--timeout", f"{seconds}s")
        if "web-a" in last_line(live.err):
            break
    recorded = spy.run(*words, "--from", file)
    assert (live.code, recorded.code) == (124, 1)
    for ended in (live, recorded):
        assert last_line(ended.err).endswith(
            "replicaset.apps/web: 0 of 1 replicas are ready"
            " (pod/web-a: cannot pull image A B: no such host)"
        )


ALL_OF = ("status", "changes", "trace", "events", "spans")


def without_image(name: str) -> dict[str, Any]:
    """Return a Pod whose image has no valid name: it is no failed Pod, and fails."""
    broken = pod(name)
    reason = {"reason": "InvalidImageName", "message": 'couldn\'t parse image "A B"'}
    waiting = {"name": "app", "image": "A B", "state": {"waiting": reason}}
    broken["spec"] = {"containers": [{"name": "app", "image": "A B"}]}
    broken["status"]["containerStatuses"] = [{**waiting, "restartCount": 0}]
    return broken


def test_an_invalid_image_name_ends_every_wait(spy: Spy, server: ApiServer) -> None:
    server.put(without_image("web"))
    file = spy.home / "it.spy"
    commands = [f"{each} pod/web --for ready" for each in ALL_OF]
    live = spy.run_all(*commands, f"trace pod/web --for ready --record {file}")
    recorded = spy.run_all(*(f"{each} --from {file}" for each in commands))
    errors = {last_line(ended.err) for ended in (*live, *recorded)}
    assert {ended.code for ended in (*live, *recorded)} == {1}
    (error,) = errors
    assert error == (
        "error: pod/web: InvalidImageName: A B; correct the image of container app"
    )


def test_messages_of_the_server_are_escaped(spy: Spy, server: ApiServer) -> None:
    evil = pod("web")
    evil["status"]["conditions"][0]["reason"] = "\x1b[2J"
    server.put(evil)
    late, soon = spy.run_all(
        "status pod/web --for condition=Ready --timeout 0",
        "status pod/web --for condition=Ready=False",
    )
    assert (late.code, soon.code) == (124, 0)
    for ended in (late, soon):
        assert b"\x1b" not in ended.stdout + ended.stderr
        assert "(\\u001b[2J)" in last_line(ended.err)


def test_waiting_goes_on_after_a_gap(spy: Spy, server: ApiServer) -> None:
    server.put(pod("web"))

    def interrupt() -> None:
        server.compact()
        server.drop_watches()
        server.put(pod("web", "Running"))

    code, _, said = after(
        spy, server, *("status", "pod/web", "--for", "ready"), do=interrupt
    )
    assert (code, said) == (0, "pod/web: ready (it is running and ready)")


def test_a_recording_ends_with_the_wait(spy: Spy, serve: Serve) -> None:
    """And the same waiting finds the same end in it."""
    serve("deploy-rollout")
    file = str(spy.home / "rollout.spy")
    command = ("status", "deploy/nginx", "--for", "ready")
    live = spy.run(*command, "--record", file)
    again = spy.run(*command, "--from", file)
    assert (live.code, again.code) == (0, 0)
    assert again.stdout == live.stdout
    assert last_line(again.err) == (
        "deployment.apps/nginx: ready (3 of 3 updated replicas are available)"
    )
    assert spy.run("ls", "--verify", file).code == 0


FROM_FILE = [
    ("pod/b --for delete", 0, "pod/b: deleted"),
    ("pod/b --for condition=Ready", 1, "error: pod/b was deleted while"),
    ("pod/z --for ready", 1, "file.spy ends before --for ready came; pod/z: not there"),
    ("cm --for delete", 1, 'error: nothing of "cm" was recorded; there is pods'),
    ("pods --for failed|delete", 1, "error: pod/a: failed (it has ended in"),
]


@pytest.mark.parametrize(("line", "code", "said"), FROM_FILE)
def test_recorded_objects_are_waited_for_as_live_ones(
    spy: Spy, file: str, line: str, code: int, said: str
) -> None:
    ended = spy.run("changes", "--from", file, *line.split())
    assert ended.code == code
    assert said in last_line(ended.err)


def test_the_awaited_change_of_a_recording_comes_last(spy: Spy, file: str) -> None:
    for flags in ((), ("--watch-only",)):
        ended = spy.run(
            *("changes", "pod/b", "--from", file, "-o", "json"),
            *("--for", "jsonpath={.status.phase}=Running", *flags),
        )
        last = json.loads(ended.out.splitlines()[-1])
        assert (last["name"], last["resourceVersion"]) == ("b", "5")


def test_the_recorded_targets_are_the_default(spy: Spy, serve: Serve) -> None:
    """Not what they own: an old ReplicaSet's Pods need not become ready."""
    server = serve("deploy-rollout", watches_before_play=3)
    file = str(spy.home / "owned.spy")
    with spy.running("record", "deploy/nginx", "--owned", "-f", file) as running:
        server.wait_until_played(PATIENCE)
        for kind in ("Deployment", "Pod"):
            wait_for_file(Path(file), last_version(kind))
        assert running.end().code == 0
    ended = spy.run("status", "--from", file, "--for", "ready")
    assert ended.code == 0
    assert last_line(ended.err).startswith("deployment.apps/nginx: ready (")
    ended = spy.run("status", "pods", "--from", file, "--for", "condition=Nice")
    assert ended.code == 1
    assert "it has no condition Nice; pod/nginx-" in last_line(ended.err)


def last_version(kind: str) -> bytes:
    """Return what stands in a recording of the rollout where all of *kind* does."""
    versions = [
        line["event"]["object"]["metadata"]["resourceVersion"]
        for line in recorded_lines(STREAMS / "deploy-rollout.ndjson.gz")
        if "event" in line and line["event"]["object"]["kind"] == kind
    ]
    return f'"resourceVersion":"{versions[-1]}"'.encode()


def test_a_wait_goes_on_in_an_appended_run(spy: Spy, server: ApiServer) -> None:
    file = str(spy.home / "two.spy")
    server.put(pod("a"))
    for name, flags in (("a", ()), ("b", ("--append",))):
        put = server.put(pod(name, "Running" if name == "b" else "Pending"))
        with spy.running("record", f"pod/{name}", "-f", file, *flags) as running:
            wait_for_file(Path(file), put["metadata"]["uid"].encode())
            assert running.end().code == 0
    ended = spy.run("status", "pod/b", "--from", file, "--for", "ready")
    assert (ended.code, last_line(ended.err)) == (
        0,
        "pod/b: ready (it is running and ready)",
    )


def test_steps_count_across_appended_runs(spy: Spy, server: ApiServer) -> None:
    file = str(spy.home / "two.spy")
    for phase, flags in (("Running", ()), ("Succeeded", ("--append",))):
        put = server.put(pod("a", phase))
        version = f'"resourceVersion":"{put["metadata"]["resourceVersion"]}"'
        with spy.running("record", "pod/a", "-f", file, *flags) as running:
            wait_for_file(Path(file), version.encode())
            assert running.end().code == 0
    steps = [f"jsonpath={{.status.phase}}={each}" for each in ("Running", "Succeeded")]
    awaited = ("--for", steps[0], "--for", steps[1])
    ended = spy.run("status", "pod/a", "--from", file, *awaited)
    assert (ended.code, last_line(ended.err)) == (
        0,
        f"pod/a: {steps[0]} and {steps[1]} ({{.status.phase}} is Succeeded)",
    )
