"""Every way a request can fail, provoked for real, and what it is reported as."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
import trustme

from kubectl_spy.core.objects import Selection
from kubectl_spy.errors import (
    ConnectionFailed,
    Forbidden,
    RequestRefused,
    SpyError,
    Unauthenticated,
)
from kubectl_spy.sources.connection.certificates import certificate_expiry
from kubectl_spy.sources.connection.connect import Connection, ConnectionSettings
from tests.answering import unanswered
from tests.builders import PODS
from tests.processes import PATIENCE, clock
from tests.sources.api_server import Answer, recorded, serve
from tests.sources.connection.certificates import (
    PAST,
    client_user,
    server_tls,
    trusting,
)
from tests.sources.connection.kubeconfigs import in_home, kubeconfig

WEB = Selection(resource=PODS, namespace="default", name="web")
PATH = "/api/v1/namespaces/default/pods"


def failure(
    home: Path,
    cluster: dict[str, Any],
    user: dict[str, Any] | None = None,
    selection: Selection = WEB,
    silence: float = PATIENCE,
    **flags: Any,
) -> SpyError:
    """Return the error that listing *selection* ends in, checked for its form."""
    environ = in_home(home, kubeconfig(cluster, {"token": "s3cret", **(user or {})}))
    settings = ConnectionSettings(**flags)
    connection = Connection(settings, environ=environ, say=lambda line: None)
    with pytest.raises(SpyError) as caught:
        connection.get(selection, read_timeout=silence)
    text = str(caught.value)
    assert "\n" not in text
    assert "s3cret" not in text
    assert len(caught.value.message) < 600
    assert caught.value.remedy
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return caught.value


@pytest.mark.parametrize("status", [400, 403, 502])
@pytest.mark.parametrize(
    "user",
    [
        {"token": "s3cret"},
        {"token": "", "username": "me", "password": "s3cret"},
    ],
)
def test_who_echoes_the_request_shows_no_credential(
    tmp_path: Path, status: int, user: dict[str, Any]
) -> None:
    login = b64encode(b"me:s3cret").decode()
    body = f"bad proxy: Authorization: Bearer s3cret, or Basic {login} (me:s3cret)"
    said = answered(tmp_path, Answer(status, body), user=user).message
    assert "bad proxy: Authorization: Bearer ***" in said
    assert user["token"] or login not in said


def unreachable(home: Path, *more: Any, **flags: Any) -> ConnectionFailed:
    """Return that error where no answer comes."""
    error = failure(home, *more, **flags)
    assert isinstance(error, ConnectionFailed)
    return error


def answered(home: Path, answer: Answer, **more: Any) -> RequestRefused:
    """Return the error that *answer* of the server amounts to."""
    with serve({PATH: answer}) as api:
        error = failure(home, {"server": api.url}, **more)
    assert isinstance(error, RequestRefused)
    return error


@contextmanager
def raw_server(reply: bytes, *, hold: bool = False) -> Iterator[str]:
    """Accept connections, send *reply* after the first bytes, and hang up or hold."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.02)
    ended = threading.Event()

    def run() -> None:
        held = []
        while not ended.is_set():
            try:
                client, _ = listener.accept()
            except TimeoutError:
                continue
            client.recv(65536)
            with suppress(OSError):  # who reads only the beginning hangs up
                client.sendall(reply)
            if hold:
                held.append(client)
            else:
                client.close()
        for client in held:
            client.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        ended.set()
        thread.join()
        listener.close()


def test_refused(tmp_path: Path) -> None:
    with unanswered() as port:
        error = unreachable(tmp_path, {"server": f"https://127.0.0.1:{port}"})
    assert 'refused the connection (context "test")' in error.message
    assert "--context" in error.remedy


def test_no_such_host(tmp_path: Path) -> None:
    error = unreachable(tmp_path, {"server": "https://kube.invalid:6443"})
    assert "no address for kube.invalid:6443" in error.message


