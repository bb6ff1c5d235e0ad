"""Reading logs: what is asked, how much of the answer is read, and for how long."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from kubectl_spy.core.changes.record import ContainerRun, Logged
from kubectl_spy.core.diagnosis.pods.failed_runs import FailedRun
from kubectl_spy.sources.connection.connect import Connection, ConnectionSettings
from kubectl_spy.sources.pod_logs import PodLogs
from tests.processes import wait_until
from tests.sources.api_server import Answer, serve
from tests.sources.connection.kubeconfigs import in_home, kubeconfig

ID = ContainerRun("u1", "shop", "web-0", "app", "c1")
RUN = FailedRun(ID, "container/app", True, ("rs", "app", 1, ""))
OTHER = FailedRun(ID._replace(container_id="c2"), "", True, ("rs", "app", 2, ""))
PATH = "/api/v1/namespaces/shop/pods/web-0/log"


class Reader(NamedTuple):
    """The logs of a server, and what was said."""

    logs: PodLogs
    woken: threading.Event
    said: list[str]

    def read(self, *runs: FailedRun) -> list[Logged]:
        self.logs.read(runs)
        came: list[Logged] = []

        def settled() -> bool:
            came.extend(self.logs.answers())
            return self.logs.settled

        wait_until(settled)
        return came


def reader(home: Path, url: str) -> Reader:
    config = in_home(home, kubeconfig({"server": url}))
    connection = Connection(ConnectionSettings(), environ=config, say=lambda line: None)
    woken, said = threading.Event(), list[str]()
    return Reader(PodLogs(connection.ask, wake=woken.set, say=said.append), woken, said)


def log(body: bytes, status: int = 200) -> Answer:
    return Answer(status, body, "text/plain")


def test_the_last_lines_are_read_once_for_each_run(tmp_path: Path) -> None:
    text = b"".join(b"line %d\n\n" % number for number in range(9))
    with serve({PATH: log(text)}) as server:
        it = reader(tmp_path, server.url)
        (came,) = it.read(RUN, OTHER._replace(kind=RUN.kind))
        assert it.read(RUN) == [] and it.woken.is_set()
        (request,) = server.requests
    assert came.run == ID
    assert came.lines == tuple(f"line {number}" for number in range(4, 9))
    assert not came.cut
    assert request.query == {
        "container": ["app"],
        "previous": ["true"],
        "tailLines": ["10"],
        "limitBytes": ["16384"],
    }


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (b"", ()),
        (b"\n \n", ()),
        (b"caf\xe9 \xff\x00\x1b[2J\r\n", ("caf\ufffd \ufffd\x00\x1b[2J",)),
    ],
)
def test_any_bytes_are_a_log(
    tmp_path: Path, body: bytes, lines: tuple[str, ...]
) -> None:
    with serve({PATH: log(body)}) as server:
        (came,) = reader(tmp_path, server.url).read(RUN)
    assert came.lines == lines and not came.cut


def test_a_line_of_ten_megabytes_is_read_up_to_the_limit(tmp_path: Path) -> None:
    with serve({PATH: log(b"x" * 10_000_000)}) as server:
        (came,) = reader(tmp_path, server.url).read(RUN)
        # The last line is asked for alone: others may have taken its room.
        assert [each.query["tailLines"] for each in server.requests] == [["10"], ["1"]]
    assert came.lines == ("x" * 16_384,) and came.cut


def test_the_limit_counts_the_bytes_of_the_server(tmp_path: Path) -> None:
    with serve({PATH: log(b"\xff" * 6_000)}) as server:
        (came,) = reader(tmp_path, server.url).read(RUN)
        assert len(server.requests) == 1
    assert came.lines == ("\ufffd" * 6_000,) and not came.cut


@contextmanager
def endless(chunk: bytes) -> Iterator[str]:
    """Answer two requests with *chunk* ten times a second, and never end."""
    ended = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def drip(client: socket.socket) -> None:
        client.recv(65536)
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nfirst\n"
        with client, suppress(OSError):
            client.sendall(head)
            while not ended.wait(0.1):
                client.sendall(chunk)

    def run() -> None:
        with ThreadPoolExecutor(2) as pool:
            for _ in range(2):
                pool.submit(drip, listener.accept()[0])

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        ended.set()
        thread.join()
        listener.close()


@pytest.mark.parametrize("chunk", [b"", b"more "])
def test_an_answer_that_does_not_end_is_left_after_three_seconds(
    tmp_path: Path, chunk: bytes
) -> None:
    with endless(chunk) as url:
        (came,) = reader(tmp_path, url).read(RUN)
    assert came.lines[0] == "first" and came.cut


def test_a_missing_right_is_said_once_and_not_tried_again(tmp_path: Path) -> None:
    with serve({PATH: log(b"", 403)}) as server:
        it = reader(tmp_path, server.url)
        assert it.read(RUN) == [] and it.read(OTHER) == []
        assert len(server.requests) == 1
    assert it.said == [
        "note: may not get pods/log in namespace shop: no logs of what failed; ask for "
        "that right, or use --logs=false"
    ]


GONE = b"unable to retrieve container logs for c1"


@pytest.mark.parametrize(
    "answer", [log(b"not found", 400), log(b"", 404), log(GONE), log(GONE + b"\n")]
)
def test_a_log_that_is_not_there_is_passed_over(tmp_path: Path, answer: Answer) -> None:
    with serve({PATH: answer}) as api:
        it = reader(tmp_path, api.url)
        assert it.read(RUN) == [] and it.said == []


def test_a_program_may_write_what_a_kubelet_says_of_another_container(
    tmp_path: Path,
) -> None:
    with serve({PATH: log(b"unable to retrieve container logs for c2")}) as api:
        (came,) = reader(tmp_path, api.url).read(RUN)
    assert came.lines == ("unable to retrieve container logs for c2",)


@pytest.mark.parametrize("status", [500, 502, 429, 0])
def test_the_first_log_that_does_not_come_is_a_line(
    tmp_path: Path, status: int
) -> None:
    with serve({PATH: log(b"dial tcp: i/o timeout", status)}) as api:
        it = reader(tmp_path, api.url if status else "http://127.0.0.1:1")
        assert it.read(RUN) == [] and it.read(OTHER) == []
    said = f"the server said {status}" if status else "no answer"
    assert it.said == [
        f"note: the log of pod/web-0 does not come: {said}; "
        "try kubectl logs web-0 -c app --previous -n shop"
    ]


def test_names_cannot_lead_elsewhere(tmp_path: Path) -> None:
    with serve() as server:
        reader(tmp_path, server.url).read(
            RUN._replace(of=ID._replace(name="../../x?y", namespace="a/b"))
        )
        (request,) = server.requests
    assert request.path == "/api/v1/namespaces/a%2Fb/pods/..%2F..%2Fx%3Fy/log"


def test_a_bug_in_a_thread_comes_to_light() -> None:
    def broken(path: str, seconds: float, limit: int) -> None:
        raise TypeError("a bug")

    logs = PodLogs(broken, wake=lambda: None, say=print)
    with pytest.raises(TypeError, match="a bug"):
        Reader(logs, threading.Event(), []).read(RUN)
