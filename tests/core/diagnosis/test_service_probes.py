"""What Services answered that were asked, as a part of their diagnosis."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.changes.record import Probed
from kubectl_spy.core.diagnosis.finding import Diagnosis
from kubectl_spy.core.diagnosis.services.probes import ProbeTarget, targets
from tests.builders import Object, backend, endpoint, endpoint_slice, service
from tests.core.diagnosis.cases import line
from tests.tracing import START, diagnosed_in, entry_of, inventory

UID = "uid-shop-web"


def probed(
    answers: bool | None, what: str, port: int = 80, **spec: Any
) -> tuple[Diagnosis, list[str]]:
    """Return what is found of a Service whose port was asked, and what of its ports."""
    seen = inventory(service(**spec), backend(), endpoint_slice(endpoint()))
    seen.observe(Probed(UID, port, "TCP", answers, what, START))
    of = diagnosed_in(seen, UID)
    about = [each for each in of.findings if "/80/" in each.about]
    return of, [line(each) for each in about]


@pytest.mark.parametrize(
    ("answers", "what", "told"),
    [
        (True, "HTTP 200", "ok PortAnswers answer=HTTP 200"),
        (False, "connection refused", "failing PortSilent answer=connection refused"),
        (None, "forbidden\nfor you", "ok PortUnknown answer=forbidden for you"),
    ],
)
def test_an_answer_is_a_finding_after_the_address(
    answers: bool | None, what: str, told: str
) -> None:
    of, found = probed(answers, what)
    verdict, code = told.split(" ", 1)
    assert (of.verdict.value, found) == (
        verdict,
        [f"probe/80/TCP: {code} port=http 80/TCP"],
    )
    assert " ".join(each.about for each in of.findings) == (
        "selector pods endpoints dns address probe/80/TCP proxy"
    )


def test_removed_and_unasked_ports_are_not_reported() -> None:
    of, _ = probed(True, "HTTP 200", port=81)
    assert not [each for each in of.findings if each.about.startswith("probe")]


def asked(*objects: Object, **spec: Any) -> list[tuple[int, bool]]:
    seen = inventory(service(**spec), *objects)
    entry = entry_of(seen, UID)
    return [(each.port, each.secure) for each in targets(entry, seen)]


def test_every_port_is_asked_with_tls_where_its_name_or_number_says_so() -> None:
    ports = [
        {"name": "http", "port": 80},
        {"name": "https-admin", "port": 9000},
        {"name": "web", "port": 8443},
        {"name": "web", "port": 9001, "appProtocol": "https"},
        {"name": "web", "port": 9002, "appProtocol": "kubernetes.io/wss"},
        {"name": "https", "port": 443, "appProtocol": "http"},
    ]
    assert asked(ports=ports) == [
        (80, False),
        (9000, True),
        (8443, True),
        (9001, True),
        (9002, True),
        (443, False),
    ]
    assert asked(type="ExternalName", externalName="db.example.com") == []


def test_a_change_of_what_gets_traffic_makes_another_target() -> None:
    before = inventory(service(), endpoint_slice(endpoint(ready=False)))
    after = inventory(service(), endpoint_slice(endpoint()))
    found: list[ProbeTarget] = []
    for seen in (before, after):
        entry = entry_of(seen, UID)
        found += targets(entry, seen)
    assert [each.endpoints for each in found] == [(), ("10.0.0.3",)]
    assert found[0].path == found[1].path


@pytest.mark.parametrize(
    ("answers", "what", "code"),
    [
        (False, "dial tcp 10.0.0.3:9090: connect: connection refused", "Refuses"),
        (False, "EOF", "Undeclared"),
        (True, "HTTP 200", "Undeclared"),
    ],
)
def test_a_port_that_no_container_declares_is_wrong_if_it_refuses_connections(
    answers: bool, what: str, code: str
) -> None:
    ports = [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 9090}]
    _, found = probed(answers, what, ports=ports)
    assert (
        f"port/80/TCP: TargetPort{code} port=http 80/TCP protocol=TCP target=9090"
        " there=[http 8080/TCP]"
    ) in found
