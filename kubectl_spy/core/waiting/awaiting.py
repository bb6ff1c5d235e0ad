"""Waits for objects with `--for`, as a fold over records of whole objects.

All existing objects must meet all steps, one after the other. There must be at least
one, and each that was asked for by name. Objects that were not named may come and go:
the existing ones count, once the first list is complete.

As in `kubectl wait`, `create` comes first, then the steps in their order, for each
object by itself. A step that was met need not hold any longer, except for the last.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/kubectl/pkg/cmd/wait/wait.go
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType, Item, Listed
from kubectl_spy.core.objects import JSON, Selection
from kubectl_spy.core.readiness.readiness import Readiness, State, readiness
from kubectl_spy.core.waiting.awaited import FAILED, Stage, Step, met, parse_step, typed
from kubectl_spy.core.waiting.endings import Failure, Verdict, never, unjudged
from kubectl_spy.core.waiting.roots import ObjectName, Present, Root, RootName, summary
from kubectl_spy.core.wording import in_brief

__all__ = ["Awaiting", "Failure", "Step", "Verdict", "parse_step"]

_OF_HEALTH = frozenset({Stage.READY, Stage.FAILED})
_LOOK = "look at its Events and at what it owns"
_AGAIN = "if another one follows, wait again"


class Awaiting:
    """Decides when the objects of *roots* have met all *steps*, or never will.

    *concerns* says which items are about the roots. By default these are the items
    whose selection is a root. Selections of a recording are equal to the declared ones,
    but not identical, so a recording must give *concerns*.

    With *any_of* it is enough that one object has met all steps; for `failed`, that it
    is among *failures*.

    `failed` alone is a goal. Beside other conditions it ends the wait. *failures*
    returns what fails, from the top down. Any failure counts for `failed`, a final one
    for `ready`. The deepest one explains why an object failed.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        roots: Iterable[Selection],
        *,
        concerns: Callable[[Item], bool] | None = None,
        failures: Callable[[], Iterable[Failure]] = tuple,
        any_of: bool = False,
    ) -> None:
        self._steps = tuple(sorted(steps, key=lambda step: step != (Stage.CREATE,)))
        self._last = len(self._steps) - 1
        self._roots: list[Root] = []
        self._fitting: dict[int, tuple[Selection, list[Root]]] = {}
        self._concerns = concerns or self._carries_root
        self._failures = failures
        self._any = any_of
        self._of_health = any(_OF_HEALTH & set(step) for step in self._steps)
        for root in roots:
            self.expect(root)

    def expect(self, root: Selection) -> None:
        """Wait for *root*, too. A second call does nothing."""
        if all(root != known.selection for known in self._roots):
            self._roots.append(Root(root))
            self._fitting.clear()

    @property
    def phrase(self) -> str:
        """The steps as typed, in order."""
        return " and ".join(map(typed, self._steps))

    def observe(self, item: Item) -> Verdict | None:
        """Take in *item*. Return the verdict, or None if the wait goes on."""
        return self._observed(item) if self._concerns(item) else None

    def judge(self) -> Verdict | None:
        """Return the verdict of failures, or None. This looks at all objects."""
        failing: dict[RootName, str] = {}
        for failure in self._failures() if self._of_health else ():
            step = self._due(failure.root)
            if step == FAILED:
                failing.setdefault(failure.root, failure.message)
            elif Stage.FAILED in step:
                return self._failure(failure.message)
            elif failure.final and step == (Stage.READY,):
                return Verdict(False, failure.message, failure.remedy)
        return self._failed(failing) if failing else None

    def conclude(self) -> Verdict | None:
        """Return the verdict at the end of the items."""
        for root in self._roots:
            self._list_ends(root)
        return self._conclusion()

    def missing(self) -> str:
        """Return which objects do not meet their steps, with the deepest failure."""
        failing = {each.root: f" ({each.message})" for each in self._failures()}
        lacking = [
            f"{root.present[name].label}: {root.present[name].status}"
            f"{failing.get(root.of(name), '')}"
            for root in self._roots
            for name in sorted(root.unmet, key=str)
            if root.of(name) not in failing or self._step(root, name) != FAILED
        ]
        # A list may be empty if another one holds objects.
        any_there = any(root.present for root in self._roots)
        for root in self._roots:
            if root.present or Stage.DELETE in self._step(root, root.name):
                continue
            if not root.listed and not root.seen:
                lacking.append(f"{root.label}: not listed yet")
            elif root.selection.name is not None:
                lacking.append(f"{root.label}: not there")
            elif not any_there:
                lacking.append(f"{root.label}: none there")
        if not lacking and all(root.listed for root in self._roots):
            return "none is there"
        if not lacking:
            return "the first list is not complete"
        return in_brief(lacking, joint="; ")

    def _step(self, root: Root, name: ObjectName) -> Step:
        return self._steps[len(root.passed.get(name, ()))]

    def _due(self, name: RootName) -> Step:
        """Return the next step of an object, or () if it does not exist."""
        for root in self._roots:
            if name == root.of(name[2:]) and name[2:] in root.present:
                return self._step(root, name[2:])
        return ()

    def _observed(self, item: Item) -> Verdict | None:
        roots = self._roots_of(item.selection)
        if isinstance(item, Listed):
            for root in roots:
                self._list_ends(root)
            return self._conclusion()
        if not isinstance(item, ChangeRecord) or item.of_stream:
            return None
        verdict = None
        for root in roots:
            # Listed objects come before the list is complete, all others after it.
            if not item.initial and item.type is not ChangeType.GAP:
                root.listed = True
            if root.holds(item):
                verdict = self._changed(root, item) or verdict
        return verdict or self._conclusion()

    def _list_ends(self, root: Root) -> None:
        """Note that a list is complete: objects not in it count as deleted."""
        root.listed = True
        for name in root.uids.keys() - root.present.keys():
            self._lose(root, name)
        if root.selection.name is not None and not root.present:
            self._pass_absent(root, root.name)

    def _pass_absent(self, root: Root, name: ObjectName) -> None:
        """Skip the steps that an absent object meets."""
        passed = root.steps_of(name)
        while len(passed) < self._last and Stage.DELETE in self._step(root, name):
            passed.append("deleted")

    def _lose(self, root: Root, name: ObjectName) -> None:
        """Let a deleted object pass `delete`, or reset the steps for its successor."""
        root.uids.pop(name, None)
        if Stage.DELETE in self._step(root, name):
            self._pass_absent(root, name)
        else:
            root.passed.pop(name, None)

    def _changed(self, root: Root, record: ChangeRecord) -> Verdict | None:
        """Take in *record*. Return the verdict if a step can no longer be met."""
        name = record.namespace, record.name
        named = root.selection.name is not None
        if record.gone:
            gone = root.take(name)
            if gone is None or not named or Stage.DELETE in self._step(root, name):
                self._lose(root, name)
                return None
            reason = f"{gone.label} was deleted while it was waited for {self.phrase}"
            return Verdict(False, reason, _AGAIN)
        if root.uids.setdefault(name, record.uid) != record.uid:
            self._lose(root, name)  # it was replaced while nobody recorded
            root.uids[name] = record.uid
        document = record.document
        state = readiness(document, has_status=record.selection.resource.has_status)
        try:
            present = self._present(root.steps_of(name), record.label, document, state)
        except ValueError as error:
            return Verdict(
                False,
                f"{record.label}: {error}",
                "name one value, that of a single field",
            )
        root.put(name, present)
        if present.met:
            return None
        due = self._steps[len(root.passed[name]) :]
        if _OF_HEALTH.issuperset(due[0]) and (without_rule := unjudged(record, state)):
            return without_rule
        return self._terminal_failure(due, record.label, document, state, named=named)

    def _present(
        self, passed: list[str], label: str, document: JSON, state: Readiness
    ) -> Present:
        """Return the current object, and add the steps that it meets to *passed*."""
        while True:
            step = self._steps[len(passed)]
            condition, how = met(step, document, state)
            if not condition or (self._any and step == FAILED):
                return Present(label, "", how)
            if len(passed) == self._last:
                return Present(label, " and ".join((*passed, condition)), how)
            passed.append(condition)

    def _terminal_failure(
        self,
        due: Sequence[Step],
        label: str,
        document: JSON,
        state: Readiness,
        *,
        named: bool,
    ) -> Verdict | None:
        """Return the verdict on an object that will never meet its next step."""
        failed = state.state is State.FAILED
        if failed and Stage.FAILED in due[0]:
            return None if due[0] == FAILED else self._failure_of(label, state)
        going = named and state.state is State.TERMINATING
        for step in due:
            if Stage.DELETE in step:
                return None  # then it is another object that counts
            if not all(never(each, document, state, going=going) for each in step):
                continue
            if going:
                return Verdict(False, f"{label}: {state.message}", _AGAIN)
            if step == (Stage.READY,):
                return self._failure_of(label, state)
            if step == FAILED:
                return Verdict(
                    False,
                    f"{label}: {state.message}, and cannot fail any more",
                    "to wait for that, use --for ready",
                )
            reason = f"failed ({state.message})" if failed else state.message
            message = f"{label}: {reason}, and {typed(step)} cannot come any more"
            if failed:
                return self._failure(message)
            return Verdict(False, message, "see how it is with kubectl spy trace")
        return None

    def _failed(self, failing: Mapping[RootName, str]) -> Verdict | None:
        """Let failing objects pass the step `failed`, if it is their next."""
        last: dict[RootName, str] = {}
        for root in self._roots:
            for name in root.unmet & {each[2:] for each in failing}:
                whole, passed = root.of(name), root.passed[name]
                if whole in failing and len(passed) == self._last:
                    last[whole] = failing[whole]
                elif whole in failing:
                    passed.append("failed")
        return self._conclusion(last) if last else None

    def explained(self, verdict: Verdict) -> Verdict:
        """Return *verdict* with the known reason and remedy."""
        if verdict.met or verdict.remedy != _LOOK:
            return verdict
        judged = self.judge()
        if judged and not judged.met and judged.remedy != _LOOK:
            return judged
        return self._failure(verdict.message)

    def _failure_of(self, label: str, state: Readiness) -> Verdict:
        reason = f"{label}: failed ({state.message})"
        return self.explained(Verdict(False, reason, _LOOK))

    def _failure(self, message: str) -> Verdict:
        for failure in reversed(list(self._failures())):
            if failure.remedy:
                if failure.message not in message:
                    message = f"{message}; {failure.message}"
                return Verdict(False, message, failure.remedy)
        return Verdict(False, message, _LOOK)

    def _conclusion(self, failing: Mapping[RootName, str] = {}) -> Verdict | None:
        """Return the verdict that all objects met their steps, or None.

        Objects below those that are *failing* count as failed.
        """
        if self._any and failing:
            return Verdict(True, in_brief(list(failing.values()), joint="; "))
        present = [each for root in self._roots for each in root.present.values()]
        if self._any and (met := [each for each in present if each.met]):
            return Verdict(True, summary(met))
        satisfied = (self._satisfied(root, failing) for root in self._roots)
        if not self._roots or not all(satisfied):
            return None
        if failing:
            if len(present) == 1:
                return Verdict(True, *failing.values())
            present = [
                each if each.met else each._replace(met="failed") for each in present
            ]
        if present:
            return Verdict(True, summary(present))
        if Stage.DELETE not in self._steps[-1] or not self._passed_before_last():
            return None
        how = "deleted" if any(root.seen for root in self._roots) else "not there"
        return Verdict(True, f"{in_brief([root.label for root in self._roots])}: {how}")

    def _passed_before_last(self) -> bool:
        """Return whether an object passed all steps but the last.

        An object that never existed passes `delete`.
        """
        return all(Stage.DELETE in step for step in self._steps) or any(
            len(passed) == self._last
            for root in self._roots
            for passed in root.passed.values()
        )

    def _satisfied(self, root: Root, failing: Container[RootName]) -> bool:
        first = Stage.CREATE in self._steps[-1]
        if not root.present:
            if root.selection.name is None:
                return root.listed or first
            gone = Stage.DELETE in self._step(root, root.name)
            return gone and root.listed and len(root.steps_of(root.name)) == self._last
        if first and not self._last:
            return True
        complete = root.listed or root.selection.name is not None
        return complete and all(root.of(name) in failing for name in root.unmet)

    def _roots_of(self, selection: Selection) -> list[Root]:
        known = self._fitting.get(id(selection))
        if known is None:
            fitting = [root for root in self._roots if root.fits(selection)]
            # Keep it, so that its id is not used again.
            known = self._fitting[id(selection)] = selection, fitting
            for root in fitting:
                root.begin(selection)
        return known[1]

    def _carries_root(self, item: Item) -> bool:
        return any(item.selection is root.selection for root in self._roots)
