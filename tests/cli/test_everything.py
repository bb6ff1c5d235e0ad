"""Commands without a target: everything of the namespace."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.extras.serve.api_server.exchange import Answer, Request
from kubectl_spy.extras.serve.api_server.watching import Stream
from tests.builders import a_pod, config_map, container, manifest, node, over
from tests.cli.command import Ended, Spy, wait_for_file, wait_for_lists
from tests.cli.screen import on_a_terminal
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.processes import wait_until

WITHIN = "/api/v1/namespaces/shop"
GROUPS = "/apis/{}/v1/namespaces/shop"


def failed(name: str, namespace: str = "shop") -> dict[str, Any]:
    """Return a Pod that failed for good."""
    document = a_pod(container(state={"terminated": over(3)}), phase="Failed")
    return document | {"metadata": {"name": name, "namespace": namespace}}


@pytest.fixture
def shop(serve: Serve) -> ApiServer:
    """A server whose context leads to the namespace shop."""
    server = serve(namespace="shop")
    server.put(manifest("Namespace", "shop", None))
    server.put(failed("web"))
    server.put(failed("other", "other"))
    server.put(config_map("settings", number="1"))
    server.put(manifest("Widget", "gadget", spec={}))
    server.put(manifest("Secret", "key", data={"token": "c2VjcmV0"}, type="Opaque"))
    server.put(node("n1"))
    return server


def names(out: str) -> set[str]:
    return {json.loads(line)["name"] for line in out.splitlines()}


def lists(server: ApiServer) -> list[str]:
    """Return the types that were listed, as they stand in paths."""
    asked = [each for each in server.requests if not each.watches]
    routes = [each.route for each in asked if each.route.count("/") > 3]
    return [each.rpartition("/")[2] for each in routes]


def one_line(ended: Ended, code: int) -> str:
    """Return the error that ended the command, which printed nothing else."""
    assert (ended.code, ended.out) == (code, "")
    *_, line = ended.err.splitlines()
    assert line.startswith("error: ")
    return line


def test_a_summary_reads_each_type_of_the_namespace_and_ends(
    spy: Spy, shop: ApiServer
) -> None:
    ended = spy.run("summary")
    assert ended.code == 0, ended.err
    assert "pod/web  " in ended.out
    assert "in namespace shop (context demo)" in ended.err
    assert "Ctrl-C" not in ended.err
    listed = lists(shop)
    assert {"configmaps", "widgets", "ingresses", "pods"} <= set(listed)
    assert listed.count("events") == 1
    assert "endpoints" not in listed


def test_a_namespace_decides_what_a_summary_counts(spy: Spy, shop: ApiServer) -> None:
    ended = spy.run("summary", "-o", "json")
    found = json.loads(ended.out)
    assert {each["name"] for each in found["failures"]} == {"web"}
    counted = {each.partition("/")[2] for each in found["busiest"]["objects"]}
    assert counted == {"web", "settings", "gadget", "key"}


def test_all_namespaces_have_the_cluster_with_them(spy: Spy, shop: ApiServer) -> None:
    ended = spy.run("summary", "-A", "-o", "json")
    found = json.loads(ended.out)
    assert {each["name"] for each in found["failures"]} == {"web", "other"}
    assert "node/n1" in found["busiest"]["objects"]
    assert not {"clusterroles", "flowschemas"} & set(lists(shop))


def test_a_summary_watches_only_if_it_is_asked_to(spy: Spy, shop: ApiServer) -> None:
    spy.run("summary", "-l", "app=web")
    assert not [each for each in shop.requests if each.watches]
    ended = spy.run_in_time(
        *("summary", "-w"),
        done=lambda _: any(each.watches for each in shop.requests),
    )
    assert ended.code == 124
    assert any(each.watches for each in shop.requests)
    assert "watched namespace shop: " in ended.out


def test_values_of_secrets_are_read_only_where_they_are_shown(
    spy: Spy, shop: ApiServer
) -> None:
    def accepted() -> set[bool]:
        asked = [each for each in shop.requests if each.route.endswith("/secrets")]
        shop.requests.clear()
        return {"PartialObjectMetadata" in each.headers["accept"] for each in asked}

    spy.run("summary")
    assert accepted() == {True}
    with spy.running("changes", "-o", "json") as running:
        running.wait_until(lambda seen: b'"key"' in seen.stdout)
        ended = running.end()
    assert accepted() == {False}
    assert "c2VjcmV0" not in ended.out
    assert '"token":"*** ' in ended.out


def test_changes_and_events_follow_everything(spy: Spy, shop: ApiServer) -> None:
    with spy.running("changes", "-o", "json") as running:
        running.wait_for_talk(" types in namespace shop (context demo); Ctrl-C ends")
        running.wait_for_lines(4)
        shop.put(config_map("settings", number="2"))
        shop.put(config_map("elsewhere", "other", number="2"))
        shop.put(manifest("Widget", "late", spec={}))
        running.wait_for_lines(6)
        ended = running.end()
    assert names(ended.out) == {"web", "settings", "gadget", "key", "late"}


def test_types_that_may_not_be_listed_are_one_line(spy: Spy, shop: ApiServer) -> None:
    for name in ("secrets", "services", "resourcequotas", "limitranges"):
        shop.refuse(f"{WITHIN}/{name}", 403)
    ended = spy.run("summary", "-o", "json")
    assert names_of_failures(ended) == {"web"}
    assert ended.err.count("no right to list") == 1
    assert "and 2 more" in ended.err


def names_of_failures(ended: Ended) -> set[str]:
    return {each["name"] for each in json.loads(ended.out)["failures"]}


@pytest.mark.parametrize("command", ["summary", "changes", "events", "trace"])
def test_a_namespace_without_rights_is_one_line(
    spy: Spy, shop: ApiServer, command: str
) -> None:
    shop.refuse("/api/v1/", 403)
    for group in ("apps", "batch", "example.com", "policy", "networking.k8s.io"):
        shop.refuse(f"/apis/{group}/", 403)
    shop.refuse("/apis/", 403)
    assert "no right to list anything in namespace shop; ask for the ClusterRole" in (
        one_line(spy.run(command), 1)
    )


@pytest.mark.parametrize("command", ["summary", "changes", "events", "trace"])
def test_a_namespace_that_does_not_exist_is_one_line(
    spy: Spy, shop: ApiServer, command: str
) -> None:
    line = one_line(spy.run(command, "-n", "shpo"), 1)
    assert line == "error: there is no namespace shpo; did you mean shop?"


@pytest.mark.parametrize("command", ["record", "changes --record all.spy"])
def test_a_recording_of_a_namespace_that_does_not_exist_leaves_no_file(
    spy: Spy, shop: ApiServer, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(spy.home)
    ended = spy.run(*command.split(), "-n", "shpo")
    said = "error: there is no namespace shpo; did you mean shop?\n"
    assert (ended.code, ended.err) == (1, said)
    assert not list(spy.home.glob("*.spy"))


@pytest.mark.parametrize("target", ["pods", ""])
def test_a_recording_for_which_there_is_no_right_leaves_no_file(
    spy: Spy, shop: ApiServer, target: str
) -> None:
    for path in ("/api/v1/", "/apis/"):
        shop.refuse(path, 403)
    file = spy.home / "pods.spy"
    ended = spy.run("record", *target.split(), "-f", str(file))
    assert ended.code == 1
    assert ended.err.splitlines()[-1].startswith("error: ")
    assert not file.exists()


@pytest.mark.parametrize("refused", [None, "/api/v1/namespaces"])
def test_an_empty_namespace_is_recorded(
    spy: Spy, shop: ApiServer, refused: str | None
) -> None:
    shop.put(manifest("Namespace", "later", None))
    if refused:
        shop.refuse(refused, 403)
    file = spy.home / "later.spy"
    with spy.running("record", "-n", "later", "-f", str(file)) as running:
        wait_for_file(file, b'"type":"LISTED"')
        ended = running.end()
    assert ended.code == 0
    assert f"recorded to {file}: " in ended.err
    assert file.exists()


def test_a_type_whose_list_fails_does_not_hold_up_the_others(
    spy: Spy, shop: ApiServer
) -> None:
    shop.refuse(GROUPS.format("example.com") + "/widgets", 503)
    ended = spy.run("summary", "-o", "json")
    assert names_of_failures(ended) == {"web"}
    assert ended.err.count("not seen: cannot list widgets.example.com") == 1


def test_a_trace_shows_what_fails_and_not_what_stands_under_it(
    spy: Spy, shop: ApiServer
) -> None:
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "import"}
    gave_up = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}
    status = {"failed": 1, "conditions": [gave_up]}
    job = shop.put(manifest("Job", "import", spec={"backoffLimit": 0}, status=status))
    owners = [owner | {"uid": job["metadata"]["uid"], "controller": True}]
    made = failed("import-1")
    made["metadata"]["ownerReferences"] = owners
    shop.put(made)
    ended = spy.run("trace", "--once", "-o", "json")
    found = json.loads(ended.out)
    assert {each["name"] for each in found["objects"]} == {"web", "import"}
    text = spy.run("trace", "--once").out
    assert text.count("pod/import-1") <= 2
    assert "settings" not in text


def test_a_trace_counts_what_it_does_not_show(spy: Spy, shop: ApiServer) -> None:
    for number in range(22):
        shop.put(failed(f"web-{number}"))
    ended = spy.run("trace", "--once", "-o", "json")
    found = json.loads(ended.out)
    assert (len(found["objects"]), found["more"]) == (20, 3)
    assert "3 more objects failing" in spy.run("trace", "--once").out


def test_where_nothing_fails_a_trace_says_so_and_goes_on(
    spy: Spy, serve: Serve
) -> None:
    server = serve(namespace="shop")
    server.put(config_map("settings"))
    assert spy.run("trace", "--once").out == "nothing fails\n"
    with spy.running("trace") as running:
        running.wait_for_talk("watching ")
        server.put(failed("late"))
        running.wait_until(lambda seen: b"pod/late" in seen.stdout)
        running.end()


def test_a_recording_without_a_name_is_named_after_context_and_namespace(
    spy: Spy, shop: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(spy.home)
    for _ in range(2):
        with spy.running("record") as running:
            running.wait_for_talk("watching ")
            said = re.search(rb"recording to (demo_shop_.*)", running.stderr)
            assert said is not None
            wait_for_lists(spy.home / said[1].decode())
            assert running.end().code == 0
    first, second = sorted(spy.home.glob("demo_shop_*.spy"), key=lambda it: it.name)
    assert re.fullmatch(r"demo_shop_[0-9]{8}-[0-9]{4}\.spy", first.name)
    assert re.fullmatch(r"demo_shop_[0-9]{8}-[0-9]{4,6}\.spy", second.name)
    found = json.loads(spy.run("summary", str(first), "-o", "json").out)
    assert {each["name"] for each in found["failures"]} == {"web"}
    assert spy.run("trace", str(first), "--once").out.startswith("✗ pod/web")
    ended = spy.run("events", str(first))
    assert "no Events were recorded" in ended.err


def test_memory_that_cannot_be_had_is_one_line(spy: Spy, shop: ApiServer) -> None:
    shop.refuse("/a", 400, watches=True)
    ended = spy.run("summary")
    assert "pod/web" in ended.out
    assert ended.err.count("\n") == 2
    assert "note: without the past of configmaps, events" in ended.err


def test_without_aggregated_types_the_others_work(spy: Spy, shop: ApiServer) -> None:
    shop.refuse("/apis", 503)
    ended = spy.run("summary")
    assert "pod/web" in ended.out
    assert "discovery failed for /apis (503)" in ended.err


def lease(at: str) -> dict[str, Any]:
    return manifest("Lease", "leader", spec={"renewTime": at})


def test_what_always_changes_is_folded_in_text_and_recorded(
    spy: Spy, shop: ApiServer
) -> None:
    shop.put(lease("2026-11-21T15:00:00Z"))
    file = str(spy.home / "all.spy")
    with spy.running("changes", "-o", "short", "--record", file) as running:
        running.wait_until(lambda seen: b"lease" in seen.stdout)
        shop.put(lease("2026-11-21T15:00:10Z"))
        shop.put(config_map("settings", number="2"))
        running.wait_until(lambda seen: b"MODIFIED" in seen.stdout)
        shop.put(lease("2026-11-21T15:00:20Z"))
        wait_until(lambda: Path(file).read_text().count("15:00:20Z"))
        ended = running.end()
    assert "MODIFIED  configmap/settings" in ended.out
    assert "MODIFIED  lease" not in ended.out
    assert "2 changes of Leases and EndpointSlices" in ended.err
    again = spy.run("changes", file, "-o", "short")
    assert again.out == ended.out
    assert spy.run("trace", file, "--once").out.startswith("✗ pod/web")
    assert "lease.coordination.k8s.io/leader (1)" in spy.run("summary").out
    whole = spy.run("changes", file, "-o", "short", "--full")
    assert whole.out.count("MODIFIED  lease") == 2
    counted = " objects, 1 change (and 2 of Leases and EndpointSlices, heartbeats and"
    assert counted in spy.run("summary", file).out
    assert " objects, 3 changes, " in spy.run("ls", file).out
    assert " objects, 3 changes, " in spy.run("summary", file, "--full").out


def told(count: int) -> dict[str, Any]:
    about = {"kind": "Pod", "name": "web", "namespace": "shop"}
    return manifest(
        "Event",
        "web.1",
        involvedObject=about,
        reason="BackOff",
        message="Back-off\nrestarting",
        type="Warning",
        count=count,
        source={"component": "kubelet"},
        firstTimestamp="2026-11-21T15:00:00Z",
        lastTimestamp=f"2026-11-21T15:00:0{count}Z",
    )


def test_blame_names_the_object_that_people_wrote_last(
    spy: Spy, shop: ApiServer
) -> None:
    for name, second in {"early": 10, "late": 30, "middle": 20}.items():
        edited = config_map(name, number="1")
        edited["metadata"]["managedFields"] = [
            {
                "manager": "kubectl-edit",
                "operation": "Update",
                "time": f"2026-11-21T15:00:{second}Z",
                "fieldsV1": {"f:data": {"f:number": {}}},
            }
        ]
        shop.put(edited)
    line = one_line(spy.run("blame"), 2)
    command = "kubectl spy blame configmap/late -n shop"
    assert line.endswith(f"; what people wrote last: {command}")
    assert spy.run("blame", "configmap/late").out.count("kubectl-edit") == 1
    assert spy.run("blame", "-l", "app=nothing").code == 0


def test_an_event_is_a_line_about_its_object(spy: Spy, shop: ApiServer) -> None:
    file = str(spy.home / "all.spy")
    with spy.running("changes", "-A", "-o", "short", "--record", file) as running:
        running.wait_until(lambda seen: b"LISTED    1 node" in seen.stdout)
        shop.put(told(1))
        running.wait_until(lambda seen: b"BackOff (kubelet)" in seen.stdout)
        shop.put(told(2))
        running.wait_until(lambda seen: b"BackOff x2" in seen.stdout)
        shop.delete(told(2))
        wait_until(lambda: '"DELETED"' in Path(file).read_text())
        ended = running.end()
    lines = [each[14:] for each in ended.out.splitlines() if "BackOff" in each]
    begin = "Warning   pod/web  -n shop  BackOff"
    assert lines == [
        f"{begin} (kubelet): Back-off restarting",
        f"{begin} x2 in 2s (kubelet): Back-off restarting",
    ]
    assert "event/" not in ended.out
    assert "not shown: 1 change of Leases and EndpointSlices, " in ended.err
    assert spy.run("changes", file, "-o", "short").out == ended.out
    whole = spy.run("changes", file, "-o", "short", "--full").out
    assert whole.count("  event/web.1  ") == 3


@pytest.mark.parametrize("command", ["events --once", "spans", "summary"])
def test_rights_that_are_missing_are_told_once(
    spy: Spy, shop: ApiServer, command: str
) -> None:
    for name in ("services", "configmaps"):
        shop.refuse(f"{WITHIN}/{name}", 403)
    ended = spy.run_in_time(*command.split(), done=lambda it: "not seen" in it.err)
    assert ended.err.count("services") == 1
    assert "not seen, no right to list: " in ended.err


def test_a_summary_of_an_object_that_never_was_is_an_error(
    spy: Spy, shop: ApiServer
) -> None:
    line = one_line(spy.run("summary", "pod/wbe"), 1)
    assert "pod/wbe is not there in namespace shop; did you mean pod/web?" in line
    shop.delete(failed("web"))
    assert spy.run("summary", "pod/web").code == 0


def test_on_a_small_terminal_what_fails_stays_on_the_screen(
    spy: Spy, shop: ApiServer
) -> None:
    for number in range(9):
        shop.put(failed(f"web-{number}"))
        shop.put(manifest("ServiceAccount", f"one-{number}"))
    with on_a_terminal(spy, "summary", columns=80, rows=24) as (screen, _):
        screen.wait_for_end()
    assert any("Fails at the end" in each for each in screen.lines)
    assert any("more lines: --full shows all" in each for each in screen.lines)


def test_a_drawn_trace_of_everything_follows_what_fails(
    spy: Spy, shop: ApiServer
) -> None:
    with on_a_terminal(spy, "trace") as (screen, _):
        screen.wait_for_text("✗ pod/web")
        shop.put(failed("late"))
        screen.wait_for_text("✗ pod/late")
        shop.delete(failed("web"))
        shop.delete(failed("late"))
        screen.wait_for_text("nothing fails")


def test_at_most_eight_lists_run_at_a_time(spy: Spy) -> None:
    class Slow(ApiServer):
        now = most = 0
        lock = threading.Lock()

        def respond(self, request: Request) -> Answer | Stream:
            if "watch=" in request.path:
                return super().respond(request)
            with self.lock:
                Slow.now += 1
                Slow.most = max(Slow.most, Slow.now)
            threading.Event().wait(0.02)
            with self.lock:
                Slow.now -= 1
            return super().respond(request)

    with Slow(speed=0) as server:
        server.write_kubeconfig(spy.kubeconfig, namespace="shop")
        server.put(config_map())
        assert spy.run("trace", "--once").code == 0
        assert 1 < Slow.most <= 8
