"""The view of `blame`: who wrote each field of an object last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from kubectl_spy.cli.run.view import Scene, ViewSpec
from kubectl_spy.cli.views.patience import OwnedFormat, Patient
from kubectl_spy.cli.views.screen import palette_of, screen_width
from kubectl_spy.core.changes.blame import Blame, leaves
from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.projection import Excerpt
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item
from kubectl_spy.errors import SpyError
from kubectl_spy.render.blame import blame_lines
from kubectl_spy.render.machine import json_line
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.sources.recording.states import several
from kubectl_spy.terms import option


@dataclass(frozen=True, slots=True, kw_only=True)
class BlameFormat(OwnedFormat):
    """Which part of the objects to show."""

    excerpt: Excerpt
    chosen: bool  # whether a target or a selector chooses objects


def blame(wanted: BlameFormat) -> ViewSpec:
    """Return the view of `blame`."""
    return ViewSpec(make=lambda scene: BlameView(wanted, scene), once=True, noise=True)


class BlameView(Patient):
    """Prints objects as they are, with who wrote each field last."""

    def __init__(self, wanted: BlameFormat, scene: Scene) -> None:
        super().__init__(wanted, scene)
        self._wanted = wanted
        self._blames: dict[str, Blame] = {}
        self._earlier: defaultdict[str, list[EarlierWrite]] = defaultdict(list)
        self._labels: dict[str, tuple[str, str | None]] = {}
        self._recording = scene.recording
        self._gone: ChangeRecord | None = None
        self._ended = False
        self._palette = palette_of(wanted.color)

    def take(self, item: Item | Aside, *, shown: bool = True) -> None:
        if isinstance(item, EarlierWrite):
            self._earlier[item.identity].append(item)
        if not isinstance(item, ChangeRecord):
            return
        if item.gone:
            self._blames.pop(item.identity, None)
            self._gone = item
        elif not item.of_stream:
            self._blames.setdefault(item.identity, Blame()).observe(item)
            self._labels[item.identity] = item.label, item.namespace

    def flush(self, now: float) -> str:
        """Return the text of the objects, if they are all known."""
        return self.final() if self._live and self.ready and not self._ended else ""

    def final(self) -> str:
        """Return the text of the objects.

        Raises SpyError if they are gone, or are all of a recording that has several.
        """
        self._say_unlisted()
        self._ended = True
        if not self._blames and self._gone is not None:
            when = " ".join(day_and_clock(self._gone.time))
            raise SpyError(
                f"{self._gone.label} is gone since {when}",
                f"choose a point before that with {option('--at')}",
                code="not-found",
            )
        everything = not self._wanted.chosen and self._wanted.output == "text"
        if self._recording is not None and everything and len(self._blames) > 1:
            one, other, *_ = map(self._labels.__getitem__, self._blames)
            raise several(self._recording, one, other)
        return "".join(f"{line}\n" for line in self._lines())

    @property
    def finished(self) -> bool:
        """Whether the objects were printed."""
        return self._ended

    @property
    def ready(self) -> bool:
        """Whether the first lists are complete."""
        return self._begins(0.0)

    def _lines(self) -> Iterator[str]:
        several = len(self._blames) > 1
        for number, (identity, each) in enumerate(self._blames.items()):
            for earlier in self._earlier[identity]:
                each.tell(earlier)
            annotated = each.annotated(self._wanted.excerpt)
            if self._wanted.output == "json":
                document = each.document
                about = {name: document.get(name) for name in ("apiVersion", "kind")}
                about |= {
                    name: document["metadata"].get(name)
                    for name in ("namespace", "name")
                }
                fields = [leaf.as_json() for leaf in leaves(annotated)]
                yield json_line({**about, "fields": fields}).removesuffix("\n")
                continue
            if several and number:
                yield "---"
            yield from blame_lines(annotated, self._palette, screen_width())
