"""Which objects are followed: by name, by selector, not there yet, there again."""

from __future__ import annotations

import pytest

from tests.builders import config_map
from tests.cli.command import PATIENCE, Spy
from tests.extras.serve.api_server.server import Serve


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
        [record] = running.end().records
    assert (record["type"], record["name"]) == ("ADDED", "late")
    assert "initial" not in record


def test_kubespys_three_words_name_an_object(spy: Spy, serve: Serve) -> None:
    server = serve(namespace="default")
    server.put(config_map("web"))
    with spy.running("changes", "v1", "ConfigMap", "shop/web", "-o", "json") as running:
        running.wait_for_lines(1)
        ended = running.end()
    [record] = ended.records
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
        printed = running.end().records
    assert {record["name"] for record in printed} == {"web", "db"}
