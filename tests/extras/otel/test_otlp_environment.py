"""OTEL_EXPORTER_OTLP_*, certificates, and what must not be printed."""

from __future__ import annotations

import logging
import os
import ssl
import sys
from pathlib import Path

import pytest
import trustme

from kubectl_spy.errors import UsageError
from kubectl_spy.extras.otel.otel_env import TRACES, endpoint
from kubectl_spy.extras.spans.view import open_span_exporter
from kubectl_spy.http.urls import printed
from tests import processes
from tests.answering import Answer
from tests.extras.otel.receiver import PROTOBUF, Receiver, receiving
from tests.processes import PATIENCE, wait_until
from tests.spans import START, span

BASE = "OTEL_EXPORTER_OTLP_ENDPOINT"
OF_TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"


def send_one(url: str, within: float = PATIENCE, said: int = 0) -> list[str]:
    """Send a span to *url*, and return what was said: so many lines before the end."""
    lines: list[str] = []
    exporter = open_span_exporter(url, say=lines.append, environ=os.environ)
    exporter.send([span()], until=START)
    wait_until(lambda: len(lines) >= said)
    exporter.close(within)
    return lines


@pytest.mark.parametrize(
    ("url", "environ", "expected"),
    [
        ("http://c:4318", {}, "http://c:4318/v1/traces"),
        ("http://c:4318/", {BASE: "http://d"}, "http://c:4318/v1/traces"),
        ("https://c/otlp/mine?k=v", {}, "https://c/otlp/mine?k=v"),
        ("https://u:p@c?k=v", {}, "https://u:p@c/v1/traces?k=v"),
        ("", {}, "http://localhost:4318/v1/traces"),
        ("", {BASE: "http://d"}, "http://d/v1/traces"),
        ("", {BASE: "http://d/base/"}, "http://d/base/v1/traces"),
        ("", {BASE: "http://d", OF_TRACES: "http://e/x"}, "http://e/x"),
    ],
)
def test_where_spans_go(url: str, environ: dict[str, str], expected: str) -> None:
    assert endpoint(url, environ, TRACES) == expected


@pytest.mark.parametrize(
    "url", ["c:4318", "grpc://c:4317", "http://", "http://c:secret", "http://[secret"]
)
def test_an_invalid_url_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UsageError) as refusal:
        endpoint(url, {}, TRACES)
    assert "secret" not in str(refusal.value)


def test_urls_are_shown_without_credentials_and_escapes() -> None:
    assert printed("http://u:p@c:1/a\x1b?k=v#f") == "http://c:1/a\\u001b"


@pytest.mark.parametrize("packing", ["gzip", "deflate", "none"])
def test_headers_and_compression_of_the_environment_are_used(
    monkeypatch: pytest.MonkeyPatch, packing: str
) -> None:
    monkeypatch.setenv(
        "OTEL_EXPORTER_OTLP_HEADERS", "x-team=a,authorization=Bearer%20b"
    )
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", packing)
    with receiving() as receiver:
        assert send_one(receiver.url) == []
        (request,) = receiver.requests
    assert request.path == "/v1/traces"
    assert request.headers["x-team"] == "a"
    assert request.headers["Authorization"] == "Bearer b"
    packed = request.headers["Content-Encoding"]
    assert packed == (None if packing == "none" else packing)
    assert request.headers["Content-Type"] == "application/x-protobuf"
    assert receiver.names() == ["Pod.Phase1"]


@pytest.mark.parametrize(
    "answer",
    [
        Answer(400),
        Answer(503),
        Answer(401),
        Answer(302, {"Location": "http://me:hidden@127.0.0.1:9/?key=hidden"}),
        Answer(200, PROTOBUF, b"\xff\xff"),
    ],
    ids=["400", "503", "401", "302", "garbage"],
)
def test_credentials_are_not_printed(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], answer: Answer
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=hidden")
    with receiving(answer) as receiver:
        url = receiver.url.replace("//", "//me:hidden@") + "/p?key=hidden"
        lines = send_one(url, within=0.5, said=1)
    printed = capfd.readouterr()
    assert "hidden" not in "".join((*lines, printed.out, printed.err))
    assert printed.out == printed.err == ""


def test_nothing_is_logged_without_a_logging_setup() -> None:
    """In a process of its own: pytest has set logging up in this one."""
    code = (
        "from kubectl_spy.extras.spans.view import open_span_exporter\n"
        "from tests.spans import ROLLOUT\n"
        "exporter = open_span_exporter('http://127.0.0.1:9', say=print, environ={})\n"
        "exporter.send(ROLLOUT, until=0)\n"
        "exporter.close(0.5)\n"
    )
    ran = processes.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert ran.stderr == ""
    assert [line.split()[0] for line in ran.stdout.splitlines()] == ["cannot", "4"]


def test_opentelemetry_is_not_imported_before_it_is_used() -> None:
    code = (
        "import sys, kubectl_spy.cli.main, kubectl_spy.extras.otel.exporter\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])\n"
    )
    ran = processes.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "[]\n"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def secured(authority: trustme.CA, *, client: bool = False) -> ssl.SSLContext:
    """Return the TLS of a server; with *client*, one that asks who calls."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    if client:
        authority.configure_trust(context)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def test_certificates_of_the_environment_are_used(
    authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trustme.CA().cert_pem.write_to_path(tmp_path / "other.pem")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "other.pem"))
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    caller = authority.issue_cert("caller.example.com")
    caller.cert_chain_pems[0].write_to_path(tmp_path / "caller.pem")
    caller.private_key_pem.write_to_path(tmp_path / "caller.key")
    for name, file in (
        ("CERTIFICATE", "ca.pem"),
        ("CLIENT_CERTIFICATE", "caller.pem"),
        ("CLIENT_KEY", "caller.key"),
    ):
        monkeypatch.setenv(f"OTEL_EXPORTER_OTLP_{name}", str(tmp_path / file))
    with receiving(tls=secured(authority, client=True)) as receiver:
        assert send_one(receiver.url) == []
        assert receiver.names() == ["Pod.Phase1"]


def test_a_certificate_that_is_not_trusted_is_named(authority: trustme.CA) -> None:
    receiver: Receiver
    with receiving(tls=secured(authority)) as receiver:
        lines = send_one(receiver.url, within=0.5, said=1)
        assert receiver.requests == []
    assert "its certificate is not trusted: " in lines[0]


def test_missing_certificates_are_usage_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere/ca.pem")
    with pytest.raises(UsageError, match=r"cannot be read: /nowhere/ca\.pem"):
        send_one("http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("OTEL_EXPORTER_OTLP_CERTIFICATE", "", "names no PEM certificate"),
        ("REQUESTS_CA_BUNDLE", "no PEM", "names no PEM certificate"),
        ("REQUESTS_CA_BUNDLE", None, "names a file that cannot be read: "),
        ("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "", "and its key cannot be used"),
        ("OTEL_EXPORTER_OTLP_CLIENT_KEY", "x", "names a key without a certificate"),
    ],
)
def test_certificates_that_cannot_be_used_are_named(
    name: str,
    content: str | None,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    for each in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv(name, str(file))
    with pytest.raises(UsageError, match=f"^{name} {said}"):
        send_one("https://127.0.0.1:9")
    if name == "REQUESTS_CA_BUNDLE":  # of no interest to plain HTTP
        with receiving() as receiver:
            assert send_one(receiver.url) == []


def test_other_logging_is_left_alone() -> None:
    before = [*logging.root.handlers]
    send_one("http://127.0.0.1:9", within=0.1)
    assert logging.root.handlers == before
    assert logging.getLogger("kubectl_spy").propagate
