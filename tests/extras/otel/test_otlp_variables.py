"""Invalid OTEL_* variables are named before anything is watched, their values never."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from kubectl_spy.errors import UsageError
from kubectl_spy.extras.otel.otel_env import TRACES, timeout
from kubectl_spy.extras.spans.view import open_span_exporter
from tests.extras.otel.receiver import Receiver, delivered, receiving
from tests.spans import span

OTLP = "OTEL_EXPORTER_OTLP_"
HEADERS = f"{OTLP}HEADERS"
WRONG = [
    ("OTEL_ATTRIBUTE_COUNT_LIMIT", "hidden"),
    ("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "hidden"),
    ("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "-7777"),
    ("OTEL_RESOURCE_ATTRIBUTES", "k8s.cluster.name=shop,hidden"),
    ("OTEL_RESOURCE_ATTRIBUTES", "=hidden"),
    (f"{OTLP}TIMEOUT", "-7777"),
    (f"{OTLP}TIMEOUT", "0"),
    (f"{OTLP}TIMEOUT", "nan"),
    (f"{OTLP}TIMEOUT", "1e999"),
    (f"{OTLP}TRACES_TIMEOUT", "hidden"),
    (HEADERS, "hidden"),
    (HEADERS, "x-team=a,hidden"),
    (HEADERS, "x-team=a;hidden"),
    (HEADERS, "authorization=hid%0Ahidden"),
    (HEADERS, "authorization=%E2%82%AChidden"),
    (HEADERS, "a%20hidden=b"),
    (f"{OTLP}TRACES_HEADERS", "=hidden"),
    (f"{OTLP}COMPRESSION", "hidden"),
    (f"{OTLP}TRACES_COMPRESSION", "zstd-hidden"),
]


def with_user(receiver: Receiver, user: str) -> str:
    return receiver.url.replace("//", f"//{user}@")


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_an_invalid_variable_is_named_and_its_value_is_not(
    name: str, value: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError) as refusal:
        open_span_exporter("http://127.0.0.1:9", say=print, environ={name: value})
    said = str(refusal.value)
    assert said.startswith(f"{name} ") and said.endswith("; correct or unset it")
    assert "hidden" not in said and "7777" not in said
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTEL_RESOURCE_ATTRIBUTES", "a=b, ,"),
        ("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", ""),
        (HEADERS, " , x-team = a b ,"),
        (f"{OTLP}TIMEOUT", " "),
        (f"{OTLP}COMPRESSION", " GZIP "),
        (f"{OTLP}COMPRESSION", ""),
    ],
)
def test_empty_and_spaced_values_are_accepted(name: str, value: str) -> None:
    with receiving() as receiver:
        assert delivered(receiver.url, span(), environ={name: value}) == (0, [])
        assert receiver.names() == ["Pod.Phase1"]


def test_a_timeout_is_at_most_60_seconds() -> None:
    assert timeout({f"{OTLP}TIMEOUT": "10000"}, TRACES) == 60
    environ = {f"{OTLP}TIMEOUT": "0.3", f"{OTLP}TRACES_TIMEOUT": "2"}
    assert timeout(environ, TRACES) == 2
    assert timeout({}, TRACES) == 10


@pytest.mark.parametrize(
    ("user", "credentials"), [("me:p%40ss", "me:p@ss"), ("token", "token:")]
)
def test_a_user_in_the_url_is_sent_and_not_printed(user: str, credentials: str) -> None:
    with receiving() as receiver:
        url, environ = with_user(receiver, user), {HEADERS: "x-team=a"}
        assert delivered(url, span(), environ=environ) == (0, [])
        (request,) = receiver.requests
    basic = base64.b64encode(credentials.encode()).decode()
    assert request.headers["Authorization"] == f"Basic {basic}"
    assert request.headers["x-team"] == "a"


def test_a_user_and_an_authorization_header_are_refused() -> None:
    with receiving() as receiver:
        with pytest.raises(UsageError, match="leave out one of them") as refusal:
            environ = {HEADERS: "Authorization=hidden"}
            delivered(with_user(receiver, "me:hidden"), environ=environ)
        assert receiver.requests == []
    assert "hidden" not in str(refusal.value)


def test_netrc_adds_no_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login other password other\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with receiving() as receiver:
        environ = {HEADERS: "authorization=mine"}
        assert delivered(receiver.url, span(), environ=environ) == (0, [])
        assert receiver.requests[0].headers["Authorization"] == "mine"


@pytest.mark.parametrize("protocol", ["grpc", "http/json"])
def test_another_protocol_is_refused_with_the_port_to_use(protocol: str) -> None:
    with pytest.raises(UsageError, match=r"OTLP_PROTOCOL is not http/protobuf.*4318"):
        delivered("http://127.0.0.1:9", environ={f"{OTLP}PROTOCOL": protocol})
