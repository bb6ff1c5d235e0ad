"""kubectl's connection flags, as typed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionSettings:
    """What the command line says about the connection; None is "not said"."""

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
    """Seconds for one answer other than a watch; None or 0 is no limit."""
    insecure_skip_tls_verify: bool = False
    cache_dir: str | None = None
