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
from kubectl_spy.cli.run.meant import MeantInCluster
from kubectl_spy.cli.run.options import OfCluster, Options
from kubectl_spy.cli.run.play import play
from kubectl_spy.cli.run.run_with_timeout import run_with_timeout
from kubectl_spy.cli.run.view import Scene, View, ViewSpec, trace_for
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.masking import SecretMask
from kubectl_spy.core.changes.redaction import DEFAULTS, Redaction
from kubectl_spy.core.cluster.scope import Scope, asked_for, home_of
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
    from kubectl_spy.cli.run.waiting import Wait
    from kubectl_spy.core.cluster.family import Family
    from kubectl_spy.sinks.recorder import Recorder
    from kubectl_spy.sources.pod_logs import PodLogs


def follow(
    options: Options, asked: OfCluster, spec: ViewSpec, terminal: Terminal
) -> None:
    """Show, and record, how the targets change until something ends it.

    Raises SpyError if the targets cannot be watched; TimedOut if --timeout is over;
    WaitFailed if what --for waits for cannot come any more; StdoutClosed if nobody
    reads the output any more.
    """
    left = _time_left(None if options.at_once else options.timeout)
    threads = _Threads(terminal)
    connection = run_with_timeout(
        lambda: Connection(asked.connection, environ=os.environ, say=threads.tell),
        left(),
        "the credentials",
    )
    resolution, others = run_with_timeout(
        lambda: _resolve(options, asked, spec, connection), left(), connection.server
    )
    for note in resolution.notes:
        threads.tell(f"note: {note}")
    selections = resolution.selections
    watched = (*selections, *others.all)
    # managedFields tell whole seconds, of a write within one: its beginning.
    back_to = None if asked.back_to is None else float(int(time() - asked.back_to))
    logs: PodLogs | None = None
    if spec.logs:  # what a run does not need is not imported: the first line waits
        from kubectl_spy.sources.pod_logs import PodLogs

        logs = PodLogs(connection.ask, wake=threads.wake, say=threads.say)
    history = History(noise=asked.noise)
    scope = Scope(
        *(selections, others.all, asked_for(selections)), everything=asked.everything
    )
    scene = Scene(
        terminal=terminal,
        say=threads.say,
        scope=scope,
        is_root=scope.is_root,
        single=len(selections) == 1 and selections[0].name is not None,
        alone=lambda: len(selections) == 1,
        trace=trace_for(options.awaited, spec, scope),
        keys=history.keys,
        namespace=home_of(selections),
        past=back_to is not None,
        probe=connection.ask,
        logs=logs,
    )
    view = spec.make(scene)
    with ExitStack() as ending:
        recorder, sent = None, None
        if asked.recording is not None:
            from kubectl_spy.cli.run.recording import origin_of, recording_to
            from kubectl_spy.extras.otel.sending import sending

            to = asked.recording
            if to.file == "":
                from kubectl_spy.cli.run.default_file import default_file

                named = default_file(connection.context, home_of(selections))
                to = to._replace(file=named)
            sent = ending.enter_context(sending(to, connection, terminal))
            origin = origin_of(options.words, asked, spec.shown, connection)
            recorder = ending.enter_context(
                recording_to(
                    *(to, origin, watched, history, terminal, sent),
                    silent=spec.silent,
                    monitor=spec.monitor,
                    began=back_to,
                )
            )
            threads.recorder = recorder
        ending.callback(view.close)
        ends = spec.once and not options.awaited
        if asked.everything:
            from kubectl_spy.cli.run.everything import Readable, announced

            threads.tell(announced(connection, selections, watches=not ends))
        else:
            announce(connection, selections, terminal)
        if asked.owned and not (spec.owned or asked.everything):
            threads.tell(f"and what belongs to it among {types_of(others.all)}")
        hint_at_changes(spec, selections, terminal)
        watch = threads.watch = LiveWatch(
            connection,
            selections,
            optional=others.all,
            renew=connection.renew,
            mask=_mask(asked),
            tick=spec.tick or (1.0 if _needs_ticks(options, asked) else None),
            say=threads.say,
            positions=recorder.positions if recorder else {},
            back_to=back_to,
            once=ends,
            refusable=asked.everything,
        )
        ending.callback(watch.close)
        if spec.monitor is not None:
            spec.monitor.follow(watch, recorder, sent)
        if (seconds := left()) is not None:
            alarm = threading.Timer(seconds, watch.interrupt, [TimedOut()])
            alarm.daemon = True
            alarm.start()
        if not spec.silent:
            terminal.on_closed(lambda: watch.interrupt(StdoutClosed()))
        # What was imported stays for good: not to be looked through for garbage again.
        # Documents hold no cycles either: once for many of them is often enough.
        gc.freeze()
        gc.set_threshold(100_000, 20, 100)
        gc.enable()
        meant = MeantInCluster(connection)
        lists = FirstLists(
            selections,
            others.all,
            tells=not (spec.owned or asked.everything),
            waits=not spec.once,
            meant=meant,
        )
        events: Iterable[Iterable[WatchEvent]] = watch
        if options.at_once or (spec.once and options.timeout is None):
            events = in_time(watch, spec.within)
        if back_to is not None:
            from kubectl_spy.cli.run.past import PastFirst

            events = PastFirst(
                events,
                watched,
                say=threads.tell,
                at_once=spec.shown is None and not spec.silent,
                recorder=recorder,
            )
        if asked.everything:
            events = Readable(
                events, selections, others.all, say=threads.tell, meant=meant
            )
        events = (
            each if lists.complete else map(lists.counted, each) for each in events
        )
        family: Family | None = None
        if asked.owned:
            from kubectl_spy.cli.run.owned import family_of, of_family

            family = family_of(selections, others, explained=spec.explains)
            events = of_family(events, family, threads.say)
        wait = _wait(options, asked, spec, selections, scene, recorder)
        source = LiveItems(
            events,
            history,
            scope,
            lists,
            recorder,
            terminal,
            family=family,
            logs=tuple if logs is None else logs.answers,
            absent_fails=spec.once and wait is None,
            gone_counts=back_to is not None,
            waits=back_to is None,
            ends_when=lambda: options.at_once and lists.listed and view.ready,
        )
        server = f"waited for {connection.server}"
        unmet = wait.unmet if wait else lambda: "" if lists.listed else server
        with _explained(view, scope if spec.once else Scope(), unmet, terminal):
            play(source, view, wait, terminal)


