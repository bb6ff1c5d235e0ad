"""The life of one Pod on its node, from its binding to its removal."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tools.incidents.pod_report import PodReport, Record
from tools.incidents.pod_status import (
    NO_SECRET,
    now,
)
from tools.incidents.programs import Fault, find_fault

if TYPE_CHECKING:
    pass

BACK_OFF = (10.0, 20.0, 40.0, 80.0)
"""https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy"""
PROBE_SECONDS = 2.0
_MOUNT_RETRIES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


class Gone(Exception):
    """The Pod is being deleted, or is not there any more."""


class Evicted(Exception):
    """The kubelet has ended the Pod for good."""


class Rejected(Exception):
    """The kubelet does not take the Pod."""


class PodLife(PodReport):
    """Runs the container of one Pod and reports its status."""

    def run(self) -> None:
        """Live until the Pod is gone."""
        try:
            try:
                self._sleep(0.2)
                self._admit()
                self._until_fine("mount", self._mount_failed)
                self._make_sandbox()
                while self._run_once():
                    pass
            except Evicted:
                self._is_over = True
                self._ended(Fault("exit", code=137))
            self._sleep(float("inf"))
        except Gone:
            self._remove()
        except Rejected:
            pass

    def _refresh(self) -> Record:
        pod = self._kubelet.pod(self._uid)
        if pod is None or pod["metadata"].get("deletionTimestamp"):
            self._pod = pod or self._pod
            raise Gone
        self._pod = pod
        if pod["status"].get("reason") == "Evicted" and not self._is_over:
            raise Evicted
        return pod

    def _sleep(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._refresh()
            time.sleep(max(0.0, min(0.2, end - time.monotonic())))
        while not self._kubelet.is_alive(self._refresh()):
            time.sleep(0.5)

    def _fault(self, stages: str) -> Fault | None:
        namespace = self._pod["metadata"]["namespace"]

        def read(kind: str, name: str) -> Record | None:
            return self._kubelet.read(namespace, kind, name)

        def at_start(kind: str, name: str) -> Record | None:
            if (kind, name) not in self._given:
                self._given[kind, name] = read(kind, name)
            return self._given[kind, name]

        if not self._running:
            self._given.clear()
        count = self._kubelet.count_beside(self._pod)
        program, container, _ = self._acting()
        if self._restarts:
            program = replace(program, once={})
        return find_fault(program, self._pod, container, read, at_start, count, stages)

    def _until_fine(self, stage: str, failed: Callable[[Fault, int], float]) -> None:
        """Try again while there is a fault, after the seconds that *failed* returns."""
        attempt = 0
        while (fault := self._fault(stage)) is not None:
            self._sleep(failed(fault, attempt))
            attempt += 1

    def _admit(self) -> None:
        if self._kubelet.rejects(self._pod):
            raise Rejected
        self._set(
            {"waiting": {"reason": "ContainerCreating"}},
            phase="Pending",
            hostIP="192.0.2.1",
            hostIPs=[{"ip": "192.0.2.1"}],
            startTime=now(),
        )

    def _make_sandbox(self) -> None:
        """Give the Pod its network. Its volumes are mounted before.

        https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-has-network
        """
        address = self._kubelet.new_address(self._pod["spec"]["nodeName"])
        self._pod["status"]["podIP"] = address
        self._has_sandbox = True
        self._set(
            {"waiting": {"reason": "ContainerCreating"}},
            phase="Pending",
            podIP=address,
            podIPs=[{"ip": address}],
        )

    def _mount_failed(self, fault: Fault, attempt: int) -> float:
        self._kubelet.report(self._pod, "Warning", "FailedMount", fault.message)
        return _MOUNT_RETRIES[min(attempt, len(_MOUNT_RETRIES) - 1)]

    def _pull_failed(self, fault: Fault, attempt: int) -> float:
        image = self._image()
        if attempt == 0:
            for each in self._pod["spec"].get("imagePullSecrets", []):
                namespace = self._pod["metadata"]["namespace"]
                if self._kubelet.read(namespace, "secret", each["name"]) is None:
                    self._warn(
                        "FailedToRetrieveImagePullSecret",
                        NO_SECRET.format(each["name"]),
                    )
        self._say("Pulling", f'Pulling image "{image}"')
        self._sleep(0.3)
        self._warn("Failed", f'Failed to pull image "{image}": {fault.message}')
        self._warn("Failed", "Error: ErrImagePull")
        self._set({"waiting": {"reason": "ErrImagePull", "message": fault.message}})
        self._sleep(2)
        self._say("BackOff", f'Back-off pulling image "{image}"')
        self._warn("Failed", "Error: ImagePullBackOff")
        message = f'Back-off pulling image "{image}": ErrImagePull: {fault.message}'
        self._set({"waiting": {"reason": "ImagePullBackOff", "message": message}})
        return BACK_OFF[min(attempt, 3)]

    def _config_failed(self, fault: Fault, attempt: int) -> float:
        self._warn("Failed", f"Error: {fault.message}")
        waiting = {"reason": "CreateContainerConfigError", "message": fault.message}
        if attempt == 0:
            self._set({"waiting": waiting})
        return 8.0

    def _run_once(self) -> bool:
        """Run the container once; return whether it is to be started again."""
        self._until_fine("pull", self._pull_failed)
        image = self._image()
        present = "already present on machine and can be accessed by the pod"
        self._say("Pulled", f'Container image "{image}" {present}')
        self._until_fine("config", self._config_failed)
        self._say("Created", "Container created")
        self._container = f"containerd://{uuid.uuid4().hex * 2}"
        self._started = now()
        began = time.monotonic()
        fault = self._fault("start")
        if fault is not None:
            self._warn("Failed", f"Error: {fault.message}")
            self._set(
                {"waiting": {"reason": "RunContainerError", "message": fault.message}}
            )
            self._sleep(1)
            end: Fault | None = fault._replace(code=128, reason="StartError")
        else:
            self._say("Started", "Container started")
            self._set({"running": {"startedAt": self._started}}, phase="Running")
            self._running = True
            end = self._watch_over(image)
            self._running = False
        if end is None:
            return True
        if self._acting().is_init and end.code == 0:
            self._initialized, self._restarts, self._last = True, 0, {}
            return True
        if self._to_restart(end):
            self._ended(end)
            return self._restart(time.monotonic() - began)
        # Other containers, which run on, keep the Pod's phase as it is.
        runs_on = len(self._pod["spec"]["containers"]) > 1
        phase = "Failed" if end.code else "Succeeded"
        last = self._last
        self._ended(end, phase="" if runs_on else phase)
        self._final, self._last = self._last["terminated"], last
        return False

    def _watch_over(self, image: str) -> Fault | None:
        """Probe the container until it ends, and return how; None for a new image."""
        began, failures, unlive, ready = time.monotonic(), 0, 0, False
        pause = self._acting().program.boot
        while True:
            self._sleep(pause)
            pause = PROBE_SECONDS
            ran = time.monotonic() - began
            program = self._acting().program
            if self._image() != image:
                self._say(
                    "Killing", "Container app definition changed, will be restarted"
                )
                self._restarts += 1
                return None
            ending = self._fault("exit")
            if ending is not None and ran >= ending.after:
                return ending
            if ending is not None:
                pause = min(pause, ending.after - ran)
            ends = program.ends is not None and ran >= program.ends
            if ends or self._acting().is_init:
                return Fault("exit", code=0, reason="Completed")
            probed = self._fault("unready")
            failures = failures + 1 if probed else 0
            if probed:
                self._unhealthy("Readiness", probed)
            if (not probed and not ready) or (failures == 3 and ready):
                ready = not probed
                self._set({"running": {"startedAt": self._started}}, ready=ready)
            lively = self._fault("unlive")
            unlive = unlive + 1 if lively else 0
            if lively:
                self._unhealthy("Liveness", lively)
            if unlive == 3:
                message = "Container app failed liveness probe, will be restarted"
                self._say("Killing", message)
                return Fault("exit", code=137)

    def _unhealthy(self, probe: str, fault: Fault) -> None:
        message = fault.message.replace("{ip}", self._pod["status"].get("podIP", ""))
        self._warn("Unhealthy", f"{probe} probe failed: {message}")

    def _to_restart(self, end: Fault) -> bool:
        policy = self._pod["spec"].get("restartPolicy", "Always")
        return policy == "Always" or (policy == "OnFailure" and end.code != 0)

    def _restart(self, ran: float) -> bool:
        """Back off before the next start."""
        self._sleep(1)
        self._restarts += 1
        if ran < 600 and self._restarts > 1:
            metadata = self._pod["metadata"]
            seconds = BACK_OFF[min(self._restarts - 2, 3)]
            name = self._acting().container["name"]
            pod = f"{metadata['name']}_{metadata['namespace']}({self._uid})"
            where = f"restarting failed container={name} pod={pod}"
            message = f"back-off {seconds:.0f}s {where}"
            event = f"Back-off restarting failed container {name} in pod {pod}"
            self._warn("BackOff", event)
            self._restarts -= 1
            self._set({"waiting": {"reason": "CrashLoopBackOff", "message": message}})
            self._sleep(seconds)
            self._restarts += 1
        return True

    def _remove(self) -> None:
        pod = self._kubelet.pod(self._uid)
        while pod is not None and not self._kubelet.is_alive(pod):
            time.sleep(0.5)
            pod = self._kubelet.pod(self._uid)
        if pod is None:
            return
        if self._started and pod["status"].get("phase") == "Running":
            self._say("Killing", "Stopping container app")
            time.sleep(max(0.3, self._hook()))
            # https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase
            end = Fault("exit", code=0, reason="Completed")
            self._ended(end, phase="Succeeded")
        self._kubelet.remove(pod)

    def _hook(self) -> float:
        """Return how long the preStop hook takes, within the grace period.

        https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/
        """
        hook = self._acting().container.get("lifecycle", {}).get("preStop", {})
        grace = self._pod["metadata"].get("deletionGracePeriodSeconds", 30)
        return float(min(hook.get("sleep", {}).get("seconds", 0), grace))
