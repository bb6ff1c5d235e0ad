"""Recordings are played: in order, whole, from when they are first watched."""

from __future__ import annotations

import gzip
import json
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from kubectl_spy.extras.serve.api_server.server import ApiServer as AnyServer
from tests.builders import bundled
from tests.extras.serve.api_server.server import ApiServer
from tests.extras.serve.api_server.streams import STREAMS, recording_names
from tests.extras.serve.demo.client import ask, events_of, history, revisions, watching
from tests.processes import PATIENCE, clock

POD_BOOT = "/api/v1/namespaces/pod-boot/pods"


def recorded(name: str) -> tuple[dict[str, Any], dict[str, list[tuple[str, Any]]]]:
    """Return the first list and the events of each path, straight from the file."""
    lists: dict[str, Any] = {}
    events: dict[str, list[tuple[str, Any]]] = {}
    with gzip.open(STREAMS / f"{name}.ndjson.gz") as stream:
        for line in stream:
            entry = json.loads(line)
            if "list" in entry:
                lists[entry["path"]] = entry["list"]
                events[entry["path"]] = []
            elif entry["event"]["type"] != "BOOKMARK":
                event = (entry["event"]["type"], entry["event"]["object"])
                events[entry["path"]].append(event)
    return lists, events


def list_and_watch(
    server: AnyServer, path: str, count: int
) -> tuple[Any, list[tuple[str, Any]]]:
    """Return a list, and so many events after it."""
    listed = ask(server, path).document
    rv = listed["metadata"]["resourceVersion"]
    since = f"{path}?watch=1&resourceVersion={rv}"
    return listed, first_events(server, since, count)


def follow_all(
    server: AnyServer, lists: dict[str, Any], events: dict[str, Any]
) -> dict[str, tuple[Any, list[tuple[str, Any]]]]:
    """Return a list of each path and the events after it, by clients at one time."""
    with ThreadPoolExecutor(len(lists)) as pool:
        counts = map(len, events.values())
        found = pool.map(partial(list_and_watch, server), lists, counts)
        return dict(zip(lists, found, strict=True))


def first_events(server: AnyServer, path: str, count: int) -> list[tuple[str, Any]]:
    with watching(server, path) as response:
        stream = events_of(response)
        return [next(stream) for _ in range(count)]


@pytest.mark.parametrize("name", recording_names())
def test_every_event_reaches_a_client_that_lists_and_watches(name: str) -> None:
    lists, events = recorded(name)
    with ApiServer([name], speed=0, watches_before_play=len(lists)) as server:
        seen = follow_all(server, lists, events)
        server.wait_until_played(PATIENCE)
        ended = {path: ask(server, path).document["items"] for path in lists}
    for path in lists:
        listed, watched = seen[path]
        by_name = sorted(
            lists[path]["items"],
            key=lambda item: (
                item["metadata"].get("namespace", ""),
                item["metadata"]["name"],
            ),
        )
        assert listed["items"] == by_name
        assert listed["kind"] == lists[path]["kind"]
        assert watched == events[path]
        assert len(ended[path]) == len(lists[path]["items"]) + sum(
            {"ADDED": 1, "DELETED": -1}.get(kind, 0) for kind, _ in watched
        )


def test_a_single_recording_lists_at_its_recorded_resource_version() -> None:
    with ApiServer(["deploy-rollout"], speed=0) as server:
        path = "/apis/apps/v1/namespaces/deploy-rollout/deployments"
        listed = ask(server, path).document
    assert listed["metadata"] == {"resourceVersion": "898"}


def test_nothing_happens_before_the_first_watch() -> None:
    with ApiServer(["pod-boot"], speed=0) as server:
        ask(server, POD_BOOT)
        with pytest.raises(TimeoutError, match=r"pod-boot \(16 steps left\)"):
            server.wait_until_played(0.1)
        assert server.resource_version == "599"


