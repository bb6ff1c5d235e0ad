"""Watches begin, resume, select, expire and end as a kube-apiserver's do."""

from __future__ import annotations

import time

import pytest

from tests.extras.serve.api_server.server import ApiServer
from tests.extras.serve.api_server.streams import load_document
from tests.extras.serve.demo.client import (
    ask,
    config_map,
    events_of,
    history,
    revisions,
    watch,
    watching,
)
from tests.processes import clock

PODS = "/api/v1/namespaces/pod-boot/pods"
MAPS = "/api/v1/namespaces/shop/configmaps"
ERRORS = load_document("errors")


def names(events: list[tuple[str, dict[str, dict[str, str]]]]) -> list[str]:
    return [f"{kind} {item['metadata']['name']}" for kind, item in events]


def test_the_answer_is_chunked_json_and_ends_cleanly() -> None:
    with ApiServer() as server:
        begun, started = time.monotonic(), clock()
        with watching(server, f"{MAPS}?watch=true&timeoutSeconds=1") as response:
            assert response.headers["Content-Type"] == "application/json"
            assert response.headers["Transfer-Encoding"] == "chunked"
            assert response.read() == b""
        assert time.monotonic() - begun > 0.9
        assert clock() - started < 2


def test_a_watch_resumes_after_its_resource_version() -> None:
    with ApiServer(["pod-boot"], speed=0) as server:
        server.play()
        server.wait_until_played(5)
        path = f"{PODS}?watch=1&resourceVersion="
        whole = history(server, path + "599")
        assert [kind for kind, _ in whole] == ["ADDED", *["MODIFIED"] * 9, "DELETED"]
        middle = whole[5][1]["metadata"]["resourceVersion"]
        assert history(server, path + middle) == whole[6:]


@pytest.mark.parametrize("query", ["", "&resourceVersion=0"])
def test_without_resource_version_the_state_comes_first(query: str) -> None:
    with ApiServer() as server:
        for name in "cab":
            server.put(config_map(name))
        with watching(server, f"{MAPS}?watch=1{query}") as response:
            stream = events_of(response)
            first = [next(stream) for _ in range(3)]
            server.put(config_map("b", color="red"))
            assert names([*first, next(stream)]) == [
                "ADDED a",
                "ADDED b",
                "ADDED c",
                "MODIFIED b",
            ]
    assert first[0][1]["kind"] == "ConfigMap"
    assert first[0][1]["apiVersion"] == "v1"


def test_objects_enter_and_leave_a_selection() -> None:
    with ApiServer() as server:
        server.put(config_map("in"))
        path = f"{MAPS}?watch=1&labelSelector=color%3Dred"
        start = server.resource_version
        server.put(config_map("in", color="red"))
        changed = server.put(config_map("in", color="red", size="l"))
        server.put(config_map("in", color="blue"))
        server.put(config_map("in", color="blue", size="s"))
        server.put(config_map("in", color="red"))
        server.delete(config_map("in"))
        events = history(server, f"{path}&resourceVersion={start}")
    kinds = ["ADDED", "MODIFIED", "DELETED", "ADDED", "DELETED"]
    assert revisions(events) == list(zip(kinds, "34578", strict=True))
    left = {**changed, "metadata": {**changed["metadata"], "resourceVersion": "5"}}
    assert events[2][1] == left


def test_a_pod_relabelled_out_of_its_replica_set_was_deleted_for_its_watcher() -> None:
    selector = "app%3Dnginx,pod-template-hash"
    path = "/api/v1/namespaces/deploy-rollout/pods?watch=1&resourceVersion=898"
    with ApiServer(["deploy-rollout"], speed=0) as server:
        server.play()
        server.wait_until_played(5)
        whole = history(server, path)
        some = history(server, f"{path}&labelSelector={selector}")
    deleted = [sum(kind == "DELETED" for kind, _ in each) for each in (whole, some)]
    assert deleted == [4, 5]


def test_a_field_selector_follows_one_name() -> None:
    with ApiServer() as server:
        path = f"{MAPS}?watch=1&fieldSelector=metadata.name%3Da"
        for name in "aba":
            server.put(config_map(name, n=server.resource_version))
        assert names(history(server, f"{path}&resourceVersion=1")) == [
            "ADDED a",
            "MODIFIED a",
        ]


def test_a_compacted_resource_version_is_an_error_in_the_stream() -> None:
    with ApiServer(["pod-boot"], speed=0) as server:
        server.play()
        server.wait_until_played(5)
        server.compact()
        with watching(server, f"{PODS}?watch=1&resourceVersion=599") as response:
            body = response.read().decode()
        assert history(server, f"{PODS}?watch=1&resourceVersion=619") == []
    recorded = ERRORS["gone-http"]["body"]
    assert body == recorded.replace("1 (1519)", "599 (619)")


def test_history_before_the_recording_is_compacted() -> None:
    with ApiServer(["pod-boot"], speed=0) as server:
        events = watch(server, f"{PODS}?watch=1&resourceVersion=1")
    assert [(kind, item["code"]) for kind, item in events] == [("ERROR", 410)]


def test_bookmarks_come_regularly_and_before_the_end() -> None:
    with ApiServer(bookmark_interval=0.4) as server:
        path = f"{MAPS}?watch=1&timeoutSeconds=1&resourceVersion=1"
        server.put(config_map("other", "elsewhere"))
        bookmarks = watch(server, f"{path}&allowWatchBookmarks=true")
        assert watch(server, path) == []
    bookmark = {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": "2"},
    }
    assert bookmarks == [("BOOKMARK", bookmark)] * 3


def test_bookmarks_have_their_recorded_shape() -> None:
    with ApiServer(["node"], speed=0) as server:
        path = "/api/v1/nodes?watch=1&allowWatchBookmarks=1&timeoutSeconds=1"
        *_, (kind, bookmark) = watch(server, f"{path}&resourceVersion=2540")
    assert kind == "BOOKMARK"
    assert bookmark["metadata"] == {"resourceVersion": "2653"}
    assert bookmark["status"]["daemonEndpoints"] == {"kubeletEndpoint": {"Port": 0}}


def test_events_have_no_bookmarks() -> None:
    path = "/api/v1/events?watch=1&allowWatchBookmarks=true&timeoutSeconds=1"
    with ApiServer() as server:
        assert watch(server, path) == []


@pytest.mark.parametrize(
    ("parameter", "status"), [("resourceVersion", 500), ("timeoutSeconds", 400)]
)
def test_a_parameter_that_is_no_number_is_refused(parameter: str, status: int) -> None:
    with ApiServer() as server:
        reply = ask(server, f"{MAPS}?watch=1&{parameter}=abc")
    assert reply.status == status
    assert 'parsing "abc": invalid syntax' in reply.document["message"]
