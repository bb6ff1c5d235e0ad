"""Every recorded version of every object comes out, once, in order, exactly."""

from __future__ import annotations

import re

import pytest

from tests.builders import manifest
from tests.cli.command import PATIENCE, Running, Spy
from tests.cli.recorded import SENTINEL, Collection, Record, collections, folded
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.extras.serve.api_server.streams import recording_names

THE_END = re.compile(rb'"name":"%b","uid":"[^"]*","resource' % SENTINEL.encode())


def put_sentinel(server: ApiServer, namespace: str, of: Collection) -> None:
    """Create an object whose ADDED says that everything before it was printed."""
    place = None if of.word == "nodes" else namespace
    server.put(manifest(of.kind, SENTINEL, place, version=of.api_version))


def records_up_to_the_end(running: Running, streams: int) -> list[Record]:
    """Return the records that came before *streams* sentinels, which end each stream.

    `seq` counts what is printed, without a hole.
    """
    running.wait_until(lambda running: len(THE_END.findall(running.stdout)) == streams)
    ended = running.end()
    assert ended.code == 130
    records = ended.records
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    return [record for record in records if record["name"] != SENTINEL]


@pytest.mark.parametrize("name", recording_names())
def test_every_version_is_printed_once(spy: Spy, serve: Serve, name: str) -> None:
    changes = collections(name, status=False)
    statuses = collections(name, status=True)
    types = ",".join(each.word for each in changes)
    server = serve(name, watches_before_play=1000)
    namespace = (server.namespaces or [""])[0]
    flags = ["-n", namespace] if namespace else ["-A"]
    flags += ["-o", "json", "--show-secrets"]
    with (
        spy.running("changes", types, *flags) as of_all,
        spy.running("status", types, *flags) as of_status,
    ):
        server.wait_for_watches(2 * len(changes), PATIENCE)
        server.play()
        server.wait_until_played(PATIENCE)
        for each in changes:
            put_sentinel(server, namespace or "default", each)
        printed = records_up_to_the_end(of_all, len(changes))
        printed_of_status = records_up_to_the_end(of_status, len(changes))
    for records, expected in ((printed, changes), (printed_of_status, statuses)):
        wanted = {f"{c.api_version} {c.kind}": c.seen for c in expected if c.seen}
        assert folded(records) == wanted
        times = [record["time"] for record in records]
        assert times == sorted(times)


def test_listed_records_are_initial(spy: Spy, serve: Serve) -> None:
    server = serve("workloads")
    server.play()
    server.wait_until_played(PATIENCE)
    [statefulsets] = [
        each
        for each in collections("workloads", status=False)
        if each.word == "statefulsets.apps"
    ]
    with spy.running("changes", "sts", "-o", "json") as running:
        server.wait_for_watches(1, PATIENCE)
        put_sentinel(server, "workloads", statefulsets)
        running.wait_until(lambda running: THE_END.search(running.stdout) is not None)
        *before, last = running.end().records
    alive = {seen.uid for seen in statefulsets.seen if seen.type != "DELETED"}
    alive -= {seen.uid for seen in statefulsets.seen if seen.type == "DELETED"}
    assert {record["uid"] for record in before} == alive
    assert all(record["initial"] for record in before)
    assert "initial" not in last
