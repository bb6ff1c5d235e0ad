"""The credentials of a kubeconfig user.

The kubernetes package's loader is not used. It goes on anonymously when a credential
plugin fails, reads a token file only once, and refreshes an OIDC token without checking
the issuer's certificate (kubernetes 37.0.2, config/kube_config.py).
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from kubectl_spy.core.wording import one_line
from kubectl_spy.errors import SpyError
from kubectl_spy.http.urls import basic
from kubectl_spy.sources.connection.access import Access, Impersonation

_TOKEN_FILE_SECONDS = 60.0  # seconds until a token file is read again, as in client-go
_SIZE_LIMIT = 8 << 20


class Identity(NamedTuple):
    """Credentials. The repr does not show them."""

    token: str = ""
    basic: tuple[str, str] | None = None
    certificate: bytes = b""
    key: bytes = b""
    origin: str = "no credentials"  # for messages: 'credential plugin "aws"'
    remedy: str = "add credentials to the kubeconfig's user"
    expires: float = float("inf")  # when to read them again, in seconds since the epoch

    def __repr__(self) -> str:
        return f"Identity(origin={self.origin!r})"


Say = Callable[[str], None]


def identify(
    access: Access, environ: Mapping[str, str], say: Say = lambda line: None
) -> Identity:
    """Return the credentials of *access*. This may run a credential plugin.

    *say* gets a line if the plugin takes long. Raises SpyError if the credentials
    cannot be read. It never falls back to anonymous.
    """
    user = access.user
    certificate = _pem(user, "client-certificate")
    key = _pem(user, "client-key")
    if bool(certificate) != bool(key):
        missing = "client-key" if certificate else "client-certificate"
        raise SpyError(
            f'user "{access.user_name}" has no {missing} in the kubeconfig', "add it"
        )
    if plugin := user.get("exec"):
        found = _from_plugin(plugin, access, environ, say)
        return _with(found, certificate, key)
    if provider := user.get("auth-provider"):
        return _with(_from_provider(provider, access), certificate, key)
    own = Identity(certificate=certificate, key=key)
    if path := user.get("tokenFile"):
        return own._replace(
            token=_token(_read(Path(path)).decode("utf-8", "replace"), path),
            origin=f"token in {path}",
            remedy="renew it",
            expires=time.time() + _TOKEN_FILE_SECONDS,
        )
    if token := user.get("token"):
        return own._replace(
            token=_token(token, "the kubeconfig"),
            origin=f'token of user "{access.user_name}"',
            remedy="renew it in the kubeconfig",
        )
    if user.get("username"):
        return own._replace(
            basic=(user["username"], user.get("password", "")),
            origin=f'password of user "{access.user_name}"',
            remedy="correct it in the kubeconfig",
        )
    if certificate:
        return own._replace(
            origin=f'client certificate of user "{access.user_name}"',
            remedy="renew it in the kubeconfig",
        )
    return Identity()


def _with(identity: Identity, certificate: bytes, key: bytes) -> Identity:
    """Add the kubeconfig's certificate, unless the plugin returned one."""
    if identity.certificate or not certificate:
        return identity
    return identity._replace(certificate=certificate, key=key)


def _from_plugin(
    plugin: dict[str, Any], access: Access, environ: Mapping[str, str], say: Say
) -> Identity:
    """Run a credential plugin (client.authentication.k8s.io)."""
    command = plugin.get("command")
    if not isinstance(command, str) or not command:
        raise SpyError(
            f'the credential plugin of user "{access.user_name}" has no command',
            "correct the kubeconfig",
        )
    # Who has a token or a certificate need not wait for it.
    from kubectl_spy.sources.connection.plugin import (
        PluginFailed,
        check_plugin,
        run_plugin,
    )

    check_plugin(command, environ)
    origin = f'credential plugin "{command}"'
    remedy = "run it by hand, or log in again"
    cluster = {**access.cluster, "server": access.server}
    if authority := _pem(access.cluster, "certificate-authority"):
        cluster.pop("certificate-authority", None)
        cluster["certificate-authority-data"] = base64.b64encode(authority).decode()
    try:
        status = run_plugin(plugin, cluster, lambda line: say(f"{origin}: {line}"))
    except FileNotFoundError:
        hint = plugin.get("installHint")
        raise SpyError(
            f"{origin} is not installed",
            one_line(hint) if isinstance(hint, str) else "install it",
        ) from None
    except PluginFailed as error:
        raise SpyError(f"{origin} failed: {one_line(str(error))}", remedy) from None
    except OSError as error:
        raise SpyError(f"{origin} failed: {error.strerror}", remedy) from None
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise SpyError(f"{origin} is configured or answers wrongly", remedy) from None
    if not isinstance(status, dict):
        status = {}
    token, certificate, key = (
        text if isinstance(text := status.get(member), str) else ""
        for member in ("token", "clientCertificateData", "clientKeyData")
    )
    if not token and not (certificate and key):
        raise SpyError(f"{origin} gave neither token nor certificate and key", remedy)
    return Identity(
        token=_token(token, origin) if token else "",
        certificate=certificate.encode("utf-8", "replace") if key else b"",
        key=key.encode("utf-8", "replace") if certificate else b"",
        origin=origin,
        remedy="log in again",
        expires=_timestamp(status.get("expirationTimestamp")),
    )


