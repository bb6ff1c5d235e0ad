"""Diagnoses of Services for tests."""

from __future__ import annotations

from typing import Any

from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from tests.builders import Object, backend, endpoint, endpoint_slice, service
from tests.tracing import found

OK, WAITING = Verdict.OK, Verdict.WAITING
FAILING, UNKNOWN = Verdict.FAILING, Verdict.UNKNOWN


def proxy(name: str, on: str, ready: bool = True, **labels: str) -> Object:
    return backend(name, namespace="kube-system", node=on, ready=ready, labels=labels)


def served(*more: Object, **spec: Any) -> tuple[Object, ...]:
    """Return a Service with a ready Pod that is listed, and what else there is."""
    its = service(**spec)
    ports = [
        {
            "name": each.get("name", ""),
            "port": 8080,
            "protocol": each.get("protocol", "TCP"),
        }
        for each in its["spec"]["ports"]
    ]
    return (its, backend(), endpoint_slice(endpoint(), ports=ports), *more)


def answer(of: Diagnosis, about: str) -> str:
    """Return the verdict of a finding and its text, in a line."""
    verdict, text = found(of, about)
    return f"{verdict.value}: {text}"
