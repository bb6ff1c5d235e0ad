"""What a server or a plugin sends without end is bounded, told and ended.

The command runs with 1 GiB of memory: what it holds of these is a fraction of that.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.builders import pod
from tests.cli.command import COMMAND, Spy
from tests.sources.api_server import Answer, ApiServer, aggregated, as_json, serve
from tests.sources.connection.kubeconfigs import exec_user, kubeconfig, program, write

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX paths and limits")

MAPS = "/api/v1/namespaces/default/configmaps"
MANY = b" " * (16 << 20)
BOMB = gzip.compress(MANY) * 160
"""2.5 GiB, unpacked."""
LIMITED = ("sh", "-c", 'ulimit -v 1048576 && exec "$@"', "sh", *COMMAND)


@pytest.fixture
def spy(tmp_path: Path) -> Spy:
    """The command with little memory."""
    return Spy(tmp_path, LIMITED)


@contextmanager
def answering(spy: Spy, answers: dict[str, Answer]) -> Iterator[ApiServer]:
    with serve() as api:
        api.answers = answers
        write(spy.kubeconfig, kubeconfig({"server": api.url}))
        yield api


@pytest.mark.parametrize("path", [MAPS, "/apis"])
@pytest.mark.parametrize("status", [200, 500])
def test_a_packed_answer_is_not_unpacked(spy: Spy, path: str, status: int) -> None:
    packed = Answer(status, BOMB, headers=(("Content-Encoding", "gzip"),))
    tries_again = status == 500 and path == MAPS
    with (
        answering(spy, {**aggregated(), path: packed}) as api,
        spy.running("changes", "cm") as running,
    ):
        running.wait_for_talk("gzip" if status == 200 else "500")
        ended = running.end() if tries_again else running.ended()
    assert "identity" in api.requests[0].header("Accept-Encoding")
    if status == 200:
        assert ended.code == 1
        assert "answered compressed (gzip), which was not asked for" in ended.err
    else:
        assert ended.code == (130 if path == MAPS else 1)


def test_a_packed_watch_is_not_unpacked(spy: Spy) -> None:
    class Watched(dict[str, Answer]):
        def get(self, path: str, default: Any = None) -> Any:
            if path == MAPS and "watch" in api.requests[-1].query:
                return Answer(body=BOMB, headers=(("Content-Encoding", "gzip"),))
            return super().get(path, default)

    empty = as_json({"metadata": {"resourceVersion": "1"}, "items": []})
    with answering(spy, {}) as api:
        api.answers = Watched({**aggregated(), MAPS: empty})
        with spy.running("changes", "cm") as running:
            running.wait_for_talk("answered compressed (gzip)")
            ended = running.end()
    assert ended.code == 130
    assert "configmaps: connection lost: " in ended.err
    assert "answered compressed (gzip)" in ended.err
    assert len(api.requests) < 20


def named(*names: str) -> list[dict[str, Any]]:
    return [pod(name) for name in names]


ENDLESS: dict[str, Callable[[int], tuple[list[dict[str, Any]], str]]] = {
    "the same token": lambda page: (named("a"), "next"),
    "other tokens": lambda page: ([], f"next-{page}"),
    "the same objects": lambda page: (
        named(*(f"a-{number}" for number in range(500))),
        f"next-{page}",
    ),
}


@pytest.mark.parametrize("way", ENDLESS)
def test_a_list_whose_pages_do_not_end_is_given_up(spy: Spy, way: str) -> None:
    class Pages(dict[str, Answer]):
        count = 0

        def get(self, path: str, default: Any = None) -> Any:
            if path != MAPS:
                return super().get(path, default)
            Pages.count += 1
            items, token = ENDLESS[way](Pages.count)
            metadata = {"resourceVersion": "1", "continue": token}
            return as_json({"metadata": metadata, "items": items})

    with answering(spy, {}) as api:
        api.answers = Pages(aggregated())
        ended = spy.run("changes", "cm", "-o", "json")
    assert ended.code == 1
    assert ended.err.splitlines()[-1].startswith("error: the list does not end")
    assert Pages.count <= 201


@pytest.mark.parametrize("script", ["exec yes", "exec yes >&2", "exec cat /dev/zero"])
def test_a_plugin_that_prints_without_end_is_killed(spy: Spy, script: str) -> None:
    login = program(spy.home / "login", f"echo $$ > {spy.home}/pid\n{script}")
    write(spy.kubeconfig, kubeconfig(user=exec_user(login)))
    ended = spy.run("changes", "cm")
    assert ended.code == 1
    assert 'login" failed: it printed more than 1 MiB' in ended.err
    with pytest.raises(ProcessLookupError):
        os.kill(int((spy.home / "pid").read_text()), 0)


def test_a_plugin_that_is_silent_is_told_of(spy: Spy) -> None:
    login = program(spy.home / "login", "exec sleep 600")
    write(spy.kubeconfig, kubeconfig(user=exec_user(login)))
    with spy.running("changes", "cm") as running:
        running.wait_for_talk('login": no answer for 5 s; still waiting')
        assert running.end().code == 130
