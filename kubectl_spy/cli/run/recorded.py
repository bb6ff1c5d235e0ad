"""recording → projection → render → terminal: the same as live, from a file."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kubectl_spy.cli.run.ending import conclude
from kubectl_spy.cli.run.first_lists import described_together
from kubectl_spy.cli.run.points import extent, window_of
from kubectl_spy.cli.run.recorded_wait import RecordedWait
from kubectl_spy.cli.run.request import Format, format_of
from kubectl_spy.cli.views.change_records import Showing
from kubectl_spy.core import pointer
from kubectl_spy.core.awaiting.awaiting import Step
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.record import Listed
from kubectl_spy.core.view import View
from kubectl_spy.errors import SpyError, TimedOut, UsageError
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import local
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import STDIN, is_read_once
from kubectl_spy.sources.recording.wanted import Wanted
from kubectl_spy.sources.resolution.target import parse_targets
from kubectl_spy.sources.watching.clock import UNSEEN

_SILENCE = 1.0
"""Seconds after which it is said that nobody writes to a pipe."""
_TOGETHER = 1 << 16
"""Characters that are written at once where nothing has to wait for its time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing:
    """One run through a recording."""

    file: str
    wanted: Wanted
    status: bool | None
    """Which view; None is that of the command that recorded it."""
    flags: Mapping[str, Any]
    speed: float | None = None
    """Times as fast as it happened; None does not wait at all."""
    since: str | None = None
    """From which time on, and up to which."""
    until: str | None = None
    timeout: float | None = None
    awaited: tuple[Step, ...] = ()
    """What to wait for; it is an error if it does not come."""


def from_file(flags: Mapping[str, Any], *, status: bool) -> Playing:
    """Return what `status` or `changes` with `--from` is to do.

    Raises:
        UsageError: flags that only a cluster could answer.
    """
    only_live(flags)
    return Playing(
        file=flags["source"],
        wanted=wanted_of(flags["target"], flags["namespace"]),
        status=status,
        flags=flags,
        timeout=flags["timeout"],
        awaited=flags.get("awaited", ()),
    )


def only_live(flags: Mapping[str, Any]) -> None:
    """Check that none of click's *flags* is one that only a cluster could answer.

    Raises:
        UsageError: one is.
    """
    names = {
        "label_selector": "-l",
        "field_selector": "--field-selector",
        "show_secrets": "--show-secrets",
        "show_managed_fields": "--show-managed-fields",
        "record": "--record",
    }
    for name, flag in names.items():
        if flags.get(name):
            raise UsageError(
                f"{flag} and --from cannot be used together",
                "a recording holds what it holds",
            )


def wanted_of(words: tuple[str, ...], namespace: str | None) -> Wanted:
    """Return what *words*, which may be none, ask for."""
    specs = parse_targets(words, namespace=namespace) if words else ()
    return Wanted(specs, namespace)


def opened(name: str, terminal: Terminal) -> Recording:
    """Return the recording *name*; say so if nobody writes to that pipe.

    Raises:
        SpyError: it cannot be read, or is no recording.
    """
    if not is_read_once(name):
        return Recording(name)
    pipe = "standard input" if name == STDIN else inert(name)
    silence = threading.Timer(
        _SILENCE,
        terminal.say,
        [f"waiting for somebody to write to {pipe}; Ctrl-C ends"],
    )
    silence.daemon = True
    silence.start()
    try:
        return Recording(name)
    finally:
        silence.cancel()


