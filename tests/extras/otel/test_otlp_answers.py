"""Answers of collectors and of proxies before them, and what is said of these."""

from __future__ import annotations

import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceResponse,
)

from tests.answering import Answer
from tests.extras.otel.receiver import PROTOBUF, delivered, receiving
from tests.spans import span

JSON = {"Content-Type": "application/json; charset=utf-8"}
HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = b"<!doctype html><title>Log in</title>"
BOTH = pytest.mark.parametrize("headers", [PROTOBUF, JSON], ids=["protobuf", "json"])


def answered(answer: Answer) -> tuple[int, list[str], int]:
    """Return how many of three spans are lost, what was said, in how many requests.

    URL stands for the collector's in what was said.
    """
    spans = [span(number) for number in (1, 2, 3)]
    with receiving(answer) as receiver:
        environ = {"OTEL_EXPORTER_OTLP_HEADERS": "authorization=hidden"}
        lost, lines = delivered(receiver.url, *spans, environ=environ)
        url = f"{receiver.url}/v1/traces"
        said = [line.replace(url, "URL") for line in lines]
        return lost, said, len(receiver.requests)


def partial(headers: dict[str, str], rejected: int, message: str) -> Answer:
    answer = ExportTraceServiceResponse()
    answer.partial_success.rejected_spans = rejected
    answer.partial_success.error_message = message
    if headers is JSON:
        return Answer(200, JSON, json_format.MessageToJson(answer).encode())
    return Answer(200, PROTOBUF, answer.SerializeToString())


@BOTH
def test_a_partial_success_reports_the_rejected_spans(headers: dict[str, str]) -> None:
    lines = [
        "URL rejected 2 spans: too old\\u001b[2J",
        "2 of 3 spans were not delivered to URL: 2 refused",
    ]
    assert answered(partial(headers, 2, "too old\x1b[2J")) == (2, lines, 1)


def test_numbers_in_json_may_be_numbers_and_members_unknown() -> None:
    body = b'{"partialSuccess": {"rejectedSpans": 1, "later": []}, "more": {}}'
    lost, lines, _ = answered(Answer(200, JSON, body))
    assert (lost, lines[0]) == (1, "URL rejected 1 span: no reason given")


@BOTH
def test_a_warning_with_full_success_is_repeated(headers: dict[str, str]) -> None:
    answer = partial(headers, 0, "this path is deprecated")
    assert answered(answer) == (0, ["URL says: this path is deprecated"], 1)


@pytest.mark.parametrize(
    ("headers", "body", "what"),
    [
        (HTML, PAGE, "200 with text/html"),
        (HTML, b"", "200 with text/html"),
        ({}, PAGE, "200 with"),
        ({"Content-Type": "text/plain"}, b"\n" + PAGE, "200 with text/plain"),
        (PROTOBUF, PAGE, "200 with application/x-protobuf"),
        (JSON, b"please log in", "200 with application/json"),
        (JSON, b"[" * 60_000, "200 with application/json"),
    ],
)
def test_a_web_page_is_a_refusal(
    headers: dict[str, str], body: bytes, what: str
) -> None:
    why = "no collector's answer, perhaps a proxy's or a login page"
    lines = [
        f"URL refuses spans: {what}: {why}",
        "3 of 3 spans were not delivered to URL: 3 refused",
    ]
    assert answered(Answer(200, headers, body)) == (3, lines, 1)


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (200, {}, b""),
        (200, PROTOBUF, b""),
        (200, JSON, b""),
        (200, JSON, b"{}"),
        (202, {"Content-Type": "text/plain"}, b"OK"),
    ],
)
def test_other_2xx_answers_succeed(
    status: int, headers: dict[str, str], body: bytes
) -> None:
    assert answered(Answer(status, headers, body)) == (0, [], 1)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_reported_and_not_followed(status: int) -> None:
    with receiving() as elsewhere:
        to = elsewhere.url.replace("//", "//me:hidden@") + "/login?key=hidden"
        lost, lines, requests = answered(Answer(status, {"Location": to}, b""))
        assert elsewhere.requests == []
    assert (lost, requests) == (3, 1)
    assert lines[0].startswith(f"URL refuses spans: {status} ")
    assert lines[0].endswith(f", to {elsewhere.url}/login; not followed")
    assert "hidden" not in "".join(lines)


@pytest.mark.parametrize("where", ["http://[", "/v2\x1b[2J", ""])
def test_a_redirect_may_lead_anywhere(where: str) -> None:
    lost, lines, _ = answered(Answer(308, {"Location": where}, b""))
    assert lost == 3
    assert lines[0].startswith("URL refuses spans: 308 Permanent Redirect")
    assert "\x1b" not in lines[0]
