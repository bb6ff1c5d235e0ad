"""Views that wait for the first lists before they show anything."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from kubectl_spy.cli.run.first_lists import types_of
from kubectl_spy.cli.run.signals import DeferSignals
from kubectl_spy.cli.run.view import Scene, View, ViewSpec
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item
from kubectl_spy.core.cluster.inventory import Inventory, entry_of
from kubectl_spy.core.diagnosis.pods.failed_runs import FailedRun, failed_runs
from kubectl_spy.render.denials import not_listed
from kubectl_spy.render.text import missed

_TICK = 1.0  # how often a live view looks again if nothing happens, in seconds
_PATIENCE = 3.0  # seconds until a live view begins even if lists are missing


Wanted = TypeVar("Wanted", bound="OwnedFormat")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedFormat:
    """How to show an object and all it owns."""

    output: str  # text or json. A tree also has lines.
    color: str
    once: bool  # whether to show the current state, and end


def owned_view(
    view: Callable[[Wanted, Scene], View],
    wanted: Wanted,
    *,
    explains: bool = False,
    traces: bool = False,
) -> ViewSpec:
    """Return what *view* needs to show the targets and all they own.

    *explains* adds the kinds that explain why nothing happens. With *traces* it follows
    the trace of the targets.
    """
    return ViewSpec(
        make=lambda scene: view(wanted, scene),
        owned=True,
        everything=True,
        explains=explains,
        traces=traces,
        once=wanted.once,
        tick=_TICK,
    )


class Patient(View):
    """A view that waits for lists before it shows anything.

    With `--once` it waits for all lists, because a list that is missing would look
    empty. Otherwise it waits for what was asked for, and then says which lists are
    missing. A recording has its own clock.
    """

    def __init__(self, wanted: OwnedFormat, scene: Scene) -> None:
        self._scope = scene.scope
        self._once = wanted.once
        self._terminal = scene.terminal
        self._live = scene.live
        self._since = time.monotonic() if scene.live else 0.0
        self._patient = True
        self._admitted = False
        self._missed = Counter[str]()
        self._defer_signals = DeferSignals()  # delays Ctrl-C until an item is shown

    @property
    def _lacking(self) -> bool:
        """Whether `--once` has to end without some lists."""
        return self._once and bool(self._scope.coverage.unlisted)

    def _say_unlisted(self) -> None:
        """Say once which lists are missing, if any are."""
        missing = types_of(self._scope.coverage.unlisted)
        if missing and not self._admitted:
            self._admitted = True
            self._terminal.say(f"note: {not_listed(missing)}")

    def _say_missed(self, gap: ChangeRecord) -> None:
        """Say that changes may be missing, and the same only once."""
        line = missed(gap)
        self._missed[line] += 1
        if self._missed[line] == 1:
            self._terminal.say(line)

    def close(self) -> None:
        """Say how often the same changes may be missing."""
        for line, count in self._missed.items():
            if count > 1:
                self._terminal.say(f"{line}: {count:,} times")

    def _begins(self, recorded: float) -> bool:
        """Return whether to stop waiting. *recorded* is the time of the records."""
        if self._patient and self._scope.coverage.complete:
            self._patient = False
        elif self._patient and not self._once:
            now = time.monotonic() if self._live else recorded
            self._since = self._since or now
            if self._scope.listed and now - self._since > _PATIENCE:
                self._patient = False
                self._say_unlisted()
        return not self._patient


# The view of `record`. It shows nothing, and requests logs for the recording.


class LogReadingView(View):
    """Asks for the logs of recorded Pods, with `--logs`."""

    def __init__(self, scene: Scene) -> None:
        self._logs = scene.logs
        self._nothing = Inventory()
        self._failed: dict[str, tuple[FailedRun, ...]] = {}  # by the Pod's uid

    def take(self, item: Item | Aside, *, shown: bool = True) -> None:
        if self._logs is None or not isinstance(item, ChangeRecord):
            return
        if item.gvk.printed == "pod":
            entry = entry_of(item)
            runs = failed_runs(entry, self._nothing) if entry else ()
            if entry is None:
                self._failed.pop(item.identity, None)
            elif runs or item.identity in self._failed:
                self._failed[item.identity] = runs  # at its place among the others
            if runs:
                self._logs.read(chain.from_iterable(self._failed.values()))
