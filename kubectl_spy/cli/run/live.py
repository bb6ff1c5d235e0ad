"""Run a command on a cluster: resolve, watch, fold into items, record them along."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

from kubectl_spy.cli.run.finding import Found, Suggestions, find, mask_of
from kubectl_spy.cli.run.first_lists import (
    FirstLists,
    announced,
    hint_at_changes,
    in_time,
    types_of,
)
from kubectl_spy.cli.run.live_items import LiveItems
from kubectl_spy.cli.run.options import OfCluster, Options
from kubectl_spy.cli.run.play import play
from kubectl_spy.cli.run.run_with_timeout import run_with_timeout
from kubectl_spy.cli.run.signals import DeferSignals
from kubectl_spy.cli.run.view import Scene, View, ViewSpec, trace_for
from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.cluster.scope import Scope, asked_for, home_of
from kubectl_spy.core.objects import WatchEvent
from kubectl_spy.doors import part
from kubectl_spy.errors import Overdue, SpyError, TimedOut
from kubectl_spy.render.moments import duration
from kubectl_spy.sinks.terminal import StdoutClosed, Terminal
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.watching.watch import LiveWatch

if TYPE_CHECKING:
    from kubectl_spy.cli.run.waiting import Wait
    from kubectl_spy.core.cluster.target_filter import TargetFilter
    from kubectl_spy.core.trace.trace import Trace
    from kubectl_spy.core.waiting.awaited import Step
    from kubectl_spy.sinks.delivery import Delivery
    from kubectl_spy.sinks.recorder import Recorder
    from kubectl_spy.sources.pod_logs import PodLogs

_MOMENT = 1.0  # seconds that a signal waits at most


def follow(
    options: Options, asked: OfCluster, spec: ViewSpec, terminal: Terminal
) -> None:
    """Show, and record, how the targets change until something ends it.

    Raises SpyError if the targets cannot be watched; TimedOut if --timeout is over;
    WaitFailed if what --for waits for cannot come any more; StdoutClosed if nobody
    reads the output any more.
    """
    awaited, at_once = options.awaited, options.at_once
    timeout = inf if at_once or options.timeout is None else options.timeout
    end = monotonic() + timeout
    connection = run_with_timeout(
        lambda: Connection(asked.connection, environ=os.environ, say=terminal.say),
        timeout,
        "the credentials",
    )
    found = run_with_timeout(
        lambda: find(asked, spec, connection), end - monotonic(), connection.server
    )
    for note in found.notes:
        terminal.say(f"note: {note}")
    run = _LiveRun(asked, spec, terminal, connection, found)
    scene = run.scene(awaited)
    view = spec.make(scene)
    ends = spec.once and not awaited  # with the first lists
    with ExitStack() as ending:
        run.record(options.words, ending)
        ending.callback(view.close)
        run.announce(watches=not ends)
        watch = run.watch(once=ends, waits=bool(awaited))
        ending.callback(watch.close)
        if timeout < inf:
            left = end - monotonic()
            alarm = threading.Timer(left, watch.interrupt, [TimedOut()])
            alarm.daemon = True
            alarm.start()
            from kubectl_spy.knowledge.expressions import checks

            checks.append(watch.check)
            ending.callback(checks.clear)
        # What was imported stays for good: not to be looked through for garbage again.
        # Documents hold no cycles either: once for many of them is often enough.
        gc.freeze()
        gc.set_threshold(100_000, 20, 100)
        gc.enable()
        wait = run.wait(awaited, scene.trace) if awaited else None
        limited = at_once or (spec.once and options.timeout is None)
        items = run.items(watch, scene.logs, limited=limited, ends=ends)
        if at_once:
            items.ends_when = lambda: run.lists.listed and view.ready
        with run.explained(view, wait):
            play(items, view, wait, terminal)


class _LiveRun:
    """One run on a cluster. Threads may call `say` and `wake` at any time."""

    def __init__(
        self,
        asked: OfCluster,
        spec: ViewSpec,
        terminal: Terminal,
        connection: Connection,
        found: Found,
    ) -> None:
        self._asked = asked
        self._spec = spec
        self._terminal = terminal
        self._connection = connection
        self._found = found
        self._recorder: Recorder | None = None
        self._delivery: Delivery | None = None
        self._watch: LiveWatch | None = None
        # managedFields tell whole seconds, of a write within one: its beginning.
        since = asked.back_to
        self._back_to = None if since is None else float(int(since))
        # A trace of what is now tells by the past only what led to it.
        self._aside = spec.traces and not asked.further
        self._scope = Scope(
            found.selections,
            found.others.all,
            asked_for(found.selections),
            everything=asked.everything,
            beside=found.others.beside,
        )
        coverage = Coverage((*found.selections, *found.others.all))
        self._history = History(coverage, noise=asked.noise)
        self._suggest = Suggestions(connection)
        self.lists = FirstLists(
            found.selections,
            self._history,
            tells=not (spec.owned or asked.everything),
            waits=not spec.once,
            suggest=self._suggest,
        )

    def say(self, line: str) -> None:
        """Say *line*, a note on what is missing, and write it to the recording."""
        if self._recorder is not None:
            try:
                self._recorder.note(line)
            except SpyError as error:
                if self._watch is not None:
                    self._watch.interrupt(error)
        self._terminal.say(line)  # last: a Ctrl-C may be the answer

    def wake(self) -> None:
        """Let the run look again."""
        if self._watch is not None:
            self._watch.wake()

    def scene(self, awaited: Sequence[Step]) -> Scene:
        """Return what the view sees of the run."""
        selections, logs = self._found.selections, None
        if self._spec.logs:  # the first line waits for each import
            from kubectl_spy.sources.pod_logs import PodLogs

            logs = PodLogs(self._connection.ask, wake=self.wake, say=self.say)
        alone = len(selections) == 1
        return Scene(
            terminal=self._terminal,
            say=self.say,
            scope=self._scope,
            single=alone and selections[0].name is not None,
            alone=lambda: alone,
            trace=trace_for(awaited, self._spec, self._scope),
            keys=self._history.keys,
            namespace=home_of(selections),
            past=self._back_to is not None,
            probe=self._connection.ask,
            logs=logs,
        )

    def record(self, words: tuple[str, ...], ending: ExitStack) -> None:
        """Begin the recording, if there is to be one. *ending* ends it."""
        asked, spec, connection = self._asked, self._spec, self._connection
        to = asked.recording
        if to is None:
            return
        from kubectl_spy.cli.run.recording import origin_of, recording_to

        if to.file == "":
            from kubectl_spy.cli.run.recording import default_file

            home = home_of(self._found.selections)
            to = to._replace(file=default_file(connection.context, home))
        if to.otlp is not None:
            sending, alone = part("send lines"), to.file is None
            self._delivery = ending.enter_context(
                sending(to.otlp, connection, self._terminal, alone=alone)
            )
        recording = recording_to(
            to,
            origin_of(words, asked, spec.shown, connection),
            self._found.watched,
            self._history,
            self._terminal,
            self._delivery,
            silent=spec.silent,
            monitor=spec.monitor,
            began=self._back_to,
        )
        # A signal before `ending` knows the recording would leave it without END.
        with DeferSignals(_MOMENT):
            self._recorder = ending.enter_context(recording)

    def announce(self, *, watches: bool) -> None:
        """Say what is watched, or read."""
        selections, spec = self._found.selections, self._spec
        everything = self._asked.everything
        watches = watches or not everything
        line = announced(
            self._connection, selections, everything=everything, watches=watches
        )
        self._terminal.say(line)
        if self._asked.owned and not (spec.owned or everything):
            types = types_of(self._found.others.all)
            self._terminal.say(f"and what belongs to it among {types}")
        hint_at_changes(spec, selections, self._terminal)

    def watch(self, *, once: bool, waits: bool) -> LiveWatch:
        """Return the watch. With *once* it ends with the lists."""
        spec, recorder, to = self._spec, self._recorder, self._asked.recording
        rotates = to is not None and (to.rotation.age or to.refresh) is not None
        watch = self._watch = LiveWatch(
            self._connection,
            self._found.selections,
            optional=self._found.others.all,
            renew=self._connection.renew,
            mask=mask_of(self._asked),
            # Something is to be done even if nothing happens.
            tick=spec.tick or (1.0 if waits or rotates or self._back_to else None),
            say=self._terminal.say,
            positions=recorder.positions if recorder else {},
            back_to=self._back_to,
            once=once,
            refusable=self._asked.everything,
        )
        if spec.monitor is not None:
            spec.monitor.follow(watch, recorder, self._delivery)
        if not spec.silent:
            self._terminal.on_closed(lambda: watch.interrupt(StdoutClosed()))
        return watch

    def wait(self, steps: Sequence[Step], trace: Trace | None) -> Wait:
        """Return the wait for --for, or for --stop-on of `record`."""
        from kubectl_spy.cli.run.waiting import StopOn, Wait

        selections, recorder = self._found.selections, self._recorder
        after = self._asked.recording.after if self._asked.recording else None
        if recorder is None or after is None:
            return Wait(
                steps,
                selections,
                trace,
                traces=self._spec.traces,
                once=self._spec.once,
                patient=self._spec.owned,
                any_of=self._asked.everything,
            )

        def met(message: str) -> None:
            recorder.freeze()
            more = f"; recording goes on for {duration(after)}" if after else ""
            self._terminal.say(message + more)

        say = self._terminal.say
        return StopOn(steps, selections, trace, after=after, met=met, say=say)

    def items(
        self, watch: LiveWatch, logs: PodLogs | None, *, limited: bool, ends: bool
    ) -> LiveItems:
        """Return the items of *watch*, whose first lists take *limited* time.

        It *ends* with them, unless a named object is missing.
        """
        filter_: TargetFilter | None = None
        events = self._arriving(watch, limited=limited)
        if self._asked.owned:
            from kubectl_spy.cli.run.owned import admitted_by, filter_for

            explained = self._spec.explains
            found = self._found
            filter_ = filter_for(
                found.selections,
                found.others,
                self._history.coverage,
                explained=explained,
            )
            events = admitted_by(events, filter_, self.say)
        return LiveItems(
            events,
            self._history,
            self._scope,
            self.lists,
            self._recorder,
            self._terminal,
            filter_=filter_,
            logs=tuple if logs is None else logs.answers,
            everything=self._found.selections if self._asked.everything else (),
            suggest=self._suggest,
            absent_fails=ends,
            gone_counts=self._back_to is not None and not self._aside,
            waits=self._back_to is None,
            tells=self._back_to is not None and self._aside,
        )

    def _arriving(
        self, watch: LiveWatch, *, limited: bool
    ) -> Iterable[Iterable[WatchEvent]]:
        """Return what *watch* brings, the past first."""
        spec, found = self._spec, self._found
        events: Iterable[Iterable[WatchEvent]] = watch
        if limited:
            events = in_time(events, spec.within)
        if self._back_to is not None:
            from kubectl_spy.cli.run.past import PastFirst

            def fetch(path: str, *words: Any, **more: Any) -> Any:
                watch.check()  # --timeout, between requests
                return self._connection.get_path(path, *words, **more)

            asks = fetch if self._asked.further else None
            further = self._back_to, asks, mask_of(self._asked), watch.check
            events = PastFirst(
                events,
                found.watched,
                say=(lambda line: None) if self._aside else self._terminal.say,
                at_once=spec.shown is None and not spec.silent,
                heard=watch.heard,
                failures=watch.failures,
                patience=5.0 if self._asked.all_namespaces else 2.0,
                once=spec.once,
                needed=() if self._asked.everything else found.selections,
                further=further,
            )
        return events

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
                unmet = wait.unmet() if wait else "" if self.lists.listed else server
                error = TimedOut(unmet)
            if self._spec.once and (missing := types_of(self._scope.coverage.unlisted)):
                self._terminal.write(view.final())
                from kubectl_spy.render.denials import not_listed

                remedies = error.remedy, not_listed(missing)
                error.remedy = "; ".join(filter(None, remedies))
            raise error from None
