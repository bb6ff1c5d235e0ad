"""The view of `trace`: a tree, lines or states."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace

from kubectl_spy.cli.run.view import Scene, ViewSpec, palette_of, screen_width
from kubectl_spy.cli.views.patience import OwnedFormat, Patient, owned_view
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item, Logged
from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.diagnosis.services.probes import targets
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.core.trace.narration import Narration
from kubectl_spy.core.trace.picture import Node, Picture, failed_in
from kubectl_spy.core.trace.transitions import transitions
from kubectl_spy.core.wording import in_brief, many
from kubectl_spy.errors import SpyError
from kubectl_spy.render.denials import Denial, denied, not_well
from kubectl_spy.render.inert import inert
from kubectl_spy.render.machine import json_line
from kubectl_spy.render.tracing.lines import LineRenderer
from kubectl_spy.render.tracing.parts import Parts
from kubectl_spy.render.tracing.picture_json import picture_json
from kubectl_spy.render.tracing.tree import TreeRenderer
from kubectl_spy.sinks.terminal import StdoutClosed, arrow_for, columns_of
from kubectl_spy.sources.probing import Probing

_REDRAW = 0.1  # the shortest time between two drawings, in seconds
_LAG = 1.0  # seconds to wait for late records, so that earlier changes come first


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeFormat(OwnedFormat):
    """How to show what an object and all it owns is doing."""

    full: bool = False  # whether lines tell every transition
    probe: bool = False  # whether to ask Services for an answer
    logs: bool = True  # whether to show logs of failed containers; not in JSON


def tree(wanted: TreeFormat) -> ViewSpec:
    """Return the view of `trace`."""
    logs = wanted.logs and wanted.output != "json"
    wanted = replace(wanted, logs=logs)
    spec = owned_view(TreeView, wanted, explains=True, traces=True)
    return spec._replace(logs=logs)


class TreeView(Patient):
    """Shows a tree of objects. It ends when nothing more can happen."""

    def __init__(self, wanted: TreeFormat, scene: Scene) -> None:
        super().__init__(wanted, scene)
        assert scene.trace is not None
        trace = scene.trace
        if wanted.output == "text" and not scene.live:
            wanted = replace(wanted, output="lines")
        terminal = scene.terminal
        self._wanted = wanted
        self._trace = trace
        self._logs = scene.logs
        self._probing: Probing | None = None
        if wanted.probe and scene.probe is not None:
            self._probing = Probing(scene.probe)
        unicode = arrow_for(sys.stdout) == "→"
        parts = Parts(
            palette_of(wanted.color),
            namespace=trace.scope.namespace,
            unicode=unicode,
            full=wanted.full,
        )
        self._parts = parts
        self._trees = TreeRenderer(parts, unicode=unicode, full=wanted.full)
        self._lines = LineRenderer(parts, zone=None, columns=columns_of(sys.stdout))
        self._draws = wanted.output == "text" and terminal.draws and not wanted.once
        in_lines = not (self._draws or wanted.once or wanted.output == "json")
        self._narration = Narration() if in_lines and not wanted.full else None
        self._from = scene.since
        self._drawn = self._until = 0.0
        self._text = ""
        self._last: Picture | None = None
        self._found = scene.live  # whether there was anything to judge
        self._settled = False  # whether every Service was asked once

    def take(self, item: Item | Aside, *, shown: bool = True) -> None:
        if isinstance(item, Logged):
            if self._wanted.logs:
                self._trace.log(item)
            return
        news = "" if self._wanted.once else self._passed(item.time)
        if not self._found and isinstance(item, ChangeRecord):
            self._found = self._scope.is_root(item)
        with self._defer_signals:
            self._trace.observe(item)
        if isinstance(item, ChangeRecord) and item.of_stream:
            self._say_missed(item)
        news += self._noticed()
        self._text += news if shown else ""

    def _passed(self, until: float) -> str:
        """Advance the time without a record. Return the text to print.

        What depends on time alone happens when it is due, live and recorded.
        """
        news = ""
        while self._trace.pass_time(until):
            news += self._noticed()
        return news

    def _noticed(self) -> str:
        if not self._trace.is_due:
            return ""
        if self._wanted.once:
            if self._trace.failing is not None and not self._live:
                self._trace.look()
            return ""
        if self._draws:
            if self._known:
                self._trace.picture()  # or a short phase goes unnoticed
            return ""
        return self._news()

    def flush(self, now: float) -> str:
        text, self._text, self._until = self._text, "", now
        if self._probing is not None and self._trace.scope.coverage.complete:
            self._probe(self._probing)
        if self._logs is not None and (self._last or self._scope.coverage.complete):
            picture = self._last or self._trace.picture()
            self._logs.read(failed_in(picture, self._trace.seen))
        if not self._known:
            return text
        if self._wanted.once:
            return self._whole() if self._live else text
        text += self._passed(now - _LAG if self._live else now)
        if not self._draws:
            return text + (self._news() if self._live or self._trace.is_due else "")
        drawn = time.monotonic()
        if drawn - self._drawn >= _REDRAW:
            self._drawn = drawn
            self._draw()
        return ""

    def _draw(self, *, last: bool = False) -> None:
        picture = self._last = self._trace.picture()
        at = self._now(picture)
        reasons, rest = self._trace.reasons(picture), self._rest(picture)
        self._terminal.redraw(
            lambda height, width: [
                *self._trees.tree(
                    picture,
                    at,
                    reasons,
                    height=height - len(rest),
                    width=width,
                    last=last,
                ),
                *rest,
            ]
        )

    @property
    def finished(self) -> bool:
        """Whether nothing more can happen. Raises SpyError after a failure."""
        picture = self._last
        if picture is None or not self._has_logs:
            return False
        if self._wanted.once:
            return True
        if self._trace.ended:
            what = " and ".join(_named(root) for root in picture.roots)
            self._terminal.say(f"{what or 'all of it'} is gone")
            return True
        if self._trace.scope.everything or not picture.roots:
            return False
        if not all(root.final for root in picture.roots):
            return False
        for root in picture.roots:
            if root.verdict is Verdict.FAILING:
                raise SpyError(f"{_named(root)} has failed", inert(root.summary))
        return True

    def close(self) -> None:
        """Leave the last tree on the terminal, as high as the terminal."""
        super().close()
        if self._probing is not None:
            self._probing.close()
        if self._narration is not None and self._last is not None:
            rest = self._narration.rest()
            lines = (self._lines.text(each) for each in rest if each.time >= self._from)
            tree = self._whole()
            with suppress(StdoutClosed):
                self._terminal.write("".join(lines) + (tree and f"\n{tree}"))
        if self._draws and self._last is not None:
            with suppress(StdoutClosed):
                self._draw(last=True)
            self._terminal.leave()

    def final(self) -> str:
        self._say_unlisted()
        if self._wanted.once and not self._live:
            self._trace.picture()  # asks for the times that it depends on
            self._passed(self._until)
        if self._last is None or self._wanted.once:
            self._narration = None  # or `close` prints it again
            return self._whole()
        if self._narration is not None or self._draws:
            return ""  # `close` prints it
        in_lines = self._wanted.output != "json" and self._terminal.draws
        return f"\n{self._whole()}" if in_lines else ""

    def _now(self, picture: Picture) -> float:
        return max(time.time() if self._live else self._until, picture.time)

    @property
    def ready(self) -> bool:
        return self._known and self._has_logs

    @property
    def _known(self) -> bool:
        """Whether the lists are complete, or the wait for them is over."""
        if self._last is not None:
            return True
        begins = self._begins(self._trace.seen.time)
        if not begins or not self._wanted.once:
            return begins
        return (self._settled or self._probing is None) and self._has_logs

    @property
    def _has_logs(self) -> bool:
        """Whether no log is being read: a log may tell why a container failed."""
        return self._logs is None or self._logs.settled

    def _probe(self, probing: Probing) -> None:
        seen = self._trace.seen
        services = {
            node.uid: entry
            for node in self._trace.picture().all()
            if (node.gvk.group, node.gvk.kind) == ("", "Service")
            and (entry := seen.entry(node.uid))
        }
        probing.aim(
            tuple(each for entry in services.values() for each in targets(entry, seen))
        )
        for answer in probing.answers():
            self._trace.observe(answer)
        self._settled = probing.settled

    def _whole(self) -> str:
        picture = self._last = self._trace.picture()
        if self._wanted.output == "json":
            if self._live:  # what is remembered may be an hour old
                picture = picture._replace(time=self._now(picture))
            return json_line(picture_json(picture, self._scope.coverage))
        now, reasons = self._now(picture), self._trace.reasons(picture)
        lines = self._trees.scrolled(picture, now, reasons, width=screen_width())
        return "".join(f"{line}\n" for line in (*lines, *self._rest(picture)))

    def _rest(self, picture: Picture) -> list[str]:
        """Return the lines below failing roots: what else fails, what is not judged."""
        chosen = self._trace.failing
        if chosen is None:
            return []
        lines = []
        if picture.more:
            also = many(picture.more, "more object")
            lines = [f"{also} failing: {kubectl('spy summary --full')} counts all"]
        waiting = [root for root in picture.roots if root.uid in chosen.unwell]
        if self._found and len(waiting) == len(picture.roots):
            coverage = self._scope.coverage
            nothing = denied(Denial.FAILING, coverage, 0.0, self._now(picture))
            lines = [nothing + not_well(len(waiting))]
        if kinds := chosen.unjudged:
            are = "kind is" if len(kinds) == 1 else "kinds are"
            lines.append(f"{len(kinds)} {are} not judged: {in_brief(kinds)}")
        return [self._parts.faint(inert(each)) for each in lines]

    def _news(self) -> str:
        if not self._known:
            return ""
        before, picture = self._last, self._trace.picture()
        self._last = picture
        if self._wanted.output == "json":
            same = before is not None and before.roots == picture.roots
            return (
                "" if same else json_line(picture_json(picture, self._scope.coverage))
            )
        if self._narration is not None:
            news = self._narration.observe(picture, self._now(picture))
            news = [each for each in news if each.time >= self._from]
            return "".join(map(self._lines.text, news))
        return "".join(map(self._lines.line, transitions(before, picture)))


def _named(node: Node) -> str:
    return inert(node.label)
