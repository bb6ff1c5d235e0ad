"""Streams that nobody asked for themselves: done without where they cannot be had."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.sources.watching.watch import LiveWatch
from tests.builders import SECRETS, config_map
from tests.extras.serve.api_server.server import ApiServer
from tests.processes import PATIENCE
from tests.sources.watching.following import (
    ALL,
    connection_to,
    unmasked,
)

ALONG = Selection(resource=SECRETS, namespace="shop", asked=False)


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer(bookmark_interval=0.1) as server:
        yield server


@contextmanager
def batches(
    server: ApiServer,
    home: Path,
    said: list[str],
    *,
    optional: Sequence[Selection] = (ALONG,),
    tick: float | None = None,
) -> Iterator[tuple[LiveWatch, Iterator[Iterable[WatchEvent]]]]:
    watch = LiveWatch(
        connection_to(server.url, home),
        [ALL],
        renew=lambda: None,
        mask=unmasked,
        say=said.append,
        optional=optional,
        tick=tick,
    )
    try:
        yield watch, iter(watch)
    finally:
        watch.close()


def test_a_refused_optional_list_is_an_event(server: ApiServer, tmp_path: Path) -> None:
    server.refuse("/api/v1/namespaces/shop/secrets", 403)
    said: list[str] = []
    with batches(server, tmp_path, said) as (watch, watched):
        refused: list[WatchEvent] = []
        for batch in watched:
            refused += [each for each in batch if each.type is EventType.REFUSED]
            if refused:
                break
        (event,) = refused
        assert event.selection is ALONG
        assert event.reason == "may not list secrets in namespace shop"
        (report,) = watch.reports()  # it is not waited for
        assert report.selection is ALL
        server.wait_for_watches(1, PATIENCE)
        server.put(config_map("a"))
        assert any(each.type is EventType.ADDED for batch in watched for each in batch)
    assert said == []


def test_a_tick_is_an_empty_batch(server: ApiServer, tmp_path: Path) -> None:
    with batches(server, tmp_path, [], optional=(), tick=0.05) as (_, watched):
        for _, batch in zip(range(10), watched, strict=False):
            if not batch:
                break
        else:
            raise AssertionError("no tick")
