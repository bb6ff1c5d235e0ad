"""What a kubelet reports of one Pod: its status, its Events, its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tools.incidents.pod_status import (
    container_status,
    container_statuses,
    now,
    pod_conditions,
)
from tools.incidents.programs import Acting, Fault, acting

if TYPE_CHECKING:
    from tools.incidents.kubelet import Kubelets

Record = dict[str, Any]


class PodReport:
    """What is known of one Pod, and how it is reported."""

    def __init__(self, kubelet: Kubelets, pod: Record) -> None:
        self._kubelet = kubelet
        self._uid = pod["metadata"]["uid"]
        self._pod = pod
        self._restarts = 0
        self._last: Record = {}
        self._final: Record = {}
        self._started = ""
        self._container = ""
        self._is_over = False
        self._has_sandbox = False
        self._initialized = False
        self._running = False
        self._given: dict[tuple[str, str], Record | None] = {}

    def _acting(self) -> Acting:
        metadata = self._pod["metadata"]
        app = metadata.get("labels", {}).get("app", "")
        program = self._kubelet.program(metadata["namespace"], app)
        return acting(program, self._pod["spec"], initialized=self._initialized)

    def _image(self) -> str:
        return str(self._acting().container["image"])

    def _say(self, reason: str, message: str) -> None:
        self._report("Normal", reason, message)

    def _warn(self, reason: str, message: str) -> None:
        self._report("Warning", reason, message)

    def _report(self, kind: str, reason: str, message: str) -> None:
        where = "initContainers" if self._acting().is_init else "containers"
        path = f"spec.{where}{{{self._acting().container['name']}}}"
        self._kubelet.report(self._pod, kind, reason, message, path)

    def _ended(self, fault: Fault, *, phase: str = "") -> None:
        terminated = self._final or {
            "exitCode": fault.code,
            "reason": fault.reason,
            "startedAt": self._started,
            "finishedAt": now(),
            "containerID": self._container,
        }
        if fault.stage == "start":
            terminated["message"] = fault.message
        elif fault.code:
            self._log(terminated)
        more: Record = {"phase": phase} if phase else {}
        self._set({"terminated": terminated}, **more)
        self._last = {"terminated": terminated}

    def _log(self, terminated: Record) -> None:
        """Say what the program says before it ends with an error.

        https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/
        """
        program, container, _ = self._acting()
        metadata, name = self._pod["metadata"], str(container["name"])
        where = metadata["namespace"], metadata["name"], name
        self._kubelet.logs.write(*where, program.log)
        policy = container.get("terminationMessagePolicy")
        if policy == "FallbackToLogsOnError" and program.log:
            terminated["message"] = program.log

    def _set(self, state: Record, *, ready: bool = False, **more: Any) -> None:
        """Write the status with the container in *state*."""
        _, container, is_init = self._acting()
        status = container_status(container, state, ready=ready)
        status["restartCount"] = self._restarts
        if self._last:
            status["lastState"] = self._last
        if self._container:
            status["containerID"] = self._container
        if is_init and more.get("phase") == "Running":
            more["phase"] = "Pending"
        is_only = len(self._pod["spec"]["containers"]) == 1
        done = is_only and state.get("terminated", {}).get("reason") == "Completed"
        opened = {each["type"] for each in self._pod["status"].get("conditions", [])}
        gates = [
            each["conditionType"]
            for each in self._pod["spec"].get("readinessGates", [])
        ]
        written = {
            **more,
            **container_statuses(
                self._pod,
                status,
                initialized=not is_init,
                over=more.get("phase") in ("Succeeded", "Failed"),
            ),
            "conditions": pod_conditions(
                str(container["name"]),
                ready=ready and not is_init,
                done=done,
                initialized=not is_init,
                has_sandbox=self._has_sandbox,
                starts=more.get("phase") in ("Pending", "Running"),
                gates=[each for each in gates if each not in opened],
            ),
        }
        self._kubelet.set_status(self._pod, written)
