"""Waiting for objects, as a fold over records of whole objects: `--for`.

Every object that is there must meet one of the conditions; there must be one, and each
that was asked for by its name. What is there already counts. Where objects were not
asked for by name they may come and go: those count that are there, once the first list
is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from kubectl_spy.core.awaiting.awaited import Condition, Stage, parse_awaited, phrase
from kubectl_spy.core.awaiting.roots import Present, Root, listing, summary
from kubectl_spy.core.objects import JSON, Selection
from kubectl_spy.core.readiness.readiness import Readiness, State, readiness
from kubectl_spy.core.record import ChangeRecord, ChangeType, Item, Listed

__all__ = ["Awaiting", "Condition", "Verdict", "parse_awaited"]


class Verdict(NamedTuple):
    """How the waiting ended: what was waited for came, or cannot come any more."""

    met: bool
    message: str
    """`deployment.apps/web: ready (3 of 3 updated replicas are available)`."""
    remedy: str = ""
    """What to do, where it cannot come."""


class Awaiting:
    """Tells when objects of *roots* meet one of *conditions*, or never will.

    *concerns* says which of the items are about the roots; without it those are that
    carry a root itself as their selection. In a recording the selections are others
    than those declared before it, though equal: there it must be given.

    `failed` alone is something to wait for; beside others it means to give up.
    *failing* returns what is failing anywhere that matters, for `failed`, or "";
    *hopeless* what of that cannot get better by itself, and what to do, for `ready`;
    *cause* what fails deepest down, and what to do, to be said where the root failed.
    """

    def __init__(
        self,
        conditions: Sequence[Condition],
        roots: Iterable[Selection],
        *,
        concerns: Callable[[Item], bool] | None = None,
        failing: Callable[[], str] | None = None,
        hopeless: Callable[[], tuple[str, str]] | None = None,
        cause: Callable[[], tuple[str, str]] | None = None,
    ) -> None:
        self._conditions = tuple(dict.fromkeys(conditions))
        self._failure_is_wanted = self._conditions == (Stage.FAILED,)
        self._gives_up = Stage.FAILED in conditions and not self._failure_is_wanted
        self._roots: list[Root] = []
        self._fitting: dict[int, tuple[Selection, list[Root]]] = {}
        self._concerns = concerns or self._carries_root
        self._failing = failing
        self._cannot = hopeless
        self._cause = cause
        for root in roots:
            self.expect(root)

    def expect(self, root: Selection) -> None:
        """Wait for *root*, too; once is enough."""
        if all(root != known.selection for known in self._roots):
            self._roots.append(Root(root))
            self._fitting.clear()

    @property
    def phrase(self) -> str:
        """What is waited for, as typed."""
        return " or ".join(map(phrase, self._conditions))

    def observe(self, item: Item) -> Verdict | None:
        """Return the verdict that *item* brings, if it brings one."""
        verdict = self._observed(item) if self._concerns(item) else None
        if verdict is not None:
            return verdict
        asks = self._failing if Stage.FAILED in self._conditions else None
        if asks and (message := asks()):
            return self._failure(message)
        if self._cannot and self._hopes:
            message, remedy = self._cannot()
            if message:
                return Verdict(False, message, remedy)
        return None

    def conclude(self) -> Verdict | None:
        """Return the verdict at the end of all there is, where no list goes on."""
        for root in self._roots:
            root.listed = True
        return self._conclusion()

    def missing(self) -> str:
        """Return what of the objects is not as it should be, as far as is known."""
        lacking = [
            f"{root.present[name].label}: {root.present[name].told}"
            for root in self._roots
            for name in sorted(root.unmet, key=str)
        ]
        # A list may be empty if another one is not.
        any_there = any(root.present for root in self._roots)
        for root in self._roots:
            if root.present or Stage.DELETE in self._conditions:
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
        return listing(lacking, joint="; ")

    @property
    def _hopes(self) -> bool:
        """Whether what is failing for good ends the waiting."""
        return Stage.READY in self._conditions and Stage.DELETE not in self._conditions

    def _observed(self, item: Item) -> Verdict | None:
        roots = self._roots_of(item.selection)
        if isinstance(item, Listed):
            for root in roots:
                root.listed = True
            return self._conclusion()
        if not isinstance(item, ChangeRecord) or item.of_stream:
            return None
        verdict = None
        for root in roots:
            # What a list held comes before it is complete; all else after it.
            if not item.initial and item.type is not ChangeType.GAP:
                root.listed = True
            if root.holds(item):
                verdict = self._changed(root, item) or verdict
        return verdict or self._conclusion()

    def _changed(self, root: Root, record: ChangeRecord) -> Verdict | None:
        """Take note of *record*; return the verdict if it dashes all hope."""
        key = record.namespace, record.name
        if record.type in (ChangeType.DELETED, ChangeType.LEFT):
            gone = root.take(key)
            named = root.selection.name is not None
            if gone is None or not named or Stage.DELETE in self._conditions:
                return None
            return Verdict(
                False,
                f"{gone.label} was deleted while it was waited for {self.phrase}",
                "if another one follows, wait again",
            )
        label = f"{record.gvk.printed}/{record.name}"
        document = record.document
        state = readiness(document, has_status=record.selection.resource.has_status)
        try:
            present = self._present(label, document, state)
        except ValueError as error:
            return Verdict(
                False, f"{label}: {error}", "name one value, that of a single field"
            )
        root.put(key, present)
        return None if present.met else self._hopeless(label, state)

    def _present(self, label: str, document: JSON, state: Readiness) -> Present:
        """Return the object as it is now.

        Raises:
            ValueError: what a path leads to cannot be compared.
        """
        told = []
        for condition in self._conditions:
            match condition:
                case Stage.CREATE:
                    return Present(label, "created", "")
                case Stage.DELETE:
                    met, how = False, "it is still there"
                case Stage.READY:
                    met, how = state.state is State.CURRENT, state.message
                case Stage.FAILED:
                    met, how = state.state is State.FAILED, state.message
                    met = met and self._failure_is_wanted
                case _:
                    met, how = condition.told(document)
            if met:
                return Present(label, phrase(condition), how)
            told.append(how)
        return Present(label, "", "; ".join(dict.fromkeys(told)))

    def _hopeless(self, label: str, state: Readiness) -> Verdict | None:
        """Return the verdict on an object that will not meet anything any more."""
        if self._gives_up and state.state is State.FAILED:
            return self._failure(f"{label}: failed ({state.message})")
        if Stage.DELETE in self._conditions or not state.final:
            return None
        if Stage.READY in self._conditions and state.state is State.FAILED:
            return self._failure(f"{label}: failed ({state.message})")
        if self._failure_is_wanted and state.state is State.CURRENT:
            return Verdict(
                False,
                f"{label}: {state.message}, and cannot fail any more",
                "to wait for that, use --for ready",
            )
        return None

    def _failure(self, message: str) -> Verdict:
        if self._failure_is_wanted:
            return Verdict(True, message)
        text, remedy = self._cause() if self._cause else ("", "")
        if text and text not in message:
            message = f"{message}; {text}"
        return Verdict(
            False, message, remedy or "look at its Events and at what it owns"
        )

    def _conclusion(self) -> Verdict | None:
        """Return that everything is as it should be, if it is."""
        if not self._roots or not all(map(self._satisfied, self._roots)):
            return None
        present = [each for root in self._roots for each in root.present.values()]
        if present:
            return Verdict(True, summary(present))
        if Stage.DELETE not in self._conditions:
            return None
        how = "deleted" if any(root.seen for root in self._roots) else "not there"
        return Verdict(True, f"{listing([root.label for root in self._roots])}: {how}")

    def _satisfied(self, root: Root) -> bool:
        if not root.present:
            if root.selection.name is None:
                return root.listed or Stage.CREATE in self._conditions
            return root.listed and Stage.DELETE in self._conditions
        if Stage.CREATE in self._conditions:
            return True
        complete = root.listed or root.selection.name is not None
        return complete and not root.unmet

    def _roots_of(self, selection: Selection) -> list[Root]:
        known = self._fitting.get(id(selection))
        if known is None:
            fitting = [root for root in self._roots if root.fits(selection)]
            # It is kept, so that no other one can get its id.
            known = self._fitting[id(selection)] = selection, fitting
            for root in fitting:
                root.begin(selection)
        return known[1]

    def _carries_root(self, item: Item) -> bool:
        return any(item.selection is root.selection for root in self._roots)
