"""When the waiting ends, as objects come, change and go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Item
from kubectl_spy.core.objects import Selection, WatchEvent
from kubectl_spy.core.waiting.awaiting import Awaiting, Failure, Verdict, parse_step
from tests.builders import ALL_PODS, DEPLOYMENTS, SOME_PODS, event
from tests.builders import pod as any_pod
from tests.recordings import first_list, items_of

WEB = ALL_PODS._replace(name="web")
DEPLOY = Selection(resource=DEPLOYMENTS, namespace="shop", name="web")
DEPLOY_LIST = DEPLOY._replace(name=None)


def pod(
    name: str = "web", phase: str = "Pending", *, rv: str = "1", **more: Any
) -> dict[str, Any]:
    """Return a Pod that is ready if it is Running."""
    ready = "True" if phase == "Running" else "False"
    conditions = [{"type": "Ready", "status": ready}]
    made = any_pod(name, rv=rv, **more)
    return {**made, "status": {"phase": phase, "conditions": conditions}}


def wait(
    conditions: str | Iterable[str],
    events: Iterable[WatchEvent],
    *,
    roots: Iterable[Selection] = (WEB,),
    **more: Any,
) -> tuple[Awaiting, list[Verdict | None]]:
    """Return what waited, and what each item of *events* brought, up to a verdict."""
    words = conditions.split() if isinstance(conditions, str) else conditions
    awaiting = Awaiting([parse_step(each) for each in words], roots, **more)
    brought = []
    for item in items_of(History(), events):
        brought.append(awaiting.observe(item) or awaiting.judge())
        if brought[-1] is not None:
            break
    return awaiting, brought


def verdict(*arguments: Any, **more: Any) -> Verdict | None:
    """Return the last thing that was brought."""
    return wait(*arguments, **more)[1][-1]


def story(*events: tuple[str, dict[str, Any]], of: Selection) -> list[WatchEvent]:
    return [event(kind, obj, selection=of) for kind, obj in events]


def one(*events: tuple[str, dict[str, Any]]) -> list[WatchEvent]:
    """Return what happens to one Pod that is watched by its name."""
    return story(*events, of=WEB)


NOTHING = first_list(selection=WEB)
THERE = first_list(pod(), selection=WEB)
RUNS = one(("MODIFIED", pod(phase="Running", rv="2")))
ENDS = one(("MODIFIED", pod(phase="Succeeded", rv="2")))
FAILS = one(("MODIFIED", pod(phase="Failed", rv="2")))
GOES = one(("DELETED", pod(rv="3")))
COMES = one(("ADDED", pod()))
AGAIN = one(("ADDED", pod(phase="Running", rv="5", uid="uid-2")))
LEAVES = one(("MODIFIED", pod(rv="2", deletionTimestamp="2026-11-21T15:00:00Z")))
BOTH = "pod/web: condition=Ready=False and ready"


@pytest.mark.parametrize(
    ("conditions", "events", "message"),
    [
        ("ready", [*THERE, *RUNS], "pod/web: ready (it is running and ready)"),
        ("ready", [*THERE, *ENDS], "pod/web: ready (it has completed)"),
        (
            "ready",
            first_list(pod(phase="Running"), selection=WEB),
            "pod/web: ready (it",
        ),
        (
            "condition=Ready",
            [*THERE, *RUNS],
            "pod/web: condition=Ready (Ready is True)",
        ),
        ("condition=Ready=False", THERE, "pod/web: condition=Ready=False (Ready is F"),
        (
            "jsonpath={.status.phase}=Running",
            [*THERE, *RUNS],
            "pod/web: jsonpath={.status.phase}=Running ({.status.phase} is Running)",
        ),
        ("jsonpath={.status.phase}", THERE, "pod/web: jsonpath={.status.phase} ("),
        ("create", THERE, "pod/web: created"),
        ("create", [*NOTHING, *one(("ADDED", pod()))], "pod/web: created"),
        ("delete", [*THERE, *GOES], "pod/web: deleted"),
        ("delete", NOTHING, "pod/web: not there"),
        ("failed", [*THERE, *FAILS], "pod/web: failed (it has ended in failure)"),
        ("ready|failed", [*THERE, *RUNS], "pod/web: ready (it is running and ready)"),
        ("ready|delete", [*THERE, *FAILS, *GOES], "pod/web: deleted"),
        ("ready|condition=Ready=False", THERE, "pod/web: condition=Ready=False ("),
        ("ready create", [*NOTHING, *COMES, *RUNS], "pod/web: created and ready ("),
        ("condition=Ready=False ready", [*THERE, *RUNS], f"{BOTH} (it is running"),
        ("ready delete", [*THERE, *RUNS, *GOES], "pod/web: deleted"),
        ("delete create", [*NOTHING, *COMES, *GOES], "pod/web: deleted"),
        ("delete ready", [*THERE, *GOES, *AGAIN], "pod/web: deleted and ready ("),
        ("delete ready", [*NOTHING, *AGAIN], "pod/web: deleted and ready ("),
        ("failed delete", [*THERE, *FAILS, *GOES], "pod/web: deleted"),
        ("create failed|ready", [*THERE, *RUNS], "pod/web: created and ready (it is"),
    ],
)
def test_an_awaited_state_ends_the_waiting(
    conditions: str, events: list[WatchEvent], message: str
) -> None:
    found = verdict(conditions, events)
    assert found is not None
    assert (found.met, found.message[: len(message)]) == (True, message)


@pytest.mark.parametrize(
    ("conditions", "events", "message"),
    [
        ("ready", [*THERE, *FAILS], "pod/web: failed (it has ended in failure)"),
        ("ready", [*THERE, *GOES], "pod/web was deleted"),
        ("condition=Ready", [*THERE, *GOES], "pod/web was deleted"),
        ("jsonpath={.a}=b", [*THERE, *GOES], "pod/web was deleted"),
        ("failed", [*THERE, *ENDS], "pod/web: it has completed, and cannot fail"),
        ("failed", [*THERE, *GOES], "pod/web was deleted"),
        ("ready|failed", [*THERE, *FAILS], "pod/web: failed (it has ended in failure)"),
        ("ready failed", [*THERE, *FAILS], "pod/web: failed (it has ended in failure)"),
        ("ready failed", [*THERE, *ENDS], "pod/web: it has completed, and cannot fail"),
        ("ready", [*THERE, *LEAVES], "pod/web: it is being deleted"),
        ("failed", [*THERE, *LEAVES], "pod/web: it is being deleted"),
        (
            "condition=Ready",
            [*THERE, *FAILS],
            "pod/web: failed (it has ended in failure), and condition=Ready cannot",
        ),
        (
            "condition=Nice condition=Ready",
            [*THERE, *ENDS],
            "pod/web: it has completed, and condition=Ready cannot come any more",
        ),
        (
            "delete|failed",
            [*THERE, *FAILS],
            "pod/web: failed (it has ended in failure)",
        ),
        ("jsonpath={.status.*}=b", THERE, "pod/web: {.status.*} leads to 2 values"),
        (
            "jsonpath={.status}=b",
            THERE,
            "pod/web: {.status} is an object or a list, which cannot be compared",
        ),
    ],
)
def test_impossible_states_end_the_waiting(
    conditions: str, events: list[WatchEvent], message: str
) -> None:
    found = verdict(conditions, events)
    assert found is not None
    assert (found.met, found.message[: len(message)]) == (False, message)
    assert found.remedy


@pytest.mark.parametrize(
    ("conditions", "events", "missing"),
    [
        ("ready", THERE, "pod/web: it is Pending"),
        ("ready", NOTHING, "pod/web: not there"),
        ("ready", GOES, "pod/web: not there"),
        ("condition=Nice", [*THERE, *RUNS], "pod/web: it has no condition Nice"),
        ("condition=Nice", [*THERE, *FAILS], "pod/web: it has no condition Nice"),
        ("delete|ready", [*THERE, *LEAVES], "pod/web: it is still there; it is being"),
        ("ready delete", NOTHING, "pod/web: not there"),
        ("ready create", [*NOTHING, *COMES], "pod/web: it is Pending"),
        ("delete ready", [*THERE, *GOES], "pod/web: not there"),
        ("ready condition=Nice", [*THERE, *RUNS], "pod/web: it has no condition Nice"),
        # It is over, and what comes last does not hold any more.
        ("condition=Ready=False ready", RUNS, "pod/web: Ready is True"),
        ("jsonpath={.status.phase}=Gone", RUNS, "pod/web: {.status.phase} is Running"),
        ("delete", THERE, "pod/web: it is still there"),
        ("delete", [], "the first list is not complete"),
        ("failed", [*THERE, *RUNS], "pod/web: it is running and ready"),
        ("create", NOTHING, "pod/web: not there"),
        (
            "ready|condition=Nice",
            THERE,
            "pod/web: it is Pending; it has no condition Nice",
        ),
        (
            "ready",
            [event("UNREADABLE", selection=WEB), *THERE],
            "pod/web: it is Pending",
        ),
    ],
)
def test_missing_states_are_awaited_and_reported(
    conditions: str, events: list[WatchEvent], missing: str
) -> None:
    awaiting, brought = wait(conditions, events)
    assert set(brought) <= {None}
    assert awaiting.missing()[: len(missing)] == missing


def pods(*events: tuple[str, dict[str, Any]], of: Selection = ALL_PODS) -> Any:
    return story(*events, of=of)


TWO = first_list(pod("a", "Running", rv="1"), pod("b", rv="2"))


def test_all_that_are_there_must_be_ready() -> None:
    awaiting, brought = wait("ready", TWO, roots=[ALL_PODS])
    assert set(brought) == {None}
    assert awaiting.missing() == "pod/b: it is Pending"
    events = [*TWO, *pods(("MODIFIED", pod("b", "Running", rv="3")))]
    assert verdict("ready", events, roots=[ALL_PODS]) == Verdict(
        True, "pod/a, pod/b: ready"
    )


def test_each_may_meet_another_one_of_the_conditions() -> None:
    found = verdict("ready|condition=Ready=False", TWO, roots=[ALL_PODS])
    assert found == Verdict(True, "pod/a, pod/b: ready or condition=Ready=False")


def test_nothing_is_concluded_before_the_first_list_is_complete() -> None:
    """The first one is ready, but nobody knows yet what else there is."""
    _, brought = wait("ready", TWO[:2], roots=[ALL_PODS])
    assert brought == [None]
    only = first_list(pod("a", "Running"))
    found = verdict("ready", only, roots=[ALL_PODS])
    assert found == Verdict(True, "pod/a: ready (it is running and ready)")


def test_at_least_one_object_is_required() -> None:
    awaiting, brought = wait("ready", first_list(), roots=[ALL_PODS])
    assert brought == [None]
    assert awaiting.missing() == "pods: none there"
    events = [*first_list(), *pods(("ADDED", pod("a", "Running")))]
    assert verdict("ready", events, roots=[ALL_PODS]) is not None


def test_among_many_they_may_go() -> None:
    """A rollout deletes Pods: what counts is what is there."""
    events = [*TWO, *pods(("DELETED", pod("b", rv="3")))]
    found = verdict("ready", events, roots=[ALL_PODS])
    assert found == Verdict(True, "pod/a: ready (it is running and ready)")


def test_an_object_that_leaves_the_selector_is_gone() -> None:
    listed = first_list(pod("a"), selection=SOME_PODS)
    events = [*listed, *pods(("DELETED", pod("a", rv="2")), of=SOME_PODS)]
    found = verdict("delete", events, roots=[SOME_PODS])
    assert found == Verdict(True, "pods: deleted")
    back = pods(("ADDED", pod("a", "Running", rv="3")), of=SOME_PODS)
    assert verdict("ready", [*events, *back], roots=[SOME_PODS]) is not None


def test_all_must_be_gone() -> None:
    events = [*TWO, *pods(("DELETED", pod("b", rv="3")))]
    assert verdict("delete", events, roots=[ALL_PODS]) is None
    events += pods(("DELETED", pod("a", rv="4")))
    assert verdict("delete", events, roots=[ALL_PODS]) == Verdict(True, "pods: deleted")
    nothing = verdict("delete", first_list(), roots=[ALL_PODS])
    assert nothing == Verdict(True, "pods: not there")


@pytest.mark.parametrize(
    ("steps", "missing"),
    [
        ("ready delete", "pods: none there"),
        ("create delete", "pods: none there"),
        ("delete ready delete", "none is there"),
    ],
)
def test_an_unseen_object_meets_no_earlier_step(steps: str, missing: str) -> None:
    awaiting, brought = wait(steps, first_list(), roots=[ALL_PODS])
    assert set(brought) == {None}
    assert awaiting.conclude() is None
    assert awaiting.missing() == missing


def test_an_object_deleted_before_it_was_ready_does_not_count() -> None:
    listed = first_list(pod("a"))
    gone = [*listed, *pods(("DELETED", pod("a", rv="2")))]
    assert set(wait("ready delete", gone, roots=[ALL_PODS])[1]) == {None}
    ready = [
        *gone,
        *pods(("ADDED", pod("b", "Running", rv="3"))),
        *pods(("DELETED", pod("b", "Running", rv="4"))),
    ]
    found = verdict("ready delete", ready, roots=[ALL_PODS])
    assert found == Verdict(True, "pods: deleted")


def test_one_list_may_be_empty_if_another_is_done() -> None:
    events = [
        *first_list(selection=DEPLOY_LIST),
        *first_list(pod("a", "Running")),
        *pods(("DELETED", pod("a", "Running", rv="2"))),
    ]
    found = verdict("ready delete", events, roots=[ALL_PODS, DEPLOY_LIST])
    assert found == Verdict(True, "pods, deployments.apps: deleted")


def test_creation_needs_one_of_many() -> None:
    found = wait("create", first_list(pod("a"), pod("b")), roots=[ALL_PODS])[1]
    assert found == [Verdict(True, "pod/a: created")]


def test_many_objects_are_named_by_the_first() -> None:
    listed = first_list(*(pod(name, "Running") for name in "abcde"))
    found = verdict("ready", listed, roots=[ALL_PODS])
    assert found == Verdict(True, "pod/a, pod/b, pod/c and 2 more: ready")
    listed = first_list(*(pod(name) for name in "abcde"))
    awaiting, _ = wait("condition=Nice", listed, roots=[ALL_PODS])
    assert awaiting.missing() == (
        "pod/a: it has no condition Nice; pod/b: it has no condition Nice; "
        "pod/c: it has no condition Nice and 2 more"
    )


def test_each_that_was_named_must_be_there() -> None:
    other = ALL_PODS._replace(name="other")
    ready = first_list(pod(phase="Running"), selection=WEB)
    awaiting, brought = wait("ready", ready, roots=[WEB, other])
    assert brought[-1] is None
    assert awaiting.missing() == "pod/other: not listed yet"
    events = [*ready, *first_list(pod("other", "Running", rv="2"), selection=other)]
    assert verdict("ready", events, roots=[WEB, other]) == Verdict(
        True, "pod/web, pod/other: ready"
    )
    gone = [*NOTHING, *first_list(selection=other)]
    assert verdict("delete", gone, roots=[WEB, other]) == Verdict(
        True, "pod/web, pod/other: not there"
    )


def test_one_list_may_be_empty() -> None:
    events = [*TWO, *first_list(selection=DEPLOY_LIST)]
    awaiting, brought = wait("ready", events, roots=[ALL_PODS, DEPLOY_LIST])
    assert set(brought) == {None}
    assert awaiting.missing() == "pod/b: it is Pending"
    events += pods(("MODIFIED", pod("b", "Running", rv="3")))
    found = verdict("ready", events, roots=[ALL_PODS, DEPLOY_LIST])
    assert found == Verdict(True, "pod/a, pod/b: ready")


def test_a_failed_one_among_many_dashes_all_hope() -> None:
    events = [*TWO, *pods(("MODIFIED", pod("b", "Failed", rv="3")))]
    found = verdict("ready", events, roots=[ALL_PODS])
    assert found is not None and not found.met
    assert found.message == "pod/b: failed (it has ended in failure)"


def test_all_must_fail_where_that_is_waited_for() -> None:
    events = [*TWO, *pods(("MODIFIED", pod("b", "Failed", rv="3")))]
    assert verdict("failed", events, roots=[ALL_PODS]) is None


def test_a_new_object_of_that_name_is_another_one() -> None:
    events = [*THERE, *one(("ADDED", pod(phase="Running", rv="5", uid="uid-2")))]
    found = verdict("ready", events)
    assert found is not None and found.message.startswith("pod/web was deleted")


def test_others_do_not_count() -> None:
    """As in a tree, where Pods are shown that nobody asked for."""
    deploy = {**pod("web"), "apiVersion": "apps/v1", "kind": "Deployment"}
    events = [
        *first_list(deploy, selection=DEPLOY),
        *first_list(pod("x", "Failed", rv="2"), pod("web", "Running", rv="3")),
    ]
    awaiting, brought = wait("ready", events, roots=[DEPLOY])
    assert set(brought) == {None}
    assert awaiting.missing().startswith("deployment.apps/web: ")


def fails(
    message: str, *, final: bool = False, root: str = "web"
) -> Callable[[], list[Failure]]:
    """Return what tells that something fails under the Pod *root*."""
    failure = Failure(("", "Pod", "shop", root), message, "fix it", final)
    return lambda: [failure]


def test_failures_of_dependents_count() -> None:
    failures = fails("pod/x: CrashLoopBackOff")
    assert verdict("ready", THERE, failures=failures) is None
    assert verdict("failed", THERE) is None
    found = verdict("failed", THERE, failures=failures)
    assert found == Verdict(True, "pod/x: CrashLoopBackOff")
    found = verdict("ready|failed", THERE, failures=failures)
    assert found == Verdict(False, "pod/x: CrashLoopBackOff", "fix it")


def items(events: Iterable[WatchEvent]) -> Iterator[Item]:
    """Yield items as a recording does: their selection is equal, not the same."""
    copies: dict[int, Selection] = {}
    for item in items_of(History(), events):
        known = copies.setdefault(id(item.selection), item.selection._replace())
        yield item._replace(selection=known)


def of_recording(text: str, root: Selection) -> Awaiting:
    def concerns(item: Item) -> bool:
        return item.selection.resource == root.resource

    return Awaiting([parse_step(text)], [root], concerns=concerns)


def test_recordings_wait_by_their_own_selections() -> None:
    awaiting = of_recording("ready", WEB)
    events = [*TWO, *pods(("ADDED", pod("web", "Running", rv="3")))]
    brought = [awaiting.observe(item) for item in items(events)]
    assert brought[:-1] == [None] * (len(brought) - 1)
    assert brought[-1] == Verdict(True, "pod/web: ready (it is running and ready)")


def test_a_recording_that_was_continued_begins_anew() -> None:
    """What went while nobody recorded is not there any more."""
    awaiting = of_recording("ready", ALL_PODS)
    for item in items(TWO):
        assert awaiting.observe(item) is None
    *first, last = items(first_list(pod("c", "Running")))
    assert [awaiting.observe(item) for item in first] == [None]
    assert awaiting.observe(last) == Verdict(
        True, "pod/c: ready (it is running and ready)"
    )


PHASES = "jsonpath={.status.phase}=Running jsonpath={.status.phase}=Succeeded"


@pytest.mark.parametrize("root", [WEB, ALL_PODS])
@pytest.mark.parametrize(
    ("steps", "runs", "message"),
    [
        (PHASES, (pod(phase="Running"), pod(phase="Succeeded", rv="2")), "Running and"),
        (PHASES, (pod(phase="Running"), pod(rv="9", uid="uid-2")), ""),
        (PHASES, (pod(phase="Running"), pod(phase="Succeeded", uid="uid-2")), ""),
        (
            "ready delete ready",
            (pod(phase="Running"), pod(phase="Running", uid="uid-2")),
            "ready and deleted and ready",
        ),
        (
            "ready delete ready",
            (pod(phase="Running"), pod(phase="Running", rv="2")),
            "",
        ),
        (
            "ready delete ready",
            (pod(phase="Running"), None, pod(phase="Running", uid="uid-2")),
            "ready and deleted and ready",
        ),
        (PHASES, (pod(phase="Running"), None, pod(phase="Succeeded", uid="uid-2")), ""),
        ("ready delete", (pod(phase="Running"), None), "deleted"),
        ("create ready", (pod(), pod(phase="Running", rv="2")), "created and ready"),
    ],
)
def test_steps_of_an_object_stay_taken_where_a_recording_goes_on(
    root: Selection, steps: str, runs: Iterable[dict[str, Any] | None], message: str
) -> None:
    """A wait is one wait: but another object of that name takes its own steps."""
    words = [parse_step(each) for each in steps.split()]
    awaiting = Awaiting(words, [root], concerns=lambda item: True)
    found = None
    for each in runs:
        assert found is None
        listed = first_list(*filter(None, [each]), selection=root)
        for item in items(listed):
            found = awaiting.observe(item) or found
    assert (found is not None and found.met) == bool(message), found
    assert message in (found or Verdict(True, "")).message


def test_at_the_end_what_is_there_is_all_there_is() -> None:
    """A recording may begin within a list, or lack its end."""
    awaiting = of_recording("ready", ALL_PODS)
    for item in items(first_list(pod("a", "Running"))[:-1]):
        assert awaiting.observe(item) is None
    assert awaiting.conclude() == Verdict(
        True, "pod/a: ready (it is running and ready)"
    )
    assert of_recording("ready", ALL_PODS).conclude() is None


def test_without_anything_asked_for_nothing_is_concluded() -> None:
    awaiting = Awaiting([parse_step("delete")], [])
    assert awaiting.conclude() is None
    assert awaiting.missing() == "none is there"
    awaiting.expect(WEB)
    awaiting.expect(WEB._replace())
    assert awaiting.missing() == "the first list is not complete"
    assert awaiting.conclude() == Verdict(True, "pod/web: not there")


def test_later_expectations_keep_earlier_results() -> None:
    other = ALL_PODS._replace(name="other")
    awaiting = Awaiting([parse_step("ready")], [WEB])
    for item in items_of(History(), THERE):
        assert awaiting.observe(item) is None
    awaiting.expect(other)
    for item in items_of(History(), first_list(selection=other)):
        assert awaiting.observe(item) is None
    last, *_ = items_of(History(), first_list(pod(phase="Running"), selection=WEB))
    assert awaiting.observe(last) is None
    assert awaiting.missing() == "pod/other: not there"


def test_each_object_takes_the_steps_by_itself() -> None:
    """The first has lost what the second still lacks; only the last step must hold."""
    steps = "jsonpath={.status.phase}=Running jsonpath={.status.phase}=Succeeded"
    events = [
        *TWO,
        *pods(("MODIFIED", pod("a", "Succeeded", rv="3"))),
        *pods(("MODIFIED", pod("b", "Running", rv="4"))),
    ]
    awaiting, brought = wait(steps, events, roots=[ALL_PODS])
    assert set(brought) == {None}
    assert awaiting.missing() == "pod/b: {.status.phase} is Running"
    events += pods(("MODIFIED", pod("b", "Succeeded", rv="5")))
    found = verdict(steps, events, roots=[ALL_PODS])
    assert found is not None and found.met


def test_final_failures_end_waiting_for_readiness_only() -> None:
    failures = fails("pod/x: no such image", final=True)
    for words in ("ready", "create ready", "ready|failed", "ready condition=Nice"):
        found = verdict(words, THERE, failures=failures)
        assert found == Verdict(False, "pod/x: no such image", "fix it"), words
    for words in ("ready|condition=Nice", "ready|delete", "condition=Nice ready"):
        assert verdict(words, THERE, failures=failures) is None, words


def test_a_failure_counts_for_its_own_object() -> None:
    """The Pod a is ready and waits for its deletion; the Pod b is not ready."""
    for words in ("ready delete", "ready|failed delete"):
        stuck = fails("pod/b: no such image", final=True, root="b")
        found = verdict(words, TWO, roots=[ALL_PODS], failures=stuck)
        assert found == Verdict(False, "pod/b: no such image", "fix it"), words
        over = fails("pod/a: no such image", final=True, root="a")
        assert verdict(words, TWO, roots=[ALL_PODS], failures=over) is None, words


def failing(*names: str) -> Callable[[], list[Failure]]:
    """Return what tells that something fails under each of these Pods."""
    return lambda: [
        each for name in names for each in fails(f"pod/{name}: x", root=name)()
    ]


def test_a_failure_ends_the_waiting_only_where_all_fail() -> None:
    """Some are failed by themselves, some by what is under them."""
    words = "failed"
    all_failed = Verdict(True, "pod/a, pod/b: failed")
    for names in ("a", "b"):
        some = failing(*names)
        awaiting, brought = wait(words, TWO, roots=[ALL_PODS], failures=some)
        assert set(brought) == {None}
        other = "b" if names == "a" else "a"
        assert awaiting.missing().startswith(f"pod/{other}: ")
    assert (
        verdict(words, TWO, roots=[ALL_PODS], failures=failing("a", "b")) == all_failed
    )
    half = [*TWO, *pods(("MODIFIED", pod("b", "Failed", rv="3")))]
    assert verdict(words, half, roots=[ALL_PODS], failures=failing("a")) == all_failed
    assert verdict(words, half, roots=[ALL_PODS], failures=failing("b")) is None
    missing = WEB._replace(name="c")
    named = [WEB._replace(name="a"), missing]
    there = first_list(pod("a"), selection=named[0])
    assert verdict(words, there, roots=named, failures=failing("a")) is None


def test_a_failure_before_the_list_is_complete_does_not_end_the_waiting() -> None:
    found = wait(words := "failed", TWO[:2], roots=[ALL_PODS], failures=failing("a"))
    assert set(found[1]) == {None}, words


def test_a_failure_that_is_over_does_not_count() -> None:
    told: list[str] = []
    awaiting, _ = wait(
        "failed", TWO, roots=[ALL_PODS], failures=lambda: failing(*told)()
    )
    for names in (["a"], ["b"]):
        told[:] = names
        assert awaiting.judge() is None
    told.append("a")
    assert awaiting.judge() == Verdict(True, "pod/a, pod/b: failed")


def test_a_step_of_failure_is_taken_by_those_that_fail_alone() -> None:
    words = "ready failed"
    listed = first_list(pod("b", rv="1"), pod("a", "Running", rv="2"))
    both = failing("a", "b")
    assert verdict(words, listed, roots=[ALL_PODS], failures=both) is None
    events = [*listed, *pods(("MODIFIED", pod("b", "Running", rv="3")))]
    assert verdict(words, events, roots=[ALL_PODS], failures=failing("a")) is None
    found = verdict(words, events, roots=[ALL_PODS], failures=both)
    assert found == Verdict(True, "pod/b, pod/a: failed")
    gone = [*TWO, *pods(("DELETED", pod("a", rv="3")), ("DELETED", pod("b", rv="4")))]
    words = "failed delete"
    found = verdict(words, gone, roots=[ALL_PODS], failures=failing("a"))
    assert found is not None and found.met
    words = "failed jsonpath={.status.phase}=Running"
    events = [*TWO, *pods(("MODIFIED", pod("a", "Pending", rv="3")))]
    events += pods(("MODIFIED", pod("a", "Running", rv="4")))
    events += pods(("MODIFIED", pod("b", "Running", rv="5")))
    assert verdict(words, events, roots=[ALL_PODS], failures=failing("a")) is None
    found = verdict(words, events, roots=[ALL_PODS], failures=both)
    assert found is not None and found.met


def test_with_failed_beside_others_the_first_failure_gives_up() -> None:
    found = verdict("ready|failed", TWO, roots=[ALL_PODS], failures=failing("b"))
    assert found == Verdict(False, "pod/b: x", "fix it")


def test_a_failure_below_is_a_step_like_any_other() -> None:
    failures = fails("pod/x: no such image")
    assert verdict("failed delete", THERE, failures=failures) is None
    found = verdict("failed delete", [*THERE, *GOES], failures=failures)
    assert found == Verdict(True, "pod/web: deleted")
