"""Requests that are not answered, or not as they should be, at each phase."""

from __future__ import annotations

import pytest

from kubectl_spy.errors import ConnectionFailed, RequestRefused, Unauthenticated
from tests.sources.watching.matrix.cluster import Cluster
from tests.sources.watching.matrix.server import ModelServer, Phase
from tests.sources.watching.matrix.trial import Ground, rows
from tests.sources.watching.matrix.wire import (
    HTML,
    Fault,
    answer,
    closed,
    garbage,
    part_of_it,
    refusal,
    reset,
    silent,
    unwrapped,
)

CONNECTING: dict[str, Fault] = {
    "closed": closed,
    "reset": reset,
    "silent": silent,
    "another protocol": garbage,
}
CUT: dict[str, Fault] = {
    "closed before the headers": closed,
    "reset before the headers": reset,
    "silent before the headers": silent,
    "closed in the headers": part_of_it(closed, 0.2),
    "reset in the headers": part_of_it(reset, 0.2),
    "silent in the headers": part_of_it(silent, 0.2),
}
UNWRAPPED: dict[str, Fault] = {
    "closed before the headers, with a close_notify": unwrapped
}
TORN: dict[str, Fault] = {
    "closed in the body": part_of_it(closed, 0.9),
    "reset in the body": part_of_it(reset, 0.9),
    "silent in the body": part_of_it(silent, 0.9),
}
NO_LIST: dict[str, Fault] = {
    "a web page": answer(200, HTML, "text/html"),
    "no object": answer(200, "[]"),
    "no list": answer(200, "{}"),
    "no JSON": answer(200, '{"items": [nul'),
}
BUSY: dict[str, Fault] = {
    "429": refusal(429, "TooManyRequests"),
    "429, Retry-After 1": refusal(429, "TooManyRequests", Retry_After="1"),
    "429, Retry-After 86400": refusal(429, "TooManyRequests", Retry_After="86400"),
    "429 of a proxy": answer(429, HTML, "text/html"),
    "500": refusal(500, "InternalError"),
    "502 of a proxy": answer(502, HTML, "text/html"),
    "503 of a proxy": answer(503, HTML, "text/html"),
    "503 without a body": answer(503, ""),
    "504": refusal(504, "Timeout"),
}
REFUSED: dict[str, Fault] = {
    "401": refusal(401, "Unauthorized"),
    "403": refusal(403, "Forbidden"),
    "404 of a type that is gone": answer(404, "404 page not found\n", "text/plain"),
    "405": refusal(405, "MethodNotAllowed"),
    "302": answer(302, "", Location="https://login.example.com/"),
}
UNANSWERED: dict[str, Fault] = {**CUT, **BUSY, **REFUSED}
FATAL: dict[str, Fault] = {**CUT, **TORN, **NO_LIST, **REFUSED}
ANY: dict[str, Fault] = {**UNANSWERED, **UNWRAPPED, **TORN, **NO_LIST}
BROKEN = {**CUT, **UNWRAPPED}
"""Under TLS a close can be announced."""
TIMES = 3
"""Often enough for what does not wait to be found out."""


@rows("fault", CONNECTING, tls=CONNECTING)
def test_connections_that_fail(ground: Ground, fault: str) -> None:
    with ground.trial(request_timeout=0.5) as trial:
        trial.server.fail(Phase.CONNECTION, *[CONNECTING[fault]] * TIMES)
        trial.server.disturb(closed)
        trial.write(2)
        trial.judge()
        trial.wait_until_said("watching again")
        assert "connection lost" in trial.said


def test_a_port_that_is_closed(ground: Ground) -> None:
    with ground.trial() as trial:
        trial.server.refuse_connections()
        trial.server.disturb(closed)
        trial.write(2)
        trial.wait_until_said("connection lost")
        trial.write(2)
        trial.server.accept_connections()
        trial.judge()
        trial.wait_until_said("watching again")


@rows("fault", UNANSWERED, tls=BROKEN)
def test_watches_that_fail(ground: Ground, fault: str) -> None:
    with ground.trial() as trial:
        trial.write()
        trial.wait_until_seen()
        trial.server.fail(Phase.WATCH, *[ANY[fault]] * TIMES)
        trial.server.disturb(closed)
        trial.write(2)
        trial.judge()
        trial.wait_until_well()


@rows("fault", UNANSWERED | TORN | NO_LIST, tls=BROKEN | TORN)
def test_lists_that_fail_after_history_is_lost(ground: Ground, fault: str) -> None:
    with ground.trial() as trial:
        trial.server.fail(Phase.LIST, *[ANY[fault]] * (TIMES - 1))
        trial.server.fail(Phase.WATCH, answer(503))
        trial.server.disturb(closed)
        trial.write(2)
        trial.cluster.delete("other")
        trial.cluster.compact()
        trial.judge(missed=True)
        trial.wait_until_said("an unknown number of versions was missed (GAP)")
        assert trial.said.endswith(" (GAP)")


@rows("fault", UNANSWERED, tls=BROKEN)
def test_questions_after_a_silence_that_fail(ground: Ground, fault: str) -> None:
    with ground.trial() as trial:
        trial.server.fail(Phase.VERIFY, *[ANY[fault]] * (TIMES - 1))
        trial.server.disturb(silent, at_event=True)
        trial.write(2)
        trial.judge()
        if fault.startswith(("403", "404", "405")):
            assert trial.seen.said == []  # the watch may be allowed: it tells
        elif "in the headers" not in fault:  # a status is all that matters here
            trial.wait_until_well()


@pytest.mark.parametrize("fault", BUSY)
def test_the_first_list_of_a_busy_server_is_awaited(ground: Ground, fault: str) -> None:
    def busy(cluster: Cluster, server: ModelServer) -> None:
        server.fail(Phase.LIST, *[BUSY[fault]] * TIMES)

    with ground.trial(before=busy) as trial:
        trial.judge()
        trial.wait_until_said("configmaps: watching")
        assert "refused: " in trial.said and trial.said.endswith(": watching")


@rows("fault", FATAL, tls=BROKEN | TORN)
def test_a_first_list_that_fails_otherwise_ends_it(ground: Ground, fault: str) -> None:
    def broken(cluster: Cluster, server: ModelServer) -> None:
        # Credentials are read again once.
        server.fail(Phase.LIST, *[ANY[fault]] * (2 if fault == "401" else 1))

    with ground.trial(before=broken, watching=False) as trial:
        error = trial.seen.wait_for_error()
        kind = RequestRefused if fault in REFUSED else ConnectionFailed
        assert isinstance(error, Unauthenticated if fault == "401" else kind)
        assert trial.server.faultless and not trial.seen.records
        assert not trial.server.asked(Phase.WATCH)
