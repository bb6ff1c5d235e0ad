"""What the client package gets wrong about a kubeconfig, through the real command."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Iterator
from dataclasses import replace

import pytest
import trustme

from kubectl_spy import __version__
from tests.cli.command import PATIENCE, Spy
from tests.sources.api_server import Answer, ApiServer, Request, aggregated, serve
from tests.sources.connection.certificates import client_user, server_tls, trusting
from tests.sources.connection.kubeconfigs import exec_user, kubeconfig, program, write

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX paths and signals")

MAPS = "/api/v1/namespaces/default/configmaps"
FOLLOW = ("changes", "cm", "--for", "delete")
"""It ends once the list has shown that there is none."""
LIST = Answer(body='{"metadata":{"resourceVersion":"7"},"items":[]}')
ANSWERS = {**aggregated(), MAPS: LIST}


@pytest.fixture
def api() -> Iterator[ApiServer]:
    """A server with no ConfigMaps."""
    with serve(ANSWERS) as server:
        yield server


def asked(api: ApiServer) -> Request:
    """Return the request for the list."""
    return next(request for request in api.requests if request.path == MAPS)


def test_the_kubeconfigs_impersonation_is_sent(spy: Spy, api: ApiServer) -> None:
    user = {"token": "t", "as": "jane", "as-groups": ["a", "b"]}
    write(spy.kubeconfig, kubeconfig({"server": api.url}, user))
    assert spy.run(*FOLLOW).code == 0
    for request in api.requests:  # discovery, too
        assert request.header("Impersonate-User") == ["jane"]
        assert request.header("Impersonate-Group") == ["a", "b"]


def test_every_request_says_what_it_comes_from(spy: Spy, api: ApiServer) -> None:
    write(spy.kubeconfig, kubeconfig({"server": api.url}))
    assert spy.run(*FOLLOW).code == 0
    agents = [request.header("User-Agent") for request in api.requests]
    assert len(agents) >= 3 and set(map(tuple, agents)) == {
        (f"kubectl-spy/{__version__}",)
    }


def test_no_key_and_no_discovery_is_left_behind_however_it_ends(spy: Spy) -> None:
    """Not even by kill -9: the package's files would be there all the while."""
    authority = trustme.CA()
    temporary = spy.home / "tmp"
    with serve(ANSWERS, server_tls(authority, clients=authority)) as api:
        user = client_user(authority)
        write(spy.kubeconfig, kubeconfig(trusting(authority, api.url), user))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            temporary.mkdir(exist_ok=True)
            environ = {"TMPDIR": str(temporary)}
            with spy.running("changes", "cm", environ=environ) as running:
                running.wait_for_talk("nothing there yet")
                assert list(temporary.iterdir()) == []
                running.end(number)
            assert list(temporary.iterdir()) == []
    assert MAPS in api.paths
    kept = [path for path in spy.home.rglob("*") if path.is_file()]
    assert not [path for path in kept if b"PRIVATE KEY" in path.read_bytes()]
    (cache,) = (path for path in kept if "cache" in path.parts)
    assert stat.S_IMODE(cache.stat().st_mode) == 0o600


def test_a_failed_plugin_sends_no_anonymous_request(spy: Spy, api: ApiServer) -> None:
    """There the package gives it the terminal, and stumbles over its silence."""
    pty = pytest.importorskip("pty")
    script = "read answer; echo wrong: $answer >&2; exit 3"
    user = exec_user(program(spy.home / "login", script))
    write(spy.kubeconfig, kubeconfig({"server": api.url}, user))
    ours, theirs = pty.openpty()
    with spy.start(*FOLLOW, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        os.write(ours, b"hunter3\n")
        printed = b""
        while b"error:" not in printed:
            printed += os.read(ours, 1 << 16)
        assert process.wait(PATIENCE) == 1
    os.close(ours)
    assert b"wrong: hunter3" in printed
    assert b"error: credential plugin" in printed and b"bug" not in printed
    assert api.requests == []


def test_no_request_is_repeated_in_secret(spy: Spy, api: ApiServer) -> None:
    """urllib3 would, three times, having slept for as long as Retry-After says."""
    later = (("Retry-After", "3600"),)
    api.answers[MAPS] = Answer(429, "{}", headers=later)
    write(spy.kubeconfig, kubeconfig({"server": api.url}))
    with spy.running("changes", "cm") as running:
        running.wait_for_talk("trying again")
        assert running.end().code == 130
    assert api.paths.count(MAPS) == 1


@pytest.mark.parametrize("flag", [(), ("--debug",)])
@pytest.mark.parametrize("status", [200, 401, 403, 500])
def test_credentials_are_not_printed(
    spy: Spy, api: ApiServer, status: int, flag: tuple[str, ...]
) -> None:
    api.answers[MAPS] = replace(LIST, status=status)
    user = {"token": "hunter2"}
    write(spy.kubeconfig, kubeconfig({"server": api.url}, user))
    ended = spy.run_in_time(*FOLLOW, *flag, done=lambda _: MAPS in api.paths)
    assert b"hunter2" not in ended.stdout + ended.stderr
    assert asked(api).header("Authorization") == ["Bearer hunter2"]
