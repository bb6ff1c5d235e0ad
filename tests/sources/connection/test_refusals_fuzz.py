"""An error answer is one bounded line and a time to wait or none, whatever it holds."""

from __future__ import annotations

import json
import math
from email.message import Message
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.errors import RequestRefused
from kubectl_spy.sources.connection.identity import Identity
from kubectl_spy.sources.connection.refusals import RequestContext, refusal
from tests.examples import examples
from tests.json_documents import hostile_json, nested

AT = RequestContext(
    server="https://kube:6443",
    context="dev",
    identity=Identity(token="hunter2", origin="token"),
    proxy="http://me:hunter2@proxy",
)
WORDS = ("kind", "message", "reason", "details", "retryAfterSeconds", "code", "Status")
headers = st.text(st.characters(max_codepoint=255), max_size=40)
dates = st.integers(-(2**31), 2**40).map(lambda seconds: formatdate(seconds % 2**36))


def checked(status: int, header: str | None, body: bytes) -> RequestRefused:
    """Return what an answer amounts to, having checked what everybody relies on."""
    given_headers: Message[str, str] = Message()
    if header is not None:
        given_headers["Retry-After"] = header
    error = refusal(status, given_headers, body, AT)
    assert error.status == status and isinstance(error.reason, str)
    assert error.message and error.remedy
    assert len(error.message) < 400 and "\n" not in str(error)
    assert "hunter2" not in str(error)
    wait = error.retry_after
    assert wait is None or (wait >= 0 and math.isfinite(wait))
    return error


@given(
    st.integers(100, 599),
    st.none() | headers | dates,
    st.binary(max_size=80) | st.text(max_size=40).map(str.encode),
)
@examples(200)
def test_any_body_is_a_bounded_line(
    status: int, header: str | None, body: bytes
) -> None:
    checked(status, header, body)


@given(
    st.integers(300, 599), st.dictionaries(st.sampled_from(WORDS), hostile_json(*WORDS))
)
@examples(200)
def test_any_status_object_is_one_bounded_line(status: int, body: Any) -> None:
    checked(status, None, json.dumps(body).encode())


@pytest.mark.parametrize(
    "body",
    [
        nested(200_000)[5:],
        b'{"message":%b}' % nested(900),
        b'{"details":{"retryAfterSeconds":%b}}' % (b"9" * 5000),
        b'{"details":{"retryAfterSeconds":1e999}}',
        b'{"details":{"retryAfterSeconds":NaN}}',
        b'{"message":"%b"}' % (b"x\\n" * 300_000),
        b"\xff" * 1_000_000,
    ],
    ids=lambda body: repr(body[:30]),
)
def test_a_bomb_is_one_bounded_line(body: bytes) -> None:
    checked(503, None, body)


@pytest.mark.parametrize(
    "header",
    [
        "Mon, 01 Jan 99999999999999999999 00:00:00 GMT",
        "Mon, 01 Jan 2026 00:00:00 +99999999999999999999",
        "Mon, 01 Jan 0001 00:00:00 +2359",
        "Mon, 31 Dec 9999 23:59:59 -2359",
        "Mon, 01 Jan 2026 99:99:99 GMT",
        "9" * 5000,
        "\xb2",
        "-1",
        "1e9",
        ",",
    ],
)
def test_any_retry_after_is_a_time_or_none(header: str) -> None:
    checked(429, header, b"")
