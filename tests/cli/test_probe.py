"""`trace --probe`: Services are asked through the API server's own proxy."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import backend, endpoint, endpoint_slice, service
from tests.cli.command import Spy
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.processes import clock

PROXY = "/api/v1/namespaces/default/services/http:web:80/proxy/"


def serving(serve: Serve, *endpoints: dict[str, Any], **spec: Any) -> ApiServer:
    """Return a server with a Service and a Pod behind it."""
    server = serve()
    listed = endpoint_slice(*(endpoints or (endpoint(),)), namespace="default")
    server.put(service(namespace="default", **spec))
    server.put(backend(namespace="default"))
    server.put(listed)
    return server


def status(reason: str, message: str, kind: str = "") -> dict[str, Any]:
    details = {"kind": kind} if kind else {}
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "reason": reason,
        "message": message,
        "details": details,
    }


def probed(spy: Spy) -> list[str]:
    """Return the lines of the tree that tell of probes."""
    ended = spy.run("trace", "svc/web", "--once", "--probe", "--full")
    assert ended.code == 0, ended.err
    return [
        line[3:]
        for line in ended.out.splitlines()
        if "port http 80/TCP answers" in line or "does not answer" in line
    ]


def asked(server: ApiServer) -> list[str]:
    return [each.path for each in server.requests if "/proxy/" in each.path]


@pytest.mark.parametrize(
    ("code", "body", "line"),
    [
        (200, "hello\x1b[2J", "✓ port http 80/TCP answers the API server: HTTP 200"),
        (
            503,
            status(
                "ServiceUnavailable", 'no endpoints available for service "http:web:80"'
            ),
            "✗ port http 80/TCP does not answer the API server: no endpoints available "
            'for service "http:web:80"',
        ),
        (
            503,
            status(
                "ServiceUnavailable",
                "error trying to reach service: dial tcp 10.0.0.3:8080: connect: "
                "connection refused",
            ),
            "✗ port http 80/TCP does not answer the API server: dial tcp "
            "10.0.0.3:8080: connect: connection refused",
        ),
        (
            503,
            status(
                "ServiceUnavailable",
                'error trying to reach service: malformed HTTP response "\\x00"',
            ),
            "✓ port http 80/TCP answers the API server: no HTTP (malformed HTTP "
            'response "\\x00")',
        ),
        (
            403,
            status(
                "Forbidden",
                'services "http:web:80" is forbidden: User "jane" cannot get resource '
                '"services/proxy" in API group "" in the namespace "default"',
            ),
            "? whether port http 80/TCP answers is unknown: services "
            '"http:web:80" is forbidden: User "jane" cannot get resource '
            '"services/proxy" in API group "" in the namespace "default": it takes the '
            "right to get services/proxy",
        ),
    ],
)
def test_each_answer_of_a_probe_is_named(
    spy: Spy, serve: Serve, code: int, body: Any, line: str
) -> None:
    serving(serve).refuse(PROXY, code, body)
    assert probed(spy) == [line]


def test_applications_are_probed_only_on_request(spy: Spy, serve: Serve) -> None:
    server = serving(serve)
    assert spy.run("trace", "svc/web", "--once").code == 0
    assert asked(server) == []


def test_redirects_are_not_followed(spy: Spy, serve: Serve) -> None:
    server = serving(serve)
    server.refuse(PROXY, 302, "", headers={"Location": f"{server.url}/elsewhere"})
    assert probed(spy) == ["✓ port http 80/TCP answers the API server: HTTP 302"]
    assert not [each for each in server.requests if "elsewhere" in each.path]


def test_tls_is_probed_with_tls_and_udp_not_at_all(spy: Spy, serve: Serve) -> None:
    ports = [
        {"name": "http-dns", "port": 53, "protocol": "UDP", "targetPort": 8080},
        {"name": "https", "port": 443, "protocol": "TCP", "targetPort": 8080},
    ]
    server = serving(serve, ports=ports)
    server.refuse(PROXY.replace("http:web:80", "https:web:443"), 204, "")
    ended = spy.run("trace", "svc/web", "--once", "--probe", "--full")
    assert "✓ port https 443/TCP answers the API server: HTTP 204" in ended.out
    assert (
        "? whether port http-dns 53/UDP answers is unknown: UDP cannot be asked "
        "through the API server" in ended.out
    )
    assert asked(server) == [PROXY.replace("http:web:80", "https:web:443")]


def test_changed_endpoints_are_probed_again(spy: Spy, serve: Serve) -> None:
    server = serving(serve)
    server.refuse(PROXY, 503, status("ServiceUnavailable", "no endpoints available"))
    with spy.running("trace", "svc/web", "--probe", "--full") as running:
        running.wait_until(lambda it: b"does not answer the API server" in it.stdout)
        server.admit(PROXY)
        server.refuse(PROXY, 200, "hello")
        server.put(endpoint_slice(endpoint(address="10.0.0.9"), namespace="default"))
        begun = clock()
        running.wait_until(lambda it: b"answers the API server: HTTP" in it.stdout)
        assert clock() - begun < 8  # without a change, it is asked every 10 s
        assert running.end().code == 130
