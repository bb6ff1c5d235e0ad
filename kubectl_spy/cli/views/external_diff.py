"""Compare what `kubectl diff` compares: `diff DIRECTORY DIRECTORY`."""

from __future__ import annotations

import os
from collections.abc import Sequence

from kubectl_spy.cli.run.view import palette_of
from kubectl_spy.cli.views.change_records import text_renderer
from kubectl_spy.cli.views.difference import DiffFormat, print_array, steps_between
from kubectl_spy.core.changes.masking import DEFAULTS, Mask, Redaction, SecretMask
from kubectl_spy.core.changes.projection import without_noise
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.fields import text
from kubectl_spy.core.headlines.headlines import Headlines
from kubectl_spy.core.objects import GroupVersionKind, Resource, Selection
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.patch.same_value import without_same_values
from kubectl_spy.errors import UsageError
from kubectl_spy.render.inert import inert
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.text import folded, written_differently
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.kubectl_diff import Object, objects_in

_Pair = tuple[Object | None, Object | None]


def print_external(names: Sequence[str], shown: DiffFormat, terminal: Terminal) -> bool:
    """Print how the objects in two directories differ. Return whether they do.

    Raises SpyError if one cannot be read.
    """
    before, after = map(objects_in, names)
    pairs = [(before.get(each), after.get(each)) for each in {**before, **after}]
    if shown.output != "text" and len(pairs) > 1:
        raise UsageError(
            f"-o {shown.output} is for one object, and these are {len(pairs)}",
            "leave out -o",
        )
    key = os.urandom(32)
    mask = Redaction(DEFAULTS, key, SecretMask(key))
    printer = _Printer(shown, terminal)
    return sum(printer.differs(_masked(mask, pair)) for pair in pairs) > 0


def _kind_of(document: Object) -> GroupVersionKind:
    group, _, version = text(document, "apiVersion").rpartition("/")
    return GroupVersionKind(group, version, text(document, "kind"))


def _masked(mask: Mask, pair: _Pair) -> _Pair:
    """Return both objects masked, without what the API server adds to each version."""

    def masked(document: Object) -> Object:
        return without_noise(mask(document, _resource(document)))

    before, after = pair
    return before and masked(before), after and masked(after)


def _resource(document: Object) -> Resource:
    """Return its type, as far as the object tells."""
    kind = _kind_of(document)
    singular = kind.kind.lower()
    return Resource(kind, f"{singular}s", singular, namespaced=True)


class _Printer:
    def __init__(self, shown: DiffFormat, terminal: Terminal) -> None:
        self._shown = shown
        self._terminal = terminal
        self._full = shown.full or shown.semantic
        self._palette: Palette = palette_of(shown.color)
        self._renderer = text_renderer(shown.color, whole=shown.full, full=self._full)

    def differs(self, pair: _Pair) -> bool:
        """Print how two objects differ. Return whether they do."""
        excerpt, output = self._shown.excerpt, self._shown.output
        before, after = (each and excerpt.document(each) for each in pair)
        patch = steps_between(before, after, semantic=self._shown.semantic)
        if output != "text":
            print_array(output, patch, self._terminal)
        elif patch:
            self._print(pair, _record(pair, patch))
        return bool(patch)

    def _print(self, pair: _Pair, record: ChangeRecord) -> None:
        before, after = pair
        paint, palette = self._palette.paint, self._palette
        what = inert(record.label)
        if record.namespace:
            what += f" -n {inert(record.namespace)}"
        if before is None or after is None:
            sign, style = ("+", palette.good) if after else ("-", palette.bad)
            self._say(paint(style, f"{sign} {what}"))
            self._say(*(self._renderer.body(record, ()) if after else []))
            return
        alike: dict[str, int] = {}
        if not self._shown.full:
            steps, alike = without_same_values(record.patch, record.gvk)
            record = record._replace(patch=tuple(steps))
        headlines = Headlines()
        headlines.of(record._replace(document=before, type=ChangeType.ADDED))
        headline = headlines.of(record)
        patch, note = (record.patch, "") if self._full else folded(record, headline)
        words = f"  {inert(str(headline))}" if headline else ""
        self._say(f"{paint(palette.change, '~')} {paint(palette.name, what)}{words}")
        self._say(*self._renderer.body(record, patch))
        if note := "; ".join(filter(None, (note, written_differently(alike)))):
            self._say(f"  {paint(palette.faint, f'… {note} (--full)')}")

    def _say(self, *lines: str) -> None:
        self._terminal.write("".join(f"{line}\n" for line in lines))


def _record(pair: _Pair, patch: Sequence[PatchOperation]) -> ChangeRecord:
    before, after = pair
    document = after or before or {}
    kind = ChangeType.MODIFIED
    if before is None or after is None:
        kind = ChangeType.ADDED if after else ChangeType.DELETED
    metadata = document["metadata"]
    return ChangeRecord(
        seq=0,
        time=0.0,
        type=kind,
        selection=Selection(_resource(document)),
        gvk=_kind_of(document),
        namespace=text(metadata, "namespace") or None,
        name=text(metadata, "name"),
        document=document,
        patch=tuple(patch),
    )
