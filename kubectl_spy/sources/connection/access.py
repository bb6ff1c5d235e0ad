"""Chooses cluster, user and namespace, from the context and the flags."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from kubectl_spy.errors import ConnectionFailed, SpyError, UsageError
from kubectl_spy.sources.connection.kubeconfig import Kubeconfig
from kubectl_spy.sources.resolution.target import check_namespace

if TYPE_CHECKING:
    from kubectl_spy.http.proxies import Proxy

_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")


class ConnectionSettings(NamedTuple):
    """kubectl's connection flags. None is a flag that was not given."""

    kubeconfig: str | None = None
    context: str | None = None
    cluster: str | None = None
    user: str | None = None
    namespace: str | None = None
    server: str | None = None
    as_user: str | None = None
    as_groups: tuple[str, ...] = ()
    as_uid: str | None = None
    request_timeout: float | None = None
    """Seconds for an answer, except for a watch. None and 0 are no limit."""
    insecure_skip_tls_verify: bool = False
    cache_dir: str | None = None


class Impersonation(NamedTuple):
    """The user to act as. An empty *user* is no impersonation."""

    user: str = ""
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: tuple[tuple[str, str], ...] = ()


class Access(NamedTuple):
    """One cluster entry and one user entry, chosen by context and flags."""

    context: str
    user_name: str
    namespace: str
    server: str
    impersonation: Impersonation
    cluster: Mapping[str, Any]
    user: Mapping[str, Any]

    @property
    def insecure(self) -> bool:
        """Whether the certificate of the API server is not checked."""
        return bool(self.cluster.get("insecure-skip-tls-verify"))

    def __repr__(self) -> str:
        return f"Access(context={self.context!r}, server={self.server!r})"  # no secrets


def choose_access(config: Kubeconfig, settings: ConnectionSettings) -> Access:
    """Return what the context and the flags choose. As in kubectl, flags win.

    Raises SpyError if there is no configuration, or a name in it is unknown; UsageError
    if the flags contradict each other.
    """
    context_name = settings.context or config.current_context
    context: Mapping[str, Any] = {}
    if settings.context or (context_name and config.contexts):
        context = _named(config.contexts, context_name, "context", "--context", config)
    cluster_name = settings.cluster or _text(context, "cluster")
    user_name = settings.user or _text(context, "user")
    cluster: Mapping[str, Any] = {}
    if cluster_name and (settings.cluster or not settings.server):
        cluster = _named(config.clusters, cluster_name, "cluster", "--cluster", config)
    elif cluster_name:
        cluster = config.clusters.get(cluster_name, {})
    elif context and not settings.server:
        raise SpyError(
            f'the context "{context_name}" names no cluster', "add it, or use --cluster"
        )
    elif not settings.server:
        raise _nothing_chosen(config)
    user: Mapping[str, Any] = {}
    if user_name:
        user = _named(config.users, user_name, "user", "--user", config)
    if settings.insecure_skip_tls_verify:
        cluster = {**cluster, "insecure-skip-tls-verify": True}
    namespace = settings.namespace or _text(context, "namespace") or "default"
    check_namespace(namespace)
    return Access(
        context=context_name,
        user_name=user_name,
        namespace=namespace,
        server=_server(settings.server or _text(cluster, "server"), cluster, user),
        impersonation=_impersonation(user, settings),
        cluster=cluster,
        user=user,
    )


def _named(
    entries: Mapping[str, Mapping[str, Any]],
    name: str,
    kind: str,
    flag: str,
    config: Kubeconfig,
) -> Mapping[str, Any]:
    if name in entries:
        return entries[name]
    where = ", ".join(config.files) or "any kubeconfig"
    known = ", ".join(sorted(entries)) or "none"
    raise SpyError(
        f'no {kind} "{name}" in {where}', f"known: {known}; choose one with {flag}"
    )