class _Threads:
    """What threads of a run call. They get *watch* and *recorder* when these begin."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self.recorder: Recorder | None = None
        self.watch: LiveWatch | None = None

    def tell(self, line: str) -> None:
        """Say *line*, which may hold what a server sent."""
        self._terminal.say(inert(line))

    def say(self, line: str) -> None:
        """Say *line*, and write it to the recording."""
        if self.recorder is not None:
            try:
                self.recorder.reconnect(line)
            except SpyError as error:
                if self.watch is not None:
                    self.watch.interrupt(error)
        self.tell(line)  # last: a Ctrl-C may be the answer

    def wake(self) -> None:
        """Let the run look again."""
        if self.watch is not None:
            self.watch.wake()


def _time_left(timeout: float | None) -> Callable[[], float | None]:
    """Return a function that says how much of *timeout* is left from now on."""
    end = None if timeout is None else monotonic() + timeout
    return lambda: None if end is None else max(end - monotonic(), 0)


def _needs_ticks(options: Options, asked: OfCluster) -> bool:
    """Return whether something is to be done even if nothing happens."""
    to = asked.recording
    timed = to is not None and (to.rotation.age is not None or to.refresh is not None)
    return bool(options.awaited) or timed


def _wait(
    options: Options,
    asked: OfCluster,
    spec: ViewSpec,
    selections: Sequence[Selection],
    scene: Scene,
    recorder: Recorder | None,
) -> Wait | None:
    """Return the wait for --for, or for --stop-on of `record`."""
    if not options.awaited:
        return None
    from kubectl_spy.cli.run.waiting import StopOn, Wait

    after = asked.recording.after if asked.recording else None
    if recorder is None or after is None:
        return Wait(
            *(options.awaited, selections, scene.trace),
            traces=spec.traces,
            once=spec.once,
            patient=spec.owned,
            any_of=asked.everything,
        )

    def met(message: str) -> None:
        recorder.freeze()
        more = f"; recording goes on for {duration(after)}" if after else ""
        scene.terminal.say(inert(message + more))

    return StopOn(options.awaited, selections, scene.trace, after=after, met=met)


@contextmanager
def _explained(
    view: View, scope: Scope, unmet: Callable[[], str], terminal: Terminal
) -> Iterator[None]:
    """Add to a timeout what was waited for, and which lists of *scope* are missing.

    `--once` prints what it has.
    """
    try:
        yield
    except (Overdue, TimedOut) as over:
        error = TimedOut(unmet()) if isinstance(over, TimedOut) else over
        if missing := types_of(scope.unlisted):
            terminal.write(view.final())
            lacking = f"not listed yet: {missing}; what is shown lacks them"
            error.remedy = "; ".join(filter(None, (error.remedy, lacking)))
        raise error from None


def _resolve(
    options: Options, asked: OfCluster, spec: ViewSpec, connection: Connection
) -> tuple[Resolution, Dependents]:
    if asked.everything:
        from kubectl_spy.cli.run.everything import resolved

        if options.awaited and not (spec.whole or spec.silent):
            raise UsageError("--for waits for targets", "name one, as in deploy/web")
        namespace = asked.connection.namespace or connection.namespace
        resolution = resolved(
            connection,
            None if asked.all_namespaces else namespace,
            label_selector=asked.label_selector,
            heads=spec.owned and asked.recording is None,
        )
        catalogue, selections = connection.catalogue(), resolution.selections
        explained = spec.explains or spec.silent
        if not asked.owned:
            return resolution, Dependents((), ())
        return resolution, dependents(catalogue, selections, explained=explained)
    resolution = resolve(
        connection,
        asked.targets,
        namespace=asked.connection.namespace,
        all_namespaces=asked.all_namespaces,
        label_selector=asked.label_selector,
        field_selector=asked.field_selector,
        named=MeantInCluster(connection).named,
    )
    if not asked.owned:
        return resolution, Dependents((), ())
    from kubectl_spy.sources.resolution.referred import referred

    catalogue, selections = connection.catalogue(), resolution.selections
    named = referred(catalogue, selections, connection.get_path)
    return resolution, dependents(catalogue, selections, named, explained=spec.explains)


def _mask(asked: OfCluster) -> Mask:
    key = asked.mask_key
    if asked.show_secrets:
        return Redaction(asked.redact, key, _unmasked)
    return Redaction((*DEFAULTS, *asked.redact), key, SecretMask(key))


def _unmasked(document: dict[str, JSON], resource: Resource) -> dict[str, JSON]:
    return document
