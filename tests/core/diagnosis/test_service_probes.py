"""What Services answered that were asked, as a part of their diagnosis."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.changes.record import Probed
from kubectl_spy.core.diagnosis.finding import Diagnosis
from kubectl_spy.core.diagnosis.services.probes import ProbeTarget, targets
from tests.builders import Object, backend, endpoint, endpoint_slice, service
from tests.core.diagnosis.serving import FAILING, OK, answer
from tests.tracing import START, diagnosed_in, entry_of, inventory

UID = "uid-shop-web"


def probed(answers: bool | None, what: str, port: int = 80) -> Diagnosis:
    """Return the diagnosis of a Service whose port was asked."""
    seen = inventory(service(), backend(), endpoint_slice(endpoint()))
    seen.observe(Probed(UID, port, "TCP", answers, what, START))
    return diagnosed_in(seen, UID)


@pytest.mark.parametrize(
    ("answers", "what", "line", "verdict"),
    [
        (True, "HTTP 200", "ok: port http 80/TCP answers the API server: HTTP 200", OK),
        (
            False,
            "connection refused",
            "failing: port http 80/TCP does not answer the API server: connection "
            "refused",
            FAILING,
        ),
        (
            None,
            "forbidden\nfor you",
            "unknown: whether port http 80/TCP answers is unknown: forbidden for you",
            OK,
        ),
    ],
)
def test_an_answer_is_a_finding_after_the_address(
    answers: bool | None, what: str, line: str, verdict: object
) -> None:
    of = probed(answers, what)
    assert answer(of, "probe/80/TCP") == line
    assert of.verdict is verdict
    order = [each.about for each in of.findings]
    assert order == [
        "selector",
        "pods",
        "endpoints",
        "dns",
        "address",
        "probe/80/TCP",
        "proxy",
    ]


def test_removed_and_unasked_ports_are_not_reported() -> None:
    of = probed(True, "HTTP 200", port=81)
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


def test_a_port_that_no_container_declares_is_wrong_if_it_refuses_connections() -> None:
    ports = [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 9090}]
    web = service(ports=ports)
    told = "port http 80/TCP leads to 9090/TCP, which no container declares (they "
    told += "declare http 8080/TCP)"
    refused = "dial tcp 10.0.0.3:9090: connect: connection refused"
    for answers, what, line in (
        (False, refused, f"failing: {told}, and which refuses connections"),
        (False, "EOF", f"ok: {told}: it works if one listens there"),
        (True, "HTTP 200", f"ok: {told}: it works if one listens there"),
    ):
        seen = inventory(web, backend(), endpoint_slice(endpoint()))
        seen.observe(Probed(UID, 80, "TCP", answers, what, START))
        assert answer(diagnosed_in(seen, UID), "port/80/TCP") == line
