"""A live watch against an API server that ends, breaks and refuses what it can."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubectl_spy.core.changes.masking import SecretMask
from kubectl_spy.core.objects import Selection
from kubectl_spy.errors import Unauthenticated
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.watching.actions import Pace
from tests.builders import CONFIG_MAPS, SECRETS, config_map
from tests.extras.serve.api_server.server import ApiServer
from tests.processes import PATIENCE, wait_until
from tests.sources.watching.following import (
    ALL,
    MAPS,
    ONE,
    connection_to,
    connection_with,
    following,
    secret,
    without_lateness,
)

SOON = Pace(short_watch=0.1)
"""For silences that are shorter than real ones."""


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer(bookmark_interval=0.1) as server:
        yield server


@pytest.fixture
def connection(server: ApiServer, tmp_path: Path) -> Connection:
    return connection_to(server.url, tmp_path)


def watched_from(server: ApiServer) -> list[str]:
    """Return the resourceVersion of each watch so far; "" is none."""
    return [
        each.query.get("resourceVersion", "")
        for each in server.requests
        if each.watches
    ]


def lists(server: ApiServer) -> int:
    return sum(not each.watches for each in server.requests)


def test_objects_are_listed_and_watched(
    server: ApiServer, connection: Connection
) -> None:
    server.put(config_map("a"))
    server.put(config_map("b"))
    with following(connection) as seen:
        server.wait_for_watches(1, PATIENCE)
        server.put(config_map("b", color="red"))
        server.delete(config_map("a"))
        seen.wait_for_records(4)
    listed = ["LISTING", "LISTED", "LISTED", "SYNCED"]
    assert seen.types == [*listed, "MODIFIED", "DELETED"]
    assert seen.changes == ["ADDED 2", "ADDED 3", "MODIFIED 4", "DELETED 5"]
    assert watched_from(server) == ["3"]


def test_silence_is_resumed_in_silence(tmp_path: Path) -> None:
    with ApiServer() as server:
        connection = connection_to(server.url, tmp_path)
        with following(connection, read_timeout=1.05, pace=SOON) as seen:
            server.wait_for_watches(1, PATIENCE)
            server.wait_for_watches(2, PATIENCE)  # the first has not noticed yet
            server.put(config_map())
            seen.wait_for_records(1)
        assert seen.changes == ["ADDED 2"]
        assert without_lateness(seen.said) == []
        asked = [each.query for each in server.requests if not each.watches]
        again = next(each for each in asked if each.get("resourceVersion") == "1")
        assert again["resourceVersionMatch"] == "NotOlderThan"
        assert watched_from(server)[:2] == ["1", "1"]


@pytest.fixture
def only_get(server: ApiServer) -> None:
    """No list is allowed, as with the verbs get and watch alone."""
    server.refuse(f"{MAPS}?", 403, watches=False)


@pytest.mark.usefixtures("only_get")
def test_one_object_needs_no_more_than_the_right_to_get_and_watch_it(
    server: ApiServer, connection: Connection
) -> None:
    server.put(config_map("web"))
    server.put(config_map("other"))
    server.compact()  # the object's own version is older than all that is remembered
    with following(connection, ONE) as seen:
        server.wait_for_watches(1, PATIENCE)
        server.put(config_map("web", color="red"))
        seen.wait_for_records(2)
        server.drop_watches()
        server.wait_for_watches(1, PATIENCE)
        server.put(config_map("web", color="blue"))
        seen.wait_for_records(3)
    assert seen.changes == ["ADDED 2", "MODIFIED 4", "MODIFIED 5"]
    assert watched_from(server) == ["", "4"]
    assert [
        each.query["fieldSelector"] for each in server.requests if each.watches
    ] == ["metadata.name=web"] * 2


@pytest.mark.usefixtures("only_get")
def test_an_object_that_may_only_be_got_is_awaited(
    server: ApiServer, connection: Connection
) -> None:
    with following(connection, ONE) as seen:
        server.wait_for_watches(1, PATIENCE)
        server.put(config_map("web"))
        seen.wait_for_records(1)
        server.delete(config_map("web"))
        seen.wait_for_records(2)
    assert [each.type.value for each in seen.records] == ["ADDED", "DELETED"]


def test_a_quiet_object_that_may_only_be_got_stays_watched(tmp_path: Path) -> None:
    with ApiServer(bookmark_interval=60) as server:
        server.refuse(f"{MAPS}?", 403, watches=False)
        server.put(config_map("web"))
        connection = connection_to(server.url, tmp_path)
        with following(connection, ONE, read_timeout=0.3, pace=SOON) as seen:
            server.wait_for_watches(1, PATIENCE)
            server.put(config_map("web", color="red"))
            seen.wait_for_records(2)
            wait_until(lambda: len(watched_from(server)) >= 5)
            server.put(config_map("web", color="blue"))
            seen.wait_for_records(3)
        assert [each.type.value for each in seen.records] == [
            "ADDED",
            "MODIFIED",
            "MODIFIED",
        ]
        assert without_lateness(seen.said) == []


def kubeconfig_with(token: str, server: ApiServer, path: Path) -> Path:
    server.write_kubeconfig(path)
    config = json.loads(path.read_text())
    config["users"][0]["user"] = {"token": token}
    path.write_text(json.dumps(config))
    return path


def test_a_token_that_was_renewed_is_read_again(tmp_path: Path) -> None:
    with ApiServer(token="new") as server:
        server.put(config_map())
        kubeconfig = kubeconfig_with("old", server, tmp_path / "config")
        connection = connection_with(kubeconfig)
        kubeconfig_with("new", server, kubeconfig)
        with following(connection) as seen:
            seen.wait_for_records(1)
        assert seen.said == []


def test_a_token_that_was_not_renewed_ends_it(tmp_path: Path) -> None:
    with ApiServer(token="new") as server:
        connection = connection_with(kubeconfig_with("old", server, tmp_path / "c"))
        with following(connection) as seen:
            assert isinstance(seen.wait_for_error(), Unauthenticated)
        assert len(server.requests) == 2


def test_secrets_are_always_masked(server: ApiServer, connection: Connection) -> None:
    server.put(secret(password="aHVudGVyMg=="))
    every = Selection(resource=SECRETS, namespace="shop")
    with following(connection, every, mask=SecretMask(b"0123456789abcdef")) as seen:
        server.wait_for_watches(1, PATIENCE)
        server.put(secret(password="Y2hhbmdlZCE="))
        server.delete(secret())
        seen.wait_for_records(3)
    assert seen.changes == ["ADDED 2", "MODIFIED 3", "DELETED 4"]
    for event in seen.events:
        if event.object is not None:
            assert event.object["data"]["password"].startswith("*** ")


def test_selections_run_side_by_side(server: ApiServer, connection: Connection) -> None:
    labelled = Selection(resource=CONFIG_MAPS, namespace="shop", label_selector="app=a")
    with following(connection, ONE, labelled) as seen:
        server.wait_for_watches(2, PATIENCE)
        server.put(config_map("a"))
        server.put(config_map("web"))
        server.put({**config_map("a"), "metadata": {"name": "a", "namespace": "shop"}})
        seen.wait_for_records(3)
    assert {(each.type.value, each.name) for each in seen.records} == {
        ("ADDED", "a"),
        ("LEFT", "a"),
        ("ADDED", "web"),
    }
    assert ALL not in {event.selection for event in seen.events}
