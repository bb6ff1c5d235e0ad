"""resolve → watch → history → projection → render → terminal, and the recorder."""

from __future__ import annotations

import gc
import os
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING

from kubectl_spy.cli.run.ending import awaiting_of, conclude, explained, not_now
from kubectl_spy.cli.run.first_lists import FirstLists, described_together, types_of
from kubectl_spy.cli.run.recording import recording_to, written_down
from kubectl_spy.cli.run.request import Settings
from kubectl_spy.cli.run.run_with_timeout import abandonable
from kubectl_spy.cli.run.view import Consumer
from kubectl_spy.cli.views.change_records import Showing
from kubectl_spy.cli.views.patience import in_time, overdue
from kubectl_spy.core.events import tells_fate
from kubectl_spy.core.history import History
from kubectl_spy.core.masking import SecretMask
from kubectl_spy.core.objects import (
    JSON,
    EventType,
    Resource,
    Selection,
    WatchEvent,
)
from kubectl_spy.core.ownership import Family
from kubectl_spy.core.record import Item, Listed, Refused
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.errors import TimedOut
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.recorder import Recorder
from kubectl_spy.sinks.terminal import StdoutClosed, Terminal
from kubectl_spy.sources.connection.connect import Connection, connect
from kubectl_spy.sources.resolution.dependents import Dependents, dependents
from kubectl_spy.sources.resolution.resolve import Resolution, resolve
from kubectl_spy.sources.watching.arrivals import Mask
from kubectl_spy.sources.watching.watch import LiveWatch

if TYPE_CHECKING:
    from kubectl_spy.core.awaiting.awaiting import Awaiting, Verdict


def follow(settings: Settings, terminal: Terminal) -> None:
    """Print, and record, how the targets change until something ends it.

    Raises:
        SpyError: what was asked for cannot be watched.
        TimedOut: --timeout is over.
        WaitFailed: what --for waits for cannot come any more.
        StdoutClosed: nobody reads any more.
    """
    started = monotonic()
    # As kubectl wait has it: no time is enough to look once.
    at_once = settings.timeout == 0 and bool(settings.awaited)
    connection, resolution, others = abandonable(
        lambda: _connect(settings, terminal), None if at_once else settings.timeout
    )
    for note in resolution.notes:
        terminal.say(f"note: {inert(note)}")
    selections = resolution.selections
    family = None
    if settings.owned:
        also = tells_fate if settings.trace is not None else None
        family = Family((*selections, *others.beside), others.owned, also=also)
    showing = _shown(settings, selections, others, terminal, connection)
    watcher = settings.trace or settings.events or settings.spans
    history = History(noise=settings.noise)
    watched = (*selections, *others.all)
    with ExitStack() as ending:
        recorder = ending.enter_context(
            recording_to(settings, connection, watched, history, terminal)
        )
        if showing is not None:
            ending.callback(showing.close)
        _announce(connection, selections, terminal)
        if settings.owned and watcher is None:
            terminal.say(inert(f"and what belongs to it among {types_of(others.all)}"))
        _hint_at_status(settings, selections, terminal)
        say = written_down(_safely(terminal), recorder, lambda e: source.interrupt(e))
        source = LiveWatch(
            connection,
            selections,
            optional=others.all,
            renew=connection.renew,
            mask=_mask(settings),
            tick=None if watcher is None else watcher.tick,
            say=say,
        )
        ending.callback(source.close)
        if settings.timeout is not None and not at_once:
            left = max(started + settings.timeout - monotonic(), 0)
            alarm = threading.Timer(left, source.interrupt, [TimedOut()])
            alarm.daemon = True
            alarm.start()
        if showing is not None:
            terminal.on_closed(lambda: source.interrupt(StdoutClosed()))
        # What was imported stays for good: not to be looked through for garbage again.
        # Documents hold no cycles either: once for many of them is often enough.
        gc.freeze()
        gc.set_threshold(100_000, 20, 100)
        gc.enable()
        once = watcher is not None and watcher.once
        events: Iterable[Iterable[WatchEvent]] = source
        if watcher is not None and once and settings.timeout is None:
            events = in_time(source, watcher.within)
        if family is not None:
            events = of_family(events, family, say)
        lists = FirstLists(
            selections, others.all, tells=watcher is None, waits=not once
        )
        awaiting = awaiting_of(settings.awaited, selections, showing)
        with overdue(showing, terminal), explained(awaiting):
            for _ in _fold(
                events, history, lists, showing, recorder, terminal, awaiting
            ):
                if at_once and lists.listed and (showing is None or showing.known):
                    raise TimedOut


def _connect(
    settings: Settings, terminal: Terminal
) -> tuple[Connection, Resolution, Dependents]:
    """Return the connection, what to follow, and what to follow along with it."""
    connection = connect(settings.connection, environ=os.environ, say=_safely(terminal))
    resolution = resolve(
        connection,
        settings.targets,
        namespace=settings.connection.namespace,
        all_namespaces=settings.all_namespaces,
        label_selector=settings.label_selector,
        field_selector=settings.field_selector,
    )
    if not settings.owned:
        return connection, resolution, Dependents((), ())
    others = dependents(
        connection.catalogue(),
        resolution.selections,
        explained=settings.trace is not None,
    )
    return connection, resolution, others


