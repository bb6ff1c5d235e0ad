"""recording → trace → terminal: what `trace`, `events` and `spans` would have shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from kubectl_spy.cli.run.ending import conclude
from kubectl_spy.cli.run.recorded import (
    announcement,
    check_damages,
    only_live,
    opened,
    tell_damages,
    wait_until,
    wanted_of,
)
from kubectl_spy.cli.run.recorded_wait import RecordedWait
from kubectl_spy.cli.run.request import EventFormat, SpanFormat, TraceFormat
from kubectl_spy.cli.views.events import Eventing
from kubectl_spy.cli.views.spans import Spanning
from kubectl_spy.cli.views.tree import Tracing
from kubectl_spy.core.awaiting.awaiting import Verdict
from kubectl_spy.core.event_log import EventLog
from kubectl_spy.core.record import ChangeRecord, seconds
from kubectl_spy.core.trace.trace import Trace, asked_for
from kubectl_spy.errors import SpyError
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording

Replayed = Tracing | Eventing | Spanning


def retrace(flags: Mapping[str, Any], wanted: TraceFormat, terminal: Terminal) -> None:
    """Show the trace that click's *flags* ask for, from a recording.

    Raises:
        SpyError: there is no such recording, it is damaged, or what belongs to its
            objects is not in it.
        TimedOut: --timeout is over.
    """
    wanted = replace(wanted, live=False)
    if flags["speed"] is None and wanted.output == "text":
        wanted = replace(wanted, output="lines")
    _replay(flags, lambda trace, _: Tracing(wanted, trace, terminal), terminal)


def relate(flags: Mapping[str, Any], wanted: EventFormat, terminal: Terminal) -> None:
    """Print the Events that click's *flags* ask for, from a recording.

    Raises:
        SpyError, TimedOut: as for a trace.
    """
    wanted = replace(wanted, live=False)

    def show(trace: Trace, judge: Trace | None) -> Eventing:
        return Eventing(wanted, EventLog(trace), terminal, judge)

    _replay(flags, show, terminal)


def respan(flags: Mapping[str, Any], wanted: SpanFormat, terminal: Terminal) -> None:
    """Show the spans that click's *flags* ask for, from a recording.

    Raises:
        SpyError, TimedOut: as for a trace.
    """
    wanted = replace(wanted, live=False)
    _replay(flags, lambda trace, _: Spanning(wanted, trace, terminal), terminal)


def _replay(
    flags: Mapping[str, Any],
    show: Callable[[Trace, Trace | None], Replayed],
    terminal: Terminal,
) -> None:
    only_live(flags)
    recording = opened(flags["source"], terminal)
    if recording.header and recording.header.get("owned") is not True:
        raise SpyError(
            f"{recording.name} does not hold what belongs to what was recorded",
            "record with --owned, or with trace --record",
        )
    declared = recording.declared
    among = wanted_of(flags["target"], flags["namespace"])
    asked = [each for each in declared if each.asked]
    is_asked = asked_for(asked)

    def is_root(record: ChangeRecord) -> bool:
        return record in among if flags["target"] else is_asked(record)

    roots = [] if flags["target"] else asked
    others = [each for each in declared if each not in roots]
    trace = Trace(roots, others, is_root)
    judge = Trace(roots, others, is_root) if flags["awaited"] else None
    showing = show(trace, judge)
    terminal.say(inert(announcement(recording, declared)))
    try:
        wait = None
        if flags["awaited"]:
            wait = RecordedWait(flags["awaited"], among, recording, showing)
        speed, timeout = flags.get("speed"), flags["timeout"]
        _run(recording, showing, wait, terminal, speed, timeout)
    finally:
        showing.close()
    among.check(recording.declared)
    if not trace.begun:
        what = " ".join(flags["target"]) or "what was asked for"
        raise SpyError(
            f"{inert(what)} is not in {recording.name}", "see what is, with verify"
        )


def _run(
    recording: Recording,
    showing: Replayed,
    wait: RecordedWait | None,
    terminal: Terminal,
    speed: float | None,
    timeout: float | None,
) -> None:
    started = time.monotonic()
    first: float | None = None
    told = 0
    verdict: Verdict | None = None
    for item in recording:
        told = tell_damages(recording, terminal, told)
        if speed is not None:
            first = item.time if first is None else first
            due = started + (item.time - first) / speed
            wait_until(due, started, timeout)
        terminal.write(showing.text(item, alone=False))
        terminal.write(showing.rest())
        if wait is not None and verdict is None:
            verdict = wait.observe(item)
        if verdict is not None and showing.known:
            break
    if verdict is None and recording.last:
        terminal.write(showing.quiet(seconds(recording.last)))
    half = showing.once and bool(showing.unlisted)
    terminal.write(showing.partly() if half else showing.last())
    if verdict is None:
        check_damages(recording, terminal, told)
    showing.say_unlisted()
    if wait is not None:
        conclude(verdict or wait.end(), terminal)
    if showing.once and (missing := showing.unlisted):
        raise SpyError(
            f"{recording.name} holds no list of {inert(missing)}",
            "it ended before they came; without --once that is a note",
        )
