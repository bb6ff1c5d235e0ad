"""What the client package gets wrong about a kubeconfig, through the real command."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trustme

from kubectl_spy import __version__
from tests.cli.command import PATIENCE, Spy
from tests.processes import wait_until
from tests.sources.api_server import Answer, ApiServer, Request, aggregated, serve
from tests.sources.connection.certificates import client_user, server_tls, trusting
from tests.sources.connection.kubeconfigs import kubeconfig, write

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX paths and signals")

MAPS = "/api/v1/namespaces/default/configmaps"
FOLLOW = ("changes", "cm", "--for", "delete")
"""It ends once the list has shown that there is none."""
LIST = Answer(body='{"metadata":{"resourceVersion":"7"},"items":[]}')
REFUSED = Answer(401, '{"kind":"Status","reason":"Unauthorized","code":401}')
ANSWERS = {**aggregated(), MAPS: LIST}


@pytest.fixture
def api() -> Iterator[ApiServer]:
    """A server with no ConfigMaps."""
    with serve(ANSWERS) as server:
        yield server


def asked(api: ApiServer) -> Request:
    """Return the request for the list."""
    return next(request for request in api.requests if request.path == MAPS)


def sent(api: ApiServer) -> list[str]:
    """Return the Authorization of each request so far."""
    return [request.header("Authorization")[0] for request in list(api.requests)]


class Wanting(dict[str, Answer]):
    """Answers for those with a token of now, who come one after the other."""

    def __init__(self, api: ApiServer, wanted: str) -> None:
        super().__init__(api.answers)
        self._api = api
        self._wanted = wanted

    def get(self, path: str, default: Any = None) -> Any:
        known = sent(self._api)[-1] == self._wanted
        return super().get(path, default) if known else REFUSED


def wait_for(ready: Callable[[], bool]) -> None:
    """Ask again and again, as a server cannot tell what it will be asked."""
    wait_until(ready)


def plugin(path: Path, script: str) -> dict[str, Any]:
    """Write a credential plugin; return the kubeconfig's user that has it."""
    path.write_text(f"#!/bin/sh\necho run >> {path}.runs\n{script}\n")
    path.chmod(0o755)
    version = "client.authentication.k8s.io/v1"
    return {"exec": {"apiVersion": version, "command": str(path)}}


def credential(**status: str) -> str:
    """Return the shell command that prints a credential."""
    version = "client.authentication.k8s.io/v1"
    document = {"apiVersion": version, "kind": "ExecCredential", "status": status}
    return f"echo '{json.dumps(document)}'"


def test_the_first_kubeconfig_wins_with_its_own_paths(spy: Spy) -> None:
    authority = trustme.CA()
    with serve(ANSWERS, server_tls(authority)) as api:
        (spy.home / "one" / "pki").mkdir(parents=True)
        authority.cert_pem.write_to_path(str(spy.home / "one" / "pki" / "ca.pem"))
        (spy.home / "two").mkdir()
        (spy.home / "two" / "token").write_text("of-two")
        cluster = {"server": api.url, "certificate-authority": "pki/ca.pem"}
        first = kubeconfig(cluster, name="first")
        del first["users"]  # which are in the second file
        second = kubeconfig(user={"tokenFile": "token"}, name="first")
        second["current-context"] = "second"
        paths = (
            write(spy.home / "one" / "config", first),
            write(spy.home / "two" / "config", second),
        )
        environ = {"KUBECONFIG": os.pathsep.join(map(str, paths))}
        ended = spy.run(*FOLLOW, environ=environ)
    assert ended.code == 0, ended.err
    assert "(context first)" in ended.err
    assert asked(api).header("Authorization") == ["Bearer of-two"]


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


def test_rotated_tokens_are_read_after_a_401(spy: Spy, api: ApiServer) -> None:
    token = spy.home / "token"
    token.write_text("old")
    user = {"tokenFile": str(token)}
    write(spy.kubeconfig, kubeconfig({"server": api.url}, user))
    with spy.running("changes", "cm") as running:
        running.wait_for_talk("nothing there yet")
        token.write_text("new")
        api.answers = Wanting(api, "Bearer new")
        wait_for(lambda: sent(api)[-1] == "Bearer new")
        ended = running.end()
    assert ended.code == 130, ended.err
    assert sent(api)[0] == "Bearer old"


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
    user = plugin(spy.home / "login", "read answer; echo wrong: $answer >&2; exit 3")
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


def test_an_expired_oidc_token_is_not_refreshed(spy: Spy, api: ApiServer) -> None:
    """Without a CA for the issuer the package would not verify who it is."""
    with socket.create_server(("127.0.0.1", 0)) as issuer:
        issuer.setblocking(False)
        config = {
            "id-token": "e30.eyJleHAiOjF9.c2ln",  # {"exp":1}
            "refresh-token": "hunter2",
            "client-id": "c",
            "client-secret": "hunter2",
            "idp-issuer-url": f"https://127.0.0.1:{issuer.getsockname()[1]}",
        }
        user = {"auth-provider": {"name": "oidc", "config": config}}
        write(spy.kubeconfig, kubeconfig({"server": api.url}, user))
        ended = spy.run(*FOLLOW)
        with pytest.raises(BlockingIOError):
            issuer.accept()
    assert ended.code == 1 and "hunter2" not in ended.err
    assert "has expired; run any kubectl command to renew it" in ended.err
    assert api.requests == []


def test_a_redirect_takes_no_token_elsewhere(spy: Spy, api: ApiServer) -> None:
    with serve(ANSWERS) as elsewhere:
        location = (("Location", f"{elsewhere.url}{MAPS}"),)
        api.answers[MAPS] = Answer(302, "", headers=location)
        user = {"token": "hunter2"}
        write(spy.kubeconfig, kubeconfig({"server": api.url}, user))
        ended = spy.run(*FOLLOW)
    assert ended.code == 1 and "redirects are not followed" in ended.err
    assert elsewhere.requests == []


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
@pytest.mark.parametrize("status", [200, 403, 500])
def test_credentials_are_not_printed(
    spy: Spy, api: ApiServer, status: int, flag: tuple[str, ...]
) -> None:
    api.answers[MAPS] = replace(LIST, status=status)
    user = {"token": "hunter2"}
    write(spy.kubeconfig, kubeconfig({"server": api.url}, user))
    ended = spy.run(*FOLLOW, "--timeout", "1s", *flag)
    assert b"hunter2" not in ended.stdout + ended.stderr
    assert asked(api).header("Authorization") == ["Bearer hunter2"]