@pytest.mark.skipif(sys.platform != "linux", reason="others queue connections longer")
def test_a_connect_timeout_is_reported_in_time(tmp_path: Path) -> None:
    """A full backlog drops SYNs, as an unreachable host does."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        fillers = [socket.socket() for _ in range(4)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(address)
        time.sleep(0.05)
        started = clock()
        error = unreachable(
            tmp_path, {"server": f"https://127.0.0.1:{address[1]}"}, request_timeout=0.5
        )
        took = clock() - started
        for filler in fillers:
            filler.close()
    assert "did not answer within 0.5 s" in error.message
    assert took < 2


def test_silence_after_the_request(tmp_path: Path) -> None:
    with raw_server(b"", hold=True) as address:
        error = unreachable(tmp_path, {"server": f"http://{address}"}, silence=1)
    assert "did not answer in time" in error.message


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_connection_closed_without_an_answer(tmp_path: Path, scheme: str) -> None:
    with raw_server(b"") as address:
        error = unreachable(tmp_path, {"server": f"{scheme}://{address}"})
    assert address in error.message


def test_something_that_is_not_http(tmp_path: Path) -> None:
    with raw_server(b"SSH-2.0-OpenSSH\r\n") as address:
        error = unreachable(tmp_path, {"server": f"http://{address}"})
    assert "closed the connection without an answer" in error.message


def test_an_untrusted_certificate(tmp_path: Path) -> None:
    with serve(tls=server_tls(trustme.CA())) as api:
        error = unreachable(tmp_path, trusting(trustme.CA(), api.url))
    assert "is not trusted" in error.message
    assert "certificate-authority" in error.remedy


def test_a_certificate_for_another_name(tmp_path: Path) -> None:
    authority = trustme.CA()
    with serve(tls=server_tls(authority, "other.example.com")) as api:
        error = unreachable(tmp_path, trusting(authority, api.url))
    assert "is for another name" in error.message
    assert "tls-server-name" in error.remedy


def test_an_expired_server_certificate(tmp_path: Path) -> None:
    authority = trustme.CA()
    with serve(tls=server_tls(authority, expires=PAST)) as api:
        error = unreachable(tmp_path, trusting(authority, api.url))
    assert "is not valid today" in error.message


def test_an_expired_client_certificate_in_the_handshake(tmp_path: Path) -> None:
    authority = trustme.CA()
    with serve(tls=server_tls(authority, clients=authority)) as api:
        error = unreachable(
            tmp_path,
            trusting(authority, api.url),
            {"token": "", **client_user(authority, expires=PAST)},
        )
    assert 'client certificate of user "test" expired on 2020-01-02' in error.message


def test_a_client_certificate_of_another_authority(tmp_path: Path) -> None:
    authority = trustme.CA()
    with serve(tls=server_tls(authority, clients=authority)) as api:
        error = unreachable(
            tmp_path,
            trusting(authority, api.url),
            {"token": "", **client_user(trustme.CA())},
        )
    assert 'does not accept the client certificate of user "test"' in str(error)


def test_an_expired_client_certificate_as_401(tmp_path: Path) -> None:
    """API servers accept any certificate in the handshake and answer 401."""
    authority = trustme.CA()
    user = {"token": "", **client_user(authority, expires=PAST)}
    with serve({PATH: Answer(401, "{}")}, server_tls(authority)) as api:
        error = failure(tmp_path, trusting(authority, api.url), user)
    assert isinstance(error, Unauthenticated)
    assert "expired on 2020-01-02 03:04 UTC (401)" in error.message


def test_https_to_a_plain_http_server(tmp_path: Path) -> None:
    with serve() as api:
        error = unreachable(tmp_path, {"server": api.url.replace("http:", "https:")})
    assert "does not speak TLS" in error.message
    assert "http://" in error.remedy


def test_plain_http_to_an_https_server(tmp_path: Path) -> None:
    """What Go's TLS listener answers."""
    error = answered(
        tmp_path,
        Answer(400, "Client sent an HTTP request to an HTTPS server.\n", "text/plain"),
    )
    assert error.remedy.startswith("use https://")


def test_a_proxy_that_does_not_answer(tmp_path: Path) -> None:
    with unanswered() as port:
        proxy = f"127.0.0.1:{port}"
        cluster = {"server": "https://kube", "proxy-url": f"http://me:s3cret@{proxy}"}
        error = unreachable(tmp_path, cluster)
    assert f"the proxy {proxy} does not let us through to kube" in error.message


def test_a_proxy_that_says_no(tmp_path: Path) -> None:
    with raw_server(b"HTTP/1.1 403 Forbidden\r\n\r\n") as address:
        cluster = {"server": "https://kube", "proxy-url": f"http://{address}"}
        error = unreachable(tmp_path, cluster)
    assert "the proxy" in error.message


def test_401_names_the_credentials(tmp_path: Path) -> None:
    error = answered(tmp_path, Answer(401, "{}"))
    assert isinstance(error, Unauthenticated)
    assert 'does not accept the token of user "test" (401)' in error.message


def test_401_without_credentials(tmp_path: Path) -> None:
    error = answered(tmp_path, Answer(401, "{}"), user={"token": ""})
    assert "wants credentials and the kubeconfig has none (401)" in error.message


def test_403_gives_the_servers_words_and_the_right_to_ask_for(tmp_path: Path) -> None:
    error = answered(tmp_path, recorded("forbidden"))
    assert isinstance(error, Forbidden)
    assert error.reason == "Forbidden"
    assert 'User "alice" cannot list resource "pods"' in error.message
    assert error.remedy == (
        'ask for the right to list (and watch) pods in namespace "default" '
        'with resourceNames ["web"], or check --context'
    )


def test_404_of_a_resource_and_of_a_path(tmp_path: Path) -> None:
    error = answered(tmp_path, recorded("notfound"))
    assert (error.status, error.reason) == (404, "NotFound")
    assert error.message == 'pods "nope" not found'
    error = answered(tmp_path, recorded("unknown-path"))
    assert (error.status, error.reason) == (404, "")
    assert "nothing is served there" in error.remedy


