"""Spans as a collector receives them, read from its bytes."""

from __future__ import annotations

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from kubectl_spy import __version__
from kubectl_spy.extras.spans.model.span import Span, span_json
from tests.extras.otel.receiver import UNTIL, Receiver, attributes, delivered, receiving
from tests.spans import LINK, ROLLOUT, span


def exported(*spans: Span) -> Receiver:
    """Return a collector that got *spans*."""
    with receiving() as receiver:
        assert delivered(receiver.url, *spans) == (0, [])
    return receiver


def sole(span: Span) -> WireSpan:
    """Return what a collector gets of *span*."""
    ((_, wire),) = exported(span).spans()
    return wire


def test_every_field_of_every_span_arrives() -> None:
    received = exported(*ROLLOUT).spans()
    assert len(received) == len(ROLLOUT)
    wires = {wire.span_id.hex(): (service, wire) for service, wire in received}
    for sent in ROLLOUT:
        service, wire = wires[sent.span_id]
        assert service == sent.service
        assert wire.trace_id.hex() == sent.trace_id
        assert wire.parent_span_id.hex() == sent.parent_id
        assert wire.name == sent.name
        assert wire.kind == WireSpan.SPAN_KIND_INTERNAL
        assert wire.start_time_unix_nano == round(sent.start * 1_000_000) * 1000
        end = UNTIL if sent.end is None else sent.end
        assert wire.end_time_unix_nano == round(end * 1_000_000) * 1000
        expected = dict(sent.attributes)
        if sent.end is None:
            expected["kubectl_spy.unfinished"] = True
        assert attributes(wire.attributes) == expected
        assert wire.status.message == sent.error
        code = Status.STATUS_CODE_ERROR if sent.error else Status.STATUS_CODE_UNSET
        assert wire.status.code == code
        assert len(wire.links) == len(sent.links)
        assert not wire.events and not wire.trace_state
        assert not wire.dropped_attributes_count


def test_spans_are_grouped_by_the_service_that_acted_under_our_scope() -> None:
    (request,) = exported(*ROLLOUT, span(5)).requests
    groups = {}
    for resource in request.body.resource_spans:
        named = attributes(resource.resource.attributes)
        (scope,) = resource.scope_spans
        assert (scope.scope.name, scope.scope.version) == ("kubectl-spy", __version__)
        assert named["telemetry.sdk.name"] == "opentelemetry"
        groups[named["service.name"]] = [wire.name for wire in scope.spans]
    assert groups == {
        "kubectl": ["Deployment.update"],
        "deployment-controller": ["ReplicaSet.create"],
        "replicaset-controller": ["Pod.create"],
        "kubelet": ["Pod.BackOff", "Pod.Phase5"],
    }


def test_an_unknown_service_is_called_unknown_service() -> None:
    ((service, _),) = exported(span(1, service="")).spans()
    assert service == "unknown_service"
    assert "service" not in span_json(span(1, service=""))


def test_a_traceparent_becomes_a_link() -> None:
    (link,) = sole(span(links=(LINK,))).links
    assert f"00-{link.trace_id.hex()}-{link.span_id.hex()}-01" == LINK


def test_attributes_keep_their_types_and_documents_become_json() -> None:
    values = {
        "text": "a",
        "true": True,
        "whole": 42,
        "huge": 1 << 70,
        "least": -(1 << 63),
        "part": 0.5,
        "list": ["a", 1, None],
        "object": {"a": {"b": True}},
        "nothing": None,
    }
    wire = sole(span(attributes=tuple(values.items())))
    del values["nothing"]
    values |= {
        "huge": "1180591620717411303424",
        "list": '["a",1,null]',
        "object": '{"a":{"b":true}}',
    }
    received = attributes(wire.attributes)
    assert received == values
    assert received["true"] is True


def test_lone_surrogates_arrive_escaped() -> None:
    wire = sole(
        span(name="a\ud800", error="b\udfff", attributes=(("c\ud800", "\ud801"),))
    )
    assert wire.name == "a\\ud800"
    assert wire.status.message == "b\\udfff"
    assert attributes(wire.attributes) == {"c\\ud800": "\\ud801"}


def test_spans_end_after_they_start() -> None:
    wire = sole(span(start=UNTIL + 5, end=None))
    assert wire.end_time_unix_nano == wire.start_time_unix_nano


def test_ids_do_not_differ_from_run_to_run() -> None:
    first, second = exported(*ROLLOUT), exported(*ROLLOUT)
    assert first.spans() == second.spans()


def test_resources_have_environment_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "OTEL_RESOURCE_ATTRIBUTES", "k8s.cluster.name=shop,service.name=x"
    )
    monkeypatch.setenv("OTEL_SERVICE_NAME", "y")
    (request,) = exported(*ROLLOUT).requests
    for resource in request.body.resource_spans:
        named = attributes(resource.resource.attributes)
        assert named["k8s.cluster.name"] == "shop"
        assert named["service.name"] in {sent.service for sent in ROLLOUT}
