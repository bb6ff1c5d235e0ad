"""The first lists of what was asked for: how many objects each held."""

from __future__ import annotations

import pytest

from kubectl_spy.cli.run.first_lists import FirstLists
from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Listed
from kubectl_spy.core.cluster.target_filter import TargetFilter
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from tests.core.cluster.test_event_log import ROOT

ALONG = ROOT._replace(name=None, asked=False)
POD = {"kind": "Pod", "metadata": {"name": "web", "namespace": "shop", "uid": "u"}}


def listed(selection: Selection) -> list[WatchEvent]:
    return [
        WatchEvent(EventType.LISTING, selection, 1.0),
        WatchEvent(EventType.LISTED, selection, 1.0, POD),
        WatchEvent(EventType.SYNCED, selection, 1.0),
    ]


@pytest.mark.parametrize("order", [(ROOT, ALONG), (ALONG, ROOT)])
def test_an_object_in_two_lists_counts_in_any_order(
    order: tuple[Selection, Selection],
) -> None:
    history = History(Coverage([ROOT, ALONG]))
    lists = FirstLists([ROOT], history, waits=False)
    filter_ = TargetFilter([ROOT], [ALONG], history.coverage)
    for selection in order:
        for event in listed(selection):
            for admitted in filter_.admit(event):
                for item in history.items(admitted):
                    if isinstance(item, Listed) and item.selection is ROOT:
                        assert item.objects == 1
    lists.check_any()
    lists.check_all()
