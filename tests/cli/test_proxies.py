"""Through a proxy, or past it, with the real command."""

from __future__ import annotations

import base64
from importlib.util import find_spec

import pytest
import trustme

from tests.cli.command import LOOK, Spy
from tests.cli.test_traps import ANSWERS, MAPS
from tests.http.proxying import proxying
from tests.sources.api_server import serve
from tests.sources.connection.certificates import server_tls, trusting
from tests.sources.connection.kubeconfigs import kubeconfig, write

FOLLOW = ("changes", "cm", *LOOK.split())
LOGIN = f"Basic {base64.b64encode(b'me:hunt er2').decode()}"


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "proxy-url"])
def test_tls_goes_through_the_proxy_end_to_end(spy: Spy, variable: str) -> None:
    """By CONNECT: the proxy sees a name, and neither path nor token."""
    authority = trustme.CA()
    with (
        serve(ANSWERS, server_tls(authority, "kube.example.com")) as api,
        proxying(api.url) as proxy,
    ):
        cluster = trusting(authority, "https://kube.example.com:6443")
        environ = {variable: f"http://{proxy.url}"}
        if variable == "proxy-url":
            cluster |= environ
            environ = {"NO_PROXY": "*"}  # which is about the environment's
        write(spy.kubeconfig, kubeconfig(cluster, {"token": "t0ken"}))
        ended = spy.run(*FOLLOW, environ=environ)
    assert ended.code == 0, ended.err
    assert MAPS in api.paths
    for head in proxy.heads:
        assert head.startswith(b"CONNECT kube.example.com:6443 HTTP/1.")
        assert b"t0ken" not in head and b"/api" not in head


def test_plain_http_goes_through_the_proxy(spy: Spy) -> None:
    with serve(ANSWERS) as api, proxying(api.url) as proxy:
        write(spy.kubeconfig, kubeconfig({"server": "http://kube.example.com"}))
        ended = spy.run(*FOLLOW, environ={"HTTP_PROXY": f"http://{proxy.url}"})
    assert ended.code == 0, ended.err
    assert proxy.heads[0].startswith(b"GET http://kube.example.com/api HTTP/1.1\r\n")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_proxy_gets_its_password_and_nobody_else(spy: Spy, scheme: str) -> None:
    authority = trustme.CA()
    tls = server_tls(authority) if scheme == "https" else None
    with serve(ANSWERS, tls) as api, proxying(api.url, LOGIN) as proxy:
        cluster = trusting(authority, api.url)
        cluster["proxy-url"] = f"http://me:hunt%20er2@{proxy.url}"
        write(spy.kubeconfig, kubeconfig(cluster))
        ended = spy.run(*FOLLOW, "--debug")
    assert ended.code == 0, ended.err
    assert "hunt" not in ended.err
    if scheme == "https":
        assert not [each for each in api.requests if each.header("Proxy-Authorization")]


@pytest.mark.parametrize("refused", [True, False])
def test_a_failing_proxy_is_named_without_password(spy: Spy, refused: bool) -> None:
    with proxying("http://127.0.0.1:1", "never") as proxy:
        address = proxy.url if refused else "127.0.0.1:1"
        cluster = {
            "server": "https://kube.example.com",
            "proxy-url": f"http://me:hunter2@{address}",
        }
        write(spy.kubeconfig, kubeconfig(cluster))
        ended = spy.run(*FOLLOW, "--debug")
    assert ended.code == 1 and "hunter2" not in ended.err
    assert f"the proxy {address} does not let us through" in ended.err


def test_a_server_on_this_machine_needs_no_proxy_of_the_environment(spy: Spy) -> None:
    """As for kubectl: kind and minikube listen here."""
    with serve(ANSWERS) as api:
        write(spy.kubeconfig, kubeconfig({"server": api.url}))
        ended = spy.run(*FOLLOW, environ={"HTTP_PROXY": "http://127.0.0.1:1"})
    assert ended.code == 0, ended.err


@pytest.mark.skipif(find_spec("socks") is not None, reason="PySocks is installed")
def test_socks_needs_pysocks_and_is_not_bypassed(spy: Spy) -> None:
    with serve(ANSWERS) as api:
        cluster = {"server": api.url, "proxy-url": "socks5://me:hunter2@127.0.0.1:1"}
        write(spy.kubeconfig, kubeconfig(cluster))
        ended = spy.run(*FOLLOW)
    assert ended.code == 1 and "needs PySocks; pip install pysocks" in ended.err
    assert "hunter2" not in ended.err and api.requests == []
