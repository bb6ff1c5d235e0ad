"""A tree that does not fit folds OK objects, then waiting ones, and never failures."""

from __future__ import annotations

import pytest

from kubectl_spy.core.changes.record import ContainerRun, Logged
from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.objects import GroupVersionKind
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.core.trace.picture import Node, Picture
from kubectl_spy.core.trace.reason import Reason, deepest_cause
from kubectl_spy.render.palette import PLAIN, Palette
from kubectl_spy.render.tracing.parts import Parts
from kubectl_spy.render.tracing.tree import TreeRenderer
from tests.findings import saying
from tests.tracing import START, UTC, recorded_trace

OK, WAITING, FAILING = Verdict.OK, Verdict.WAITING, Verdict.FAILING


def node(name: str, verdict: Verdict, *children: Node, **more: object) -> Node:
    given = Node(
        uid=name,
        gvk=GroupVersionKind("", "v1", "Pod"),
        namespace="shop",
        name=name,
        phase=verdict.value,
        verdict=verdict,
        summary="",
        children=children,
    )
    return given._replace(**more)  # type: ignore[arg-type]


def drawn(root: Node, height: int = 0, width: int = 0) -> list[str]:
    trees = TreeRenderer(Parts(PLAIN, namespace="shop"))
    picture, reasons = Picture(START, (root,)), {root.uid: Reason(deepest_cause(root))}
    return trees.tree(picture, START, reasons, height=height, width=width)


def crowd() -> Node:
    waiting = [node(f"w{number:02}", WAITING) for number in range(40)]
    fine = [node(f"f{number:02}", OK) for number in range(20)]
    wrong = saying("x", FAILING, "it is broken", kubectl("mend it"))
    broken = node("broken", FAILING, findings=(wrong,))
    return node("root", WAITING, *waiting, broken, *fine)


def test_everything_is_drawn_if_it_fits() -> None:
    assert len(drawn(crowd())) == 44
    assert drawn(crowd())[-1] == "└─ ✓ 20 Pods  ok  (f00 … f19)"


@pytest.mark.parametrize("height", [9, 10, 30, 43])
def test_failures_are_always_in_sight(height: int) -> None:
    lines = drawn(crowd(), height)
    assert len(lines) <= height
    text = "\n".join(lines)
    assert "✗ pod/broken" in text and "it is broken" in text
    assert "20 more, all as they should be" in text


def test_folded_waiting_objects_are_counted_by_phase() -> None:
    assert "38 more on their way: waiting 38" in "\n".join(drawn(crowd(), 12))


def test_failures_that_do_not_fit_are_counted() -> None:
    broken = [node(f"b{number}", FAILING) for number in range(9)]
    lines = drawn(node("root", FAILING, *broken), 4)
    assert lines[-1] == "7 rows folded, 7 of what fails; --once --full shows all"


def test_a_root_that_fails_comes_first_where_there_is_little_room() -> None:
    calm = node("calm", WAITING, *(node(f"w{n}", WAITING) for n in range(9)))
    picture = Picture(START, (calm, node("wrong", FAILING)))
    trees = TreeRenderer(Parts(PLAIN, namespace="shop"))
    assert trees.tree(picture, START, height=5)[0].startswith("✗ pod/wrong")
    assert trees.tree(picture, START)[0].startswith("… pod/calm")


def test_a_remedy_is_not_cut_off() -> None:
    finding = saying("x", FAILING, "a" * 60, kubectl("describe pod broken"))
    root = node("root", FAILING, findings=(finding,))
    assert len(drawn(root, width=120)) == 2
    assert drawn(root, width=70)[-1].strip() == "→ kubectl describe pod broken"


@pytest.mark.parametrize(("verdict", "colour"), [(OK, "faint"), (WAITING, "bad")])
def test_warnings_of_unhealthy_objects_are_red(verdict: Verdict, colour: str) -> None:
    colours = Palette(faint="<faint>", bad="<bad>", reset="</>")
    (root,) = recorded_trace("pod-oom-liveness", "Pod/sick", 51).picture().roots
    (*_, warning) = (each for each in root.events if each.warning)
    node = root._replace(verdict=verdict, findings=(), events=(warning,))
    trees = TreeRenderer(Parts(colours, namespace=root.namespace))
    _, line = trees.tree(Picture(START + 51, (node,)), START + 51)
    assert f"<{colour}>!</> <{colour}>{warning.reason}" in line


def test_a_group_is_one_harmless_line() -> None:
    evil = GroupVersionKind("", "v1", "Evil\x1b[2J")
    root = node("root", OK, *(node(f"f{n}", OK, gvk=evil) for n in range(9)))
    assert drawn(root)[1:] == ["└─ ✓ 9 Evil\\u001b[2Js  ok  (f0 … f8)"]


