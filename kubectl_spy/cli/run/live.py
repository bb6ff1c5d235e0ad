"""Run a command on a cluster: resolve, watch, fold into items, record them along."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from time import monotonic, time
from typing import TYPE_CHECKING

from kubectl_spy.cli.run.finding import found, mask_of
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
from kubectl_spy.core.cluster.scope import Scope, asked_for, home_of
from kubectl_spy.core.objects import WatchEvent
from kubectl_spy.errors import Overdue, SpyError, TimedOut
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import duration
from kubectl_spy.sinks.terminal import StdoutClosed, Terminal
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.watching.watch import LiveWatch

if TYPE_CHECKING:
    from kubectl_spy.cli.run.waiting import Wait
    from kubectl_spy.core.cluster.family import Family
    from kubectl_spy.core.past.remembered import Past
    from kubectl_spy.extras.otel.sending import Sent
    from kubectl_spy.sinks.recorder import Recorder


def follow(
    options: Options, asked: OfCluster, spec: ViewSpec, terminal: Terminal
) -> None:
    """Show, and record, how the targets change until something ends it.

    Raises SpyError if the targets cannot be watched; TimedOut if --timeout is over;
    WaitFailed if what --for waits for cannot come any more; StdoutClosed if nobody
    reads the output any more.
    """
    run = _LiveRun(options, asked, spec, terminal)
    scene = run.scene()
    view = spec.make(scene)
    with ExitStack() as ending:
        run.record(ending)
        ending.callback(view.close)
        run.announce()
        run.watch(ending)
        # What was imported stays for good: not to be looked through for garbage again.
        # Documents hold no cycles either: once for many of them is often enough.
        gc.freeze()
        gc.set_threshold(100_000, 20, 100)
        gc.enable()
        wait = run.wait(scene)
        with run.explained(view, wait):
            play(run.source(view, scene, wait), view, wait, terminal)


class _LiveRun:
    """One run on a cluster. Threads may call `tell`, `say` and `wake` at any time."""

    def __init__(
        self, options: Options, asked: OfCluster, spec: ViewSpec, terminal: Terminal
    ) -> None:
        timeout = None if options.at_once else options.timeout
        self._end = None if timeout is None else monotonic() + timeout
        self._options = options
        self._asked = asked
        self._spec = spec
        self._terminal = terminal
        self._recorder: Recorder | None = None
        self._sent: Sent | None = None
        self._watch: LiveWatch | None = None
        self._ends = spec.once and not options.awaited  # with the first lists
        self._connection = run_with_timeout(
            lambda: Connection(asked.connection, environ=os.environ, say=self.tell),
            self._left,
            "the credentials",
        )
        resolution, self._others = run_with_timeout(
            lambda: found(options, asked, spec, self._connection),
            self._left,
            self._connection.server,
        )
        for note in resolution.notes:
            self.tell(f"note: {note}")
        # managedFields tell whole seconds, of a write within one: its beginning.
        ago = asked.back_to
        self._back_to = None if ago is None else float(int(time() - ago))
        self._selections = selections = resolution.selections
        self._watched = (*selections, *self._others.all)
        self._scope = Scope(
            *(selections, self._others.all, asked_for(selections)),
            everything=asked.everything,
        )
        self._history = History(noise=asked.noise)
        self._meant = MeantInCluster(self._connection)
        self._lists = FirstLists(
            selections,
            self._others.all,
            tells=not (spec.owned or asked.everything),
            waits=not spec.once,
            meant=self._meant,
        )

    @property
    def _left(self) -> float | None:
        """The seconds until --timeout is over."""
        return None if self._end is None else max(self._end - monotonic(), 0)

    def tell(self, line: str) -> None:
        """Say *line*, which may hold what a server sent."""
        self._terminal.say(inert(line))

    def say(self, line: str) -> None:
        """Say *line*, and write it to the recording."""
        if self._recorder is not None:
            try:
                self._recorder.reconnect(line)
            except SpyError as error:
                if self._watch is not None:
                    self._watch.interrupt(error)
        self.tell(line)  # last: a Ctrl-C may be the answer

    def wake(self) -> None:
        """Let the run look again."""
        if self._watch is not None:
            self._watch.wake()

    def scene(self) -> Scene:
        """Return what the view sees of the run."""
        selections, logs = self._selections, None
        if self._spec.logs:  # the first line waits for each import
            from kubectl_spy.sources.pod_logs import PodLogs

            logs = PodLogs(self._connection.ask, wake=self.wake, say=self.say)
        return Scene(
            terminal=self._terminal,
            say=self.say,
            scope=self._scope,
            single=len(selections) == 1 and selections[0].name is not None,
            alone=lambda: len(selections) == 1,
            trace=trace_for(self._options.awaited, self._spec, self._scope),
            keys=self._history.keys,
            namespace=home_of(selections),
            past=self._back_to is not None,
            probe=self._connection.ask,
            logs=logs,
        )

    def record(self, ending: ExitStack) -> None:
        """Begin the recording, if there is to be one. *ending* ends it."""
        to, spec, terminal = self._asked.recording, self._spec, self._terminal
        if to is None:
            return
        from kubectl_spy.cli.run.recording import origin_of, recording_to
        from kubectl_spy.extras.otel.sending import sending

        if to.file == "":
            from kubectl_spy.cli.run.default_file import default_file

            file = default_file(self._connection.context, home_of(self._selections))
            to = to._replace(file=file)
        words, connection = self._options.words, self._connection
        self._sent = ending.enter_context(sending(to, connection, terminal))
        origin = origin_of(words, self._asked, spec.shown, connection)
        self._recorder = ending.enter_context(
            recording_to(
                *(to, origin, self._watched, self._history, terminal, self._sent),
                silent=spec.silent,
                monitor=spec.monitor,
                began=self._back_to,
            )
        )

    def announce(self) -> None:
        """Say what is watched."""
        selections, spec = self._selections, self._spec
        if self._asked.everything:
            from kubectl_spy.cli.run.everything import announced

            line = announced(self._connection, selections, watches=not self._ends)
            self.tell(line)
        else:
            announce(self._connection, selections, self._terminal)
            if self._asked.owned and not spec.owned:
                types = types_of(self._others.all)
                self.tell(f"and what belongs to it among {types}")
        hint_at_changes(spec, selections, self._terminal)

    def watch(self, ending: ExitStack) -> None:
        """Make the watch, which *ending* closes, and what interrupts it."""
        spec, recorder = self._spec, self._recorder
        watch = self._watch = LiveWatch(
            self._connection,
            self._selections,
            optional=self._others.all,
            renew=self._connection.renew,
            mask=mask_of(self._asked),
            tick=spec.tick or (1.0 if self._needs_ticks else None),
            say=self.say,
            positions=recorder.positions if recorder else {},
            back_to=self._back_to,
            once=self._ends,
            refusable=self._asked.everything,
        )
        ending.callback(watch.close)
        if spec.monitor is not None:
            spec.monitor.follow(watch, recorder, self._sent)
        if (left := self._left) is not None:
            alarm = threading.Timer(left, watch.interrupt, [TimedOut()])
            alarm.daemon = True
            alarm.start()
        if not spec.silent:
            self._terminal.on_closed(lambda: watch.interrupt(StdoutClosed()))

    @property
    def _needs_ticks(self) -> bool:
        """Whether something is to be done even if nothing happens."""
        to, awaited = self._asked.recording, bool(self._options.awaited)
        return awaited or (
            to is not None and (to.rotation.age or to.refresh) is not None
        )

    def wait(self, scene: Scene) -> Wait | None:
        """Return the wait for --for, or for --stop-on of `record`."""
        steps, selections = self._options.awaited, self._selections
        recorder = self._recorder
        if not steps:
            return None
        from kubectl_spy.cli.run.waiting import StopOn, Wait

        to = self._asked.recording
        after = to.after if to else None
        if recorder is None or after is None:
            return Wait(
                *(steps, selections, scene.trace),
                traces=self._spec.traces,
                once=self._spec.once,
                patient=self._spec.owned,
                any_of=self._asked.everything,
            )

        def met(message: str) -> None:
            recorder.freeze()
            more = f"; recording goes on for {duration(after)}" if after else ""
            self.tell(message + more)

        return StopOn(steps, selections, scene.trace, after=after, met=met)

    def source(self, view: View, scene: Scene, wait: Wait | None) -> LiveItems:
        """Return the items of the watch."""
        family: Family | None = None
        events, lists = self._counted(), self._lists
        if self._asked.owned:
            from kubectl_spy.cli.run.owned import family_of, of_family

            explained = self._spec.explains
            family = family_of(self._selections, self._others, explained=explained)
            events = of_family(events, family, self.say)
        return LiveItems(
            events,
            self._history,
            self._scope,
            lists,
            self._recorder,
            self._terminal,
            family=family,
            logs=tuple if scene.logs is None else scene.logs.answers,
            absent_fails=self._spec.once and wait is None,
            gone_counts=self._back_to is not None,
            waits=self._back_to is None,
            ends_when=lambda: self._options.at_once and lists.listed and view.ready,
        )

    def _counted(self) -> Iterator[Iterable[WatchEvent]]:
        """Yield what the watch brings, the past first. Count the first lists."""
        for events in self._arriving():
            yield events if self._lists.complete else map(self._lists.counted, events)

    def _arriving(self) -> Iterable[Iterable[WatchEvent]]:
        spec, options = self._spec, self._options
        assert self._watch is not None
        events: Iterable[Iterable[WatchEvent]] = self._watch
        if options.at_once or (spec.once and options.timeout is None):
            events = in_time(events, spec.within)
        if self._back_to is not None:
            from kubectl_spy.cli.run.past import PastFirst

            events = PastFirst(
                events,
                self._watched,
                say=self.tell,
                at_once=spec.shown is None and not spec.silent,
                recorder=self._recorder,
                earlier=self._earlier if self._asked.further else None,
            )
        if self._asked.everything:
            from kubectl_spy.cli.run.everything import Readable

            events = Readable(
                *(events, self._selections, self._others.all),
                say=self.tell,
                meant=self._meant,
            )
        return events

    def _earlier(self, pasts: Sequence[Past]) -> list[WatchEvent]:
        """Ask what else tells of the time that the server no longer remembers."""
        from kubectl_spy.cli.run.earlier import earlier_of

        assert self._back_to is not None
        return earlier_of(
            *(pasts, self._back_to, self._connection.get_path, mask_of(self._asked)),
            say=self.tell,
        )

    @contextmanager
    def explained(self, view: View, wait: Wait | None) -> Iterator[None]:
        """Add to a timeout what was waited for, and which lists are missing.

        `--once` prints what it has.
        """
        try:
            yield
        except (Overdue, TimedOut) as over:
            error: Overdue | TimedOut = over
            if isinstance(over, TimedOut):
                server = f"waited for {self._connection.server}"
                unmet = wait.unmet() if wait else "" if self._lists.listed else server
                error = TimedOut(unmet)
            if self._spec.once and (missing := types_of(self._scope.unlisted)):
                self._terminal.write(view.final())
                lacking = f"not listed yet: {missing}; what is shown lacks them"
                error.remedy = "; ".join(filter(None, (error.remedy, lacking)))
            raise error from None
