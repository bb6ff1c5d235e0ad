"""Discovery is served as recorded, in both forms, with what a test changes."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.extras.serve.api_server.discovery import AGGREGATED
from tests.extras.serve.api_server.server import ApiServer
from tests.extras.serve.api_server.streams import load_document
from tests.extras.serve.demo.client import ask

RECORDED: dict[str, Any] = load_document("discovery")
PLAIN = {path: each for path, each in RECORDED.items() if "(aggregated)" not in path}
KUBECTL_ACCEPTS = (
    f"{AGGREGATED},{AGGREGATED.replace('v=v2', 'v=v2beta1')},application/json"
)


@pytest.mark.parametrize("path", PLAIN)
def test_documents_are_those_recorded(path: str) -> None:
    with ApiServer() as server:
        reply = ask(server, path)
    assert (reply.status, reply.document) == (200, PLAIN[path])


@pytest.mark.parametrize("root", ["/api", "/apis"])
def test_the_aggregated_document_is_given_to_who_accepts_it(root: str) -> None:
    with ApiServer() as server:
        reply = ask(server, root, headers={"Accept": KUBECTL_ACCEPTS})
    assert reply.document == RECORDED[f"{root} (aggregated)"]
    assert reply.headers["Content-Type"] == AGGREGATED


def test_a_group_has_a_document() -> None:
    with ApiServer() as server:
        document = ask(server, "/apis/autoscaling").document
    assert document["kind"] == "APIGroup"
    assert document["preferredVersion"]["groupVersion"] == "autoscaling/v2"
