"""Asks Loki over HTTP, and says in one line why it does not answer.

https://grafana.com/docs/loki/latest/reference/loki-http-api/
"""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urljoin, urlsplit, urlunsplit

import requests
from requests.utils import get_environ_proxies, get_netrc_auth

from kubectl_spy.core.fields import text
from kubectl_spy.core.jsontext import UnreadableJSON, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.http_messages import LONGEST_MESSAGE, cause, credentials, printed
from kubectl_spy.render.inert import inert
from kubectl_spy.sources.recording.naming import LOKI
from kubectl_spy.terms import called

_PAUSES = (0.5, 1.0, 2.0)  # seconds before a request is sent again
_LONGEST_PAUSE = 10.0  # that a Retry-After may ask for
_CONNECT = 10.0  # seconds
_MOST_BYTES = 64 << 20  # of an answer
_RETRYABLE = (429, 500, 502, 503, 504)
_TOO_LARGE = ("larger than max", "max entries limit", "too large", "too many bytes")
"""What Loki says of an answer that would be too large."""
_REMEDIES = {
    401: "set LOKI_USERNAME and LOKI_PASSWORD, or LOKI_BEARER_TOKEN",
    403: "these credentials may not read it; check them, and LOKI_ORG_ID",
    404: "check the URL, and its path before /loki/api/v1",
    429: "try again later, or read less",
}


_BROKEN = (requests.ConnectionError, requests.exceptions.ChunkedEncodingError)


class TooLarge(SpyError):
    """The answer is too large for Loki or for us, or does not come in time."""


class TooLate(TooLarge):
    """The answer does not come in time. Perhaps it is too large."""


class _Session(requests.Session):
    """A session that parses no redirect: it may be no URL."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        return None


def _basic_auth(user: str, password: str) -> str:
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


class _Again(Exception):
    """The request may succeed *after* some seconds; else it failed with *error*."""

    def __init__(self, error: SpyError, after: float = 0.0) -> None:
        super().__init__()
        self.error, self.after = error, after


class LokiClient:
    """The Loki at *url*: loki+https://…, with a path before /loki/api/v1 or none.

    Credentials are those of the URL, of LOKI_* in *environ* as for logcli, or of the
    netrc. They are never printed, and sent to no other host. Raises UsageError if the
    URL is none.
    """

    def __init__(self, url: str, environ: Mapping[str, str]) -> None:
        address = url.removeprefix(LOKI)
        try:
            parts = urlsplit(address)
            valid = parts.scheme in ("http", "https") and parts.hostname and parts.port
        except ValueError:  # the port is no number, or a bracket is open
            valid = False
        if valid is False or not parts.hostname or parts.query:
            raise UsageError(
                "that names no Loki", "use loki+https://HOST[:PORT][/PATH]"
            )
        self.name = called(LOKI + printed(address).rstrip("/"))
        """The URL without credentials, unless the reader has a name for it."""
        host = parts.netloc.rpartition("@")[2]
        self._base = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
        self.received = 0  # bytes
        self._session = session = _Session()
        # requests would follow the environment, also with credentials to a proxy.
        session.trust_env = False
        if parts.scheme == "https":  # a proxy sees no credentials
            session.proxies = get_environ_proxies(self._base)
        for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
            if environ.get(name):
                session.verify = environ[name]
                break
        user = credentials(address)
        if user is None and environ.get("LOKI_USERNAME"):
            user = environ["LOKI_USERNAME"], environ.get("LOKI_PASSWORD", "")
        token = environ.get("LOKI_BEARER_TOKEN")
        if user is None and token:
            session.headers["Authorization"] = f"Bearer {token}"
        elif user := user or get_netrc_auth(self._base):
            session.headers["Authorization"] = _basic_auth(*user)
        if tenant := environ.get("LOKI_ORG_ID"):
            session.headers["X-Scope-OrgID"] = tenant

    def get(self, path: str, timeout: float, **parameters: object) -> JSON:
        """Return the `data` of the answer, in JSON.

        Raises TooLarge if a smaller answer may come; SpyError with the reason.
        """
        for pause in (*_PAUSES, None):
            try:
                return self._get(path, timeout, parameters)
            except _Again as again:
                if pause is None:
                    raise again.error from None
                time.sleep(min(max(pause, again.after), _LONGEST_PAUSE))
        raise AssertionError

    def _get(self, path: str, timeout: float, parameters: dict[str, object]) -> JSON:
        until = time.monotonic() + timeout
        raw = bytearray()
        try:
            with self._session.get(
                f"{self._base}/loki/api/v1/{path}",
                params={name: str(value) for name, value in parameters.items()},
                timeout=(_CONNECT, timeout),
                allow_redirects=False,
                stream=True,
            ) as response:
                for chunk in response.iter_content(1 << 16):
                    raw += chunk
                    if len(raw) > _MOST_BYTES:
                        raise TooLarge(f"{self.name} answers with too much")
                    if time.monotonic() > until:
                        raise requests.ReadTimeout
        except requests.ReadTimeout:
            raise TooLate(
                f"{self.name} gave no answer in {timeout:.0f} s",
                "read less, or try again later",
            ) from None
        except requests.exceptions.SSLError as error:
            raise SpyError(
                f"cannot reach {self.name}: {cause(error)}",
                "name the authority that it is to be trusted by with SSL_CERT_FILE",
            ) from None
        except _BROKEN as error:
            what = f"cannot reach {self.name}: {cause(error)}"
            raise _Again(SpyError(what, "check the URL")) from None
        except (requests.RequestException, ValueError, OSError) as error:
            # Its text may hold a header.
            raise SpyError(
                f"cannot ask {self.name}: {type(error).__name__}",
                "check LOKI_* and SSL_CERT_FILE",
            ) from None
        finally:
            self.received += len(raw)
        return self._data(response, bytes(raw))

    def _data(self, response: requests.Response, raw: bytes) -> JSON:
        status = response.status_code
        said = inert(raw[:LONGEST_MESSAGE].decode(errors="replace").strip())
        if 300 <= status < 400:
            where = ""
            with suppress(ValueError):
                target = urljoin(self._base, response.headers.get("Location", ""))
                where = f" to {printed(target)}"
            raise SpyError(
                f"{self.name} redirects{where[:LONGEST_MESSAGE]}",
                "name the place that it leads to; credentials are not sent there",
            )
        if status == 200:
            try:
                answer = loads(raw)
            except UnreadableJSON:
                answer = None
            if text(answer, "status") == "success" and isinstance(answer, dict):
                return answer.get("data")
            said = "no JSON of Loki"
        what = f"{self.name} answers {status}" + (f": {said}" if said else "")
        if any(each in said for each in _TOO_LARGE):
            raise TooLarge(what, "read less")
        if "no org id" in said:
            raise SpyError(f"{self.name} wants a tenant", "set LOKI_ORG_ID")
        error = SpyError(what, _REMEDIES.get(status, "is this a Loki? check the URL"))
        if status in _RETRYABLE:
            after = response.headers.get("Retry-After", "")
            raise _Again(error, float(after) if after.isdecimal() else 0.0)
        raise error
