"""The view of `blame`: who wrote each field of an object last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from kubectl_spy.cli.run.view import Scene, ViewSpec, palette_of, screen_width
from kubectl_spy.cli.views.patience import OwnedFormat, Patient
from kubectl_spy.core.changes.blame import Blame, leaves
from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.managers import CONTROLLERS
from kubectl_spy.core.changes.narrowing import WRITTEN
from kubectl_spy.core.changes.projection import Excerpt
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.blame import blame_lines
from kubectl_spy.render.machine import json_line
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.terms import option

_CHOSEN = Excerpt(status=False, only=(), ignore=(("status",),))


@dataclass(frozen=True, slots=True, kw_only=True)
class BlameFormat(OwnedFormat):
    """Which part of the objects to show."""

    excerpt: Excerpt
    chosen: bool  # whether a target or a selector chooses objects


def blame(wanted: BlameFormat) -> ViewSpec:
    """Return the view of `blame`."""
    return ViewSpec(
        make=lambda scene: BlameView(wanted, scene),
        everything=True,
        once=True,
        noise=True,
    )


class BlameView(Patient):
    """Prints objects as they are, with who wrote each field last."""

    def __init__(self, wanted: BlameFormat, scene: Scene) -> None:
        super().__init__(wanted, scene)
        self._wanted = wanted
        self._blames: dict[str, Blame] = {}
        self._earlier: defaultdict[str, list[EarlierWrite]] = defaultdict(list)
        self._last: dict[str, ChangeRecord] = {}
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
            self._last[item.identity] = item

    def flush(self, now: float) -> str:
        """Return the text of the objects, if they are all known."""
        return self.final() if self._live and self.ready and not self._ended else ""

    def final(self) -> str:
        """Return the text of the objects.

        Raises SpyError if they are gone; UsageError if nothing chose among several.
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
        if everything and len(self._blames) > 1:
            raise self._unnamed()
        if everything and not self._blames and self._live:
            raise UsageError("no target given", "there is no object in this namespace")
        return "".join(f"{line}\n" for line in self._lines())

    def _unnamed(self) -> UsageError:
        """Return the error that names what people wrote last, or what changed last."""
        edited, _, identity = max(
            (self._edited(each), self._last[each].time, each) for each in self._blames
        )
        one = self._last[identity]
        file = [] if self._recording is None else [self._recording.file]
        template = f"spy blame{' {}' * len(file)} {{}}"
        command = kubectl(template, *file, one.label, namespace=one.namespace)
        return UsageError(
            f"blame is about one object, and there are {len(self._blames):,}",
            f"{'what people wrote last' if edited else 'for example'}: {command}",
            code="several",
        )

    def _edited(self, identity: str) -> float:
        """Return when people last wrote an object outside of its status, or 0."""
        if self._last[identity].gvk.kind in WRITTEN:
            return 0.0
        return max(
            (
                leaf.write.time or 0.0
                for leaf in leaves(self._blames[identity].annotated(_CHOSEN))
                if not CONTROLLERS.issuperset(leaf.write.managers)
            ),
            default=0.0,
        )

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
