"""Records of whole objects, live or recorded, to the text of one command."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Protocol

from kubectl_spy.cli.run.request import Format
from kubectl_spy.cli.views.judging import Judging
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.projection import Projection
from kubectl_spy.core.record import ChangeRecord, Item, Listed, Refused
from kubectl_spy.errors import UsageError
from kubectl_spy.render.machine import JsonPatchRenderer, JsonRenderer, YamlRenderer
from kubectl_spy.render.palette import PLAIN, coloured
from kubectl_spy.render.text import TextRenderer
from kubectl_spy.sinks.terminal import arrow_for, columns_of, wants_colour

if TYPE_CHECKING:
    from kubectl_spy.core.trace.trace import Trace


class Renderer(Protocol):
    """What turns records into text."""

    def render_record(self, record: ChangeRecord) -> str:
        """Return the text of one record; "" prints nothing."""

    def render_listed(self, selection: Selection, count: int, time: float) -> str:
        """Return what stands for a first list that held *count* objects."""


class Showing(Judging):
    """What a command shows of each record, and of each first list.

    *single* says that one object was asked for by its name: it is shown whole. *judge*
    is there for `--for` alone.

    Raises:
        UsageError: the output is for one object, and there may be several.
    """

    def __init__(
        self, wanted: Format, *, single: bool, judge: Trace | None = None
    ) -> None:
        super().__init__(judge)
        self._renderer = renderer_for(wanted.output, wanted.color, single=single)
        self._projection = Projection(wanted.view, watch_only=wanted.watch_only)
        self._lists = not wanted.watch_only

    def text(self, item: Item, *, alone: bool) -> str:
        """Return the text of *item*; *alone* says that there is one stream only."""
        self._judge(item)
        if isinstance(item, Refused):
            return ""
        if isinstance(item, Listed):
            if not self._lists or not (item.objects or alone):
                return ""
            if not item.selection.asked:
                return ""
            return self._renderer.render_listed(item.selection, item.objects, item.time)
        shown = self._projection.narrowed(item)
        return "" if shown is None else self._renderer.render_record(shown)

    def pass_over(self, item: Item) -> None:
        """Know of *item*, and show nothing of it."""
        self._judge(item)
        if isinstance(item, ChangeRecord):
            self._projection.narrowed(item)

    def renumber(self) -> None:
        """Number the records that follow from 1 again."""
        self._projection.renumber()


def renderer_for(output: str, color: str, *, single: bool) -> Renderer:
    """Return what renders *output*, one of text, json, yaml and jsonpatch."""
    if output == "json":
        return JsonRenderer()
    if output == "yaml":
        return YamlRenderer()
    if output == "jsonpatch":
        if not single:
            raise UsageError(
                "-o jsonpatch is for one object: its lines do not say whose they are",
                "name one, as in deploy/nginx, or use -o json",
            )
        return JsonPatchRenderer()
    return text_renderer(color, whole=single)


def text_renderer(color: str, *, whole: bool) -> TextRenderer:
    """Return what renders text as standard output can show it."""
    colourful = wants_colour(color, sys.stdout, os.environ)
    return TextRenderer(
        coloured() if colourful else PLAIN,
        zone=None,
        whole=whole,
        arrow=arrow_for(sys.stdout),
        columns=columns_of(sys.stdout),
    )
