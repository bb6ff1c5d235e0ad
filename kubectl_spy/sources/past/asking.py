"""Asks a server for what is left of the time before its own memory begins.

Each type is listed once in a namespace, and only if something there may tell more, and
it was not listed anyway.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Protocol
from urllib.parse import quote

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.past.events import by_autoscalers, by_deployment
from kubectl_spy.core.past.owners import of_history, of_last_applied, of_managers
from kubectl_spy.core.past.releases import of_releases
from kubectl_spy.core.past.revisions import of_controller_revisions, of_replica_sets
from kubectl_spy.core.past.subject import Mask, Subject
from kubectl_spy.errors import RequestRefused, SpyError, TimedOut

# Lists objects by their path, and says why that is refused.

SECONDS = 10.0
"""The longest silence of an answer."""
_PAGE = 500
_PAGES = 20  # of a list; what comes after is left out


class Fetch(Protocol):
    """Returns the JSON document at a path of the server. Raises SpyError."""

    def __call__(
        self,
        path: str,
        accept: str | None = None,
        *,
        query: Mapping[str, str] | None = None,
        read_timeout: float,
    ) -> Any: ...


def listed(
    fetch: Fetch, path: str, accept: str | None = None, **query: str
) -> list[JSON]:
    """Return the objects of a list, page by page. Raises SpyError."""
    found: list[JSON] = []
    following = ""
    for _ in range(_PAGES):
        more = {"continue": following} if following else {}
        asked = {"limit": str(_PAGE), **query, **more}
        page = fetch(path, accept, query=asked, read_timeout=SECONDS)
        found += mappings(page, "items")
        following = text(page, "metadata", "continue")
        if not following:
            break
    return found


def why(error: SpyError) -> str:
    """Return why a request was refused, in few words."""
    if isinstance(error, RequestRefused) and error.status == 403:
        return "there is no right to list them"
    return str(error)


_APPS = "/apis/apps/v1/namespaces/{}/"
_PATHS = {
    "events": "/api/v1/namespaces/{}/events",
    "replicasets.apps": f"{_APPS}replicasets",
    "controllerrevisions.apps": f"{_APPS}controllerrevisions",
    "horizontalpodautoscalers.autoscaling": (
        "/apis/autoscaling/v2/namespaces/{}/horizontalpodautoscalers"
    ),
}
_SCALINGS = 1_000  # Events that are read of one object
_RELEASE = "meta.helm.sh/release-name"
_RELEASED_IN = "meta.helm.sh/release-namespace"
_NAMESPACES = 8  # whose releases made objects of another one
_DEPLOYED = {("apps", "Deployment")}
_REVISED = {("apps", "StatefulSet"), ("apps", "DaemonSet")}

Evidence = Iterator[tuple[Subject, EarlierWrite]]
Held = Callable[[str, str], Sequence[JSON] | None]
"""Returns the objects of a type in a namespace, or None if they were not listed."""


class Asking:
    """Asks for what tells more of objects in a *namespace*.

    *since* is the time from which on it matters. *say* gets what could not be had.
    Without *fetch* nothing is asked: what is *held* tells, and the objects themselves.
    *check* raises TimedOut once `--timeout` is over.
    """

    def __init__(
        self,
        namespace: str,
        since: float,
        fetch: Fetch | None,
        mask: Mask,
        say: Callable[[str], None],
        check: Callable[[], None],
        held: Held = lambda resource, namespace: None,
    ) -> None:
        self._check = check
        self._held = held
        self._namespace = namespace
        self._since = since
        self._fetch = fetch
        self._mask = mask
        self._say = say

    def evidence(self, subjects: Sequence[Subject]) -> Evidence:
        """Yield what is known of *subjects*, all of this namespace."""
        kinds = {each.kind for each in subjects}
        # Whatever has replicas may be scaled, of any type.
        scales = any("replicas" in mapping(each.document, "spec") for each in subjects)
        events = self._list("events") if scales else []
        sets = self._list("replicasets.apps") if kinds & _DEPLOYED else []
        kept = self._list("controllerrevisions.apps") if kinds & _REVISED else []
        resized = [it for it in events if text(it, "reason") == "SuccessfulRescale"]
        named = "horizontalpodautoscalers.autoscaling"
        scalers = self._list(named) if resized else []
        of = _by_uid([*sets, *kept], _owners)
        about = _by_uid(events, lambda each: [text(each, "involvedObject", "uid")])
        for each in subjects:
            found: list[Iterator[EarlierWrite]] = [
                of_managers(each),
                of_last_applied(each),
                of_history(each) if self._fetch else iter(()),
                by_autoscalers(each, scalers, resized, self._mask),
            ]
            if each.kind == ("apps", "Deployment"):
                found.append(
                    of_replica_sets(
                        each, of[each.uid], about[each.uid][:_SCALINGS], self._mask
                    )
                )
            elif each.kind == ("apps", "ReplicaSet"):
                by_owner = (about[it][:_SCALINGS] for it in _owners(each.document))
                about_it = list(chain(*by_owner))
                found.append(by_deployment(each, about_it, self._mask))
            elif each.kind in _REVISED:
                found.append(of_controller_revisions(each, of[each.uid], self._mask))
            for writes in found:
                yield from ((each, write) for write in writes)
        yield from self._of_helm([each for each in subjects if _is_of_helm(each)])

    def _of_helm(self, subjects: Sequence[Subject]) -> Evidence:
        if not subjects or self._fetch is None:
            return
        from kubectl_spy.sources.past.helm import Releases

        where: dict[str, list[Subject]] = {}
        for each in subjects:
            at = text(each.document, "metadata", "annotations", _RELEASED_IN)
            where.setdefault(at or self._namespace, []).append(each)
        for namespace, within in islice(where.items(), _NAMESPACES):
            horizon = max(each.horizon for each in within)
            asked = Releases(self._fetch, namespace, self._say, self._check)
            releases = asked.between(self._since, horizon)
            for each in within:
                self._check()
                for write in of_releases(each, releases, self._mask):
                    yield each, write

    def _list(self, resource: str) -> Sequence[JSON]:
        held = self._held(resource, self._namespace)
        if held is not None or self._fetch is None:
            return held or []
        at = _PATHS[resource].format(quote(self._namespace, safe=""))
        try:
            return listed(self._fetch, at)
        except TimedOut:
            raise
        except SpyError as error:
            what = at.rpartition("/")[2]
            self._say(f"note: {what} tell nothing of the past: {why(error)}")
            return []


def _by_uid(
    found: Sequence[JSON], uids: Callable[[JSON], Iterable[str]]
) -> defaultdict[str, list[JSON]]:
    """Return what was *found* by the uids that each names."""
    by: defaultdict[str, list[JSON]] = defaultdict(list)
    for each in found:
        for uid in uids(each):
            by[uid].append(each)
    return by


def _owners(document: JSON) -> list[str]:
    of = mappings(document, "metadata", "ownerReferences")
    return [text(each, "uid") for each in of]


def _is_of_helm(subject: Subject) -> bool:
    return bool(text(subject.document, "metadata", "annotations", _RELEASE))
