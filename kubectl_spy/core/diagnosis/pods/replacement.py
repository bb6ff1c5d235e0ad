"""Decides which failures are final for a Pod that a controller replaces.

The next Pod may run on another node. So only failures of the Pod template itself are
final. The Job controller decides when a Job has failed.
https://kubernetes.io/docs/concepts/workloads/pods/#pods-and-controllers
"""

from __future__ import annotations

from kubectl_spy.core.cluster.references import controller_of
from kubectl_spy.core.diagnosis.finding import Finding
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON

_OF_THE_TEMPLATE = ("InvalidImageName", "ErrImageNeverPull")
"""Reasons that hold for every Pod of the template."""
_COMPARED = ("image", "imagePullPolicy")


def judged(pod: SeenPod, found: list[Finding]) -> list[Finding]:
    """Return *found*. They are final only if each replacement would fail, too."""
    controller = controller_of(pod.document)
    if not controller:
        return found
    lasting = {
        each.about
        for each in pod.containers
        if text(each.waiting, "reason") in _OF_THE_TEMPLATE
        and _is_of_template(pod, each, controller)
    }
    return [each._replace(final=each.final and each.about in lasting) for each in found]


def _is_of_template(
    pod: SeenPod, container: Container, controller: dict[str, JSON]
) -> bool:
    """Return whether the controller's current template has the same image."""
    owner = pod.seen.entry(text(controller, "uid"))
    if owner is None or text(controller, "kind") == "Job":
        return False
    kind = "containers" if container.role == "container" else "initContainers"
    template = mapping(owner.document, "spec", "template", "spec")
    return any(
        all(each.get(field) == container.spec.get(field) for field in _COMPARED)
        for each in mappings(template, kind)
        if text(each, "name") == container.name
    )
