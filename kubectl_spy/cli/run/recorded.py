"""Run a command on a recording: what was recorded, as items."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from kubectl_spy.cli.run.first_lists import described_together
from kubectl_spy.cli.run.loop import Waiting, conclude, run
from kubectl_spy.cli.run.points import extent
from kubectl_spy.cli.run.reading import (
    audit_of,
    check_damages,
    check_owned,
    not_in,
    opened,
    progress,
    tell_damages,
)
from kubectl_spy.cli.run.replay import Replay
from kubectl_spy.cli.run.view import NOT_LISTED, Scene, View, ViewSpec
from kubectl_spy.cli.run.window import Window, window_at, window_of
from kubectl_spy.core.changes.audit import AuditLog
from kubectl_spy.core.changes.points import First, Last, Moment
from kubectl_spy.core.changes.record import ChangeRecord, Item, Listed, Logged
from kubectl_spy.core.cluster.scope import asked_for
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError, TimedOut
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import local
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.wanted import Wanted
from kubectl_spy.sources.resolution.target import parse_targets
from kubectl_spy.sources.watching.clock import UNSEEN

if TYPE_CHECKING:
    from kubectl_spy.core.waiting.awaiting import Verdict

_TOGETHER = 64  # items whose text is written at once


def replay(asked: Replay, spec: ViewSpec, terminal: Terminal) -> None:
    """Show what was recorded as the live command would have shown it.

    Raises SpyError if there is no such recording, it is damaged, or it does not hold
    what the view needs; TimedOut if --timeout is over; WaitFailed if what --for waits
    for does not come.
    """
    recording = opened(asked.file, terminal)
    if spec.owned:
        check_owned(recording)

    def say(note: str) -> None:
        # A view of what belongs together finds out by itself which lists are missing.
        if not (spec.owned and note.startswith(NOT_LISTED)):
            terminal.say(inert(note))

    recording.say = say
    declared = recording.declared
    wanted = wanted_of(asked.words, asked.namespace)
    if asked.at is None:
        window = window_of(asked.since, asked.until, recording, terminal)
    else:
        window = window_at(asked.at, recording, terminal)
    ends_by_time = isinstance(window.end, Last | Moment)  # not at a line of another
    if wanted.names and ends_by_time and not (spec.owned or spec.whole):
        recording.narrow_to(wanted.names)
    if not spec.bodies:
        recording.read_heads()
    scene = _scene(asked, spec, recording, wanted, terminal, window)
    view = spec.make(scene)
    waiting = None
    if asked.awaited:
        waiting = Waiting(
            asked.awaited, declared, view, asked=wanted.asked, concerns=wanted.asks_for
        )
    if not spec.silent:
        terminal.say(inert(announcement(recording, declared, window)))
    audit = audit_of(asked.audit, terminal)
    source = _Recorded(asked, spec, scene, recording, wanted, view, window, audit)
    silent = nullcontext() if asked.speed else progress(recording, terminal)
    try:
        with silent:
            run(source, view, waiting, terminal)
    finally:
        view.close()


class _Recorded:
    """The items of a recording."""

    live = False

    def __init__(
        self,
        asked: Replay,
        spec: ViewSpec,
        scene: Scene,
        recording: Recording,
        wanted: Wanted,
        view: View,
        window: Window,
        audit: AuditLog | None,
    ) -> None:
        self._asked = asked
        self._owned = spec.owned
        self._whole = spec.owned or spec.whole
        self._is_document = spec.document
        self._recording = recording
        self._wanted = wanted
        self._is_root = scene.is_root
        self._view = view
        self._terminal = scene.terminal
        self._window = window
        self._audit = audit
        self._told = 0  # how many damages were reported
        self._empty = True
        self._found = False  # whether any object to show was there
        self._selectors = asked.selectors
        self._narrows = asked.narrows
        self._initial = Counter[Selection]()

    @property
    def alone(self) -> bool:
        one = len(self._recording.selections) == 1 and not self._wanted.names
        return one or self._wanted.single

    def __iter__(self) -> Iterator[list[Item | Logged]]:
        paced = self._asked.speed is not None
        one_by_one = paced or self._asked.awaited or isinstance(self._window.end, First)
        size = 1 if one_by_one else _TOGETHER
        due = self._pace()
        items: list[Item | Logged] = []
        for item, shown in self._items():
            if shown:
                self._empty = False
                if paced:
                    due(item)
                items.append(item)
            if items and (not shown or len(items) >= size or self._is_damaged):
                yield items
                items = []
            if not shown and not isinstance(item, Logged):
                self._view.pass_over(item)
        yield items

    @property
    def _is_damaged(self) -> bool:
        """Whether there are damages to report."""
        return len(self._recording.damages) > self._told

    def _items(self) -> Iterator[tuple[Item | Logged, bool]]:
        """Yield the items up to the end, and whether to show them."""
        for item in self._recording:
            self._told = tell_damages(self._recording, self._terminal, self._told)
            if self._window.is_over(item, self._view):
                return
            shown = True
            if isinstance(item, Logged):
                yield item, True
                continue
            # A view of what belongs together needs all of it.
            if not self._whole:
                if item not in self._wanted:
                    continue
                shown = not isinstance(item, ChangeRecord) or self._selectors.concern(
                    item
                )
                item = self._counted(item) if shown else item
            if self._audit is not None and isinstance(item, ChangeRecord):
                item = item._replace(actor=self._audit.actor(item))
            if not self._found and isinstance(item, ChangeRecord):
                self._found = self._is_root(item)
            yield item, self._window.has_begun(item) and shown

    def _counted(self, item: Item) -> Item:
        """Return *item*. A first list has the number of the objects that are shown."""
        if self._narrows and isinstance(item, Listed):
            return item._replace(objects=self._initial[item.selection])
        if self._narrows and isinstance(item, ChangeRecord) and item.initial:
            self._initial[item.selection] += 1
        return item

    def _pace(self) -> Callable[[Item | Logged], None]:
        started = time.monotonic()
        speed = self._asked.speed or 1.0
        first: float | None = None

        def wait(item: Item | Logged) -> None:
            nonlocal first
            first = item.time if first is None else first
            due = started + (item.time - first) / speed
            wait_until(due, started, self._asked.timeout)

        return wait

    def end(self, view: View, waiting: Waiting | None, verdict: Verdict | None) -> None:
        """Show what is left. Raises SpyError or WaitFailed, as `Source.end` does."""
        recording, terminal = self._recording, self._terminal
        if verdict is None and recording.last:
            view.elapse(self._window.ended(recording))
            terminal.write(view.quiet(self._window.ended(recording)))
        missing = view.once and view.unlisted
        if self._is_document and not recording.damages:
            self._check_asked(waiting)  # before there is anything on standard output
        view.say_unlisted()
        terminal.write(view.partly() if missing else view.last())
        if verdict is not None:
            return
        self._window.check(recording)
        if (log := self._audit) is not None and log.asked and not log.answered:
            terminal.say(
                "note: no request in the audit log made any of "
                f"{many(log.asked, 'change')}; is it of that time and cluster?"
            )
        if self._empty and not self._window.whole:
            what = f"warning: nothing was recorded then: {extent(recording)}"
            terminal.say(inert(what))
        check_damages(recording, terminal, self._told)
        if error := self._check_asked(waiting):
            terminal.say(inert(f"note: {error}"))
        if waiting is not None:
            conclude(waiting.at_end(recording.name), terminal)
        if missing:
            later = "it ended before they came; leave out --once to see what it has"
            raise SpyError(
                f"{recording.name} holds no list of {inert(missing)}"
                + (" up to there" if self._asked.at else ""),
                "choose a later point" if self._asked.at else later,
            )

    def _check_asked(self, waiting: Waiting | None) -> SpyError | None:
        """Raise SpyError if no object that was named was recorded.

        Return it if it is only a note: none was there in a namespace, say.
        """
        recording, asked = self._recording, self._asked
        self._wanted.check(recording.declared)
        told = self._whole or self._window.whole
        named = self._narrows and told and waiting is None
        if not self._found and (self._owned or named):
            what = " ".join(asked.words) or "what was asked for"
            where = f" in namespace {asked.namespace}" if asked.namespace else ""
            up_to = "" if isinstance(self._window.end, Last) else " up to there"
            message = f"{inert(what)}{where} is not in {recording.name}{up_to}"
            error = not_in(recording, self._wanted, message)
            if self._owned or asked.words:
                raise error
            return error
        return None


def _scene(
    asked: Replay,
    spec: ViewSpec,
    recording: Recording,
    wanted: Wanted,
    terminal: Terminal,
    window: Window,
) -> Scene:
    declared = recording.declared
    roots = wanted.streams(declared)
    others: list[Selection] = []
    if spec.owned:
        roots = [] if asked.words else [each for each in declared if each.asked]
        others = [each for each in declared if each not in roots]
    by_name = asked_for([] if asked.words else roots)

    def is_root(record: ChangeRecord) -> bool:
        if asked.words:
            wants = record in wanted
        else:
            wants = by_name(record) and asked.namespace in (None, record.namespace)
        return wants and asked.selectors.match(record)

    judged = False
    if asked.awaited:
        from kubectl_spy.core.waiting.awaited import can_fail

        judged = can_fail(asked.awaited)
    named = len(declared) == 1 and declared[0].name is not None
    return Scene(
        terminal=terminal,
        roots=roots,
        others=others,
        is_root=is_root,
        single=wanted.single or named,
        judged=judged,
        keys=recording.keys,
        live=False,
        paced=asked.speed is not None,
        namespace=asked.namespace,
        everything=not (asked.words or recording.header.get("targets", ["?"])),
        recording=recording,
        since=window.since,
    )


def wanted_of(words: tuple[str, ...], namespace: str | None) -> Wanted:
    """Return what *words*, which may be none, ask of a recording."""
    specs = parse_targets(words, namespace=namespace) if words else ()
    return Wanted(specs, namespace)


def announcement(
    recording: Recording, declared: Sequence[Selection], window: Window
) -> str:
    """Return what is said before *declared* is shown."""
    declared = [each for each in declared if each.asked] or declared
    when = ""
    if recording.header:
        moment = local(recording.began)
        when = f", recorded {moment:%Y-%m-%d %H:%M:%S}"
        if context := recording.header.get("context"):
            when += f" (context {context})"
    return f"replaying {described_together(declared)}{when}{window}"


def wait_until(due: float, started: float, timeout: float | None) -> None:
    """Return at *due*, by the monotonic clock.

    Raises TimedOut if *timeout* seconds from *started* are over before.
    """
    end = None if timeout is None else started + timeout
    until = due if end is None else min(due, end)
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, UNSEEN))
    if end is not None and due > end:
        raise TimedOut
