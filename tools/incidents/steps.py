"""What people and controllers do in a scene: functions of the stage it is played on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from tests.processes import wait_until
from tools.incidents import objects
from tools.incidents.client import Record, Refused, path_of, plural_of

if TYPE_CHECKING:
    from tools.incidents.stage import Stage

Step = Callable[["Stage"], None]
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
APPLIERS = ("kubectl-client-side-apply", "argocd-controller")
"""Managers that keep what they applied in an annotation."""


def create(made: Record, by: str = "kubectl-client-side-apply") -> Step:
    """Create an object."""

    def step(stage: Stage) -> None:
        body = made
        if by in APPLIERS:
            metadata = {**made["metadata"], "annotations": {LAST_APPLIED: _text(made)}}
            body = {**made, "metadata": metadata}
        path = path_of(plural_of(made["kind"]), stage.namespace)
        stage.write("ADDED", "POST", path, body, by)

    return step


def change(
    by: str,
    reference: str,
    patch: Record,
    *,
    subresource: str = "",
    patch_type: str = "strategic-merge-patch",
) -> Step:
    """Patch an object; appliers also update what they say they applied."""

    def step(stage: Stage) -> None:
        path = path_of(reference, stage.namespace)
        body = patch
        if by in APPLIERS:
            live = stage.client.send("GET", path)
            applied = live["metadata"].get("annotations", {}).get(LAST_APPLIED)
            if applied:
                merged = _text(merge(json.loads(applied), patch))
                body = merge(
                    patch, {"metadata": {"annotations": {LAST_APPLIED: merged}}}
                )
        stage.write("MODIFIED", "PATCH", path + subresource, body, by, patch_type)

    return step


def json_patch(by: str, reference: str, *operations: Record) -> Step:
    """Change an object by a JSON patch, for what a strategic one cannot say."""

    def step(stage: Stage) -> None:
        path = path_of(reference, stage.namespace)
        stage.write("MODIFIED", "PATCH", path, list(operations), by, "json-patch")

    return step


def delete(reference: str, propagation: str = "Background") -> Step:
    """Delete an object, as kubectl does."""

    def step(stage: Stage) -> None:
        path = path_of(reference, stage.namespace)
        options = {"propagationPolicy": propagation}
        stage.write("DELETED", "DELETE", path, options, "")

    return step


def scale(reference: str, number: int, by: str = "kubectl") -> Step:
    """Scale as `kubectl scale` does."""
    return change(by, reference, objects.replicas(number), subresource="/scale")


def rollout_restart(reference: str) -> Step:
    """Restart as `kubectl rollout restart` does."""

    def step(stage: Stage) -> None:
        moment = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        change("kubectl-rollout", reference, objects.restart(moment))(stage)

    return step


def delete_pod(app: str, number: int = 1) -> Step:
    """Delete Pods of *app*, as a person who hopes for the best."""

    def step(stage: Stage) -> None:
        for pod in stage.pods(app)[:number]:
            delete(f"po/{pod['metadata']['name']}")(stage)

    return step


def evict(app: str, number: int = 1) -> Step:
    """Have the kubelet evict Pods for a lack of memory."""

    def step(stage: Stage) -> None:
        for pod in stage.pods(app)[:number]:
            stage.kubelets.evict(pod)

    return step


def drain(node: str) -> Step:
    """Evict the Pods of *node* as `kubectl drain` does, except for those refused."""

    def step(stage: Stage) -> None:
        for pod in stage.client.items("po", stage.namespace):
            if pod["spec"].get("nodeName") != node:
                continue
            metadata = {key: pod["metadata"][key] for key in ("name", "namespace")}
            body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}
            path = path_of(f"po/{metadata['name']}", stage.namespace)
            with suppress(Refused):  # by a PodDisruptionBudget
                stage.client.send("POST", f"{path}/eviction", body)

    return step


def autoscale(name: str, number: int) -> Step:
    """Scale as the HorizontalPodAutoscaler controller does."""

    def step(stage: Stage) -> None:
        scale(f"deploy/{name}", number, "kube-controller-manager")(stage)
        stage.autoscaled(name, number)

    return step


def guilty(step: Step, *failing: str) -> Step:
    """Blame *step* for the failure of *failing*: `Deployment/web`."""

    def blamed(stage: Stage) -> None:
        step(stage)
        for each in failing:
            stage.causes.append((each, stage.written[-1]))

    return blamed


def blame(failing: str, by: str, reference: str, patch: Record) -> Step:
    """Return the guilty change that *failing* fails of."""
    return guilty(change(by, reference, patch), failing)


def pause(seconds: float) -> Step:
    def step(stage: Stage) -> None:
        time.sleep(seconds)

    return step


def behave(app: str, **fields: Any) -> Step:
    """Change what the program of *app* needs, which nobody can see."""

    def step(stage: Stage) -> None:
        stage.behave(app, **fields)

    return step


def until(*texts: str, kinds: str = "po events deploy") -> Step:
    """Wait until each of *texts* is in some object of the namespace."""

    def step(stage: Stage) -> None:
        def shown() -> bool:
            lists = [
                stage.client.items(kind, stage.namespace) for kind in kinds.split()
            ]
            said = json.dumps(lists)
            return all(json.dumps(each)[1:-1] in said for each in texts)

        wait_until(shown, lambda: f"{stage.scene.name}: no {texts} in {kinds}")

    return step


def settle() -> Step:
    """Wait until every Deployment, StatefulSet and DaemonSet is complete."""

    def step(stage: Stage) -> None:
        wait_until(stage.is_settled, lambda: f"{stage.scene.name}: not settled")

    return step


def repeat(times: int, *steps: Step) -> Step:
    def step(stage: Stage) -> None:
        for _ in range(times):
            for each in steps:
                each(stage)

    return step


def stop_node(name: str) -> Step:
    """Let a node fall silent."""

    def step(stage: Stage) -> None:
        stage.kubelets.stop_node(name)

    return step


def merge(into: Any, patch: Any) -> Any:
    """Return *into* with *patch*, with lists of named items merged by name."""
    if isinstance(into, dict) and isinstance(patch, dict):
        merged = dict(into)
        for key, value in patch.items():
            if value is None:
                merged.pop(key, None)
            else:
                merged[key] = merge(into[key], value) if key in into else value
        return merged
    if not isinstance(into, list) or not isinstance(patch, list):
        return patch
    if not all(isinstance(each, dict) and "name" in each for each in [*into, *patch]):
        return patch
    old = {each["name"]: each for each in into}
    new = {each["name"]: merge(old.get(each["name"], {}), each) for each in patch}
    return list({**old, **new}.values())


def _text(document: Record) -> str:
    return json.dumps(document, separators=(",", ":"), sort_keys=True) + "\n"
