"""Asks an API server which types it serves.

That takes two requests with aggregated discovery (Kubernetes 1.27 and newer,
https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery), and
one for each group version without it. If one fails, the others are still found.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Thread
from typing import Any, NamedTuple

from kubectl_spy.core.objects import GroupVersionKind, Resource
from kubectl_spy.errors import (
    ConnectionFailed,
    Forbidden,
    RequestRefused,
    SpyError,
    Unauthenticated,
)

AGGREGATED = ",".join(
    f"application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList"
    for version in ("v2", "v2beta1")
)
_ACCEPT = f"{AGGREGATED},application/json"
_SEGMENT = "[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?"
_PARALLEL = 8

Fetch = Callable[[str, str], Any]
"""Takes a path and an Accept header, returns a JSON document, raises SpyError."""


class Catalogue(NamedTuple):
    """The types that a server serves, in kubectl's order of preference.

    The core group comes first, then the others in the server's order. The preferred
    version of a group comes first.
    """

    resources: tuple[Resource, ...]
    failed: tuple[str, ...] = ()
    """Group versions that failed, and why: "metrics.k8s.io/v1beta1 (503)"."""
    cached: bool = False  # whether it comes from the cache file

    def find(self, gvk: GroupVersionKind) -> Resource | None:
        """Return the endpoint of exactly *gvk*, or None."""
        return next((item for item in self.resources if item.gvk == gvk), None)


def discover(fetch: Fetch) -> Catalogue:
    """Return the types that the server behind *fetch* serves, or raise SpyError."""
    core, core_error = _attempt(fetch, "/api")
    if isinstance(core_error, (ConnectionFailed, Unauthenticated)):
        raise core_error
    groups, groups_error = _attempt(fetch, "/apis")
    if isinstance(groups_error, (ConnectionFailed, Unauthenticated)):
        raise groups_error
    if core_error is not None and groups_error is not None:
        # Some API servers, such as kcp, serve only one of the two.
        raise groups_error if isinstance(groups_error, Forbidden) else core_error
    failed = [
        f"{path} ({_reason(error)})"
        for path, error in (("/api", core_error), ("/apis", groups_error))
        if error is not None
    ]
    resources: list[Resource] = []
    plain: list[tuple[str, str]] = []
    for path, document in (("/api", core), ("/apis", groups)):
        if document is None:
            continue
        if document.get("kind") == "APIGroupDiscoveryList":
            found, stale = _read_aggregated(document)
            resources += found
            failed += stale
        else:
            plain += _group_versions(path, document)
    if plain:
        found, missing = _fetch_plain(fetch, plain)
        resources = found + resources if plain[0][0] == "" else resources + found
        failed += missing
    return Catalogue(tuple(resources), tuple(failed))


def _attempt(fetch: Fetch, path: str) -> tuple[dict[str, Any] | None, SpyError | None]:
    try:
        document = fetch(path, _ACCEPT)
    except SpyError as error:
        return None, error
    return (document if isinstance(document, dict) else {}), None


def _read_aggregated(document: dict[str, Any]) -> tuple[list[Resource], list[str]]:
    """Read an APIGroupDiscoveryList. Its versions are in order of preference."""
    resources: list[Resource] = []
    stale = []
    for item in _mappings(document.get("items")):
        group = _text(_mapping(item.get("metadata")).get("name"))
        for entry in _mappings(item.get("versions")):
            version = _text(entry.get("version"))
            if entry.get("freshness") == "Stale":
                stale.append(f"{group}/{version} (stale)")
            for row in _mappings(entry.get("resources")):
                subresources = {
                    _text(sub.get("subresource"))
                    for sub in _mappings(row.get("subresources"))
                }
                resources += _resource(
                    group,
                    version,
                    kind=_text(_mapping(row.get("responseKind")).get("kind")),
                    plural=_text(row.get("resource")),
                    singular=_text(row.get("singularResource")),
                    namespaced=row.get("scope") == "Namespaced",
                    row=row,
                    has_status="status" in subresources,
                )
    return resources, stale


def _group_versions(path: str, document: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (group, version) pairs, each group's preferred version first."""
    if path == "/api":
        return [("", version) for version in _texts(document.get("versions"))]
    pairs = []
    for group in _mappings(document.get("groups")):
        name = _text(group.get("name"))
        preferred = _text(_mapping(group.get("preferredVersion")).get("version"))
        versions = [
            _text(entry.get("version")) for entry in _mappings(group.get("versions"))
        ]
        # sorted() is stable: False, the preferred one, sorts before True.
        ordered = sorted(versions, key=lambda version: version != preferred)
        pairs += [(name, version) for version in ordered]
    return [pair for pair in pairs if _are_segments(pair)]


