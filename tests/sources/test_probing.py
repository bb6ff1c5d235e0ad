"""Asking Services: what is sent, how long for, and how what comes back is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_spy.core.changes.record import Probed
from kubectl_spy.core.diagnosis.services.probes import ProbeTarget, judged
from kubectl_spy.errors import ConnectionFailed
from kubectl_spy.sources.connection.connect import Connection, ConnectionSettings
from kubectl_spy.sources.probing import Probing
from tests.processes import PATIENCE, wait_until
from tests.sources.api_server import Answer, serve
from tests.sources.connection.kubeconfigs import in_home, kubeconfig

WEB = ProbeTarget("u1", "shop", "web", 80, "TCP", False, ("10.0.0.3",))
PATH = "/api/v1/namespaces/shop/services/http:web:80/proxy/"


def first(probing: Probing, *targets: ProbeTarget) -> list[Probed]:
    """Return what comes back first from each of *targets*."""
    probing.aim(targets)
    came: list[Probed] = []

    def settled() -> bool:
        came.extend(probing.answers())
        return probing.settled

    wait_until(settled)
    probing.close()
    return came


def test_a_probe_reads_no_body_and_has_a_time_limit(tmp_path: Path) -> None:
    late = f"{PATH}late"
    answers = {PATH: Answer(body=b"x" * 1_000_000), late: Answer(delay=PATIENCE)}
    with serve(answers) as server:
        connection = Connection(
            ConnectionSettings(),
            environ=in_home(tmp_path, kubeconfig({"server": server.url})),
            say=lambda line: None,
        )
        assert connection.ask(PATH, PATIENCE) == (200, b"")
        assert connection.ask(late, 0.2) is None
        gone = connection.ask(f"{PATH}gone", PATIENCE)
        assert gone == (404, b"404 page not found\n")
    nowhere = kubeconfig({"server": "http://127.0.0.1:1"})
    connection = Connection(
        ConnectionSettings(), environ=in_home(tmp_path, nowhere), say=lambda line: None
    )
    with pytest.raises(ConnectionFailed):
        connection.ask(PATH, PATIENCE)


def test_all_targets_are_asked_by_their_paths() -> None:
    asked: list[tuple[str, float]] = []

    def ask(path: str, seconds: float) -> tuple[int, bytes]:
        asked.append((path, seconds))
        return 200, b""

    secure = WEB._replace(name="a/b", port=443, secure=True)
    came = first(Probing(ask), WEB, secure, WEB._replace(port=53, protocol="UDP"))
    assert asked == [
        (PATH, 3.0),
        ("/api/v1/namespaces/shop/services/https:a%2Fb:443/proxy/", 3.0),
    ]
    assert [(each.port, each.answers) for each in came] == [
        (80, True),
        (443, True),
        (53, None),
    ]


def test_silence_differs_from_a_lost_api_server() -> None:
    (silent,) = first(Probing(lambda path, seconds: None), WEB)
    assert (silent.answers, silent.what) == (False, "nothing within 3 s")

    def gone(path: str, seconds: float) -> None:
        raise ConnectionFailed("127.0.0.1:1 refused the connection")

    (unknown,) = first(Probing(gone), WEB)
    assert (unknown.answers, unknown.what) == (
        None,
        "127.0.0.1:1 refused the connection",
    )


def test_targets_are_asked_again_after_a_while() -> None:
    probing = Probing(lambda path, seconds: (200, b""), every=0.01)
    assert len(first(probing, WEB)) == 1
    probing = Probing(lambda path, seconds: (200, b""), every=0.01)
    probing.aim((WEB,))
    came: list[Probed] = []

    def thrice() -> bool:
        came.extend(probing.answers())
        return len(came) >= 3

    wait_until(thrice)
    probing.close()


def test_a_bug_in_the_thread_comes_to_light() -> None:
    def broken(path: str, seconds: float) -> None:
        raise TypeError("a bug")

    with pytest.raises(TypeError, match="a bug"):
        first(Probing(broken), WEB)


@pytest.mark.parametrize(
    ("status", "body", "answers"),
    [
        (404, '{"kind":"Status","details":{"kind":"services"},"message":"gone"}', None),
        (401, '{"kind":"Status","message":"Unauthorized"}', None),
        (401, "who are you", True),
        (404, '{"kind":"Status","message":"the application\'s own"}', True),
        (503, '{"kind":"Status","message":"no service port 81 found"}', False),
        (503, '{"kind":"Status","message":"error trying to reach service: EOF"}', True),
        (503, '{"kind":"Pod","message":"no endpoints available"}', True),
        (503, "{", True),
        (999, "", True),
    ],
)
def test_errors_of_the_api_server_are_no_answer(
    status: int, body: str, answers: bool | None
) -> None:
    assert judged(status, body)[0] is answers