def test_a_watch_of_another_namespace_starts_nothing() -> None:
    with ApiServer(["pod-boot"], speed=0) as server:
        history(server, "/api/v1/namespaces/recreate/pods?watch=1")
        assert server.resource_version == "599"


def test_a_watch_of_another_collection_of_the_namespace_starts_it() -> None:
    with ApiServer(["pod-boot"], speed=0) as server:
        path = "/apis/policy/v1/namespaces/pod-boot/poddisruptionbudgets?watch=1"
        with watching(server, path):
            server.wait_until_played(PATIENCE)


def test_all_namespaces_start_every_recording_of_the_collection() -> None:
    names = recording_names()
    with ApiServer(names, speed=0) as server:
        listed = ask(server, "/api/v1/pods").document
        rv = listed["metadata"]["resourceVersion"]
        namespaced = [name for name in names if name != "node"]
        with watching(server, f"/api/v1/pods?watch=1&resourceVersion={rv}"):
            server.wait_until_played(PATIENCE, *namespaced)
        with pytest.raises(TimeoutError):
            server.wait_until_played(0.05, "node")
        server.wait_for_watches(0, PATIENCE)
        events = history(server, f"/api/v1/pods?watch=1&resourceVersion={rv}")
    expected = [
        event
        for name in namespaced
        for path, each in recorded(name)[1].items()
        if path.endswith("/pods")
        for event in each
    ]
    expected.sort(key=lambda event: int(event[1]["metadata"]["resourceVersion"]))
    assert events == expected


def test_resuming_works_while_recordings_interleave() -> None:
    names = ["recreate", "pod-boot", "secret-config"]
    with ApiServer(names, speed=0) as server:
        listed = ask(server, "/api/v1/pods").document
        start = listed["metadata"]["resourceVersion"]
        for name in names:  # later ones have lower revisions
            server.play(name)
            server.wait_until_played(PATIENCE, name)
        path = "/api/v1/pods?watch=1&resourceVersion="
        everything = history(server, path + start)
        middle = everything[20][1]["metadata"]["resourceVersion"]
        assert history(server, path + middle) == everything[21:]
    namespaces = [item["metadata"]["namespace"] for _, item in everything]
    assert namespaces == ["recreate"] * 30 + ["pod-boot"] * 11


def test_the_state_always_is_one_that_the_cluster_was_in() -> None:
    for name in recording_names():
        steps = bundled(name).steps
        numbers = [step.revision for step in steps]
        times = [step.time for step in steps]
        assert numbers == sorted(set(numbers))
        assert times == sorted(times)


def test_speed_divides_the_recorded_time() -> None:
    with ApiServer(["secret-config"], speed=10) as server:
        begun, started = time.monotonic(), clock()
        server.play()
        server.wait_until_played(PATIENCE)
        assert time.monotonic() - begun > 0.4  # 4.65 s recorded
        assert clock() - started < 1.0


def test_long_pauses_are_shortened() -> None:
    with ApiServer(["node"], speed=1, longest_pause=0.01) as server:
        started = clock()
        server.play()
        server.wait_until_played(PATIENCE)
        assert clock() - started < 2.0  # two minutes recorded


def test_all_recordings_play_in_a_second() -> None:
    with ApiServer(recording_names(), speed=0) as server:
        started = clock()
        with watching(server, "/api/v1/pods?watch=1"):
            server.play()
            server.wait_until_played(PATIENCE)
        assert clock() - started < 1.0


def test_playing_waits_for_as_many_collections_as_wanted() -> None:
    events_path = "/api/v1/namespaces/pod-boot/events"
    with (
        ApiServer(["pod-boot"], speed=0, watches_before_play=2) as server,
        watching(server, f"{POD_BOOT}?watch=1") as pods,
        watching(server, f"{POD_BOOT}?watch=1"),
    ):
        server.wait_for_watches(2, PATIENCE)
        assert server.resource_version == "599"
        with watching(server, f"{events_path}?watch=1"):
            server.wait_until_played(PATIENCE)
        assert revisions([next(events_of(pods))]) == [("ADDED", "601")]
