"""resolve → watch → history → patch → render → terminal, for one command."""

from __future__ import annotations

import gc
import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Protocol

from kubectl_spy.cli.abandonable import abandonable
from kubectl_spy.cli.first_lists import FirstLists, described
from kubectl_spy.cli.settings import Settings
from kubectl_spy.core.history import History
from kubectl_spy.core.masking import SecretMask
from kubectl_spy.core.objects import JSON, Selection, WatchEvent
from kubectl_spy.core.projection import Projection
from kubectl_spy.core.record import ChangeRecord
from kubectl_spy.errors import TimedOut, UsageError
from kubectl_spy.render.inert import inert
from kubectl_spy.render.machine import JsonPatchRenderer, JsonRenderer, YamlRenderer
from kubectl_spy.render.palette import PLAIN, coloured
from kubectl_spy.render.text import TextRenderer
from kubectl_spy.sinks.terminal import (
    StdoutClosed,
    Terminal,
    arrow_for,
    columns_of,
    wants_colour,
)
from kubectl_spy.sources.connection.connect import Connection, connect
from kubectl_spy.sources.resolution.resolve import Resolution, resolve
from kubectl_spy.sources.watching.transport import Mask
from kubectl_spy.sources.watching.watch import LiveWatch


class Renderer(Protocol):
    """What turns records into text."""

    def render_record(self, record: ChangeRecord) -> str:
        """Return the text of one record; "" prints nothing."""

    def render_listed(self, selection: Selection, count: int, time: float) -> str:
        """Return what stands for a first list that held *count* objects."""


def follow(settings: Settings, terminal: Terminal) -> None:
    """Print how the targets change until something ends it.

    Raises:
        SpyError: what was asked for cannot be watched.
        TimedOut: --timeout is over.
        StdoutClosed: nobody reads any more.
    """
    started = monotonic()
    connection, resolution = abandonable(
        lambda: _connect(settings, terminal), settings.timeout
    )
    for note in resolution.notes:
        terminal.say(f"note: {inert(note)}")
    selections = resolution.selections
    renderer = _renderer(settings, selections)
    if settings.output != "text":
        terminal.write_utf8()
    _announce(connection, selections, terminal)
    _hint_at_status(settings, selections, terminal)
    source = LiveWatch(
        connection,
        selections,
        renew=connection.renew,
        mask=_mask(settings),
        say=_safely(terminal),
    )
    if settings.timeout is not None:
        left = max(started + settings.timeout - monotonic(), 0)
        alarm = threading.Timer(left, source.interrupt, [TimedOut()])
        alarm.daemon = True
        alarm.start()
    terminal.on_closed(lambda: source.interrupt(StdoutClosed()))
    history = History(noise=settings.noise)
    projection = Projection(settings.view, watch_only=settings.watch_only)
    # What was imported stays for good: not to be looked through for garbage again.
    # Documents hold no cycles either: once for many of them is often enough.
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    gc.enable()
    try:
        _fold(
            source,
            history,
            projection,
            renderer,
            selections,
            terminal,
            watch_only=settings.watch_only,
        )
    finally:
        source.close()


def _connect(settings: Settings, terminal: Terminal) -> tuple[Connection, Resolution]:
    connection = connect(settings.connection, environ=os.environ, say=_safely(terminal))
    return connection, resolve(
        connection,
        settings.targets,
        namespace=settings.connection.namespace,
        all_namespaces=settings.all_namespaces,
        label_selector=settings.label_selector,
        field_selector=settings.field_selector,
    )


def _fold(
    source: Iterable[list[WatchEvent]],
    history: History,
    projection: Projection,
    renderer: Renderer,
    selections: Sequence[Selection],
    terminal: Terminal,
    *,
    watch_only: bool,
) -> None:
    """Everything behind the queue: one thread, one event after the other."""
    lists = FirstLists(selections)
    for events in source:
        texts: list[str] = []
        for event in events:
            shown = projection.project(history.observe(event))
            texts += map(renderer.render_record, shown)
            if lists.complete:
                continue
            count = lists.observe(event)
            if count is None:
                continue
            if (count or len(selections) == 1) and not watch_only:
                listed = renderer.render_listed(event.selection, count, event.time)
                texts.append(listed)
            if not count and (line := lists.waiting(event.selection)):
                terminal.say(line)
        terminal.write("".join(texts))


def _renderer(settings: Settings, selections: Sequence[Selection]) -> Renderer:
    single = len(selections) == 1 and selections[0].name is not None
    if settings.output == "json":
        return JsonRenderer()
    if settings.output == "yaml":
        return YamlRenderer()
    if settings.output == "jsonpatch":
        if not single:
            raise UsageError(
                "-o jsonpatch is for one object: its lines do not say whose they are",
                "name one, as in deploy/nginx, or use -o json",
            )
        return JsonPatchRenderer()
    colourful = wants_colour(settings.color, sys.stdout, os.environ)
    return TextRenderer(
        coloured() if colourful else PLAIN,
        zone=None,
        whole=single,
        arrow=arrow_for(sys.stdout),
        columns=columns_of(sys.stdout),
    )


def _announce(
    connection: Connection, selections: Sequence[Selection], terminal: Terminal
) -> None:
    """Say what is watched where: the wrong context is the dearest mistake."""
    what = ", ".join(described(selection) for selection in selections[:5])
    if len(selections) > 5:
        what += f" and {len(selections) - 5} more"
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
    if not settings.view.status:
        return
    for resource in dict.fromkeys(selection.resource for selection in selections):
        if not resource.has_status:
            terminal.say(
                f"note: {resource.group_resource} have no status; "
                f"try: kubectl spy changes {resource.plural}"
            )


def _safely(terminal: Terminal) -> Callable[[str], None]:
    """Return `say` for lines that hold what a server sent."""
    return lambda line: terminal.say(inert(line))


def _mask(settings: Settings) -> Mask:
    return _unmasked if settings.show_secrets else SecretMask(secrets.token_bytes(32))


def _unmasked(document: dict[str, JSON]) -> dict[str, JSON]:
    return document
