"""Spans for tests of what shows and sends them."""

from __future__ import annotations

from typing import Any

from kubectl_spy.extras.spans.model.span import Span, SpanKind

START = 1_790_000_000.123456
TRACE = "0af7651916cd43dd8448eb211c80319c"
LINK = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def span(number: int = 1, **fields: Any) -> Span:
    """Return a span with *number* as its id; *fields* are those that matter."""
    plain = Span(
        trace_id=TRACE,
        span_id=f"{number:016x}",
        parent_id="",
        kind=SpanKind.PHASE,
        name=f"Pod.Phase{number}",
        service="kubelet",
        start=START,
        end=START + 1.5,
    )
    return plain._replace(**fields)


ROLLOUT = (
    span(
        1,
        kind=SpanKind.CHANGE,
        name="Deployment.update",
        service="kubectl",
        end=START + 9,
        attributes=(("k8s.deployment.name", "web"), ("k8s.namespace.name", "shop")),
        links=(LINK,),
    ),
    span(
        2,
        parent_id=f"{1:016x}",
        kind=SpanKind.OBJECT,
        name="ReplicaSet.create",
        service="deployment-controller",
        start=START + 0.25,
        end=START + 8,
        attributes=(("k8s.replicaset.name", "web-5d4"), ("replicas", 3)),
    ),
    span(
        3,
        parent_id=f"{2:016x}",
        kind=SpanKind.OBJECT,
        name="Pod.create",
        service="replicaset-controller",
        start=START + 0.5,
        end=None,
        attributes=(("k8s.pod.name", "web-5d4-x2x"), ("ready", False)),
    ),
    span(
        4,
        parent_id=f"{3:016x}",
        kind=SpanKind.EVENT,
        name="Pod.BackOff",
        start=START + 2,
        end=START + 7,
        attributes=(("k8s.pod.name", "web-5d4-x2x"), ("count", 4)),
        error="Back-off restarting failed container",
    ),
)
"""A rollout that goes wrong: change, ReplicaSet, Pod, Event."""
