"""Sets up the kubernetes package's clients.

This module imports kubernetes, which takes 0.2 s. Import it inside functions, after the
command line was checked.
"""

from __future__ import annotations

import base64
import ssl
from importlib.util import find_spec
from typing import Any
from urllib.parse import unquote, urlsplit

import urllib3
from kubernetes import config as kubernetes_config
from kubernetes.client import ApiClient, Configuration
from kubernetes.client.rest import is_socks_proxy_url
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.resource import Resource as Endpoint

from kubectl_spy import __version__
from kubectl_spy.core.objects import Resource
from kubectl_spy.errors import ConnectionFailed
from kubectl_spy.sources.connection.access import Access
from kubectl_spy.sources.connection.identity import Identity, impersonation_headers
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
        self._client = client

    def endpoint(self, resource: Resource) -> Endpoint:
        """Return the package's object for *resource*."""
        return Endpoint(
            prefix="apis" if resource.gvk.group else "api",
            group=resource.gvk.group,
            api_version=resource.gvk.version,
            kind=resource.gvk.kind,
            namespaced=resource.namespaced,
            verbs=list(resource.verbs),
            name=resource.plural,
            client=self._client,
        )


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


def proxy_of(client: DynamicClient) -> str:
    """Return the URL of the proxy that *client* uses, or ""."""
    proxy = client.client.rest_client.pool_manager.proxy
    return str(proxy) if proxy else ""


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
