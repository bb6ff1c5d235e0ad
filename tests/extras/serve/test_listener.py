"""Clients without a token take little: connections, time, and none of our talk."""

from __future__ import annotations

import json
import time

import pytest

from kubectl_spy.extras.serve.api_server.exchange import Answer, Request
from kubectl_spy.extras.serve.api_server.inbox import LONGEST_BODY
from kubectl_spy.extras.serve.api_server.listener import MOST_STRANGERS
from kubectl_spy.extras.serve.api_server.watching import Stream
from tests.extras.serve.raw import TOKEN, Echo, Raw, listening, only_status, request
from tests.processes import limits, wait_until

GET = request("GET /a HTTP/1.1", "Host: localhost", TOKEN)
POST = request(
    "POST / HTTP/1.1", "Host: localhost", TOKEN, f"Content-Length: {LONGEST_BODY}"
)
STRANGER = GET.replace(b"right", b"wrong")


@pytest.mark.parametrize(
    ("sent", "part"), [(GET[:-2], "head"), (POST, "body"), (b"\r\n", "head")]
)
def test_a_request_that_takes_too_long_is_given_up(sent: bytes, part: str) -> None:
    for patience in limits(0.5):
        with (
            listening(Echo().respond, patience=patience) as listener,
            Raw(listener.port, sent) as client,
        ):
            status = only_status(client.rest())
        assert (status["code"], status["reason"]) == (408, "RequestTimeout")
        if part in status["message"]:  # not on a slow machine, if its head came late
            break
    assert status["message"] == f"the {part} took longer than {patience} s"


def test_a_trickle_does_not_gain_time() -> None:
    with (
        listening(Echo().respond, patience=0.5) as listener,
        Raw(listener.port, GET[:-2]) as client,
    ):
        client.socket.settimeout(0.01)
        begun = time.monotonic()
        while time.monotonic() - begun < 60:
            client.send(b"a")
            try:
                received = client.socket.recv(1 << 16)
            except TimeoutError:
                continue
            break
    assert only_status(received)["code"] == 408


def test_a_client_that_sends_nothing_is_left_without_a_word() -> None:
    with (
        listening(Echo().respond, patience=0.5) as listener,
        Raw(listener.port) as client,
    ):
        assert client.rest() == b""


def test_a_client_with_the_token_may_take_its_time_between_requests() -> None:
    for patience in limits(0.5):
        with (
            listening(Echo().respond, patience=patience) as listener,
            Raw(listener.port, GET) as client,
        ):
            if client.answer()[0].status == 408:  # on a slow machine it came too late
                continue
            time.sleep(1.5 * patience)
            client.send(GET)
            assert client.answer()[1] == b"/a"
            client.send(GET[:-2])
            assert only_status(client.rest())["code"] == 408
            return
    raise AssertionError("no request came in time")


def test_a_stranger_gets_one_answer_and_its_body_is_not_awaited() -> None:
    echo = Echo()
    with listening(echo.respond) as listener:
        with Raw(listener.port, POST.replace(b"right", b"wrong")) as client:
            assert only_status(client.rest())["code"] == 401
        with Raw(listener.port, STRANGER + GET) as client:
            assert only_status(client.rest())["code"] == 401
    assert len(echo.requests) == 2


def test_a_stranger_that_goes_on_sending_is_cut_off() -> None:
    with listening(Echo().respond) as listener, Raw(listener.port, STRANGER) as client:
        assert client.answer()[0].status == 401
        with pytest.raises(ConnectionError):
            for _ in range(1000):
                client.send(b"a" * (1 << 16))


def test_one_stranger_too_many_ends_the_oldest() -> None:
    with listening(Echo().respond) as listener:
        with Raw(listener.port, GET) as known:
            assert known.answer()[1] == b"/a"
            strangers = [Raw(listener.port, GET[:-2]) for _ in range(MOST_STRANGERS)]
            with Raw(listener.port, GET) as another:
                assert another.answer()[1] == b"/a"
            oldest, *others = strangers
            status = only_status(oldest.rest())
            assert (status["code"], status["reason"]) == (503, "ServiceUnavailable")
            known.send(GET)
            assert known.answer()[1] == b"/a"
            for each in others:
                each.send(b"\r\n")
                assert each.answer()[1] == b"/a"
        for each in strangers:
            each.socket.close()


def test_streams_go_on_while_strangers_come_and_go() -> None:
    sent: list[bytes] = []

    def respond(request: Request) -> Answer | Stream:
        if request.path != "/stream":
            return Echo().respond(request)

        def lines() -> Stream:
            while not sent:
                yield []
                time.sleep(0.01)
            yield sent

        return lines()

    with (
        listening(respond) as listener,
        Raw(listener.port, GET.replace(b"/a", b"/stream")) as watching,
    ):
        head = watching.socket.recv(1 << 16)
        for _ in range(3 * MOST_STRANGERS):
            with Raw(listener.port, STRANGER) as client:
                assert only_status(client.rest())["code"] == 401
        sent.append(b"now")
        assert head.startswith(b"HTTP/1.1 200 OK")
        assert watching.socket.recv(1 << 16).startswith(b"3\r\nnow\r\n")


def test_a_bug_is_one_line_however_often_it_is_met(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def respond(request: Request) -> Answer | Stream:
        if request.path != "/stream":
            raise KeyError(f"it is\n{request.headers['authorization']}")

        def lines() -> Stream:
            yield [b"one"]
            raise ValueError

        return lines()

    with listening(respond) as listener:
        for _ in range(3):
            with Raw(listener.port, GET) as client:
                status = json.loads(client.answer()[1])
                assert (status["code"], status["reason"]) == (500, "InternalError")
        with Raw(listener.port, GET.replace(b"/a", b"/stream")) as client:
            assert client.rest().endswith(b"\r\n\r\n3\r\none\r\n")  # it is broken off
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(
        "error: this is a bug in kubectl-spy: KeyError at test_listener.py:"
    )
    assert "right" not in err


def test_a_client_that_vanishes_is_forgotten(
    capfd: pytest.CaptureFixture[str],
) -> None:
    ended: list[bool] = []

    def respond(request: Request) -> Answer | Stream:
        def lines() -> Stream:
            try:
                while True:
                    yield [b"a" * (1 << 16)]
            finally:
                ended.append(True)

        return lines()

    with listening(respond) as listener:
        with Raw(listener.port, GET) as client:
            client.socket.recv(1)
        wait_until(lambda: ended)
    assert capfd.readouterr() == ("", "")