def play(playing: Playing, terminal: Terminal) -> None:
    """Print what was recorded, as the live command printed it.

    Raises:
        SpyError: there is no such recording, or it is damaged.
        TimedOut: --timeout is over.
        WaitFailed: what is waited for does not come.
    """
    recording = opened(playing.file, terminal)
    wanted = playing.wanted
    wanted_format = _format(playing, recording.header)
    declared = recording.declared
    named = len(declared) == 1 and declared[0].name is not None
    judge = wait = None
    if playing.awaited:
        from kubectl_spy.core.awaiting.awaited import can_fail
        from kubectl_spy.core.trace.trace import Trace

        if can_fail(playing.awaited):
            judge = Trace(wanted.streams(declared), (), wanted.asks_for)
    showing = Showing(wanted_format, single=wanted.single or named, judge=judge)
    if playing.awaited:
        wait = RecordedWait(playing.awaited, wanted, recording, showing)
    if wanted_format.output != "text":
        terminal.write_utf8()
    terminal.say(inert(announcement(recording, declared)))
    since, until = window_of(playing.since, playing.until, recording, terminal)
    started = time.monotonic()
    first: float | None = None
    texts: list[str] = []
    length = told = 0
    begun = since is None
    empty = True
    for item in recording:
        told = tell_damages(recording, terminal, told)
        if until is not None and item.time > until:
            break
        if item not in wanted:
            continue
        if not begun and since is not None:
            begun = item.time >= since
            if not begun:
                showing.pass_over(item)
                continue
            showing.renumber()
        empty = False
        alone = type(item) is Listed and (
            wanted.single or len(recording.selections) == 1
        )
        text = showing.text(item, alone=alone)
        verdict = wait.observe(item) if wait is not None else None
        if playing.speed is not None and text:
            first = item.time if first is None else first
            due = started + (item.time - first) / playing.speed
            wait_until(due, started, playing.timeout)
            terminal.write(text)
        else:
            texts.append(text)
        if verdict is not None:
            terminal.write("".join(texts))
            conclude(verdict, terminal)
            return
        length += len(text)
        if length > _TOGETHER:
            terminal.write("".join(texts))
            texts, length = [], 0
    terminal.write("".join(texts))
    if empty and (playing.since or playing.until):
        terminal.say(inert(f"warning: nothing was recorded then: {extent(recording)}"))
    check_damages(recording, terminal, told)
    wanted.check(recording.declared)
    if wait is not None:
        conclude(wait.end(), terminal)


def tell_damages(recording: Recording, terminal: Terminal, told: int) -> int:
    """Say what was found damaged since *told* places; return how many are told of.

    A torn line is not: it may turn out not to be the last one.
    """
    for damage in recording.damages[told:]:
        if damage.torn:
            break
        terminal.say(inert(f"warning: {damage}"))
        told += 1
    return told


def check_damages(recording: Recording, terminal: Terminal, told: int = 0) -> None:
    """Check that a recording was read as it was written, its last line aside.

    Of that, and of what there is besides the *told* places, say so.

    Raises:
        SpyError: it was not.
    """
    for damage in recording.damages[told:]:
        terminal.say(inert(f"warning: {damage}"))
    bad = [damage for damage in recording.damages if not damage.torn]
    if bad:
        raise SpyError(
            f"{recording.name} is damaged, first at line {bad[0].line}",
            "what could not be read is missing, or shown as a GAP",
        )


def _format(playing: Playing, header: dict[str, Any]) -> Format:
    flags = playing.flags
    if playing.status is not None:
        return format_of(flags, status=playing.status)
    chosen = format_of({"watch_only": False, **flags}, status=False)
    if flags["only"] or flags["ignore"]:
        view = chosen.view
    else:
        view = View(only=_pointers(header, "only"), ignore=_pointers(header, "ignore"))
    return Format(
        view=View(
            status=header.get("command") == "status",
            only=view.only,
            ignore=view.ignore,
        ),
        output=chosen.output,
        color=chosen.color,
        watch_only=header.get("watchOnly") is True,
    )


def _pointers(header: dict[str, Any], name: str) -> tuple[pointer.Tokens, ...]:
    given = header.get(name)
    try:
        return tuple(pointer.parse(str(each)) for each in given or ())
    except (ValueError, TypeError):
        return ()


def announcement(recording: Recording, declared: list[Selection]) -> str:
    """Return what is said before *declared* is shown."""
    declared = [each for each in declared if each.asked] or declared
    what = described_together(declared)
    header = recording.header
    when = ""
    if header:
        moment = local(recording.began, None)
        when = f", recorded {moment:%Y-%m-%d %H:%M:%S}"
        if context := header.get("context"):
            when += f" (context {context})"
    return f"replaying {what}{when}"


def wait_until(due: float, started: float, timeout: float | None) -> None:
    """Return at *due*, by the monotonic clock.

    Raises:
        TimedOut: *timeout* seconds from *started* are over before.
    """
    end = None if timeout is None else started + timeout
    until = due if end is None else min(due, end)
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, UNSEEN))
    if end is not None and due > end:
        raise TimedOut
