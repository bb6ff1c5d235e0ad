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
from tests.tales import tale as any_tale

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
PHASES = "jsonpath={.status.phase}=Running jsonpath={.status.phase}=Succeeded"

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


OTHER = ALL_PODS._replace(name="other")


def tale(text: str, of: Selection = ALL_PODS) -> list[WatchEvent]:
    return any_tale(text, of, make=pod)


TWO = tale("lists a:Running b")


@pytest.mark.parametrize(
    ("steps", "happened", "told"),
    [
        # All that are there must be ready.
        ("ready", "lists a:Running b", "waits: pod/b: it is Pending"),
        ("ready", "lists a:Running b; b:Running", "met: pod/a, pod/b: ready"),
        # Each may meet another one of the conditions.
        (
            "ready|condition=Ready=False",
            "lists a:Running b",
            "met: pod/a, pod/b: ready or condition=Ready=False",
        ),
        ("ready", "lists a:Running", "met: pod/a: ready (it is running and ready)"),
        # At least one object is required.
        ("ready", "lists", "waits: pods: none there"),
        ("ready", "lists; +a:Running", "met: pod/a: ready (it is running and ready)"),
        # A rollout deletes Pods: what counts is what is there.
        (
            "ready",
            "lists a:Running b; -b",
            "met: pod/a: ready (it is running and ready)",
        ),
        # All must be gone.
        ("delete", "lists a:Running b; -b", "waits: pod/a: it is still there"),
        ("delete", "lists a:Running b; -b; -a", "met: pods: deleted"),
        ("delete", "lists", "met: pods: not there"),
        # An unseen object meets no earlier step.
        ("ready delete", "lists", "waits: pods: none there"),
        ("create delete", "lists", "waits: pods: none there"),
        ("delete ready delete", "lists", "waits: none is there"),
        # An object that was deleted before it was ready does not count.
        ("ready delete", "lists a; -a", "waits: pods: none there"),
        ("ready delete", "lists a; -a; +b:Running; -b", "met: pods: deleted"),
        # Creation needs one of many.
        ("create", "lists a b", "met: pod/a: created"),
        # Many objects are named by the first.
        (
            "ready",
            "lists a:Running b:Running c:Running d:Running e:Running",
            "met: pod/a, pod/b, pod/c and 2 more: ready",
        ),
        (
            "condition=Nice",
            "lists a b c d e",
            "waits: pod/a: it has no condition Nice; pod/b: it has no condition Nice;"
            " pod/c: it has no condition Nice and 2 more",
        ),
        # A failed one among many dashes all hope; all must fail where that is asked.
        (
            "ready",
            "lists a:Running b; b:Failed",
            "lost: pod/b: failed (it has ended in failure)",
        ),
        (
            "failed",
            "lists a:Running b; b:Failed",
            "waits: pod/a: it is running and ready",
        ),
        # Each takes the steps by itself: the first has lost what the second lacks.
        (
            PHASES,
            "lists a:Running b; a:Succeeded; b:Running",
            "waits: pod/b: {.status.phase} is Running",
        ),
        (
            PHASES,
            "lists a:Running b; a:Succeeded; b:Running; b:Succeeded",
            "met: pod/a, pod/b: jsonpath={.status.phase}=Running and"
            " jsonpath={.status.phase}=Succeeded",
        ),
    ],
)
def test_all_objects_of_a_type_are_awaited(
    steps: str, happened: str, told: str
) -> None:
    awaiting, brought = wait(steps, tale(happened), roots=[ALL_PODS])
    found = brought.pop()
    assert set(brought) <= {None}
    if found is None:
        assert awaiting.conclude() is None or "none" not in told
        assert told == f"waits: {awaiting.missing()}"
    else:
        assert told == f"{'met' if found.met else 'lost'}: {found.message}"


def test_nothing_is_concluded_before_the_first_list_is_complete() -> None:
    """The first one is ready, but nobody knows yet what else there is."""
    _, brought = wait("ready", TWO[:2], roots=[ALL_PODS])
    assert brought == [None]


def test_an_object_that_leaves_the_selector_is_gone() -> None:
    events = tale("lists a; -a", SOME_PODS)
    found = verdict("delete", events, roots=[SOME_PODS])
    assert found == Verdict(True, "pods: deleted")
    back = tale("lists a; -a; +b:Running", SOME_PODS)
    assert verdict("ready", back, roots=[SOME_PODS]) is not None


def test_one_list_may_be_empty_if_another_is_done() -> None:
    events = first_list(selection=DEPLOY_LIST) + tale("lists a:Running; -a")
    found = verdict("ready delete", events, roots=[ALL_PODS, DEPLOY_LIST])
    assert found == Verdict(True, "pods, deployments.apps: deleted")