def test_410_has_its_reason(tmp_path: Path) -> None:
    body = json.loads(recorded("gone-http").body)["object"]
    error = answered(tmp_path, Answer(410, json.dumps(body)))
    assert (error.status, error.reason) == (410, "Expired")


@pytest.mark.parametrize(
    ("header", "seconds"), [("1", 1), ("86400", 86400), ("soon", None), ("-1", None)]
)
def test_429_with_retry_after(
    tmp_path: Path, header: str, seconds: float | None
) -> None:
    started = clock()
    error = answered(tmp_path, Answer(429, "{}", headers=(("Retry-After", header),)))
    assert (error.status, error.retry_after) == (429, seconds)
    assert clock() - started < 1


def test_retry_after_may_be_a_date_or_in_the_status(tmp_path: Path) -> None:
    when = datetime.now(tz=timezone.utc) + timedelta(seconds=90)
    headers = (("Retry-After", format_datetime(when, usegmt=True)),)
    error = answered(tmp_path, Answer(503, "{}", headers=headers))
    assert error.retry_after == pytest.approx(90, abs=5)
    error = answered(tmp_path, recorded("too-large-rv"))
    assert (error.status, error.reason, error.retry_after) == (504, "Timeout", 1)
    body = json.dumps({"message": "x", "details": {"retryAfterSeconds": 7}})
    assert answered(tmp_path, Answer(429, body)).retry_after == 7


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_5xx_with_a_web_page(tmp_path: Path, status: int) -> None:
    page = "<html>\n<h1>Bad\x1b[31m gateway</h1></html>"
    error = answered(tmp_path, Answer(status, page, "text/html"))
    assert error.status == status
    assert error.message.endswith(f"answered {status} with a web page")
    assert "try again" in error.remedy


def test_200_with_a_web_page_is_no_api_server(tmp_path: Path) -> None:
    with serve({PATH: Answer(200, "<html>Log in</html>", "text/html")}) as api:
        error = unreachable(tmp_path, {"server": api.url})
    assert "web page" in error.message


def test_a_redirect_is_not_followed(tmp_path: Path) -> None:
    with serve({PATH: Answer(200, "stolen")}) as elsewhere:
        location = (("Location", f"{elsewhere.url}{PATH}"),)
        error = answered(tmp_path, Answer(302, "", headers=location))
        assert error.status == 302
        assert elsewhere.requests == []
    assert "redirects are not followed" in error.remedy


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"{",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[]",
        b'{"message": 5, "reason": [], "details": 7}',
        b'{"message": "' + b"x" * 100_000 + b'"}',
        b'{"message": "a\\nb\\u0085c", "code": "x"}',
    ],
)
def test_hostile_bodies_make_one_bounded_line(tmp_path: Path, body: bytes) -> None:
    error = answered(tmp_path, Answer(500, body))
    assert len(error.message) <= 300
    assert error.reason == ""


def test_an_endless_error_is_not_read_to_its_end(tmp_path: Path) -> None:
    reply = b"HTTP/1.1 500 No\r\nContent-Length: 99999999999\r\n\r\n" + b"x" * (2 << 20)
    with raw_server(reply, hold=True) as address:
        started = clock()
        error = failure(tmp_path, {"server": f"http://{address}"})
    assert isinstance(error, RequestRefused)
    assert error.status == 500
    assert clock() - started < 1


def test_a_refusal_that_breaks_off_is_still_one(tmp_path: Path) -> None:
    reply = b"HTTP/1.1 403 No\r\nContent-Length: 100\r\n\r\nno right"
    with raw_server(reply) as address:
        error = failure(tmp_path, {"server": f"http://{address}"})
    assert isinstance(error, Forbidden) and "no right" in error.message


def test_a_proxy_without_an_address(tmp_path: Path) -> None:
    cluster = {"server": "https://kube", "proxy-url": "http://me:s3cret@proxy.invalid"}
    error = unreachable(tmp_path, cluster)
    assert "proxy.invalid" in error.message


def test_where_a_certificate_ends_is_read_from_it() -> None:
    authority = trustme.CA()
    when = datetime(2051, 6, 7, 8, 9, 10, tzinfo=timezone.utc)
    for expires in (PAST, when):
        leaf = authority.issue_cert("a@b.c", not_after=expires)
        assert certificate_expiry(leaf.cert_chain_pems[0].bytes()) == expires


@pytest.mark.parametrize(
    "pem",
    [
        b"",
        b"-----BEGIN CERTIFICATE-----\n%%%\n-----END CERTIFICATE-----",
        b"-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----",
        b"-----BEGIN CERTIFICATE-----\nMIQ=\n-----END CERTIFICATE-----",
    ],
)
def test_an_unreadable_certificate_has_no_known_end(pem: bytes) -> None:
    assert certificate_expiry(pem) is None
