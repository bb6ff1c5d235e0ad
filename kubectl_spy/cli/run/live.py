"""Run a command on a cluster: resolve, watch, fold into items, record them along."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from time import monotonic, time
from typing import TYPE_CHECKING

from kubectl_spy.cli.run.first_lists import (
    FirstLists,
    announce,
    hint_at_changes,
    in_time,
    types_of,
)
from kubectl_spy.cli.run.live_items import LiveItems
from kubectl_spy.cli.run.loop import Waiting, run
from kubectl_spy.cli.run.meant import MeantInCluster
from kubectl_spy.cli.run.request import Request
from kubectl_spy.cli.run.run_with_timeout import run_with_timeout
from kubectl_spy.cli.run.until import Until
from kubectl_spy.cli.run.view import Scene, View, ViewSpec
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.masking import SecretMask
from kubectl_spy.core.changes.redaction import DEFAULTS, Redaction
from kubectl_spy.core.cluster.scope import asked_for, home_of
from kubectl_spy.core.objects import JSON, Resource, Selection, WatchEvent
from kubectl_spy.errors import Overdue, SpyError, TimedOut, UsageError
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import duration
from kubectl_spy.sinks.terminal import StdoutClosed, Terminal
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.resolution.dependents import Dependents, dependents
from kubectl_spy.sources.resolution.resolve import Resolution, resolve
from kubectl_spy.sources.watching.arrivals import Mask
from kubectl_spy.sources.watching.watch import LiveWatch

if TYPE_CHECKING:
    from kubectl_spy.core.cluster.family import Family
    from kubectl_spy.sinks.recorder import Recorder
    from kubectl_spy.sources.pod_logs import PodLogs


def follow(request: Request, spec: ViewSpec, terminal: Terminal) -> None:
    """Show, and record, how the targets change until something ends it.

    Raises SpyError if the targets cannot be watched; TimedOut if --timeout is over;
    WaitFailed if what --for waits for cannot come any more; StdoutClosed if nobody
    reads the output any more.
    """
    started = monotonic()
    timeout = None if request.at_once else request.timeout
    connection = run_with_timeout(
        lambda: Connection(
            request.connection, environ=os.environ, say=_safely(terminal)
        ),
        timeout,
        "the credentials",
    )
    left = None if timeout is None else max(started + timeout - monotonic(), 0)
    resolution, others = run_with_timeout(
        lambda: _resolve(request, spec, connection), left, connection.server
    )
    for note in resolution.notes:
        terminal.say(f"note: {inert(note)}")
    selections = resolution.selections
    # managedFields tell whole seconds, of a write within one: its beginning.
    back_to = None if request.back_to is None else float(int(time() - request.back_to))
    if back_to is not None:
        from kubectl_spy.cli.run.past import PastFirst
    # What a run does not need is not imported: the first line waits for it.
    logs: PodLogs | None = None
    if spec.logs:
        from kubectl_spy.sources.pod_logs import PodLogs

        logs = PodLogs(
            connection.ask, wake=lambda: watch.wake(), say=lambda line: say(line)
        )
    history = History(noise=request.noise)
    scene = _scene(request, selections, others, connection, terminal)
    scene = scene._replace(keys=history.keys, past=back_to is not None)
    view = spec.make(scene._replace(logs=logs))
    with ExitStack() as ending:
        watched = (*selections, *others.all)
        recorder, sent = None, None
        if request.recording is not None:
            from kubectl_spy.cli.run.recording import recording_to
            from kubectl_spy.extras.otel.sending import sending

            to = request.recording
            if to.file == "":
                from kubectl_spy.cli.run.default_file import default_file

                named = default_file(connection.context, home_of(selections))
                to = to._replace(file=named)
            sent = ending.enter_context(sending(to, connection, terminal))
            recorder = ending.enter_context(
                recording_to(
                    *(to, request, spec, connection, watched, history, terminal, sent),
                    began=back_to,
                )
            )
        ending.callback(view.close)
        ends = spec.once and not request.awaited
        if request.everything:
            from kubectl_spy.cli.run.everything import Readable, announced

            line = announced(connection, selections, watches=not ends)
            terminal.say(inert(line))
        else:
            announce(connection, selections, terminal)
        if request.owned and not (spec.owned or request.everything):
            terminal.say(inert(f"and what belongs to it among {types_of(others.all)}"))
        hint_at_changes(spec, selections, terminal)
        say = _written_down(
            _safely(terminal), recorder, lambda error: watch.interrupt(error)
        )
        view.say = say
        watch = LiveWatch(
            connection,
            selections,
            optional=others.all,
            renew=connection.renew,
            mask=_mask(request),
            tick=spec.tick or (1.0 if request.needs_ticks else None),
            say=say,
            positions=recorder.positions if recorder else {},
            back_to=back_to,
            once=ends,
            refusable=request.everything,
        )
        ending.callback(watch.close)
        if spec.monitor is not None:
            spec.monitor.follow(watch, recorder, sent)
        if timeout is not None:
            left = max(started + timeout - monotonic(), 0)
            alarm = threading.Timer(left, watch.interrupt, [TimedOut()])
            alarm.daemon = True
            alarm.start()
        if not spec.silent:
            terminal.on_closed(lambda: watch.interrupt(StdoutClosed()))
        # What was imported stays for good: not to be looked through for garbage again.
        # Documents hold no cycles either: once for many of them is often enough.
        gc.freeze()
        gc.set_threshold(100_000, 20, 100)
        gc.enable()
        waiting = None
        if request.awaited:
            waiting = _waiting(request, selections, view, recorder, terminal)
        events: Iterable[Iterable[WatchEvent]] = watch
        if request.at_once or (spec.once and request.timeout is None):
            events = in_time(watch, spec.within)
        if back_to is not None:
            events = PastFirst(
                events,
                watched,
                say=_safely(terminal),
                at_once=spec.shown is None and not spec.silent,
                recorder=recorder,
            )
        meant = MeantInCluster(connection)
        if request.everything:
            events = Readable(
                events, selections, others.all, say=_safely(terminal), meant=meant
            )
        lists = FirstLists(
            selections,
            others.all,
            tells=not (spec.owned or request.everything),
            waits=not spec.once,
            meant=meant,
        )
        events = (
            each if lists.complete else map(lists.counted, each) for each in events
        )
        family: Family | None = None
        if request.owned:
            from kubectl_spy.cli.run.owned import family_of, of_family

            family = family_of(selections, others, explained=spec.explains)
            events = of_family(events, family, say)
        source = LiveItems(
            events,
            history,
            lists,
            recorder,
            terminal,
            family=family,
            logs=tuple if logs is None else logs.answers,
            absent_fails=spec.once and waiting is None,
            gone_counts=back_to is not None,
            waits=back_to is None,
            ends_when=lambda: request.at_once and lists.listed and view.known,
        )
        server = f"waited for {connection.server}"
        unmet = waiting.unmet if waiting else lambda: "" if lists.listed else server
        with _explained(view, unmet, terminal):
            run(source, view, waiting, terminal)


def _written_down(
    say: Callable[[str], None],
    recorder: Recorder | None,
    fail: Callable[[SpyError], None],
) -> Callable[[str], None]:
    """Return a *say* for notes of the watch, which also writes them to the recording.

    Any thread may call it. If writing fails, it calls *fail*.
    """
    if recorder is None:
        return say

    def both(line: str) -> None:
        try:
            recorder.reconnect(line)
        except SpyError as error:
            fail(error)
        say(line)  # last: a Ctrl-C may be the answer

    return both


def _waiting(
    request: Request,
    selections: Sequence[Selection],
    view: View,
    recorder: Recorder | None,
    terminal: Terminal,
) -> Waiting:
    """Return the wait for --for, or for --stop-on of `record`."""
    after = request.recording.after if request.recording else None
    if recorder is None or after is None:
        return Waiting(request.awaited, selections, view, any_of=request.everything)

    def met(message: str) -> None:
        recorder.freeze()
        more = f"; recording goes on for {duration(after)}" if after else ""
        terminal.say(inert(message + more))

    return Until(request.awaited, selections, view, after=after, met=met)


@contextmanager
def _explained(
    view: View, unmet: Callable[[], str], terminal: Terminal
) -> Iterator[None]:
    """Add to a timeout what was waited for, and which lists are missing.

    `--once` prints what it has.
    """
    try:
        yield
    except (Overdue, TimedOut) as over:
        error = TimedOut(unmet()) if isinstance(over, TimedOut) else over
        if view.once and (missing := view.unlisted):
            terminal.write(view.partly())
            lacking = f"not listed yet: {missing}; what is shown lacks them"
            error.remedy = "; ".join(filter(None, (error.remedy, lacking)))
        raise error from None


def _resolve(
    request: Request, spec: ViewSpec, connection: Connection
) -> tuple[Resolution, Dependents]:
    if request.everything:
        from kubectl_spy.cli.run.everything import resolved

        if request.awaited and not (spec.whole or spec.silent):
            raise UsageError("--for waits for targets", "name one, as in deploy/web")
        namespace = request.connection.namespace or connection.namespace
        resolution = resolved(
            connection,
            None if request.all_namespaces else namespace,
            label_selector=request.label_selector,
            heads=spec.owned and request.recording is None,
        )
        catalogue, selections = connection.catalogue(), resolution.selections
        explained = spec.explains or spec.silent
        if not request.owned:
            return resolution, Dependents((), ())
        return resolution, dependents(catalogue, selections, explained=explained)
    resolution = resolve(
        connection,
        request.targets,
        namespace=request.connection.namespace,
        all_namespaces=request.all_namespaces,
        label_selector=request.label_selector,
        field_selector=request.field_selector,
        named=MeantInCluster(connection).named,
    )
    if not request.owned:
        return resolution, Dependents((), ())
    from kubectl_spy.sources.resolution.referred import referred

    catalogue, selections = connection.catalogue(), resolution.selections
    named = referred(catalogue, selections, connection.get_path)
    return resolution, dependents(catalogue, selections, named, explained=spec.explains)


def _scene(
    request: Request,
    selections: Sequence[Selection],
    others: Dependents,
    connection: Connection,
    terminal: Terminal,
) -> Scene:
    judged = False
    if request.awaited:
        from kubectl_spy.core.waiting.awaited import can_fail

        judged = can_fail(request.awaited)
    return Scene(
        terminal=terminal,
        roots=selections,
        others=others.all,
        is_root=asked_for(selections),
        single=len(selections) == 1 and selections[0].name is not None,
        judged=judged,
        namespace=home_of(selections),
        everything=request.everything,
        probe=connection.ask,
    )


def _safely(terminal: Terminal) -> Callable[[str], None]:
    """Return `say` for lines that hold what a server sent."""
    return lambda line: terminal.say(inert(line))


def _mask(request: Request) -> Mask:
    key = request.mask_key
    if request.show_secrets:
        return Redaction(request.redact, key, _unmasked)
    return Redaction((*DEFAULTS, *request.redact), key, SecretMask(key))


def _unmasked(document: dict[str, JSON], resource: Resource) -> dict[str, JSON]:
    return document