def test_each_that_was_named_must_be_there() -> None:
    ready = tale("lists web:Running", WEB)
    awaiting, brought = wait("ready", ready, roots=[WEB, OTHER])
    assert brought[-1] is None
    assert awaiting.missing() == "pod/other: not listed yet"
    both = [*ready, *tale("lists other:Running", OTHER)]
    assert verdict("ready", both, roots=[WEB, OTHER]) == Verdict(
        True, "pod/web, pod/other: ready"
    )
    gone = [*NOTHING, *first_list(selection=OTHER)]
    assert verdict("delete", gone, roots=[WEB, OTHER]) == Verdict(
        True, "pod/web, pod/other: not there"
    )


def test_one_list_may_be_empty() -> None:
    events = [*TWO, *first_list(selection=DEPLOY_LIST)]
    awaiting, brought = wait("ready", events, roots=[ALL_PODS, DEPLOY_LIST])
    assert set(brought) == {None}
    assert awaiting.missing() == "pod/b: it is Pending"
    events += story(("MODIFIED", pod("b", "Running", rv="3")), of=ALL_PODS)
    found = verdict("ready", events, roots=[ALL_PODS, DEPLOY_LIST])
    assert found == Verdict(True, "pod/a, pod/b: ready")


def test_a_new_object_of_that_name_is_another_one() -> None:
    found = verdict("ready", [*THERE, *AGAIN])
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
    happened = items(tale("lists a:Running b; +web:Running"))
    *before, last = (awaiting.observe(item) for item in happened)
    assert set(before) == {None}
    assert last == Verdict(True, "pod/web: ready (it is running and ready)")


def test_a_recording_that_was_continued_begins_anew() -> None:
    """What went while nobody recorded is not there any more."""
    awaiting = of_recording("ready", ALL_PODS)
    happened = [*items(TWO), *items(tale("lists c:Running"))]
    *before, last = (awaiting.observe(item) for item in happened)
    assert set(before) == {None}
    assert last == Verdict(True, "pod/c: ready (it is running and ready)")


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


NEVER_READY = "lists b a:Running"
ONCE_READY = "lists b a:Running; b:Running"
RUN_AGAIN = "lists a:Running b; a:Pending; a:Running; b:Running"


@pytest.mark.parametrize(
    ("steps", "happened", "fail", "told"),
    [
        # Some are failed by themselves, some by what is under them.
        ("failed", "lists a:Running b", "a", "waits: pod/b: "),
        ("failed", "lists a:Running b", "b", "waits: pod/a: "),
        ("failed", "lists a:Running b", "ab", "met: pod/a, pod/b: failed"),
        ("failed", "lists a:Running b; b:Failed", "a", "met: pod/a, pod/b: failed"),
        ("failed", "lists a:Running b; b:Failed", "b", "waits: pod/a: "),
        # A step of failure is taken by those that fail alone.
        ("ready failed", NEVER_READY, "ab", "waits: pod/b: "),
        ("ready failed", ONCE_READY, "a", "waits: pod/b: "),
        ("ready failed", ONCE_READY, "ab", "met: pod/b, pod/a: failed"),
        ("failed delete", "lists a:Running b; -a; -b", "a", "met: "),
        ("failed jsonpath={.status.phase}=Running", RUN_AGAIN, "a", "waits: "),
        ("failed jsonpath={.status.phase}=Running", RUN_AGAIN, "ab", "met: "),
        # With failed beside others, the first failure gives up.
        ("ready|failed", "lists a:Running b", "b", "lost: pod/b: x"),
    ],
)
def test_a_failure_ends_the_waiting_only_where_all_fail(
    steps: str, happened: str, fail: str, told: str
) -> None:
    failures = failing(*fail)
    awaiting, brought = wait(steps, tale(happened), roots=[ALL_PODS], failures=failures)
    found = brought.pop()
    assert set(brought) <= {None}
    if found is None:
        assert f"waits: {awaiting.missing()}".startswith(told)
    else:
        assert f"{'met' if found.met else 'lost'}: {found.message}".startswith(told)
        assert found.remedy == ("" if found.met else "fix it")


def test_one_that_is_not_there_does_not_fail() -> None:
    named = [WEB._replace(name="a"), WEB._replace(name="c")]
    there = tale("lists a", named[0])
    assert verdict("failed", there, roots=named, failures=failing("a")) is None


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


def test_a_failure_below_is_a_step_like_any_other() -> None:
    failures = fails("pod/x: no such image")
    assert verdict("failed delete", THERE, failures=failures) is None
    found = verdict("failed delete", [*THERE, *GOES], failures=failures)
    assert found == Verdict(True, "pod/web: deleted")
