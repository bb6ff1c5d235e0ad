"""The view of `spans`: bars, or JSON; also to a collector, and as a page."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubectl_spy.cli.run.view import Scene, ViewSpec, palette_of
from kubectl_spy.cli.views.patience import OwnedFormat, Patient, owned_view
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item, Refused
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError, Terminated
from kubectl_spy.extras.spans.drawing.gantt import Gantt
from kubectl_spy.extras.spans.model.span import Span, span_json
from kubectl_spy.extras.spans.model.span_log import SpanLog
from kubectl_spy.render.machine import json_line
from kubectl_spy.sinks.terminal import StdoutClosed, Terminal, arrow_for

if TYPE_CHECKING:
    from kubectl_spy.extras.otel.exporter import Exporter
    from kubectl_spy.extras.spans.encoding import Encoding

_PAUSE = 0.25  # the shortest time between two looks at all spans, in seconds
_WIDTH = 100  # columns in a pipe without COLUMNS
_KEPT = 1_000  # the most gone objects whose spans are kept for the end
_TOLD = 100  # the same limit if each span is printed when it ends
_LIVE, _RECORDED = 2.0, 10.0  # seconds to wait for a collector at the end
STDOUT = "-"
"""As the file of the page: print it instead of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanFormat(OwnedFormat):
    """How to show spans, and where to send them."""

    otlp: str | None = None  # The collector. "" is the one in OTEL_EXPORTER_OTLP_*.
    html: str | None = None  # the file that gets a page of the spans at the end
    full: bool = False  # whether text has a row for every span


def spans(wanted: SpanFormat) -> ViewSpec:
    """Return the view of `spans`."""
    return owned_view(SpansView, wanted)


class SpansView(Patient):
    """Shows what each change led to.

    Raises UsageError if the spans cannot go to their collector or file.
    """

    def __init__(self, wanted: SpanFormat, scene: Scene) -> None:
        super().__init__(wanted, scene)
        scope = scene.scope
        terminal = scene.terminal
        self._outlets = SpanOutlets(wanted, terminal, live=scene.live)
        self._wanted = wanted
        self._tells = wanted.output == "json" or wanted.otlp is not None
        # A recording is finite, so all its spans can be kept.
        self._shows_all = wanted.output != "json"
        keep: int | None = _TOLD
        if self._shows_all:
            keep = _KEPT if scene.live else None
        self._log = SpanLog(scope, emits=self._tells, keep=keep)
        self._gantt = Gantt(
            palette_of(wanted.color),
            namespace=scope.namespace,
            zone=None,
            unicode=arrow_for(sys.stdout) == "→",
            full=wanted.full,
        )
        text = wanted.output == "text"
        self._draws = text and scene.live and terminal.draws and not wanted.once
        self._from = scene.since
        self._looked = 0.0
        self._begun = False
        self._ended = False  # whether everything was printed
        self._closed = False

    def take(self, item: Item | Aside, *, shown: bool = True) -> None:
        """Take in *item*. Spans are printed when they end."""
        if isinstance(item, Aside):
            return
        with self._defer_signals:
            self._log.observe(item)
        if isinstance(item, ChangeRecord) and item.of_stream:
            self._say_missed(item)
        elif isinstance(item, Refused) and not self._scope.everything:
            self._terminal.say(f"note: {item.message}: going on without")

    def flush(self, now: float) -> str:
        """Draw the spans, or return those that have ended as lines of JSON."""
        if not self.ready:
            return ""
        self._begun = True
        if self._wanted.once:
            return self._whole() if self._live else ""
        if self._live:
            if time.monotonic() - self._looked < _PAUSE:
                return ""
            self._looked = time.monotonic()
        if self._draws:
            self._terminal.redraw(self._lines)
        return self._told(self._log.finished(self._now)) if self._tells else ""

    def _shown(self, spans: list[Span]) -> list[Span]:
        since = self._from
        return [each for each in spans if each.end is None or each.end >= since]

    def _told(self, spans: list[Span]) -> str:
        """Send *spans*. Return their lines of JSON, if that is the output.

        A collector gets no second revision, because it would keep both.
        """
        spans = self._shown(spans)
        self._outlets.send([span for span in spans if span.revision == 1], self._now)
        if self._wanted.output != "json":
            return ""
        return "".join(json_line(span_json(each)) for each in spans)

    def final(self) -> str:
        """Return what is left. Bars that may still change are drawn, and not sent."""
        self._say_unlisted()
        if not self._lacking:
            return self._whole()
        if self._wanted.output == "json":
            return ""
        return "".join(f"{line}\n" for line in self._lines())

    def _whole(self) -> str:
        if self._ended:
            return ""
        self._begun = self._ended = True
        if self._wanted.output == "json":
            return self._told(self._log.flush(self._now))
        return "".join(f"{line}\n" for line in self._lines())

    @property
    def finished(self) -> bool:
        return self._wanted.once and self._ended

    @property
    def ready(self) -> bool:
        return self._begun or self._begins(self._log.time)

    def close(self) -> None:
        """Print, send and write the spans, whatever ended the command."""
        super().close()
        try:
            if self._begun and self._draws:
                with suppress(StdoutClosed):
                    self._terminal.redraw(self._lines)
                self._terminal.leave()
            elif self._begun:
                with suppress(StdoutClosed):  # the command is ending for that reason
                    self._terminal.write(self._whole())
        finally:  # if standard output fails, the page is still written
            if not self._closed:
                self._closed = True
                try:
                    self._leave_behind()
                except (KeyboardInterrupt, Terminated):  # a second signal
                    self._outlets.report_dropped()
                    raise

    def _leave_behind(self) -> None:
        """Send and write the rest, unless first lists are missing.

        An incomplete trace would look complete, and a collector would keep it.
        """
        now = self._now
        if not self._begun:
            left = self._wanted.html is not None or self._wanted.otlp is not None
            explained = isinstance(sys.exc_info()[1], SpyError)
            if not self._scope.coverage.complete and (left or not explained):
                self._terminal.say("nothing was written: not all lists were read yet")
            self._outlets.close(None, now)
            return
        if self._tells:
            self._told(self._log.flush(now))
        if self._shows_all and self._log.objects_left_out:
            self._terminal.say(
                f"note: {many(self._log.objects_left_out, 'deleted object')} left out: "
                "the last 1,000 are kept"
            )
        if self._shows_all and self._log.spans_left_out:
            self._terminal.say(
                f"note: {many(self._log.spans_left_out, 'span')} of older traces left "
                "out: the latest are kept"
            )
        self._outlets.close(self._shown(self._log.spans(now)), now)

    @property
    def _now(self) -> float:
        if self._live:
            return max(time.time(), self._log.time)
        return self._log.time

    def _lines(self, height: int = 0, width: int = 0) -> list[str]:
        if self._wanted.output == "html":  # comes at the end
            return []
        if not width:
            width = shutil.get_terminal_size((_WIDTH, 24)).columns
        now = self._now
        spans = self._shown(self._log.spans(now))
        return self._gantt.lines(spans, now, width=width, height=height)


