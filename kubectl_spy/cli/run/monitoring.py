"""What a recorder reports of itself: /metrics, /livez and /readyz. docs/at-scale.md."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kubectl_spy import __version__
from kubectl_spy.core.changes.record import ChangeType
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.wording import in_brief
from kubectl_spy.render.inert import inert

if TYPE_CHECKING:
    from kubectl_spy.cli.run.sending import Sent
    from kubectl_spy.sinks.http_pages import Page
    from kubectl_spy.sinks.recorder import Recorder
    from kubectl_spy.sources.watching.reflector import Report
    from kubectl_spy.sources.watching.watch import LiveWatch

HUNG = 60.0  # seconds after which a run loop that does nothing hangs
_Values = Mapping[tuple[str, ...], float]
_Family = tuple[str, str, _Values, tuple[str, ...]]  # name, help, values, labels


class Monitor:
    """Reads the state of a run from its parts, which `follow` hands over.

    Other threads change them meanwhile: each number is right, if not all at one moment.
    """

    def __init__(self) -> None:
        self._wrote = time.monotonic()
        self._lines: Counter[str] = Counter()
        self._bytes = 0
        self._watch: LiveWatch | None = None
        self._recorder: Recorder | None = None
        self._sent: Sent | None = None

    def count(self, moment: float, members: dict[str, JSON], sealed: bytes) -> None:
        """Count a line that was written. An object of a first list is no change."""
        kind = members["type"]
        self._lines[kind] += "initial" not in members
        self._bytes += len(sealed)
        if kind != "RECONNECT":  # all others are written by the run loop
            self._wrote = time.monotonic()

    def follow(
        self, watch: LiveWatch, recorder: Recorder | None, sent: Sent | None
    ) -> None:
        """Report on these from now on."""
        self._watch, self._recorder, self._sent = watch, recorder, sent

    def hung(self, now: float) -> str:
        """Return why a restart is due at *now*, by the monotonic clock, or "".

        It mends nothing if the API server or the collector is away.
        """
        turned = self._watch.turned if self._watch else 0.0
        took = now - max(turned, self._wrote)
        return f"the recorder has hung for {took:.0f} s" if took > HUNG else ""

    def unready(self) -> str:
        """Return which types are not watched, and why; "" if all are."""
        if self._watch is None:
            return "the recorder starts"
        troubles: dict[str, dict[str, None]] = defaultdict(dict)
        for each in self._watch.reports():
            if each.trouble:
                troubles[each.trouble][each.selection.resource.group_resource] = None
        lines = [f"{in_brief(list(of))}: {what}" for what, of in troubles.items()]
        return inert(in_brief(lines, joint="; "))

    def collect(self) -> Iterator[Any]:
        """Yield the metrics, as collectors of the Prometheus client do."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        for make, families in (
            (CounterMetricFamily, self._counters()),
            (GaugeMetricFamily, self._gauges()),
        ):
            for name, text, values, labels in families:
                family = make(f"kubectl_spy_{name}", text, labels=labels)
                for key, value in values.items():
                    family.add_metric(key, value)
                yield family

    def _counters(self) -> Iterator[_Family]:
        lines = self._lines.copy()
        kinds = [each.value for each in ChangeType if each is not ChangeType.GAP]
        changes: _Values = {(kind,): lines[kind] for kind in kinds}
        yield "changes", "Changes of objects that were recorded.", changes, ("type",)
        yield _plain("gaps", "GAP lines: changes may be missing.", lines["GAP"])
        text = "RECONNECT lines: a watch was lost, or works again."
        yield _plain("reconnects", text, lines["RECONNECT"])
        yield _plain("recorded_bytes", "Bytes of all lines.", self._bytes)
        if self._sent is not None:
            queue = self._sent.queue
            text = "Lines that the collector took."
            yield _plain("delivered_lines", text, queue.delivered)
            text = "Lines that the collector refused."
            yield _plain("rejected_lines", text, queue.refused)
            text = "Lines that were dropped because too many waited."
            yield _plain("dropped_lines", text, queue.dropped)

    def _gauges(self) -> Iterator[_Family]:
        version: _Values = {(__version__,): 1}
        yield "build_info", "Always 1.", version, ("version",)
        if self._recorder is not None:
            objects = self._recorder.progress.objects
            yield _plain("objects", "Recorded objects that exist now.", objects)
        if self._sent is not None:
            backlog = self._sent.queue.backlog
            text = "Lines that wait for the collector."
            yield _plain("queue_lines", text, backlog.items)
            text = "About how many bytes these lines take."
            yield _plain("queue_bytes", text, backlog.weight)
            text = "For how long the oldest of these lines has waited."
            yield _plain("delivery_lag_seconds", text, backlog.age)
        if self._watch is None:
            return
        by_type: dict[tuple[str, ...], list[Report]] = defaultdict(list)
        for each in self._watch.reports():  # names would be labels without a bound
            selection = each.selection
            key = selection.resource.group_resource, selection.namespace or ""
            by_type[key].append(each)
        labels = ("resource", "namespace")
        watched = {
            key: float(not any(each.trouble for each in reports))
            for key, reports in by_type.items()
        }
        yield "watch_up", "Whether these objects are watched now.", watched, labels
        contact = {
            key: min(each.contact for each in reports)
            for key, reports in by_type.items()
        }
        text = "When the server last answered, or sent an event or a bookmark."
        yield "watch_last_contact_timestamp_seconds", text, contact, labels


def _plain(name: str, text: str, value: float) -> _Family:
    return name, text, {(): value}, ()


@contextmanager
def monitored(
    address: str | None, say: Callable[[str], None]
) -> Iterator[Monitor | None]:
    """Yield a monitor that is served at *address*, or None without one.

    Raises SpyError if *address* cannot be listened on.
    """
    if address is None:
        yield None
        return
    # Who serves nothing need not wait for these.
    from prometheus_client import (
        CONTENT_TYPE_LATEST,
        CollectorRegistry,
        ProcessCollector,
        generate_latest,
    )

    from kubectl_spy.sinks.http_pages import Page, serving

    monitor = Monitor()
    registry = CollectorRegistry()
    registry.register(monitor)
    ProcessCollector(registry=registry)

    def metrics() -> Page:
        return Page(generate_latest(registry).decode(), kind=CONTENT_TYPE_LATEST)

    def probe(trouble: str) -> Page:
        return Page(f"{trouble or 'ok'}\n", 503 if trouble else 200)

    pages = {
        "/metrics": metrics,
        "/livez": lambda: probe(monitor.hung(time.monotonic())),
        "/readyz": lambda: probe(monitor.unready()),
    }
    with serving(address, pages) as url:
        say(f"metrics at {url}/metrics, probes at /livez and /readyz")
        yield monitor
