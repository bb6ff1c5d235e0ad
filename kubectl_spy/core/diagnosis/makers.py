"""Who makes an object that does not exist, and who would undo a change of one."""

from __future__ import annotations

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl
from kubectl_spy.knowledge.kinds import known, makers
from kubectl_spy.knowledge.references import made_by

_HELM = "meta.helm.sh/release-name"
_OWNERS = {
    # https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/
    "argocd.argoproj.io/instance": "Application {}",
    # https://fluxcd.io/flux/components/kustomize/kustomizations/
    "kustomize.toolkit.fluxcd.io/name": "Kustomization {}",
    # https://fluxcd.io/flux/components/helm/helmreleases/
    "helm.toolkit.fluxcd.io/name": "HelmRelease {}",
}
"""Labels by which a tool marks what it applies, and the object that tells it to."""
_TRACKED = "argocd.argoproj.io/tracking-id"  # an annotation: `app:group/kind:…`
_QUEUE = "kueue.x-k8s.io/queue-name"


def maker_of(
    group: str, kind: str, namespace: str | None, name: str, inventory: Inventory
) -> Remedy:
    """Return the advice to look at who makes an object, or NO_REMEDY."""
    for its_group, its_kind in makers(group, kind):
        for each in inventory.every(its_group, its_kind, namespace):
            for made in made_by(each.document, known(its_group, its_kind)):
                if (made.kind, made.name) == (kind, name):
                    return _look_at(each)
    return NO_REMEDY


def _look_at(maker: Entry) -> Remedy:
    of = f"{maker.gvk.printed}/{maker.name}"
    trace = kubectl("spy trace {}", of, namespace=maker.namespace)
    return advice("{} {} makes it: {}", maker.gvk.kind, maker.name, trace)


def applied_by(document: dict[str, object]) -> Remedy:
    """Return who applies an object and would undo a change of it, or NO_REMEDY."""
    labels = mapping(document, "metadata", "labels")
    notes = mapping(document, "metadata", "annotations")
    for label, what in _OWNERS.items():
        if name := text(labels, label):
            return advice(what, name)
    if found := text(notes, _TRACKED):
        return advice("Application {}", found.partition(":")[0])
    if name := text(notes, _HELM):
        return advice("Helm release {}", name)
    return NO_REMEDY


def at_its_source(remedy: Remedy, entry: Entry) -> Remedy:
    """Return *remedy*, which changes an object; or where a change of it would stay.

    Kueue suspends Jobs until there is room for them.
    https://kueue.sigs.k8s.io/docs/tasks/run/jobs/
    """
    document = entry.document
    if queue := text(document, "metadata", "labels", _QUEUE):
        return advice(
            "Kueue resumes it when LocalQueue {} has room: {}",
            queue,
            kubectl("get workloads.kueue.x-k8s.io", namespace=entry.namespace),
        )
    by = applied_by(document)
    return advice("change it in {}, which would undo it here", by) if by else remedy