def _fetch_plain(
    fetch: Fetch, pairs: list[tuple[str, str]]
) -> tuple[list[Resource], list[str]]:
    resources: list[Resource] = []
    failed = []
    answers = _ask_side_by_side(fetch, pairs)
    for (group, version), answer in zip(pairs, answers, strict=True):
        if isinstance(answer, SpyError):
            name = f"{group}/{version}" if group else version
            failed.append(f"{name} ({_reason(answer)})")
        else:
            resources += _read_resource_list(group, version, answer)
    return resources, failed


def _ask_side_by_side(
    fetch: Fetch, pairs: list[tuple[str, str]]
) -> list[dict[str, Any] | SpyError]:
    """Return the answer of each group version, in order.

    The threads are daemons. Those of concurrent.futures would make Ctrl-C wait for the
    last answer.
    """
    answers: list[dict[str, Any] | SpyError] = [{}] * len(pairs)
    bugs: list[Exception] = []
    waiting = deque(enumerate(pairs))

    def ask() -> None:
        while True:
            try:
                index, (group, version) = waiting.popleft()
            except IndexError:
                return
            path = f"/apis/{group}/{version}" if group else f"/api/{version}"
            try:
                answers[index] = _mapping(fetch(path, "application/json"))
            except SpyError as error:
                answers[index] = error
            except Exception as bug:
                bugs.append(bug)

    threads = [Thread(target=ask, daemon=True) for _ in range(_PARALLEL)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if bugs:
        raise bugs[0]
    return answers


def _read_resource_list(
    group: str, version: str, document: dict[str, Any]
) -> Iterator[Resource]:
    """Read an APIResourceList. Its subresources are entries like the resources."""
    rows = list(_mappings(document.get("resources")))
    names = {_text(row.get("name")) for row in rows}
    for row in rows:
        plural = _text(row.get("name"))
        if "/" not in plural:
            yield from _resource(
                group,
                version,
                kind=_text(row.get("kind")),
                plural=plural,
                singular=_text(row.get("singularName")),
                namespaced=row.get("namespaced") is True,
                row=row,
                has_status=f"{plural}/status" in names,
            )


def _resource(
    group: str,
    version: str,
    *,
    kind: str,
    plural: str,
    singular: str,
    namespaced: bool,
    row: Mapping[str, Any],
    has_status: bool,
) -> Iterator[Resource]:
    """Yield the resource, or nothing if its names do not fit into a URL."""
    if not fits_a_path(group, version, kind, plural):
        return
    yield Resource(
        gvk=GroupVersionKind(group, version, kind),
        plural=plural,
        # Servers before 1.27 may omit the singular. kubectl derives it the same way.
        singular=singular or kind.lower(),
        namespaced=namespaced,
        verbs=tuple(_texts(row.get("verbs"))),
        short_names=tuple(_texts(row.get("shortNames"))),
        categories=tuple(_texts(row.get("categories"))),
        has_status=has_status,
    )


def fits_a_path(group: str, version: str, kind: str, plural: str) -> bool:
    """Return whether the names fit into a URL. The core group is ""."""
    parts = [group, version, kind, plural] if group else [version, kind, plural]
    return _are_segments(parts)


def _are_segments(parts: Iterable[str]) -> bool:
    return all(re.fullmatch(_SEGMENT, each) for each in parts)


def _reason(error: SpyError) -> str:
    if isinstance(error, RequestRefused):
        return str(error.status)
    return "no answer"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> Iterable[str]:
    return (
        (item for item in value if isinstance(item, str))
        if isinstance(value, list)
        else ()
    )


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _mappings(value: Any) -> Iterable[dict[str, Any]]:
    return (
        (item for item in value if isinstance(item, dict))
        if isinstance(value, list)
        else ()
    )