def test_a_group_that_may_fail_again_has_the_mark_of_its_members() -> None:
    wait = saying("x", WAITING, "it started again")
    again = [
        node(f"w{n}", WAITING, findings=(wait,), pods=frozenset({(f"w{n}", n)}))
        for n in range(3)
    ]
    assert drawn(node("root", WAITING, *again))[1] == "└─ ! 3 Pods  waiting  (w0 … w2)"


def test_a_command_that_is_longer_than_a_line_is_copied_as_one() -> None:
    wrong = saying("x", FAILING, "it is broken", kubectl("logs {} -c app", "b" * 40))
    root = node("root", FAILING, node("broken", FAILING, findings=(wrong,)))
    command = f"→ kubectl logs {'b' * 40} -c app"
    assert drawn(root, width=40)[2].removeprefix("│").strip() == command
    # The terminal breaks the command, and the frame has room for all rows.
    assert drawn(root, 5, 40) == drawn(root, width=40)
    assert (
        drawn(root, 4, 40)[-1]
        == "3 rows folded, 2 of what fails; --once --full shows all"
    )


def test_logs_are_cut_only_where_the_height_is_limited() -> None:
    found = saying("app", FAILING, "it is broken")
    run = ContainerRun("root", "shop", "root", "app", "c1")
    logs = {("root", "app"): Logged(run, ("word " * 30, "end"), False, START)}
    picture = Picture(START, (node("root", FAILING, findings=(found,)),), logs=logs)
    trees = TreeRenderer(Parts(PLAIN, namespace="shop"))
    whole = trees.tree(picture, START, width=60)
    assert max(map(len, whole)) <= 60 and " ".join(whole).count("word") == 30
    assert "more" in "".join(trees.tree(picture, START, height=20, width=60))


def scrolled(*roots: Node, width: int = 80) -> list[str]:
    trees = TreeRenderer(Parts(PLAIN, namespace="shop", zone=UTC))
    reasons = {root.uid: Reason(deepest_cause(root)) for root in roots}
    return trees.scrolled(Picture(START, roots), START, reasons, width=width)


def broken(name: str, **more: object) -> Node:
    wrong = saying("x", FAILING, f"{name} is broken", kubectl(f"mend {name}"))
    return node(name, FAILING, findings=(wrong,), **more)


def test_what_matters_most_stands_at_the_end_of_what_scrolls() -> None:
    fine = [node(f"f{number}", OK) for number in range(3)]
    first = node("first", FAILING, broken("a"), *fine)
    second = node("second", FAILING, broken("b"))
    calm = node("calm", OK, *fine)
    assert scrolled(first, calm, second) == [
        "✓ pod/calm  ok",
        *(f"{'└' if n == 2 else '├'}─ ✓ pod/f{n}  ok" for n in range(3)),
        "✗ pod/second  failing",
        "│  pod/b: ✗ b is broken → kubectl mend b",
        "└─ ✗ pod/b  failing",
        "✗ pod/first  failing",
        "│  pod/a: ✗ a is broken → kubectl mend a",
        "├─ ✗ pod/a  failing",
        "└─ ✓ 3 more, all as they should be",
    ]


def test_the_cause_of_a_high_root_stands_below_it() -> None:
    waiting = [node(f"w{number}", WAITING, phase=f"p{number}") for number in range(40)]
    lines = scrolled(node("root", FAILING, broken("a"), *waiting))
    assert lines[-1] == "   pod/a: ✗ a is broken → kubectl mend a"
    assert "\n".join(lines).count("a is broken") == 1


def test_a_remedy_that_the_cause_has_is_not_said_again() -> None:
    first = broken("a")
    waits = saying("y", WAITING, "it is not ready", first.findings[0].remedy)
    child = first._replace(findings=(first.findings[0], waits))
    assert "it is not ready" not in "\n".join(scrolled(node("root", FAILING, child)))


def test_only_full_trees_have_earlier_phases() -> None:
    trace = recorded_trace("pod-oom-liveness", "Pod/hog", 51)
    for full in (False, True):
        trees = TreeRenderer(Parts(PLAIN, namespace="shop"), full=full)
        assert ("(after" in trees.tree(trace.picture(), START + 51)[0]) is full


@pytest.mark.parametrize(
    ("ago", "shown"),
    [(8.4, "15:03:56, 8.4s ago"), (86_400, "2026-11-20 15:04:05, 1d00h ago")],
)
def test_what_happened_has_its_time(ago: float, shown: str) -> None:
    wrong = saying("x", FAILING, "it is broken")._replace(since=START - ago)
    assert scrolled(node("root", FAILING, findings=(wrong,)))[-1].endswith(shown)
