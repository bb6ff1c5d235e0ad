"""The view of `status` and `changes`: one record a version."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

from kubectl_spy.cli.run.view import ChangeFormat, Scene, View, ViewSpec, palette_of
from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.narrowing import CHURN, is_churn
from kubectl_spy.core.changes.projection import Projection
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item, Listed
from kubectl_spy.core.headlines.headlines import NO_HEADLINE, Headline, Headlines
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.wording import many
from kubectl_spy.errors import UsageError
from kubectl_spy.render.machine import JsonPatchRenderer, JsonRenderer, YamlRenderer
from kubectl_spy.render.text import TextRenderer
from kubectl_spy.sinks.terminal import StdoutClosed, arrow_for, columns_of
from kubectl_spy.terms import option

_FOR_PEOPLE = ("text", "short")


def change_records(shown: ChangeFormat) -> ViewSpec:
    """Return the view of `status` or `changes`."""
    return ViewSpec(
        make=lambda scene: ChangesView(_as_recorded(shown, scene), scene),
        shown=shown,
        everything=not shown.excerpt.status,
    )


def _as_recorded(shown: ChangeFormat, scene: Scene) -> ChangeFormat:
    """Return *shown* with the filters of the command that made the recording.

    `--only` and `--ignore` replace those of the recording.
    """
    header = scene.recording.header if scene.recording else {}
    excerpt = shown.excerpt
    if not (excerpt.only or excerpt.ignore):
        only, ignore = _pointers(header, "only"), _pointers(header, "ignore")
        excerpt = excerpt._replace(only=only, ignore=ignore)
    watch_only = shown.watch_only or header.get("watchOnly") is True
    return shown._replace(excerpt=excerpt, watch_only=watch_only)


def _pointers(header: Mapping[str, Any], name: str) -> tuple[pointer.Tokens, ...]:
    try:
        return tuple(pointer.parse(str(each)) for each in header.get(name) or ())
    except (ValueError, TypeError):
        return ()


class Renderer(Protocol):
    """Turns records into text."""

    def render_record(
        self, record: ChangeRecord, headline: Headline = NO_HEADLINE
    ) -> str:
        """Return the text of a record, which *headline* sums up. "" prints nothing."""

    def render_earlier(self, write: EarlierWrite) -> str:
        """Return the text of an earlier write."""

    def render_rest(self) -> str:
        """Return the text to print at the end."""

    def render_listed(self, selection: Selection, count: int, time: float) -> str:
        """Return the text of a first list of *count* objects."""


class ChangesView(View):
    """Shows each version: the first one whole, then patches. One named object is whole.

    Raises UsageError if the output is for one object, and there may be several.
    """

    def __init__(self, shown: ChangeFormat, scene: Scene) -> None:
        self._terminal = scene.terminal
        self._alone = scene.alone
        self._texts: list[str] = []
        self._renderer = renderer_for(shown, single=scene.single)
        pruned, people = shown.excerpt.pruned, shown.output in _FOR_PEOPLE
        self._skips_empty = pruned and people
        wanted = people and not (pruned or shown.full)
        self._headlines = Headlines() if wanted else None
        self._projection = Projection(
            shown.excerpt,
            watch_only=shown.watch_only,
            narrowing=shown.narrowing,
            keys=scene.keys,
        )
        self._lists = not shown.watch_only
        chosen = shown.narrowing or shown.excerpt.only or shown.full
        self._folds = scene.scope.everything and people and not chosen
        self._folded = 0
        self._namespace = scene.namespace

    def take(self, item: Item | Aside, *, shown: bool = True) -> None:
        if isinstance(item, ChangeRecord):
            self._take(item, shown=shown)
        elif isinstance(item, EarlierWrite) and shown:
            if found := self._projection.earlier(item):
                self._texts.append(self._renderer.render_earlier(found))
        elif isinstance(item, Listed) and shown:
            selection = item.selection
            some = item.objects or self._alone()
            if not (self._lists and selection.asked and some):
                return
            if self._namespace and selection.resource.namespaced:
                selection = selection._replace(namespace=self._namespace)
            listed = self._renderer.render_listed(selection, item.objects, item.time)
            self._texts.append(listed)

    def _take(self, record: ChangeRecord, *, shown: bool) -> None:
        headline = self._headlines.of(record) if self._headlines else NO_HEADLINE
        found = self._projection.narrowed(record, shown=shown)
        if found is None or (self._skips_empty and found.document == {}):
            return
        if self._folds and is_churn(found):
            self._folded += 1
            return
        self._texts.append(self._renderer.render_record(found, headline))

    def flush(self, now: float) -> str:
        text = "".join(self._texts)
        self._texts.clear()
        return text

    def close(self) -> None:
        """Print what is left, whatever ended the command."""
        with suppress(StdoutClosed):
            self._terminal.write(self._renderer.render_rest())
        if self._folded:
            what = f"{many(self._folded, 'change')} of {CHURN}"
            self._terminal.say(f"not shown: {what}; {option('--full')} shows them")


def renderer_for(shown: ChangeFormat, *, single: bool) -> Renderer:
    """Return the renderer of the output that *shown* names.

    Raises UsageError if it is jsonpatch, and there may be several objects.
    """
    if shown.output == "json":
        return JsonRenderer()
    if shown.output == "yaml":
        return YamlRenderer()
    if shown.output == "jsonpatch":
        if shown.narrowing:
            raise UsageError(
                "-o jsonpatch prints every version, so that its lines apply in order",
                "leave out --by and --grep, or use -o json",
            )
        if not single:
            raise UsageError(
                "-o jsonpatch is for one object: its lines do not say whose they are",
                "name one, as in deploy/nginx, or use -o json",
            )
        return JsonPatchRenderer()
    return text_renderer(
        shown.color,
        whole=single,
        short=shown.output == "short",
        full=shown.full or bool(shown.excerpt.only),
    )


def text_renderer(
    color: str, *, whole: bool, short: bool = False, full: bool = True
) -> TextRenderer:
    """Return the renderer of text for standard output."""
    return TextRenderer(
        palette_of(color),
        zone=None,
        whole=whole,
        short=short,
        full=full,
        arrow=arrow_for(sys.stdout),
        columns=columns_of(sys.stdout),
    )
