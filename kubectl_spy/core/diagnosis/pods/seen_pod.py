"""A Pod and its containers, with their Events."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.kinds.pod_states import is_ending
from kubectl_spy.core.fields import conditions, mapping, mappings, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.readiness.workloads import ENDED
from kubectl_spy.core.remedy import Remedy, kubectl


class SeenPod(NamedTuple):
    """A Pod, and the inventory that it is part of."""

    entry: Entry
    seen: Inventory
    events: tuple[ClusterEvent, ...]  # the Events about it, the latest last
    containers: tuple[Container, ...]  # of all kinds, in the order of the spec
    node: str  # the name of the Node it is bound to, or ""
    conditions: dict[str, dict[str, JSON]]  # by type
    phase: str  # the `status.phase`, which kubectl does not print
    deleting: bool
    ended: bool
    """Whether no container will run again.

    https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase
    """

    @classmethod
    def of(cls, entry: Entry, seen: Inventory) -> SeenPod:
        """Return the Pod in *entry*."""
        phase = text(entry.document, "status", "phase")
        return cls(
            entry,
            seen,
            seen.events(entry.uid),
            tuple(_containers(entry.document)),
            text(entry.document, "spec", "nodeName"),
            conditions(entry.document),
            phase,
            is_ending(entry),
            phase in ENDED,
        )

    @property
    def document(self) -> dict[str, JSON]:
        return self.entry.document

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def namespace(self) -> str:
        return self.entry.namespace or ""

    @property
    def ready(self) -> bool:
        """Whether the Pod is ready and not being deleted."""
        return self.condition("Ready").get("status") == "True" and not self.deleting

    @property
    def marked_unready(self) -> bool:
        """Whether the node controller made it unready, as its node was not ready.

        It leaves ContainersReady and the containers as they are, and it gives no
        reason. A kubelet always gives one.
        https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/util/node/controller_utils.go
        https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/status/generate.go
        """
        ready = self.condition("Ready")
        if ready.get("status") != "False" or text(ready, "reason"):
            return False
        return self.condition("ContainersReady").get("status") == "True"

    def condition(self, kind: str) -> dict[str, JSON]:
        """Return the condition of type *kind*, or {}."""
        return self.conditions.get(kind, {})

    def logs(self, container: Container, *, previous: bool = False) -> Remedy:
        """Return the command that shows the logs of a container of the Pod."""
        command = "logs {} -c {}" + (" --previous" if previous else "")
        return kubectl(command, self.name, container.name, namespace=self.namespace)

    def describe(self) -> Remedy:
        """Return the command that describes the Pod."""
        return kubectl("describe pod {}", self.name, namespace=self.namespace)


class Container(NamedTuple):
    """One container: its spec and its status."""

    role: str
    """`container`, `init`, or `sidecar`, an init container that runs on.
    https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/"""
    name: str
    spec: dict[str, JSON]
    status: dict[str, JSON]  # the status, or {} before the kubelet has written it
    waiting: dict[str, JSON] | None
    running: dict[str, JSON] | None
    terminated: dict[str, JSON] | None
    terminated_before: dict[str, JSON] | None
    """How its previous run ended, if it was restarted since."""
    restarts: int
    started: float | None
    """When it was started, by the node, in seconds since the epoch, if it runs."""

    @classmethod
    def of(cls, role: str, spec: dict[str, JSON], status: dict[str, JSON]) -> Container:
        """Return the container of a *spec*."""
        now, before = mapping(status, "state"), mapping(status, "lastState")
        running = _state(now, "running")
        return cls(
            role,
            text(spec, "name"),
            spec,
            status,
            _state(now, "waiting"),
            running,
            _state(now, "terminated"),
            _state(before, "terminated"),
            number(status, "restartCount"),
            None if running is None else moment(running, "startedAt"),
        )

    @property
    def about(self) -> str:
        return f"{self.role}/{self.name}"

    @property
    def ready(self) -> bool:
        return self.status.get("ready") is True

    @property
    def done(self) -> bool:
        """Whether this init container has done its work."""
        terminated = self.terminated
        return terminated is not None and number(terminated, "exitCode") == 0

    def events(self, pod: SeenPod, *reasons: str) -> list[ClusterEvent]:
        """Return the Events about the container with *reasons*, the latest last.

        https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
        has `fieldPath`, which names the container.
        """
        if not pod.events:
            return []
        kind = "containers" if self.role == "container" else "initContainers"
        field = f"spec.{kind}{{{self.name}}}"
        return [
            each
            for each in pod.events
            if each.field == field and (not reasons or each.reason in reasons)
        ]


def _containers(document: dict[str, JSON]) -> list[Container]:
    found = []
    for kind, statuses in (
        ("initContainers", "initContainerStatuses"),
        ("containers", "containerStatuses"),
    ):
        specs = mappings(document, "spec", kind)
        known = mappings(document, "status", statuses) if specs else ()
        status_of = {text(each, "name"): each for each in known}
        for spec in specs:
            role = "container"
            if kind == "initContainers":
                stays = spec.get("restartPolicy") == "Always"
                role = "sidecar" if stays else "init"
            status = status_of.get(text(spec, "name"), {})
            found.append(Container.of(role, spec, status))
    return found


def _state(state: dict[str, JSON], kind: str) -> dict[str, JSON] | None:
    found = state.get(kind)
    return found if isinstance(found, dict) else None
