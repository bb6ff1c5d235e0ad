"""What is known of each selection, and what a sentence that denies makes of it."""

from __future__ import annotations

from datetime import timezone
from pathlib import Path

import pytest

import kubectl_spy
from kubectl_spy.core.changes.coverage import Coverage, Lack
from kubectl_spy.core.changes.record import Horizon, Listed, OfStream, Refused, Watched
from kubectl_spy.core.objects import Selection
from kubectl_spy.render.denials import Denial, denied, lacks, no_events
from tests.builders import ALL_PODS
from tests.recordings import START

MAPS, NODES = (
    Selection(ALL_PODS.resource._replace(plural=name)) for name in ("maps", "nodes")
)
END = START + 600


def coverage(*items: OfStream) -> Coverage:
    """Return that of three types, of which two are listed in any case."""
    found = Coverage([ALL_PODS, MAPS, NODES])
    for each in (Listed(MAPS, 1, START), Listed(NODES, 2, START), *items):
        found.observe(each)
    return found


def lacking(found: Coverage, began: float = START) -> list[str]:
    return lacks(found, began, END, timezone.utc)


LISTED: OfStream = Listed(ALL_PODS, 3, START)
LOST: OfStream = Watched(ALL_PODS, False, "", START + 65)
BACK: OfStream = Watched(ALL_PODS, True, "", START + 65)


def test_what_was_listed_and_is_watched_lacks_nothing() -> None:
    found = coverage(LISTED)
    assert found.complete and lacking(found) == []
    assert denied(Denial.GAPS, found, START, END) == "no gaps"


@pytest.mark.parametrize(
    ("items", "says"),
    [
        ([], "pods not listed"),
        ([Refused(ALL_PODS, "", START, True)], "pods not read (no right to list)"),
        ([Refused(ALL_PODS, "", START)], "pods not read (the list failed)"),
        ([LISTED, LOST], "pods not watched after 15:05:10"),
        ([LISTED, LOST, BACK, LOST], "pods not watched after 15:05:10"),
        (
            [LISTED, Watched(ALL_PODS, None, "", START + 65)],
            "pods perhaps not watched after 15:05:10",
        ),
        (
            [Horizon(ALL_PODS, START, START + 120), LISTED],
            "complete since 15:06:05 (pods), 15:04:05 (the rest)",
        ),
        (
            [Horizon(ALL_PODS, START, None), Listed(ALL_PODS, 1, START + 500)],
            "complete since 15:12:25 (pods), 15:04:05 (the rest)",
        ),
    ],
)
def test_what_is_not_covered_is_named_in_the_same_sentence(
    items: list[OfStream], says: str
) -> None:
    found = coverage(*items)
    assert lacking(found) == [says]
    assert denied(Denial.GAPS, found, START, END, timezone.utc) == says
    but = "" if says.startswith("complete") else "not known: "
    nothing = f"no failure was found; {but}{says}"
    assert denied(Denial.FAILURE, found, START, END, timezone.utc) == nothing


def test_one_type_that_is_back_hides_no_other() -> None:
    both: list[OfStream] = [LISTED, LOST, Watched(MAPS, False, "", START + 65), BACK]
    assert lacking(coverage(*both)) == ["maps not watched after 15:05:10"]


def test_a_certain_loss_follows_one_that_is_not() -> None:
    maybe = Watched(ALL_PODS, None, "", START + 5)
    assert lacking(coverage(LISTED, maybe, LOST)) == ["pods not watched after 15:05:10"]
    assert lacking(coverage(LISTED, LOST, maybe)) == ["pods not watched after 15:05:10"]


def test_what_came_before_a_list_does_not_matter_to_the_present() -> None:
    found = coverage(Horizon(ALL_PODS, START, START + 120), LISTED)
    assert denied(Denial.FAILING, found, START, END) == "nothing fails"


def test_a_type_of_another_namespace_is_named_with_it() -> None:
    found = coverage(LISTED)
    system = ALL_PODS._replace(namespace="kube-system", asked=False)
    found.observe(Refused(system, "", START, True))
    says = "pods -n kube-system not read (no right to list)"
    assert lacking(found) == [says]


def test_a_list_ends_what_was_lost_before() -> None:
    refused = Refused(ALL_PODS, "", START)
    assert lacking(coverage(refused, LOST)) == ["pods not read (the list failed)"]
    assert lacking(coverage(refused, LOST, LISTED)) == []


def test_selections_of_a_type_that_lack_the_same_are_one_hole() -> None:
    found = Coverage()
    for space in ("blue", "red"):
        selection = ALL_PODS._replace(namespace=space)
        found.observe(Listed(selection, 1, START))
        found.observe(Watched(selection, False, "", START + 65.25))
    (hole,) = found.holes(START, END)
    assert (hole.lack, hole.types) == (Lack.LOST, ("pods",))
    assert hole.as_json() == {
        "why": "lost",
        "types": ["pods"],
        "since": "2026-11-21T15:05:10.250000Z",
    }


def test_no_events_names_why_there_may_have_been_some() -> None:
    events = Selection(
        ALL_PODS.resource._replace(
            plural="events", gvk=ALL_PODS.resource.gvk._replace(kind="Event")
        )
    )
    found = Coverage([events, ALL_PODS])
    found.observe(Refused(events, "", START, True))
    why = "not known: events not read (no right to list)"
    assert no_events("", found, END) == f"no Events were recorded; {why}"
    found.observe(Listed(events, 0, START))
    assert no_events("such ", found, END) == "no such Events were recorded"


def test_no_code_denies_by_itself() -> None:
    """Such a sentence says what it does not cover, so it is made in one module."""
    root = Path(kubectl_spy.__file__).parent
    own = root / "render" / "denials.py"
    said = {
        f"{each.relative_to(root)}: {denial.value}"
        for each in root.rglob("*.py")
        if each != own
        for denial in Denial
        if denial.value in each.read_text()
    }
    assert said == set()
