"""Which proxy leads to a server, and what goes through it."""

from __future__ import annotations

import socket

import pytest
import trustme

from kubectl_spy.http.client import HttpClient, Request, beginning
from kubectl_spy.http.proxies import (
    Proxy,
    ProxyFailed,
    proxy_at,
    proxy_of_environment,
)
from kubectl_spy.http.tls import Trust, tls_context
from tests.http.proxying import proxying
from tests.processes import PATIENCE
from tests.sources.api_server import Answer, serve
from tests.sources.connection.certificates import server_tls

CORPORATE = {"HTTPS_PROXY": "proxy.corp:3128", "http_proxy": "http://plain.corp"}


@pytest.mark.parametrize(
    ("url", "environ", "proxy"),
    [
        ("https://kube:6443", CORPORATE, "http://proxy.corp:3128"),
        ("http://kube:8080", CORPORATE, "http://plain.corp:80"),
        ("http://kube", {"HTTPS_PROXY": "http://x"}, ""),
        ("http://kube", {"ALL_PROXY": "https://[fd00::1]"}, "https://[fd00::1]:443"),
        ("https://kube", {}, ""),
    ],
)
def test_the_environment_has_a_proxy_for_each_scheme(
    url: str, environ: dict[str, str], proxy: str
) -> None:
    found = proxy_of_environment(url, environ)
    assert (found.url if found else "") == proxy


@pytest.mark.parametrize(
    ("host", "entry", "direct"),
    [
        ("kube.corp:6443", "kube.corp", True),
        ("kube.corp:6443", "kube.corp:6443", True),
        ("kube.corp:6443", "kube.corp:443", False),
        ("kube.corp:6443", "corp", True),
        ("kube.corp:6443", "*.corp", True),
        ("kube.corp:6443", "corp:6443", True),
        ("kube.corp", "kube.corp:443", True),
        ("KUBE.corp:6443", "kube.corp:6443", True),
        ("me:key@kube.corp:6443", "kube.corp:6443", True),
        ("kube.corp:6443", ".kube.corp", False),
        ("localhost:6443", "", True),
        ("127.0.0.1:6443", "", True),
        ("[::1]:6443", "", True),
        ("kube.corp:6443", ".corp", True),
        ("kube.corp:6443", "ube.corp", False),
        ("kube.corp:6443", "a.example, KUBE.corp ", True),
        ("10.1.2.3:6443", "10.0.0.0/8", True),
        ("11.1.2.3:6443", "10.0.0.0/8", False),
        ("10.1.2.3:6443", "10.1.2.3", True),
        ("[fd00::7]:6443", "fd00::/8", True),
        ("[fd00::7]:6443", "", False),
        ("kube.corp", "*", True),
    ],
)
def test_no_proxy_has_names_domains_addresses_and_networks(
    host: str, entry: str, direct: bool
) -> None:
    environ = {**CORPORATE, "NO_PROXY": entry}
    assert (proxy_of_environment(f"https://{host}", environ) is None) == direct


def through(url: str, authority: trustme.CA, proxy: Proxy) -> bytes:
    """Return the answer of the server at *url*, through *proxy*."""
    trusted = tls_context(trust=Trust(pem=authority.cert_pem.bytes()))
    client = HttpClient(url, tls=trusted, proxy=proxy)
    request = Request("/x", "*/*", (), PATIENCE, PATIENCE)
    first = beginning(client.send(request), 1 << 20)
    assert beginning(client.send(request), 1 << 20) == first
    client.close()
    return first


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_tls_goes_through_a_proxy_that_may_have_tls_itself(scheme: str) -> None:
    authority, large = trustme.CA(), "x" * 300_000
    corporate = trustme.CA()
    of_proxy = server_tls(corporate) if scheme == "https" else None
    with (
        serve({"/x": Answer(body=large)}, server_tls(authority)) as api,
        proxying(api.url, tls=of_proxy) as proxy,
    ):
        url = f"{scheme}://me:hunter2@{proxy.url}"
        found = proxy_at(url, verify=False)
        assert "hunter2" not in repr(found) + found.url
        assert through(api.url, authority, found) == large.encode()
        assert len(proxy.heads) == 1  # one connection for both
        if of_proxy:
            with pytest.raises(ProxyFailed):
                through(api.url, authority, proxy_at(url))
            trusting = proxy_at(url, authority=corporate.cert_pem.bytes())
            assert through(api.url, authority, trusting) == large.encode()


def test_a_proxy_of_plain_http_sees_no_user_of_the_url() -> None:
    with serve({"/x": Answer(body="{}")}) as api, proxying(api.url) as proxy:
        found = proxy_at(f"http://{proxy.url}")
        client = HttpClient("http://me:hunter2@kube.example.com:80", proxy=found)
        client.send(Request("/x", "*/*", (), PATIENCE, PATIENCE)).close()
    (head,) = proxy.heads
    assert head.startswith(b"GET http://kube.example.com:80/x HTTP/1.1\r\n")
    assert b"hunter2" not in head


def test_a_proxy_that_does_not_answer_is_late() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        proxy = proxy_at(f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(ProxyFailed) as failed:
            proxy.connect("kube.example.com", 443, 0.2, tunnel=True)
    assert isinstance(failed.value, TimeoutError)


@pytest.mark.parametrize(
    "url", ["ftp://h", "http://", "http://[", "h:3128", "http://h:0"]
)
def test_what_is_no_proxy_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ValueError) as refusal:
        proxy_at(url)
    assert url not in str(refusal.value)
