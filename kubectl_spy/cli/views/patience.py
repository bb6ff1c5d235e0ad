"""Views that wait for the first lists before they show anything."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from kubectl_spy.cli.run.defer_signals import DeferSignals
from kubectl_spy.cli.run.first_lists import types_of
from kubectl_spy.cli.run.view import NOT_LISTED, Scene, View, ViewSpec
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.trace.trace import Trace
from kubectl_spy.render.inert import inert

_TICK = 1.0  # how often a live view looks again if nothing happens, in seconds
_PATIENCE = 3.0  # seconds until a live view begins even if lists are missing


Wanted = TypeVar("Wanted", bound="OwnedFormat")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedFormat:
    """How to show an object and all it owns."""

    output: str  # text or json. A tree also has lines.
    color: str
    once: bool  # whether to show the current state, and end

    @classmethod
    def of(cls: type[Wanted], flags: Mapping[str, Any], **other: Any) -> Wanted:
        """Return the format in click's *flags*. *other* values replace them."""
        named = {each.name: flags[each.name] for each in fields(cls)}
        return cls(**named | other)


def owned_view(
    view: Callable[[Wanted, Scene], View], wanted: Wanted, *, explains: bool = False
) -> ViewSpec:
    """Return what *view* needs to show the targets and all they own.

    *explains* adds the kinds that explain why nothing happens.
    """
    return ViewSpec(
        make=lambda scene: view(wanted, scene),
        owned=True,
        everything=True,
        explains=explains,
        once=wanted.once,
        tick=_TICK,
    )


class Patient(View):
    """A view that waits for lists before it shows anything.

    With `--once` it waits for all lists, because a list that is missing would look
    empty. Otherwise it waits for what was asked for, and then says which lists are
    missing. A recording has its own clock.
    """

    def __init__(
        self, wanted: OwnedFormat, scene: Scene, scope: Scope, judge: Trace | None
    ) -> None:
        super().__init__(judge, once=wanted.once)
        self._scope = scope
        self._terminal = scene.terminal
        self.say = lambda line: scene.terminal.say(inert(line))
        self._live = scene.live
        self._since: float | None = time.monotonic() if scene.live else None
        self._patient = True
        self._admitted = False
        self._defer_signals = DeferSignals()  # delays Ctrl-C until an item is shown

    @property
    def explains(self) -> bool:
        """Always true: `known` has waited for these lists."""
        return True

    @property
    def unlisted(self) -> str:
        return types_of(self._scope.unlisted)

    def say_unlisted(self) -> None:
        missing = self.unlisted
        if missing and not self._admitted:
            self._admitted = True
            self.say(f"{NOT_LISTED} {missing}; what is shown lacks them")

    def _begins(self, recorded: float) -> bool:
        """Return whether to stop waiting. *recorded* is the time of the records."""
        if self._patient and self._scope.complete:
            self._patient = False
        elif self._patient and not self.once:
            now = time.monotonic() if self._live else recorded
            self._since = now if self._since is None else self._since
            if self._scope.listed and now - self._since > _PATIENCE:
                self._patient = False
                self.say_unlisted()
        return not self._patient
