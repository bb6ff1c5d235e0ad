"""Which objects are followed: by name, by selector, not there yet, there again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.builders import config_map, successive_versions
from tests.cli.command import PATIENCE, Spy
from tests.cli.recorded import folded
from tests.extras.serve.api_server.server import ApiServer

Serve = Callable[..., ApiServer]


def records(output: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_an_absent_object_is_waited_for(spy: Spy, serve: Serve) -> None:
    server = serve(namespace="shop")
    with spy.running("changes", "cm/late", "-o", "json") as running:
        running.wait_for_talk(
            "configmap/late is not there yet in namespace shop: waiting for it\n"
        )
        server.wait_for_watches(1, PATIENCE)
        server.put(config_map("other"))
        server.put(config_map("late"))
        running.wait_for_lines(1)
        [record] = records(running.end().stdout)
    assert (record["type"], record["name"]) == ("ADDED", "late")
    assert "initial" not in record


def test_a_recreated_object_gets_no_patch(spy: Spy, serve: Serve) -> None:
    server = serve("recreate", watches_before_play=2)
    with spy.running("changes", "pod/same", "-o", "json") as running:
        server.wait_for_watches(1, PATIENCE)
        server.play()
        running.wait_until(lambda seen: seen.stdout.count(b'"DELETED"') == 3)
        printed = records(running.end().stdout)
    lives: list[list[str]] = []
    for record in printed:
        if record["type"] == "ADDED":
            lives.append([])
        lives[-1].append(record["uid"])
    assert len(lives) == 3
    assert all(len(set(uids)) == 1 for uids in lives)
    assert len({uids[0] for uids in lives}) == 3
    assert set(folded(printed)) == {"v1 Pod"}


def test_an_object_can_leave_and_return(spy: Spy, serve: Serve) -> None:
    server = serve(namespace="shop")
    server.put(config_map("web"))
    with spy.running("changes", "cm", "-l", "app=web", "-o", "json") as running:
        server.wait_for_watches(1, PATIENCE)
        server.put(config_map("web", labels={"app": "quarantine"}))
        server.put(config_map("web", labels={"app": "web", "back": "yes"}))
        server.delete(config_map("web"))
        running.wait_for_lines(4)
        added, left, gap, gone = records(running.end().stdout)
    assert added["initial"]
    assert [each["type"] for each in (left, gap, gone)] == ["LEFT", "GAP", "LEFT"]
    assert len({each["uid"] for each in (added, left, gap, gone)}) == 1
    assert gap["patch"] == [
        {"op": "add", "path": "/metadata/labels/back", "value": "yes"}
    ]


def test_a_relabelled_pod_of_a_rollout_leaves(spy: Spy, serve: Serve) -> None:
    relabelled, *_ = [
        pod["metadata"]
        for _, pod in successive_versions()
        if pod.get("kind") == "Pod"
        and pod["metadata"]["namespace"] == "deploy-rollout"
        and "app" not in pod["metadata"]["labels"]
    ]
    left = f'"LEFT".*"uid":"{relabelled["uid"]}".*'.encode()
    server = serve("deploy-rollout", watches_before_play=2)
    flags = ("-l", "app=nginx", "-o", "json")
    with spy.running("changes", "pods", *flags) as running:
        server.wait_for_watches(1, PATIENCE)
        server.play()
        running.wait_until(lambda seen: re.search(left, seen.stdout) is not None)
        printed = records(running.end().stdout)
    [record] = [
        each
        for each in printed
        if (each["type"], each["uid"]) == ("LEFT", relabelled["uid"])
    ]
    assert record["resourceVersion"] == relabelled["resourceVersion"]
    assert "inferred" not in record and "patch" not in record


def test_kubespys_three_words_name_an_object(spy: Spy, serve: Serve) -> None:
    server = serve(namespace="default")
    server.put(config_map("web"))
    with spy.running("changes", "v1", "ConfigMap", "shop/web", "-o", "json") as running:
        running.wait_for_lines(1)
        ended = running.end()
    [record] = records(ended.stdout)
    assert (record["namespace"], record["name"]) == ("shop", "web")
    assert ended.err.startswith("watching configmap/web in namespace shop (context")


@pytest.mark.parametrize(
    "words",
    ["cm/web cm/db", "cm web db", "configmaps.v1. web db", "ConfigMap/web cm/db"],
)
def test_kubectls_ways_to_name_objects_work(spy: Spy, serve: Serve, words: str) -> None:
    server = serve(namespace="shop")
    for name in ("web", "db", "other"):
        server.put(config_map(name))
    with spy.running("changes", *words.split(), "-o", "json") as running:
        running.wait_for_lines(2)
        printed = records(running.end().stdout)
    assert {record["name"] for record in printed} == {"web", "db"}


def test_watch_only_skips_objects_that_are_there(spy: Spy, serve: Serve) -> None:
    server = serve(namespace="shop")
    server.put(config_map("web"))
    for output in ("text", "json"):
        with spy.running("changes", "cm", "--watch-only", "-o", output) as running:
            server.wait_for_watches(1, PATIENCE)
            server.put(config_map("web", labels={"app": "web", output: "yes"}))
            running.wait_for_lines(1)
            ended = running.end()
        server.wait_for_watches(0, PATIENCE)
        assert "LISTED" not in ended.out and "initial" not in ended.out
        assert "MODIFIED" in ended.out.splitlines()[0]