def _from_provider(provider: dict[str, Any], access: Access) -> Identity:
    """Use an OIDC id-token while it is valid. kubectl refreshes it.

    A refresh may invalidate the refresh token in the kubeconfig, and only kubectl
    writes kubeconfigs.
    """
    name = provider.get("name")
    if name != "oidc":
        raise SpyError(
            f'user "{access.user_name}" uses the auth-provider "{name}", which kubectl '
            "no longer has",
            "use a credential plugin (exec) in the kubeconfig",
        )
    config = provider.get("config")
    token = config.get("id-token") if isinstance(config, dict) else None
    expires = _jwt_expiry(str(token or ""))
    if not token or expires <= time.time():
        raise SpyError(
            f'the OIDC token of user "{access.user_name}" has expired',
            "run any kubectl command to renew it, such as kubectl version",
        )
    return Identity(
        token=_token(str(token), "the kubeconfig"),
        origin=f'OIDC token of user "{access.user_name}"',
        remedy="run any kubectl command to renew it, such as kubectl version",
        expires=expires,
    )


def _jwt_expiry(token: str) -> float:
    try:
        payload = token.split(".")[1]
        claims = json.loads(
            base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
        )
        return float(claims["exp"])
    except (LookupError, TypeError, ValueError, OverflowError, RecursionError):
        return float("inf")


def _timestamp(text: Any) -> float:
    if not isinstance(text, str) or not text:
        return float("inf")
    try:
        # Python 3.10 reads neither Z nor nanoseconds.
        text = re.sub(r"\.[0-9]+", "", text).replace("Z", "+00:00")
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return float("inf")


def _token(text: str, origin: str) -> str:
    token = text.strip()
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        raise SpyError(
            f"the token from {origin} is empty or holds characters no token has",
            "correct it",
        )
    return token


def read_authority(cluster: Mapping[str, Any]) -> bytes:
    """Return the PEM of the certificate authority, or b"". Raises SpyError."""
    return _pem(cluster, "certificate-authority")


def _pem(entry: Mapping[str, Any], key: str) -> bytes:
    """Return the bytes of `KEY-data`, or else of the file `KEY`, or nothing."""
    if encoded := entry.get(f"{key}-data"):
        try:
            return base64.b64decode("".join(encoded.split()), validate=True)
        except (binascii.Error, ValueError):
            raise SpyError(
                f"{key}-data in the kubeconfig is not base64", "correct it"
            ) from None
    path = entry.get(key)
    return _read(Path(path)) if path else b""


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_SIZE_LIMIT + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "this is no path"
    else:
        if len(content) <= _SIZE_LIMIT:
            return content
        why = f"it is larger than {_SIZE_LIMIT >> 20} MiB"
    raise SpyError(
        f"cannot read {path}, which the kubeconfig names: {why}",
        "check the path and its mode",
    )


def authorization(identity: Identity) -> dict[str, str]:
    """Return the header with the token, or the user and password, of *identity*."""
    if identity.token:
        return {"Authorization": f"Bearer {identity.token}"}
    if identity.basic:
        return {"Authorization": basic(identity.basic)}
    return {}


def impersonation_headers(whom: Impersonation) -> tuple[tuple[str, str], ...]:
    """Return the headers that make the API server act as *whom*.

    https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
    """
    if not whom.user:
        return ()
    headers = [("Impersonate-User", whom.user)]
    headers += [("Impersonate-Uid", whom.uid)] if whom.uid else []
    headers += [("Impersonate-Group", group) for group in whom.groups]
    headers += [
        (f"Impersonate-Extra-{quote(key, safe='').lower()}", value)
        for key, value in whom.extra
    ]
    # http.client writes Latin-1; the API server reads UTF-8.
    return tuple((name, value.encode().decode("latin-1")) for name, value in headers)
