"""Sends GETs through the dynamic client of the kubernetes package, for discovery.

The package encodes the request, and our client sends it: the package retries, sleeps up
to six hours for a Retry-After, and sends the token to the target of a redirect.

This module imports kubernetes, which takes 0.2 s. Import it inside functions, after the
command line was checked.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from kubernetes.client import ApiClient, Configuration
from kubernetes.dynamic import DynamicClient

from kubectl_spy.http.client import Answer, Request, Sender


class DynamicSender:
    """Sends requests to one API server through a `DynamicClient`."""

    def __init__(self, sender: Sender) -> None:
        api = ApiClient(Configuration(host="http://spy", proxy=""))
        api.rest_client = _Rest(sender)  # type: ignore[assignment]
        self._dynamic = DynamicClient(api, discoverer=_NoDiscoverer)

    def send(self, request: Request) -> Answer:
        """Return the answer to *request*, as `HttpClient.send` does."""
        answer: Answer = self._dynamic.request(
            "get",
            request.path,
            serialize=False,
            header_params={"Accept": request.accept},
            query_params=list(request.query),
            _request_timeout=(request.connect_within, request.silence),
        )
        return answer


class _NoDiscoverer:
    def __init__(self, client: DynamicClient, cache_file: str | None) -> None:
        pass


class _Rest:
    """What an `ApiClient` sends with. It has no credentials: *sender* adds them."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def request(
        self,
        method: str,
        url: str,
        headers: dict[str, str],
        _request_timeout: tuple[float, float],
        **ignored: Any,
    ) -> SimpleNamespace:
        """Send a GET of *url*, whose query is encoded in it."""
        path = url.removeprefix("http://spy")
        request = Request(path, headers["Accept"], (), *_request_timeout)
        answer = self._sender.send(request)
        return SimpleNamespace(status=answer.status, response=answer)