def _shown(
    settings: Settings,
    selections: Sequence[Selection],
    others: Dependents,
    terminal: Terminal,
    connection: Connection,
) -> Consumer | None:
    """Return what shows what happens, if anything does."""
    if settings.trace is not None:
        from kubectl_spy.cli.views.tree import Tracing
        from kubectl_spy.core.trace.trace import Trace, asked_for

        trace = Trace(selections, others.all, asked_for(selections))
        probing = None
        if settings.trace.probe:
            from kubectl_spy.sources.probing import Probing

            probing = Probing(connection.probe)
        return Tracing(settings.trace, trace, terminal, probing)
    if settings.events is not None:
        from kubectl_spy.cli.views.events import Eventing
        from kubectl_spy.core.event_log import EventLog
        from kubectl_spy.core.trace.trace import Trace, asked_for

        asked = asked_for(selections)
        log = EventLog(Trace(selections, others.all, asked))
        judge = Trace(selections, others.all, asked) if settings.awaited else None
        return Eventing(settings.events, log, terminal, judge)
    if settings.spans is not None:
        from kubectl_spy.cli.views.spans import Spanning
        from kubectl_spy.core.trace.trace import Trace, asked_for

        trace = Trace(selections, others.all, asked_for(selections))
        return Spanning(settings.spans, trace, terminal)
    if settings.format is None:
        return None
    single = len(selections) == 1 and selections[0].name is not None
    if settings.format.output != "text":
        terminal.write_utf8()
    judge = None
    if settings.awaited:
        from kubectl_spy.core.awaiting.awaited import can_fail
        from kubectl_spy.core.trace.trace import Trace, asked_for

        if can_fail(settings.awaited):
            judge = Trace(selections, (), asked_for(selections))
    return Showing(settings.format, single=single, judge=judge)


def of_family(
    source: Iterable[Iterable[WatchEvent]], family: Family, say: Callable[[str], None]
) -> Iterator[Iterable[WatchEvent]]:
    """Yield what *family* admits; say once that a list is missing for too long."""
    said = False
    for events in source:
        yield chain.from_iterable(map(family.admit, events))
        if family.overdue and not said:
            said = True
            say(
                f"note: {types_of(family.missing)} not listed for an hour: what may "
                "belong to it is not waited for any more, and missing here until it "
                f"changes ({family.overdue:,} so far)"
            )


def _fold(
    source: Iterable[Iterable[WatchEvent]],
    history: History,
    lists: FirstLists,
    showing: Consumer | None,
    recorder: Recorder | None,
    terminal: Terminal,
    awaiting: Awaiting | None,
) -> Iterator[None]:
    """Everything behind the queue: one thread, one event after the other.

    Yields after each batch; ends when what is waited for came.

    Raises:
        WaitFailed: it cannot come any more.
        SpyError: an object that was named is not there, and nobody waits for it.
    """
    verdict: Verdict | None = None
    at_once = awaiting is None and not lists.waits
    for events in source:
        texts: list[str] = []
        for item in _items(events, history, lists, terminal, recorder):
            if recorder is not None:
                recorder.observe(item)
            if at_once and isinstance(item, Listed):
                lists.check_any()
            if showing is not None:
                texts.append(showing.text(item, alone=lists.alone))
            if awaiting is not None and verdict is None:
                verdict = awaiting.observe(item)
            if verdict is not None and (showing is None or showing.known):
                break
        if awaiting is not None and verdict is None:
            verdict = awaiting.judge()
        if showing is not None:
            texts.append(showing.rest())
        terminal.write("".join(texts))
        if verdict is not None and (showing is None or showing.known):
            conclude(verdict, terminal)
            return
        if awaiting is None and showing is not None and showing.over():
            if at_once:
                lists.check_all()
            return
        once = showing is not None and showing.once and showing.over()
        if awaiting is not None and once:
            conclude(awaiting.conclude() or not_now(awaiting), terminal)
            return
        yield


def _items(
    events: Iterable[WatchEvent],
    history: History,
    lists: FirstLists,
    terminal: Terminal,
    recorder: Recorder | None,
) -> Iterator[Item]:
    """Yield what *events* changed, and which first lists they complete."""
    for event in events:
        if recorder is not None:
            recorder.renew(event.time)
        yield from history.observe(event)
        if event.type is EventType.REFUSED:
            yield Refused(event.selection, event.reason, event.time)
            if lists.tells:
                terminal.say(inert(f"note: {event.reason}: done without"))
        if lists.complete:
            continue
        count = lists.observe(event)
        if count is None:
            continue
        yield Listed(event.selection, count, history.time)
        if not count and (line := lists.waiting(event.selection)):
            terminal.say(line)


def _announce(
    connection: Connection, selections: Sequence[Selection], terminal: Terminal
) -> None:
    """Say what is watched where: the wrong context is the dearest mistake."""
    what = described_together(selections)
    where = ""
    for selection in selections:
        if selection.namespace:
            where = f" in namespace {selection.namespace}"
        elif selection.resource.namespaced:
            where = " in all namespaces"
    context = connection.context
    through = f"context {context}" if context else connection.server
    terminal.say(inert(f"watching {what}{where} ({through}); Ctrl-C ends"))


def _hint_at_status(
    settings: Settings, selections: Sequence[Selection], terminal: Terminal
) -> None:
    if settings.format is None or not settings.format.view.status:
        return
    for resource in dict.fromkeys(selection.resource for selection in selections):
        if not resource.has_status:
            terminal.say(
                f"note: {resource.group_resource} have no status; "
                f"try: {kubectl('spy changes {}', resource.plural)}"
            )


def _safely(terminal: Terminal) -> Callable[[str], None]:
    """Return `say` for lines that hold what a server sent."""
    return lambda line: terminal.say(inert(line))


def _mask(settings: Settings) -> Mask:
    return _unmasked if settings.show_secrets else SecretMask(secrets.token_bytes(32))


def _unmasked(document: dict[str, JSON], resource: Resource) -> dict[str, JSON]:
    return document
