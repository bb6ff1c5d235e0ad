"""A client of the kubernetes package, for discovery and for proxies.

This module imports kubernetes, which takes 0.2 s. Import it inside functions, after the
command line was checked.
"""

from __future__ import annotations

import base64
import ssl
from email.message import Message
from importlib.util import find_spec
from typing import Any
from urllib.parse import unquote, urlsplit

import urllib3
from kubernetes import config as kubernetes_config
from kubernetes.client import ApiClient, Configuration
from kubernetes.client.exceptions import ApiException
from kubernetes.client.rest import is_socks_proxy_url
from kubernetes.dynamic import DynamicClient
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    MaxRetryError,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    ProxySchemeUnknown,
    ReadTimeoutError,
)

from kubectl_spy import __version__
from kubectl_spy.errors import ConnectionFailed
from kubectl_spy.sources.connection.access import Access
from kubectl_spy.sources.connection.identity import Identity, impersonation_headers
from kubectl_spy.sources.connection.messages import (
    BadStatus,
    ConnectTimedOut,
    ProxyFailed,
    Request,
)
from kubectl_spy.sources.connection.reading import reading_ahead

_ERROR_LIMIT = 1 << 20


class SpyApiClient(ApiClient):  # type: ignore[misc,unused-ignore]
    """An ApiClient that can repeat a header, and limits the bodies of errors."""

    impersonation_headers: tuple[tuple[str, str], ...] = ()

    def call_api(
        self,
        method: str,
        url: str,
        header_params: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Send the request. Return the answer, unread unless it is an error.

        Each impersonated group needs its own header, but the package's headers are a
        dict.
        """
        headers = urllib3.HTTPHeaderDict(header_params or {})
        for name, value in self.impersonation_headers:
            headers.add(name, value)
        answer = super().call_api(method, url, headers, *args, **kwargs)
        if not 200 <= answer.status <= 299:
            # The dynamic client would read an endless body.
            answer.data = _error_body(answer.response)
            answer.response.close()
        return answer


def _error_body(response: Any) -> Any:
    """Return the beginning of *response*, not decompressed: it may be a gzip bomb."""
    body = bytearray()
    while left := _ERROR_LIMIT - len(body):
        more = response.read(left, decode_content=False)
        if not more:
            break
        body += more
    return bytes(body)


class Discoverer:
    """A discoverer for DynamicClient that sends no requests."""

    def __init__(self, client: DynamicClient, cache_file: str | None) -> None:
        pass


class PackageClient:
    """Sends GETs with the kubernetes package, through a proxy if one is configured."""

    def __init__(
        self, access: Access, identity: Identity, tls: ssl.SSLContext | None
    ) -> None:
        self._dynamic = dynamic_client(access, identity, tls)
        proxy = self._dynamic.client.rest_client.pool_manager.proxy
        self.proxy = str(proxy or "")

    def get(self, request: Request) -> PackageAnswer:
        """Return the answer to *request*, as `Client.get` does."""
        last = {"Connection": "close"} if request.last else {}
        try:
            answer = self._dynamic.request(
                "get",
                request.path,
                serialize=False,
                header_params={"Accept": request.accept, **last},
                query_params=list(request.query),
                _request_timeout=(request.connect_within, request.silence),
            )
        except ApiException as error:
            said = error.body or b""
            raw = said.encode() if isinstance(said, str) else said
            raise BadStatus(error.status or 0, _headers(error.headers), raw) from None
        except HTTPError as error:
            raise _as_ours(error) from error
        return PackageAnswer(answer)


class PackageAnswer:
    """An answer of urllib3."""

    def __init__(self, answer: urllib3.HTTPResponse) -> None:
        self._answer = answer
        self.status = answer.status
        self.headers = _headers(answer.headers)
        self.shutdown = answer.shutdown
        self.close = answer.close

    def read1(self, amount: int, /) -> bytes:
        """Return what has arrived, as `Answer.read1` does."""
        try:
            return self._answer.read1(amount, decode_content=False)
        except HTTPError as error:
            raise _as_ours(error) from error


def _headers(held: Any) -> Message[str, str]:
    message: Message[str, str] = Message()
    for name, value in (held or urllib3.HTTPHeaderDict()).items():
        message[name] = value
    return message


def _as_ours(error: HTTPError) -> OSError:
    """Return what `Client.get` raises from *error*."""
    cause: object = error
    while isinstance(cause, MaxRetryError):
        cause = cause.reason
    if isinstance(cause, ProxyError | ProxySchemeUnknown):
        return ProxyFailed()
    if isinstance(cause, NewConnectionError):  # a ConnectTimeoutError by inheritance
        return OSError()
    if isinstance(cause, ConnectTimeoutError):
        return ConnectTimedOut()
    if isinstance(cause, ReadTimeoutError):
        return TimeoutError()
    return ConnectionError() if isinstance(cause, ProtocolError) else OSError()


def dynamic_client(
    access: Access, identity: Identity, context: ssl.SSLContext | None
) -> DynamicClient:
    """Return a client that does not retry. *context* is None without TLS."""
    # With retries urllib3 hides three failures, sleeps up to six hours for a
    # Retry-After, and sends the token to the target of a redirect.
    configuration = Configuration(retries=False, connection_pool_maxsize=64)
    configuration.keep_alive = True
    kubernetes_config.load_kube_config_from_dict(
        _plain_kubeconfig(access, identity),
        context="spy",
        client_configuration=configuration,
        persist_config=False,
    )
    configuration.refresh_api_key_hook = None  # Connection.renew does it, with a lock
    if access.cluster.get("proxy-url"):
        configuration.no_proxy = ""  # as in client-go: NO_PROXY is for HTTPS_PROXY only
    if is_socks_proxy_url(configuration.proxy) and not find_spec("socks"):
        raise ConnectionFailed(
            "the proxy is a SOCKS proxy, which needs PySocks", "pip install pysocks"
        )
    try:
        configuration.proxy_headers = proxy_headers(configuration.proxy or "")
        api = SpyApiClient(configuration)
    except ValueError:
        raise ConnectionFailed(
            "the proxy's URL cannot be used",
            "check proxy-url in the kubeconfig and HTTPS_PROXY",
        ) from None
    api.user_agent = f"kubectl-spy/{__version__}"
    api.impersonation_headers = impersonation_headers(access.impersonation)
    pools = api.rest_client.pool_manager
    pools.pool_classes_by_scheme = reading_ahead(pools.pool_classes_by_scheme)
    if context is not None:
        pools.connection_pool_kw["ssl_context"] = context
        if context.verify_mode == ssl.CERT_NONE:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    return DynamicClient(api, discoverer=Discoverer)


def proxy_headers(url: str) -> dict[str, str] | None:
    """Return the header with the user and password in a proxy's *url*, if any.

    client-go sends it. urllib3 does not. Raises ValueError if *url* is not a URL.
    """
    login = urlsplit(url).netloc.rpartition("@")[0]
    if not login:
        return None
    user, _, password = login.partition(":")
    both = f"{unquote(user)}:{unquote(password)}".encode()
    return {"proxy-authorization": f"Basic {base64.b64encode(both).decode()}"}


def _plain_kubeconfig(access: Access, identity: Identity) -> dict[str, Any]:
    """Return a kubeconfig with the credentials in it: no files, plugins or keys."""
    cluster: dict[str, Any] = {
        "server": access.server,
        "insecure-skip-tls-verify": access.insecure,
    }
    for key in ("tls-server-name", "proxy-url"):
        if value := access.cluster.get(key):
            cluster[key] = str(value)
    user = {}
    if identity.token:
        user = {"token": identity.token}
    elif identity.basic:
        # urllib3 encodes as Latin-1, but the API server expects UTF-8.
        texts = (text.encode("utf-8", "replace") for text in identity.basic)
        login = [text.decode("latin-1") for text in texts]
        user = dict(zip(("username", "password"), login, strict=True))
    return {
        "current-context": "spy",
        "contexts": [{"name": "spy", "context": {"cluster": "spy", "user": "spy"}}],
        "clusters": [{"name": "spy", "cluster": cluster}],
        "users": [{"name": "spy", "user": user}],
    }
