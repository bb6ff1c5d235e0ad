"""What happens to objects and to the cluster while nobody looks."""

from __future__ import annotations

import pytest

from tests.sources.watching.matrix.cluster import Cluster
from tests.sources.watching.matrix.judge import judge_documents, judge_order
from tests.sources.watching.matrix.server import ModelServer, Phase
from tests.sources.watching.matrix.trial import PACE, Ground
from tests.sources.watching.matrix.wire import (
    Fault,
    answer,
    closed,
    ended,
    event,
    instead_of_it,
    part_of_it,
    refusal,
    reset,
    silent,
    stream_of,
)

OUTAGE = [answer(503)] * 2


@pytest.mark.parametrize("as_status", [True, False], ids=["status", "event"])
@pytest.mark.parametrize("end", [closed, silent], ids=lambda end: end.__name__)
def test_history_that_is_compacted_in_an_outage(
    ground: Ground, end: Fault, as_status: bool
) -> None:
    with ground.trial(expired_as_status=as_status) as trial:
        trial.server.fail(Phase.WATCH, *OUTAGE)
        trial.server.disturb(end)
        trial.write(3)
        trial.cluster.delete("other")
        trial.write(1, "new")
        trial.cluster.compact()
        trial.judge(missed=True)
        assert sum(each.of_stream for each in trial.seen.records) == 1
        trial.wait_until_said("versions was missed (GAP)")


@pytest.mark.parametrize("as_status", [True, False], ids=["status", "event"])
def test_history_that_goes_again_and_again(ground: Ground, as_status: bool) -> None:
    gone = refusal(410, "Expired")
    if not as_status:
        gone = stream_of(event("ERROR", {"code": 410, "reason": "Expired"}))
    with ground.trial() as trial:
        trial.server.fail(Phase.WATCH, *[gone] * 6)
        trial.server.disturb(closed)
        trial.judge(missed=False, gaps=True)


def test_an_object_that_is_deleted_and_created_again(ground: Ground) -> None:
    with ground.trial() as trial:
        trial.cluster.delete("web")
        trial.write(2)
        trial.judge()


@pytest.mark.parametrize("compacted", [True, False], ids=["compacted", "remembered"])
@pytest.mark.parametrize("again", [True, False], ids=["created again", "gone"])
def test_an_object_that_is_deleted_in_an_outage(
    ground: Ground, again: bool, compacted: bool
) -> None:
    with ground.trial() as trial:
        trial.server.fail(Phase.WATCH, *OUTAGE)
        trial.server.disturb(closed)
        trial.cluster.delete("web")
        if again:
            trial.write(2)
        if compacted:
            trial.cluster.compact()
        trial.judge(missed=compacted)


def test_a_cluster_that_is_restored_from_a_backup(ground: Ground) -> None:
    """A watch from its future is answered with silence and a clean end."""
    with ground.trial() as trial:
        trial.write(5)
        trial.cluster.delete("other")
        trial.wait_until_seen()
        trial.cluster.restore(5)
        trial.server.disturb(ended)
        trial.wait_until_said("versions was missed (GAP)")
        trial.write(8)  # past the versions that there were before
        trial.wait_until_seen()
        judge_order(trial.seen.records)
        judge_documents(trial.seen.records, trial.cluster.present)
        assert trial.server.asked(Phase.VERIFY)
        assert sum(each.of_stream for each in trial.seen.records) == 1


@pytest.mark.parametrize("end", [silent, closed, ended], ids=lambda end: end.__name__)
def test_a_quiet_kind_without_bookmarks_is_listed_in_time(
    ground: Ground, end: Fault
) -> None:
    # A client that is kept from reading the headers takes each watch for a short one.
    pace = PACE._replace(stale_after=0.4, short_watch=0.0)
    with ground.trial(pace=pace, idle=0.1, when_idle=end) as trial:
        trial.server.wait_until(lambda server: len(server.asked(Phase.LIST)) > 2)
        assert trial.seen.said == []
        assert [each.initial for each in trial.seen.records] == [True, True]
        trial.write(2)
        trial.judge()


def test_bookmarks_move_the_place_to_resume_from(ground: Ground) -> None:
    with ground.trial(idle=0.05) as trial:
        trial.write()
        trial.wait_until_seen()
        trial.server.disturb(ended)
        trial.write(2)
        trial.judge()
        assert trial.seen.said == []


@pytest.mark.parametrize("torn", [reset, closed, silent], ids=lambda end: end.__name__)
def test_pages_of_a_list_that_history_outruns(ground: Ground, torn: Fault) -> None:
    def many(cluster: Cluster, server: ModelServer) -> None:
        for number in range(8):
            cluster.put(f"web-{number}", text="é")

    with ground.trial(before=many, page=3) as trial:
        trial.server.fail(Phase.PAGE, part_of_it(torn, 0.9))
        trial.server.fail(Phase.WATCH, *OUTAGE)
        trial.server.disturb(closed)
        trial.cluster.delete("web-5")
        trial.write(2, "web-6")
        trial.cluster.compact()
        trial.judge(missed=True)


def test_an_event_that_comes_twice(ground: Ground) -> None:
    with ground.trial() as trial:
        trial.write()
        again = trial.cluster.versions[-1]
        line = event(again.type, again.document)
        trial.server.disturb(instead_of_it(line, ended), at_event=True)
        trial.write(2)
        trial.judge()


@pytest.mark.parametrize("back", [1, 2, 3, 4])
def test_events_that_were_seen_and_come_again_after_a_resume(
    ground: Ground, back: int
) -> None:
    with ground.trial() as trial:
        trial.write(2)
        trial.cluster.delete("other")
        trial.write(2)
        trial.wait_until_seen()
        replayed = trial.cluster.versions[-back - 1 :]
        lines = [event(each.type, each.document) for each in replayed]
        trial.server.fail(Phase.WATCH, stream_of(*lines))
        trial.server.disturb(closed)
        trial.write(2)
        trial.judge()
