"""What GitOps controllers list in the status of an object: what was applied when."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.fields import mappings, moment, text
from kubectl_spy.core.past.subject import Subject
from kubectl_spy.core.patch.operation import PatchOperation

HISTORY = "status.history"
_ROWS = {
    # https://argo-cd.readthedocs.io/en/stable/user-guide/commands/argocd_app_history/
    ("argoproj.io", "Application"): ("deployedAt", "revision", "/status/sync/revision"),
    # https://fluxcd.io/flux/components/helm/helmreleases/#history
    ("helm.toolkit.fluxcd.io", "HelmRelease"): (
        *("lastDeployed", "chartVersion", "/status/history/0/chartVersion"),
    ),
    # https://fluxcd.io/flux/components/kustomize/kustomizations/#history
    ("kustomize.toolkit.fluxcd.io", "Kustomization"): (
        *("firstReconciled", "metadata/revision", "/status/lastAppliedRevision"),
    ),
}
"""The members that say when, and which revision; and what then has that value."""


def of_history(subject: Subject) -> Iterator[EarlierWrite]:
    """Yield when *subject* began to apply another revision."""
    if (row := _ROWS.get(subject.kind)) is None:
        return
    when, what, path = row
    found = [
        (time, text(each, *what.split("/")))
        for each in mappings(subject.document, "status", "history")
        if (time := moment(each, when)) is not None
    ]
    found.sort()
    for (_, before), (time, now) in pairwise(found):
        if before and now and before != now:
            step = PatchOperation("replace", path, now, before)
            yield subject.write(time, time, HISTORY, HISTORY, patch=[step])
