"""What a recorder reports of itself: /metrics, /livez and /readyz. docs/at-scale.md."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from kubectl_spy import __version__
from kubectl_spy.core.changes.record import ChangeType
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.wording import in_brief
from kubectl_spy.render.inert import inert

if TYPE_CHECKING:
    from kubectl_spy.sinks.delivery import Delivery
    from kubectl_spy.sinks.http_pages import Response
    from kubectl_spy.sinks.recorder import Recorder
    from kubectl_spy.sources.watching.reflector import Report
    from kubectl_spy.sources.watching.watch import LiveWatch

_Values = Mapping[tuple[str, ...], float]  # by the values of labels
HUNG = 60.0  # seconds after which a run loop that does nothing hangs


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
        self._delivery: Delivery | None = None

    def count(self, moment: float, members: dict[str, JSON], sealed: bytes) -> None:
        """Count a line that was written. An object of a first list is no change."""
        kind = members["type"]
        self._lines[kind] += "initial" not in members
        self._bytes += len(sealed)
        if kind != "RECONNECT":  # all others are written by the run loop
            self._wrote = time.monotonic()

    def follow(
        self, watch: LiveWatch, recorder: Recorder | None, delivery: Delivery | None
    ) -> None:
        """Report on these from now on."""
        self._watch, self._recorder, self._delivery = watch, recorder, delivery

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

        counter = partial(_family, CounterMetricFamily)
        gauge = partial(_family, GaugeMetricFamily)
        yield gauge("build_info", "Always 1.", {(__version__,): 1}, "version")
        lines = self._lines.copy()
        kinds = [each.value for each in ChangeType if each is not ChangeType.GAP]
        changes: _Values = {(kind,): lines[kind] for kind in kinds}
        yield counter("changes", "Changes of objects, recorded.", changes, "type")
        yield counter("gaps", "GAP lines: changes may be missing.", lines["GAP"])
        text = "RECONNECT lines: a watch was lost, or works again."
        yield counter("reconnects", text, lines["RECONNECT"])
        yield counter("recorded_bytes", "Bytes of all lines.", self._bytes)
        if self._recorder is not None:
            objects = self._recorder.progress.objects
            yield gauge("objects", "Recorded objects that exist now.", objects)
        if self._delivery is not None:
            sent = self._delivery.counts()
            backlog = sent.backlog
            text = "Lines that the collector took."
            yield counter("delivered_lines", text, sent.delivered)
            text = "Lines that the collector refused."
            yield counter("rejected_lines", text, sent.refused)
            text = "Lines that were dropped because too many waited."
            yield counter("dropped_lines", text, sent.dropped)
            text = "Lines that wait for the collector."
            yield gauge("queue_lines", text, backlog.items)
            text = "About how many bytes these lines take."
            yield gauge("queue_bytes", text, backlog.weight)
            text = "For how long the oldest of these lines has waited."
            yield gauge("delivery_lag_seconds", text, backlog.age)
        by_type: dict[tuple[str, str], list[Report]] = defaultdict(list)
        for each in self._watch.reports() if self._watch else ():
            # Names would be labels without a bound.
            selection = each.selection
            key = selection.resource.group_resource, selection.namespace or ""
            by_type[key].append(each)
        up: dict[tuple[str, ...], float] = {}
        contact: dict[tuple[str, ...], float] = {}
        for labels, alike in by_type.items():
            up[labels] = not any(each.trouble for each in alike)
            contact[labels] = min(each.contact for each in alike)
        of = ("resource", "namespace")
        yield gauge("watch_up", "Whether these objects are watched now.", up, *of)
        text = "When the server last answered, or sent an event or a bookmark."
        yield gauge("watch_last_contact_timestamp_seconds", text, contact, *of)


def _family(
    make: Any, name: str, text: str, values: float | _Values, *labels: str
) -> Any:
    family = make(f"kubectl_spy_{name}", text, labels=labels)
    for key, value in (values if isinstance(values, Mapping) else {(): values}).items():
        family.add_metric(key, value)
    return family


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
    # These imports are slow, and needed only to serve.
    from prometheus_client import (
        CONTENT_TYPE_LATEST,
        CollectorRegistry,
        ProcessCollector,
        generate_latest,
    )

    from kubectl_spy.sinks.http_pages import Response, serving

    monitor = Monitor()
    registry = CollectorRegistry()
    registry.register(monitor)
    ProcessCollector(registry=registry)

    def metrics() -> Response:
        return Response(generate_latest(registry).decode(), kind=CONTENT_TYPE_LATEST)

    def probe(trouble: str) -> Response:
        return Response(f"{trouble or 'ok'}\n", 503 if trouble else 200)

    pages = {
        "/metrics": metrics,
        "/livez": lambda: probe(monitor.hung(time.monotonic())),
        "/readyz": lambda: probe(monitor.unready()),
    }
    with serving(address, pages) as url:
        say(f"metrics at {url}/metrics, probes at /livez and /readyz")
        yield monitor
