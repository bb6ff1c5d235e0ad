"""The cache file of the types that an API server serves, read without connecting."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kubectl_spy.sources.connection.access import (
    Access,
    ConnectionSettings,
    choose_access,
    proxy_to,
)
from kubectl_spy.sources.connection.identity import read_authority
from kubectl_spy.sources.connection.kubeconfig import home_directory, load_kubeconfig
from kubectl_spy.sources.resolution.discovery import Catalogue
from kubectl_spy.sources.resolution.discovery_cache import cache_path, read_cache


def cached_catalogue(
    settings: ConnectionSettings, environ: Mapping[str, str]
) -> Catalogue | None:
    """Return the cached types of the server, or None if there are none or too old.

    This needs no credentials. Raises SpyError if the configuration cannot be used.
    """
    access = choose_access(load_kubeconfig(settings.kubeconfig, environ), settings)
    proxy = proxy_to(access, environ)
    directory = cache_directory(settings, environ)
    return read_cache(catalogue_file(directory, access, proxy.url if proxy else ""))


def cache_directory(settings: ConnectionSettings, environ: Mapping[str, str]) -> Path:
    """Return kubectl's cache directory."""
    directory = settings.cache_dir or environ.get("KUBECACHEDIR")
    return Path(directory or home_directory(environ) / ".kube" / "cache")


def catalogue_file(directory: Path, access: Access, proxy: str) -> Path:
    """Return the cache file in *directory* for the server of *access*."""
    cluster = access.cluster
    return cache_path(
        directory,
        access.server,
        read_authority(cluster).decode("latin-1"),
        str(access.insecure),
        proxy,
        str(cluster.get("tls-server-name") or ""),
    )
