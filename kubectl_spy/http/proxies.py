"""Proxies: which one leads to a server, and a connection through it."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import closing, suppress
from http.client import HTTPException, HTTPResponse
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from kubectl_spy.http.faults import cause
from kubectl_spy.http.urls import basic, credentials

_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}


class ProxyFailed(OSError):
    """The proxy does not let us through."""

    def __init__(self, why: str) -> None:
        super().__init__(0, f"the proxy does not let us through: {why}")


class ProxyTimedOut(ProxyFailed, TimeoutError):
    """The proxy does not answer in time."""


class SocksMissing(ValueError):
    """The proxy is a SOCKS proxy, and PySocks is not installed."""


class Proxy(NamedTuple):
    """A proxy. The repr does not show its password."""

    scheme: str
    host: str
    port: int
    login: tuple[str, str] | None
    verify: bool  # whether the certificate of an https proxy is checked
    authority: bytes  # in PEM: what is trusted for it besides the system's

    def __repr__(self) -> str:
        return f"Proxy({self.url!r})"

    @property
    def url(self) -> str:
        """The URL without user and password."""
        return f"{self.scheme}://{_address(self.host, self.port)}"

    @property
    def is_socks(self) -> bool:
        """Whether the proxy passes on bytes, and knows nothing of HTTP."""
        return self.scheme.startswith("socks")

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """The credentials for an HTTP proxy: RFC 9110, 11.7.2."""
        if self.login is None:
            return ()
        return (("Proxy-Authorization", basic(self.login)),)

    def connect(self, host: str, port: int, within: float, *, tunnel: bool) -> Any:
        """Return a socket to *host* through the proxy; without *tunnel*, to the proxy.

        The proxy looks up the name, as it does for kubectl. Each step may take *within*
        seconds. Raises ProxyFailed.
        """
        try:
            if self.is_socks:
                return self._through_socks(host, port, within)
            wire = socket.create_connection((self.host, self.port), within)
        except OSError as error:
            raise _failed(error) from error
        try:
            if self.scheme == "https":
                from kubectl_spy.http.tls import tls_context

                tls = tls_context(verify=self.verify)
                if self.authority:
                    tls.load_verify_locations(
                        cadata=self.authority.decode("ascii", "ignore")
                    )
                wire = tls.wrap_socket(wire, server_hostname=self.host)
            if tunnel:
                self._ask_for(_address(host, port), wire)
        except (OSError, HTTPException, ValueError) as error:
            wire.close()
            raise _failed(error) from error
        return wire

    def _ask_for(self, address: str, wire: socket.socket) -> None:
        """Have the proxy lead *wire* to *address*: RFC 9110, 9.3.6."""
        head = [f"CONNECT {address} HTTP/1.1", f"Host: {address}"]
        head += [f"{name}: {value}" for name, value in self.headers]
        wire.sendall("\r\n".join((*head, "", "")).encode())
        with closing(HTTPResponse(wire, method="CONNECT")) as answer:
            answer.begin()
            if answer.status != 200:
                raise ProxyFailed(f"it answers {answer.status}")

    def _through_socks(self, host: str, port: int, within: float) -> Any:
        import socks

        user, password = self.login or (None, None)
        return socks.create_connection(
            (host, port),
            within,
            proxy_type=socks.SOCKS5,
            proxy_addr=self.host,
            proxy_port=self.port,
            proxy_username=user,
            proxy_password=password,
        )


def _failed(error: Exception) -> ProxyFailed:
    if isinstance(error, ProxyFailed):
        return error
    late = isinstance(error, TimeoutError)
    return ProxyTimedOut("no answer in time") if late else ProxyFailed(cause(error))


def proxy_at(url: str, *, verify: bool = True, authority: bytes = b"") -> Proxy:
    """Return the proxy at *url*: http, https or socks5, with a password or none.

    Raises SocksMissing; ValueError if that is no proxy's. Do not show its text: it may
    hold a part of the password.
    """
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname or parts.port == 0:
        raise ValueError("no URL of a proxy")
    port = parts.port or _PORTS[parts.scheme]
    proxy = Proxy(
        parts.scheme, parts.hostname, port, credentials(url), verify, authority
    )
    if proxy.is_socks:
        from importlib.util import find_spec

        if not find_spec("socks"):
            raise SocksMissing
    return proxy


def proxy_of_environment(
    url: str,
    environ: Mapping[str, str],
    *,
    verify: bool = True,
    authority: bytes = b"",
) -> Proxy | None:
    """Return the proxy that the environment has for the server at *url*, if any.

    That is HTTPS_PROXY or HTTP_PROXY, as for kubectl, else ALL_PROXY, which kubectl
    does not know. There is none if the server is on this machine or in NO_PROXY.
    Raises ValueError as `proxy_at`.
    """
    parts = urlsplit(url)
    named = (f"{parts.scheme}_proxy", "all_proxy")
    proxy = next((found for name in named if (found := _variable(name, environ))), "")
    port = parts.port or _PORTS[parts.scheme]
    if not proxy or _bypasses(parts.hostname or "", port, environ):
        return None
    where = proxy if "://" in proxy else f"http://{proxy}"
    return proxy_at(where, verify=verify, authority=authority)


def _variable(name: str, environ: Mapping[str, str]) -> str:
    return environ.get(name.upper()) or environ.get(name) or ""


def _bypasses(host: str, port: int, environ: Mapping[str, str]) -> bool:
    """Return whether *host* is this machine, or NO_PROXY has it.

    NO_PROXY has names, which include their subdomains, domains with a dot before them,
    both with a port or without, addresses and networks.
    https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config
    """
    from ipaddress import ip_address, ip_network  # few have a proxy

    address = None
    with suppress(ValueError):
        address = ip_address(host)
    if host == "localhost" or (address is not None and address.is_loopback):
        return True
    for entry in map(str.strip, _variable("no_proxy", environ).lower().split(",")):
        if entry in ("*", host, _address(host, port)):
            return True
        name = entry.removeprefix("*")
        domain = name if name.startswith(".") else f".{name}"
        if name and (host.endswith(domain) or f"{host}:{port}".endswith(domain)):
            return True
        with suppress(ValueError):
            if address is not None and address in ip_network(name, strict=False):
                return True
    return False


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
