"""Where it is remembered what an API server serves; read without connecting."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kubectl_spy.sources.connection.access import Access, choose_access
from kubectl_spy.sources.connection.identity import read_authority
from kubectl_spy.sources.connection.kubeconfig import home_directory, load_kubeconfig
from kubectl_spy.sources.connection.settings import ConnectionSettings
from kubectl_spy.sources.resolution.discovery import Catalogue
from kubectl_spy.sources.resolution.discovery_cache import cache_path, read_cache

_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")


def remembered(
    settings: ConnectionSettings, environ: Mapping[str, str]
) -> Catalogue | None:
    """Return what the server served when it was asked last; None if that is too old.

    No credentials are obtained for it, and the kubernetes package is not imported.

    Raises:
        SpyError: no usable configuration.
    """
    access = choose_access(load_kubeconfig(settings.kubeconfig, environ), settings)
    if may_need_a_proxy(access, environ):
        return None  # which of them counts is for the package to say
    directory = cache_directory(settings, environ)
    return read_cache(catalogue_file(directory, access, proxy=""))


def may_need_a_proxy(access: Access, environ: Mapping[str, str]) -> bool:
    """Whether there is a proxy that the way to the server may lead through."""
    return bool(access.cluster.get("proxy-url")) or any(
        environ.get(spelt) for name in _PROXIES for spelt in (name, name.lower())
    )


def cache_directory(settings: ConnectionSettings, environ: Mapping[str, str]) -> Path:
    """Return where kubectl, and we, keep what servers serve."""
    directory = settings.cache_dir or environ.get("KUBECACHEDIR")
    return Path(directory or home_directory(environ) / ".kube" / "cache")


def catalogue_file(directory: Path, access: Access, proxy: str) -> Path:
    """Return the file in *directory* for the server that *access* leads to."""
    cluster = access.cluster
    return cache_path(
        directory,
        access.server,
        read_authority(cluster).decode("latin-1"),
        str(access.insecure),
        proxy,
        str(cluster.get("tls-server-name") or ""),
    )
