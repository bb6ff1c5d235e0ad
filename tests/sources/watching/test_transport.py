"""Lists, page by page, and the questions between watches, over real connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.errors import ConnectionFailed, Forbidden, RequestRefused, SpyError
from kubectl_spy.sources.watching.actions import List, Outcome, Verify, Watch
from kubectl_spy.sources.watching.answers import BATCH, PAGE
from kubectl_spy.sources.watching.transport import Transport
from tests.builders import CONFIG_MAPS, SECRETS, config_map
from tests.extras.serve.api_server.server import ApiServer
from tests.sources.watching.following import (
    ALL,
    MAPS,
    ONE,
    connection_to,
    requests_of,
    secret,
    unmasked,
)

OBJECTS = 1100


class Listing:
    """One transport, and what it emitted."""

    def __init__(self, server: ApiServer, home: Path, selection: Selection) -> None:
        self.batches: list[list[WatchEvent]] = []
        self.on_batch: Callable[[], None] = lambda: None
        requests = requests_of(connection_to(server.url, home), selection)
        self.transport = Transport(requests, emit=self._emit, mask=unmasked)

    @property
    def events(self) -> list[WatchEvent]:
        return [event for batch in self.batches for event in batch]

    @property
    def names(self) -> list[str]:
        return [
            event.object["metadata"]["name"]
            for event in self.events
            if event.object is not None
        ]

    def watch(self, resource_version: str, *, seconds: float = 1) -> Outcome:
        return self.transport.watch(Watch(resource_version, seconds))

    def _emit(self, events: list[WatchEvent]) -> None:
        self.batches.append(events)
        self.on_batch()


def ended(outcome: Outcome) -> tuple[str, SpyError | None]:
    return outcome.resource_version, outcome.error


Start = Callable[..., Listing]


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as server:
        yield server


@pytest.fixture
def listing(server: ApiServer, tmp_path: Path) -> Start:
    def start(selection: Selection = ALL) -> Listing:
        return Listing(server, tmp_path, selection)

    return start


def fill(server: ApiServer) -> list[str]:
    names = [f"m{number:04}" for number in range(OBJECTS)]
    for name in names:
        server.put(config_map(name))
    return names


def queries(server: ApiServer) -> list[dict[str, str]]:
    return [request.query for request in server.requests]


def test_a_long_list_comes_in_pages(server: ApiServer, listing: Start) -> None:
    names = fill(server)
    seen = listing()
    outcome = seen.transport.relist(List())
    assert ended(outcome) == (server.resource_version, None)
    assert seen.names == names
    assert [each["limit"] for each in queries(server)] == [str(PAGE)] * 3
    assert [bool(each.get("continue")) for each in queries(server)] == [
        False,
        True,
        True,
    ]
    assert max(map(len, seen.batches)) <= BATCH
    assert seen.events[0].type is EventType.LISTING
    assert seen.events[-1].type is EventType.SYNCED


def test_expired_pages_become_one_list(server: ApiServer, listing: Start) -> None:
    names = fill(server)
    seen = listing()

    def once() -> None:
        seen.on_batch = lambda: None
        server.put(config_map("new"))
        server.compact()

    seen.on_batch = once
    outcome = seen.transport.relist(List())
    assert ended(outcome) == (server.resource_version, None)
    assert "limit" not in queries(server)[2]
    # The list begins again: what it held and holds no longer is gone.
    assert seen.names == [*names[:PAGE], *names, "new"]
    begun = [event.type is EventType.LISTING for event in seen.events]
    assert [index for index, each in enumerate(begun) if each] == [0, PAGE + 1]


def test_items_get_the_type_of_their_list(server: ApiServer, listing: Start) -> None:
    server.put(config_map())
    seen = listing()
    seen.transport.relist(List())
    document = seen.events[1].object
    assert document is not None
    assert list(document)[:2] == ["apiVersion", "kind"]
    assert (document["apiVersion"], document["kind"]) == ("v1", "ConfigMap")


def test_a_new_list_says_whether_history_is_lost(listing: Start) -> None:
    seen = listing()
    seen.transport.relist(List(since=5.0, lost=True))
    first, last = seen.events
    assert (first.type, first.since, first.lost) == (EventType.LISTING, 5.0, True)
    assert last.type is EventType.SYNCED


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (ONE, {"fieldSelector": "metadata.name=web"}),
        (
            Selection(resource=CONFIG_MAPS, namespace="shop", label_selector="app=web"),
            {"labelSelector": "app=web", "limit": "500"},
        ),
        (
            Selection(resource=CONFIG_MAPS, field_selector="metadata.namespace=shop"),
            {"fieldSelector": "metadata.namespace=shop", "limit": "500"},
        ),
    ],
)
def test_the_server_is_asked_for_no_more_than_what_was_selected(
    server: ApiServer, listing: Start, selection: Selection, expected: dict[str, str]
) -> None:
    server.put(config_map("web"))
    if selection.field_selector is None:
        server.put(config_map("other"))
    seen = listing(selection)
    seen.transport.relist(List())
    assert seen.names == ["web"]
    assert queries(server) == [expected]
    seen.watch("1")
    assert expected.items() <= {**queries(server)[1], "limit": "500"}.items()


def test_all_namespaces_leave_the_path(server: ApiServer, listing: Start) -> None:
    listing(Selection(resource=SECRETS)).transport.relist(List())
    assert server.requests[0].route == "/api/v1/secrets"


def test_an_unlistable_object_is_got(server: ApiServer, listing: Start) -> None:
    server.refuse(f"{MAPS}?", 403)
    stored = server.put(config_map("web"))
    server.put(config_map("other"))
    seen = listing(ONE)
    # Its own version may be too old to watch from: nowhere to begin is what is known.
    assert ended(seen.transport.relist(List())) == ("", None)
    assert [event.object for event in seen.events] == [None, stored, None]
    assert server.requests[1].path == f"{MAPS}/web"


def test_several_unlistable_objects_fail(server: ApiServer, listing: Start) -> None:
    server.refuse(f"{MAPS}?", 403)
    outcome = listing().transport.relist(List())
    assert isinstance(outcome.error, Forbidden)
    assert "ask for the right to list (and watch) configmaps" in str(outcome.error)


def test_a_watch_says_how_far_it_came(server: ApiServer, listing: Start) -> None:
    server.put(config_map())
    server.put(config_map(color="red"))
    server.put(secret())
    seen = listing()
    outcome = seen.watch("1")
    types = [event.type.value for event in seen.events]
    assert types == ["ADDED", "MODIFIED", "BOOKMARK"]
    # The server's last bookmark tells of the Secret, too.
    assert (outcome.resource_version, outcome.brought) == ("4", 3)
    assert outcome.error is None and outcome.took >= 1
    assert queries(server)[0] == {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": "1",
        "timeoutSeconds": "1",
    }


def test_a_watch_before_history_is_an_error(server: ApiServer, listing: Start) -> None:
    server.put(config_map())
    server.compact()
    outcome = listing().watch("1")
    assert isinstance(outcome.error, RequestRefused)
    assert (outcome.error.status, outcome.error.reason) == (410, "Expired")
    assert outcome.resource_version == "1"


def test_a_reached_version_is_verified(server: ApiServer, listing: Start) -> None:
    server.put(config_map())
    seen = listing()
    assert ended(seen.transport.verify(Verify("2"))) == ("", None)
    future = seen.transport.verify(Verify("999")).error
    assert isinstance(future, RequestRefused) and future.status == 504
    assert seen.batches == []


NO_LISTS: list[Any] = [
    "welcome to nginx",
    [1, 2],
    {},
    {"metadata": 3},
    {"metadata": {}, "items": 5},
    {"metadata": {}, "items": {"a": 1}},
]


@pytest.mark.parametrize("body", NO_LISTS, ids=repr)
def test_invalid_lists_are_errors(server: ApiServer, listing: Start, body: Any) -> None:
    server.refuse(MAPS, 200, body)
    outcome = listing().transport.relist(List())
    assert isinstance(outcome.error, ConnectionFailed)
    assert str(outcome.error).startswith("the answer is not what a Kubernetes API")


def test_an_invalid_object_is_an_error(server: ApiServer, listing: Start) -> None:
    server.refuse(f"{MAPS}?", 403)
    server.refuse(f"{MAPS}/web", 200, {"metadata": []})
    assert isinstance(listing(ONE).transport.relist(List()).error, ConnectionFailed)


def test_invalid_items_are_reported(server: ApiServer, listing: Start) -> None:
    good = config_map()
    items: list[Any] = [None, 1, {}, {"metadata": {"name": 5}}, good]
    body = {"metadata": {"resourceVersion": "7"}, "items": items}
    server.refuse(MAPS, 200, body)
    seen = listing()
    assert ended(seen.transport.relist(List())) == ("7", None)
    types = [event.type.value for event in seen.events]
    assert types == ["LISTING", *["UNREADABLE"] * 4, "LISTED", "SYNCED"]


def test_a_past_list_shows_what_was_there_and_waits_for_what_changed(
    server: ApiServer, listing: Start
) -> None:
    server.put(config_map())
    past = server.resource_version
    server.put(config_map(color="red"))
    seen = listing()
    outcome = seen.transport.relist(List(since=5.0, version=past))
    assert (outcome.resource_version, outcome.behind) == (past, True)
    types = [event.type.value for event in seen.events]
    assert (types, seen.events[0].version) == (["LISTING", "LISTED"], past)
    assert (seen.events[1].object or {})["data"] == {}
    assert [each.get("resourceVersion") for each in queries(server)] == [past, None]
    outcome = seen.watch(past)
    types = [event.type.value for event in seen.events[2:]]
    assert types == ["MODIFIED", "SYNCED", "BOOKMARK"]
    assert seen.events[3].version == server.resource_version
    assert not outcome.behind


def test_a_past_list_of_what_did_not_change_is_over_at_once(
    server: ApiServer, listing: Start
) -> None:
    server.put(config_map())
    past = server.resource_version
    server.put(secret())
    seen = listing()
    assert not seen.transport.relist(List(since=5.0, version=past)).behind
    assert [event.type.value for event in seen.events][-1] == "SYNCED"
    seen.watch(past)
    assert [event.type.value for event in seen.events].count("SYNCED") == 1
