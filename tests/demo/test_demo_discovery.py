"""Discovery is served as recorded, in both forms, with what a test changes."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.objects import GroupVersionKind, Resource
from kubectl_spy.demo.discovery import AGGREGATED
from kubectl_spy.demo.recordings import load_document
from kubectl_spy.demo.server import ApiServer
from tests.demo.client import ask

RECORDED: dict[str, Any] = load_document("discovery")
PLAIN = {path: each for path, each in RECORDED.items() if "(aggregated)" not in path}
KUBECTL_ACCEPTS = (
    f"{AGGREGATED},{AGGREGATED.replace('v=v2', 'v=v2beta1')},application/json"
)
GADGET = Resource(
    gvk=GroupVersionKind("shop.test", "v1", "Gadget"),
    plural="gadgets",
    singular="gadget",
    namespaced=True,
    verbs=("get", "list", "watch"),
    short_names=("gd",),
    categories=("all",),
)
COG = Resource(
    gvk=GroupVersionKind("example.com", "v2", "Cog"),
    plural="cogs",
    singular="cog",
    namespaced=False,
    has_status=False,
)


def aggregated_group(server: ApiServer, root: str, group: str) -> Any:
    items = ask(server, root, headers={"Accept": AGGREGATED}).document["items"]
    return next(item for item in items if item["metadata"].get("name", "") == group)


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


@pytest.mark.parametrize("root", ["/api", "/apis"])
def test_an_old_server_gives_the_plain_document_whatever_is_accepted(root: str) -> None:
    with ApiServer(aggregated=False) as server:
        reply = ask(server, root, headers={"Accept": KUBECTL_ACCEPTS})
    assert reply.document == RECORDED[root]
    assert reply.headers["Content-Type"] == "application/json"


def test_a_group_has_a_document() -> None:
    with ApiServer() as server:
        document = ask(server, "/apis/autoscaling").document
    assert document["kind"] == "APIGroup"
    assert document["preferredVersion"]["groupVersion"] == "autoscaling/v2"


def test_custom_resources_are_in_both_forms() -> None:
    with ApiServer(custom_resources=[GADGET, COG]) as server:
        groups = {
            group["name"]: [version["version"] for version in group["versions"]]
            for group in ask(server, "/apis").document["groups"]
        }
        gadgets = ask(server, "/apis/shop.test/v1").document
        aggregated = aggregated_group(server, "/apis", "shop.test")
        example = aggregated_group(server, "/apis", "example.com")
    assert groups["shop.test"] == ["v1"]
    assert groups["example.com"] == ["v1", "v2"]
    assert gadgets["groupVersion"] == "shop.test/v1"
    named = [(entry["name"], entry["kind"]) for entry in gadgets["resources"]]
    assert named == [("gadgets", "Gadget"), ("gadgets/status", "Gadget")]
    assert gadgets["resources"][0]["shortNames"] == ["gd"]
    kind = {"group": "shop.test", "version": "v1", "kind": "Gadget"}
    assert aggregated["versions"] == [
        {
            "version": "v1",
            "resources": [
                {
                    "resource": "gadgets",
                    "responseKind": kind,
                    "scope": "Namespaced",
                    "singularResource": "gadget",
                    "verbs": ["get", "list", "watch"],
                    "shortNames": ["gd"],
                    "categories": ["all"],
                    "subresources": [
                        {
                            "subresource": "status",
                            "responseKind": kind,
                            "verbs": ["get", "patch", "update"],
                        }
                    ],
                }
            ],
            "freshness": "Current",
        }
    ]
    cog = example["versions"][1]["resources"][0]
    assert (cog["resource"], cog["scope"]) == ("cogs", "Cluster")


@pytest.mark.parametrize(
    ("code", "body"),
    [
        (503, "service unavailable\n"),
        (404, "404 page not found\n"),
        (403, 'forbidden: User \\"demo\\" cannot get path \\"/apis/apps/v1\\"'),
        (500, "Internal error occurred"),
    ],
)
def test_a_broken_group_fails_alone(code: int, body: str) -> None:
    with ApiServer(broken_groups={"apps": code}) as server:
        reply = ask(server, "/apis/apps/v1")
        assert ask(server, "/apis/apps/v1/deployments").status == code
        assert ask(server, "/apis/batch/v1").status == 200
        assert aggregated_group(server, "/apis", "apps")["versions"] == [
            {"version": "v1", "freshness": "Stale"}
        ]
    assert reply.status == code
    assert body in reply.body.decode()


def test_the_core_group_can_be_broken() -> None:
    with ApiServer(broken_groups={"": 503}) as server:
        assert ask(server, "/api/v1").status == 503
        assert aggregated_group(server, "/api", "")["versions"] == [
            {"version": "v1", "freshness": "Stale"}
        ]