# Where spans go besides standard output: a collector, and a page.


def open_span_exporter(
    url: str, *, say: Callable[[str], None], environ: Mapping[str, str]
) -> Exporter[Span]:
    """Return an exporter of spans to *url*, as `open_exporter` does."""
    from kubectl_spy.extras.otel.exporter import open_exporter
    from kubectl_spy.extras.otel.otel_env import TRACES

    def encoding() -> Encoding:
        from kubectl_spy.extras.spans.encoding import Encoding

        return Encoding()

    return open_exporter(url, TRACES, encoding, say=say, environ=environ)


class SpanOutlets:
    """Sends spans when they end, and writes a page of all spans at the end.

    Raises UsageError if the collector's URL or the file cannot be used.
    """

    def __init__(self, wanted: SpanFormat, terminal: Terminal, *, live: bool) -> None:
        self._wanted = wanted
        self._live = live
        self._terminal = terminal
        self._exporter = None
        self._written = wanted.html in (None, STDOUT)
        if wanted.html is not None and not self._written:
            # Not after hours of watching.
            from kubectl_spy.private_files import check_private

            check_private(Path(wanted.html))
        if wanted.otlp is not None:
            # Who sends none need not wait for OpenTelemetry.
            from kubectl_spy.extras.otel.otel_env import disabled

            if disabled(os.environ):
                terminal.say("OTEL_SDK_DISABLED is true: no spans are sent")
                return
            self._exporter = open_span_exporter(
                wanted.otlp, say=terminal.say, environ=os.environ
            )
            terminal.say(f"sending spans to {self._exporter.url}")

    def send(self, spans: Sequence[Span], now: float) -> None:
        """Send *spans*. An unfinished one is sent as if it ended *now*."""
        if self._exporter is not None:
            self._exporter.send(spans, until=now)

    def close(self, spans: Sequence[Span] | None, now: float) -> None:
        """Write the page of all *spans*, and wait a while for the collector.

        *spans* is None if not everything is known. Then no page is written.

        Raises SpyError if the file cannot be written. During another SpyError it says
        so instead, and that other error sets the exit code. Raises Exit if spans were
        not delivered, and there is no other error.
        """
        coming = sys.exc_info()[1]
        try:
            if self._wanted.html is not None and spans is not None:
                self._write_page(self._wanted.html, spans, now)
        except SpyError as error:
            if not isinstance(coming, SpyError):
                raise
            self._terminal.say(f"error: {error}")
        finally:
            lost = 0
            if self._exporter is not None:
                lost = self._exporter.close(_LIVE if self._live else _RECORDED)
        if lost and coming is None:  # as the exporter has said
            raise click.exceptions.Exit(1)

    def report_dropped(self) -> None:
        """Say that the page was not written, if writing it was interrupted."""
        if not self._written:
            self._terminal.say(f"{self._wanted.html} was not written")

    def _write_page(self, file: str, spans: Sequence[Span], now: float) -> None:
        from kubectl_spy.extras.spans.page import page, subject
        from kubectl_spy.private_files import write_elsewhere, write_private

        title = " · ".join(filter(None, (subject(spans), "kubectl spy spans")))
        html = page(spans, title=title, generated=time.time(), until=now)
        if file == STDOUT:
            self._terminal.write_utf8()
            self._terminal.write(html)
            return
        try:
            write_private(Path(file), html)
            self._written = True
        except SpyError as error:  # of what was seen for hours there is no other copy
            other = write_elsewhere(html, suffix=".html")
            self._written = True  # or its error says that it is not
            remedy = f"the page is in {other} instead" if other else "the page is lost"
            raise SpyError(error.message, remedy) from None
        self._terminal.say(f"wrote {file}")