def _nothing_chosen(config: Kubeconfig) -> SpyError:
    if not config.files:
        looked = ", ".join(config.looked_in)
        return SpyError(
            f"no kubeconfig: looked for {looked} and for a Pod's service account",
            "set KUBECONFIG, or use --kubeconfig or --server",
        )
    known = ", ".join(sorted(config.contexts)) or "none"
    return SpyError(
        f"no current context in {', '.join(config.files)}",
        f"known: {known}; choose one with --context",
    )


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _server(server: str, cluster: Mapping[str, Any], user: Mapping[str, Any]) -> str:
    """Return the URL without a slash at its end, with a scheme as client-go guesses."""
    if not server:
        raise SpyError(
            "the cluster has no server in the kubeconfig", "add it, or use --server"
        )
    if "://" not in server:
        tls = any(
            entry.get(key)
            for entry, keys in (
                (cluster, ("certificate-authority", "certificate-authority-data")),
                (cluster, ("insecure-skip-tls-verify",)),
                (user, ("client-certificate", "client-certificate-data")),
            )
            for key in keys
        )
        server = f"{'https' if tls else 'http'}://{server}"
    # Less what may be a password or a token.
    shown = server.rpartition("@")[2].partition("?")[0].partition("#")[0]
    wrong = SpyError(
        f"{shown!r} is no URL of an API server", "for example https://host:6443"
    )
    try:
        parts = urlsplit(server)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise wrong from None
    if "@" in parts.netloc:
        raise SpyError(
            f"the server URL for {parts.hostname} holds a user name or password",
            "credentials belong in the users section of the kubeconfig",
        )
    if parts.scheme not in ("http", "https") or not usable or parts.query:
        raise wrong
    if parts.fragment or re.search(r"[\x00-\x20\x7f]", server):
        raise wrong
    return parts.geturl().rstrip("/")  # with the scheme in lower case


def _impersonation(
    user: Mapping[str, Any], settings: ConnectionSettings
) -> Impersonation:
    name = settings.as_user or user.get("as", "")
    groups = settings.as_groups or tuple(user.get("as-groups", ()))
    uid = settings.as_uid or user.get("as-uid", "")
    extra = user.get("as-user-extra", {})
    if not name:
        if groups or uid or extra:
            raise UsageError(
                "groups, uid or extra cannot be impersonated without a user",
                "add --as USER",
            )
        return Impersonation()
    pairs = tuple((key, value) for key, values in extra.items() for value in values)
    for value in (name, uid, *groups, *(text for pair in pairs for text in pair)):
        if re.search(r"[\x00-\x1f\x7f\ud800-\udfff]", value):
            raise UsageError(
                f"cannot impersonate {value!r}",
                "it holds a control character, or is not UTF-8",
            )
    return Impersonation(user=name, uid=uid, groups=groups, extra=pairs)


def proxy_to(access: Access, environ: Mapping[str, str]) -> Proxy | None:
    """Return the proxy to the server, if there is one.

    As in client-go, NO_PROXY exempts from the environment's, and not from proxy-url.
    Raises ConnectionFailed if the proxy cannot be used.
    """
    given = (environ.get(spelt) for name in _PROXIES for spelt in (name, name.lower()))
    if not (access.cluster.get("proxy-url") or any(given)):
        return None  # the import takes longer than the rest of a Tab
    from kubectl_spy.http.proxies import SocksMissing, proxy_at, proxy_of_environment

    try:
        verify = not access.insecure
        if url := access.cluster.get("proxy-url"):
            return proxy_at(str(url), verify=verify)
        return proxy_of_environment(access.server, environ, verify=verify)
    except SocksMissing:
        raise ConnectionFailed(
            "the proxy is a SOCKS proxy, which needs PySocks", "pip install pysocks"
        ) from None
    except ValueError:
        raise ConnectionFailed(
            "the proxy's URL cannot be used",
            "check proxy-url in the kubeconfig and HTTPS_PROXY",
        ) from None
