"""Where spans go besides standard output: a collector, and a page."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubectl_spy.cli.views.patience import OwnedFormat
from kubectl_spy.errors import SpyError
from kubectl_spy.extras.spans.model.span import Span
from kubectl_spy.sinks.terminal import Terminal

if TYPE_CHECKING:
    from kubectl_spy.extras.otel.exporter import Exporter
    from kubectl_spy.extras.spans.encoding import Encoding

_LIVE, _RECORDED = 2.0, 10.0  # seconds to wait for a collector at the end


STDOUT = "-"
"""As the file of the page: print it instead of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanFormat(OwnedFormat):
    """How to show spans, and where to send them."""

    otlp: str | None = None  # The collector. "" is the one in OTEL_EXPORTER_OTLP_*.
    html: str | None = None  # the file that gets a page of the spans at the end
    full: bool = False  # whether text has a row for every span


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
