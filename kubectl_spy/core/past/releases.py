"""What the releases of Helm tell of the past: the manifests that were intended.

Helm keeps each as a Secret. Only its manifest, its status and its time are read, and
never its values, its notes and its description, which may hold what is secret.
https://github.com/helm/helm/blob/v3.19.0/pkg/release/release.go
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.managers import owners_of
from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.past.subject import Mask, Subject, between
from kubectl_spy.core.past.times import SECOND
from kubectl_spy.core.patch.operation import PatchOperation

HELM_RELEASE = "HelmRelease"
MANAGER = "helm"
RELEASE_NAME = "meta.helm.sh/release-name"
"""The annotation of an object that names its release."""
_WHOLE = frozenset({"deployed", "superseded", "uninstalled", "uninstalling"})
"""The statuses of releases that were applied as a whole."""

Key = tuple[str, str, str, str]
"""The apiVersion, kind, namespace and name of an object.

The namespace is that of the release if the manifest names none, as of a ClusterRole.
"""


class Release(NamedTuple):
    """One revision of a release."""

    name: str
    namespace: str
    revision: int
    status: str
    time: float  # when it began to be deployed, or that was tried
    until: float  # when objects were written, if hooks ran before
    manifest: Mapping[Key, dict[str, JSON]]

    @property
    def source(self) -> str:
        """What to call it."""
        source = f"{HELM_RELEASE} {self.name}, revision {self.revision}"
        return source if self.took_effect else f"{source}, {self.status}"

    @property
    def took_effect(self) -> bool:
        """Whether all of its manifest was applied."""
        return self.status in _WHOLE


def of_releases(
    subject: Subject, releases: Sequence[Release], mask: Mask
) -> Iterator[EarlierWrite]:
    """Yield what revisions of releases changed of *subject*, as it was intended.

    *releases* are sorted by name and revision. If one before failed, what it and the
    last good one agree on was there before, and else that is not known.
    """
    document = subject.document
    api_version, kind = text(document, "apiVersion"), text(document, "kind")
    wrote = [it.time for it in owners_of(document) if it.manager == MANAGER and it.time]
    good: Release | None = None
    doubtful: list[Release] = []
    of = text(document, "metadata", "annotations", RELEASE_NAME)
    for release in (each for each in releases if of in ("", each.name)):
        known = good if good and good.name == release.name else None
        failed = [each for each in doubtful if each.name == release.name]
        space = subject.namespace or release.namespace
        key = api_version, kind, space, subject.name
        now = release.manifest.get(key)
        last = failed[-1] if failed else known
        follows = last is not None and last.revision + 1 == release.revision
        patch: list[PatchOperation] = []
        if now is not None and known is not None and follows:
            patch = _common(subject, key, [known, *failed], now, mask)
        if patch and release.time >= subject.created:  # else of one before it
            yield subject.write(
                *(*_times(release, wrote), HELM_RELEASE, release.source),
                managers=(MANAGER,),
                patch=patch,
                approximate=not release.took_effect,
            )
        if release.took_effect:
            good, doubtful = release, []
        else:
            doubtful = [*failed, release]


def _times(release: Release, wrote: Sequence[float]) -> tuple[float, float]:
    """Return when objects were written. The last time is in their managedFields."""
    begin, end = release.time, release.until
    for time in wrote:
        if begin - SECOND <= time <= end + SECOND:
            return time, time
    return begin, end


def _common(
    subject: Subject,
    key: Key,
    before: Sequence[Release],
    now: dict[str, JSON],
    mask: Mask,
) -> list[PatchOperation]:
    """Return the steps that lead to *now* from each of *before*."""
    resource = subject.selection.resource
    found: list[PatchOperation] | None = None
    for release in before:
        old = release.manifest.get(key)
        if old is None:
            return []  # created, or created in part
        steps = between(_in(subject, old), _in(subject, now), resource, mask)
        found = steps if found is None else list(_shared(found, steps))
    return found or []


def _in(subject: Subject, document: dict[str, JSON]) -> dict[str, JSON]:
    """Return *document* with the namespace of *subject*: masks tell places apart."""
    metadata = {**mapping(document, "metadata"), "namespace": subject.namespace}
    return {**document, "metadata": metadata}


def _shared(
    steps: Sequence[PatchOperation], others: Sequence[PatchOperation]
) -> Iterator[PatchOperation]:
    """Yield the *steps* that lead to the same from both, with what both begin with."""
    for step in steps:
        if step in others:
            yield step
        elif step._replace(old=None) in (each._replace(old=None) for each in others):
            yield step._replace(old=None)
