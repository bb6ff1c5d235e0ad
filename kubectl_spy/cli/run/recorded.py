"""Run a command on a recording: what was recorded, as items."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from kubectl_spy.cli.run.first_lists import described_together
from kubectl_spy.cli.run.options import OfRecording, Options, check_awaited
from kubectl_spy.cli.run.play import play
from kubectl_spy.cli.run.reading import audit_of, opened, progress
from kubectl_spy.cli.run.recorded_items import RecordedItems
from kubectl_spy.cli.run.run_with_timeout import over_after
from kubectl_spy.cli.run.view import Scene, ViewSpec, trace_for
from kubectl_spy.cli.run.window import Window, window_at, window_of
from kubectl_spy.core.changes.points import Last, Moment
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.scope import Scope, asked_for
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.wording import many
from kubectl_spy.render.moments import local, offset
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.object_filter import ObjectFilter
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.resolution.target import parse_targets

_NAMED = 3  # selections that are named; more are counted


def replay(
    options: Options, asked: OfRecording, spec: ViewSpec, terminal: Terminal
) -> None:
    """Show what was recorded as the live command would have shown it.

    Raises SpyError if there is no such recording, it is damaged, or it does not hold
    what the view needs; TimedOut if --timeout is over; WaitFailed if what --for waits
    for does not come.
    """
    began, timeout = monotonic(), options.timeout
    with over_after(timeout):
        recording = opened(asked.file, terminal)
    recording.say = terminal.say
    declared = recording.declared
    wanted = wanted_of(options.words, options.namespace)
    if asked.at is None:
        window = window_of(asked.since, asked.until, recording, terminal)
    else:
        window = window_at(asked.at, recording, terminal)
    ends_by_time = isinstance(window.end, Last | Moment)  # not at a line of another
    if wanted.names and ends_by_time and not (spec.owned or spec.whole):
        recording.narrow_to(wanted.names)
    if not spec.bodies:
        recording.read_heads()
    scope = _scope(options, asked, spec, recording, wanted)
    check_awaited(options.awaited, everything=scope.everything)
    named = len(declared) == 1 and declared[0].name is not None
    scene = Scene(
        terminal=terminal,
        say=terminal.say,
        scope=scope,
        single=wanted.single or named,
        alone=lambda: (
            wanted.single or (len(recording.selections) == 1 and not wanted.names)
        ),
        trace=trace_for(options.awaited, spec, scope),
        keys=recording.keys,
        target=" ".join(options.words),
        namespace=options.namespace,
        recording=recording,
        since=window.since,
    )
    view = spec.make(scene)
    wait = None
    if options.awaited:
        from kubectl_spy.cli.run.waiting import Wait

        wait = Wait(
            *(options.awaited, declared, scene.trace),
            traces=spec.traces,
            once=spec.once,
            patient=spec.owned,
            asked=wanted.asked,
            concerns=wanted.asks_for,
        )
    if not spec.silent:
        terminal.say(announcement(recording, declared, window))
    left = None if timeout is None else max(began + timeout - monotonic(), 0)
    source = RecordedItems(options, asked, spec, scene, wanted, view, window, left)
    source.audit = audit_of(asked.audit, terminal)
    try:
        with progress(recording, terminal):
            play(source, view, wait, terminal)
    finally:
        view.close()


def _scope(
    options: Options,
    asked: OfRecording,
    spec: ViewSpec,
    recording: Recording,
    wanted: ObjectFilter,
) -> Scope:
    """Return the selections to show, and which records are of objects to show."""
    words, declared, header = options.words, recording.declared, recording.header
    roots = wanted.streams(declared)
    others: list[Selection] = []
    if spec.owned:
        roots = [] if words else [each for each in declared if each.asked]
        others = [each for each in declared if each not in roots]
    by_name = asked_for([] if words else roots)

    def is_root(record: ChangeRecord) -> bool:
        if words:
            wants = record in wanted
        else:
            wants = by_name(record) and options.namespace in (None, record.namespace)
        return wants and asked.selectors.match(record)

    types = any(each.asked and each.name is None for each in declared)
    targets = header.get("targets")
    unnamed = targets == [] or (spec.owned and not (header.get("owned") and targets))
    everything = types and unnamed and not words
    scope = Scope(roots, others, is_root, everything=everything)
    scope.namespace = options.namespace or scope.namespace
    return scope


def wanted_of(words: tuple[str, ...], namespace: str | None) -> ObjectFilter:
    """Return what *words*, which may be none, ask of a recording."""
    specs = parse_targets(words, namespace=namespace) if words else ()
    return ObjectFilter(specs, namespace)


def announcement(
    recording: Recording, declared: Sequence[Selection], window: Window
) -> str:
    """Return what is said before *declared* is shown."""
    declared = [each for each in declared if each.asked] or declared
    when = ""
    if recording.header:
        moment = local(recording.began)
        when = f", recorded {moment:%Y-%m-%d %H:%M:%S}{offset(recording.began)}"
        if context := recording.header.get("context"):
            when += f" (context {context})"
    what = described_together(declared)
    if len(declared) > _NAMED:
        what = many(len({each.resource for each in declared}), "type")
    return f"replaying {what}{when}{window}"
