"""Filters of `review`, and the density of changes."""

from __future__ import annotations

import pytest

from kubectl_spy.core.changes.contents import bars, density, part_of
from kubectl_spy.core.changes.filtering import Filter, parse_filter
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.patch.operation import PatchOperation
from tests.builders import ALL_PODS
from tests.recordings import sealed

CHANGED = ChangeRecord(
    1,
    0.0,
    ChangeType.MODIFIED,
    ALL_PODS,
    ALL_PODS.resource.gvk,
    patch=(
        PatchOperation("replace", "/status/conditions/0/status", "True", "False"),
        PatchOperation("remove", "/metadata/annotations", None, {"a/b": {"c": 1}}),
        PatchOperation("move", "/spec/list/1", source="/spec/list/0"),
    ),
)


@pytest.mark.parametrize(
    ("typed", "matches"),
    [
        ("", True),
        ("web", True),
        ("POD/WEB", True),
        ("pod web", True),
        ("!event", True),
        ("!web", False),
        ("deployment/", False),
        ("-n shop", True),
        ("-n sho", False),
        ("-n shop -n other", False),
        ("web -n", True),
        ("!", True),
    ],
)
def test_words_choose_objects(typed: str, matches: bool) -> None:
    assert parse_filter(typed).matches("Pod", "shop", "web-0") is matches


def test_a_regular_expression_reaches_to_the_end() -> None:
    chosen = parse_filter("pod /a~1b ~being deleted|-n shop")
    assert chosen.words == ("pod",) and not chosen.namespaces
    assert chosen.pointers == (("a/b",),)
    assert chosen.keeps_line(b"x -n shop x") and not chosen.keeps_line(b"shop")
    assert parse_filter("~") == parse_filter("by: / --only") == Filter()
    with pytest.raises(ValueError, match="no regular expression"):
        parse_filter("~(")


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("/status", True),
        ("/status/", True),
        ("/status/conditions/0", True),
        ("--only /status/conditions/*/status", True),
        ("/status/conditions/*/reason", False),
        ("/status/conditions/1", False),
        ("/stat", False),
        ("/metadata/annotations/a~1b/c", True),
        ("/metadata/annotations/a~1b/d", False),
        ("/spec/list/0", True),
        ("/spec/list/2", False),
        ("/status /spec", True),
        ("/status /data", False),
    ],
)
def test_a_pointer_chooses_changes_at_or_below_it(typed: str, kept: bool) -> None:
    assert parse_filter(typed).keeps(CHANGED, fails=False) is kept


def test_a_new_object_is_at_the_pointers_that_it_has() -> None:
    added = CHANGED._replace(type=ChangeType.ADDED, document={"spec": {"a": [1]}})
    assert parse_filter("/spec/a/0").keeps(added, fails=False)
    assert not parse_filter("/spec/a/1").keeps(added, fails=False)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("by:kubelet", True),
        ("by:KUBE", True),
        ("--by let", True),
        ("by:kubelet by:helm", True),
        ("by:kubectl", False),
        ("by:pod-1", False),
    ],
)
def test_by_chooses_changes_by_their_managers(typed: str, kept: bool) -> None:
    members = {"apiVersion": "v1", "kind": "Pod", "name": "pod-1", "patch": []}
    begin = {"seq": 1, "time": "2026-11-21T15:04:05.000000Z", "type": "MODIFIED"}
    line = sealed({**begin, **members, "managers": ["kubelet", "helm"]})
    assert parse_filter(typed).keeps_line(line) is kept


def test_failures_are_told_by_headlines_and_warnings() -> None:
    chosen = parse_filter("is:failing")
    assert chosen.keeps(CHANGED, fails=True)
    assert not chosen.keeps(CHANGED, fails=False)
    kind = CHANGED.gvk._replace(kind="Event")
    warning = CHANGED._replace(gvk=kind, document={"type": "Warning"})
    assert chosen.keeps(warning, fails=False)
    assert not chosen.keeps(warning._replace(document={"type": "Normal"}), fails=False)


def test_two_filters_show_what_both_show() -> None:
    one, two = parse_filter("web by:helm"), parse_filter("pod is:failing /spec ~x")
    assert one.both(two) == parse_filter("web pod by:helm is:failing /spec ~x")
    assert one.both(Filter()) == one


def test_no_run_of_lines_is_passed_over_that_has_a_change_to_keep() -> None:
    test = parse_filter("/status/conditions/*/status").may_keep()
    assert test(b'{"path":"/status/conditions/0/status"}')
    assert test(b'{"path":"/status/conditions/0","value":{"status":"True"}}')
    assert not test(b'{"path":"/spec"}')


def test_every_change_is_in_one_bar() -> None:
    times = [0.0, 0.0, 1.5, 9.0, 10.0]
    counts = density(times, 0.0, 10.0, 5)
    assert counts == [3, 0, 0, 0, 2] and len(bars(counts)) == 5
    assert [part_of(each, 0.0, 10.0, 5) for each in times] == [0, 0, 0, 4, 4]
    assert density([3.0, 3.0], 3.0, 3.0, 5)[0] == 2
    assert part_of(3.0, 3.0, 3.0, 5) == 0
