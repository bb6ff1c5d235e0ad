"""The stage that a scene is played on: a namespace, a recorder, and the label."""

from __future__ import annotations

import dataclasses
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import processes
from tests.processes import wait_until
from tools.incidents.afterwards import Afterwards
from tools.incidents.client import Client, Record, path_of
from tools.incidents.kubelet import Kubelets
from tools.incidents.pod_status import now
from tools.incidents.programs import Program
from tools.incidents.steps import Step, create

KINDS = (
    "deploy,rs,sts,ds,jobs,cj,po,svc,endpointslices,ing,cm,secrets,pvc,hpa,pdb,quota,"
    "limits,sa,events"
)


@dataclass(frozen=True)
class Scene:
    """What happens, and what is recorded of it.

    The recording begins after *start* has settled and *before* was done. The causes in
    the label are the writes that guilty() marks. *unexplained* fail, and the recording
    does not say why. Scenes that touch things of the cluster are played *alone*, on
    *nodes* of their own, by name. With *logs*, what containers said is recorded, too.
    """

    name: str
    about: str
    start: tuple[Record, ...]
    steps: tuple[Step, ...]
    programs: Mapping[str, Program] = field(default_factory=dict)
    owner: str = "kubectl-client-side-apply"
    before: tuple[Step, ...] = ()
    unexplained: tuple[str, ...] = ()
    flaps: tuple[Record, ...] = ()
    more: str = ""
    less: str = ""
    alone: bool = False
    nodes: Mapping[str, Record] = field(default_factory=dict)
    tail: float = 6.0
    logs: bool = False

    @property
    def kinds(self) -> str:
        """The kinds to record."""
        kinds = [*KINDS.split(","), *filter(None, self.more.split(","))]
        return ",".join(each for each in kinds if each not in self.less.split(","))


class Stage:
    """A scene under way."""

    def __init__(self, scene: Scene, client: Client, kubelets: Kubelets) -> None:
        self.scene = scene
        self.client = client
        self.kubelets = kubelets
        self.namespace = scene.name
        self.written: list[Record] = []
        self.causes: list[tuple[str, Record]] = []

    def write(
        self,
        type_: str,
        method: str,
        path: str,
        body: object,
        manager: str,
        patch: str = "strategic-merge-patch",
    ) -> None:
        """Send a write, and keep what the API server answered."""
        before = self.client.send("GET", path) if method == "DELETE" else None
        answer = self.client.send(method, path, body, manager=manager, patch=patch)
        if before is not None:  # the answer may be a Status
            answer = before
        kind = answer["kind"]
        if path.endswith("/scale"):  # a Scale has the resourceVersion of what it scales
            kind = "StatefulSet" if "/statefulsets/" in path else "Deployment"
        metadata = answer["metadata"]
        self.written.append(
            {
                "kind": kind,
                "name": metadata["name"],
                "resourceVersion": metadata.get("resourceVersion", ""),
                "type": type_,
            }
        )

    def pods(self, app: str) -> list[Record]:
        """Return the Pods of *app* that are not going, by name."""
        found = [
            pod
            for pod in self.client.items("po", self.namespace)
            if pod["metadata"].get("labels", {}).get("app") == app
            and not pod["metadata"].get("deletionTimestamp")
        ]
        return sorted(found, key=lambda pod: str(pod["metadata"]["name"]))

    def behave(self, app: str, **fields: Any) -> None:
        """Change a program."""
        old = self.kubelets.program(self.namespace, app)
        new = dataclasses.replace(old, **fields)
        self.kubelets.programs[self.namespace, app] = new

    def autoscaled(self, name: str, number: int) -> None:
        """Write the status of a HorizontalPodAutoscaler."""
        conditions = (
            ("AbleToScale", "True", "ReadyForNewScale"),
            ("ScalingActive", "True", "ValidMetricFound"),
            ("ScalingLimited", "False", "DesiredWithinRange"),
        )
        status = {
            "currentReplicas": number,
            "desiredReplicas": number,
            "lastScaleTime": now(),
            "conditions": [
                {"type": kind, "status": value, "reason": reason, "message": ""}
                for kind, value, reason in conditions
            ],
        }
        path = f"{path_of(f'hpa/{name}', self.namespace)}/status"
        manager = "kube-controller-manager"
        self.client.send("PATCH", path, {"status": status}, manager=manager)

    def is_settled(self) -> bool:
        """Tell whether every workload has as many ready Pods as it is to have."""
        return all(
            _is_complete(each)
            for kind in ("deploy", "sts", "ds")
            for each in self.client.items(kind, self.namespace)
        )

    def label(self) -> Record:
        """Return the label."""
        unknown = [(each, None) for each in self.scene.unexplained]
        failures = []
        for failing, by in (*unknown, *self.causes):
            kind, _, name = failing.partition("/")
            failures.append({"kind": kind, "name": name, "by": by})
        return {
            "about": self.scene.about,
            "failures": failures,
            "flaps": list(self.scene.flaps),
        }


def play(
    stage: Stage, kubeconfig: Path, directory: Path, afterwards: Afterwards | None
) -> None:
    """Play a scene and write NAME.spy.gz and NAME.json to *directory*.

    Then ask about it, before it is gone.
    """
    scene = stage.scene
    name = {"metadata": {"name": stage.namespace}}
    stage.client.send("POST", "/api/v1/namespaces", name, manager="kubectl-create")
    for app, program in scene.programs.items():
        stage.kubelets.programs[scene.name, app] = program
    wait_until(lambda: stage.client.items("sa", stage.namespace))
    wait_until(lambda: stage.client.items("cm", stage.namespace))
    try:
        for each in scene.start:
            create(each, scene.owner)(stage)
        wait_until(stage.is_settled, lambda: f"{scene.name}: not settled at first")
        for step in scene.before:
            step(stage)
        file = directory / f"{scene.name}.spy"
        began = time.time()
        with recording(scene, kubeconfig, file):
            time.sleep(1)
            for step in scene.steps:
                step(stage)
            time.sleep(scene.tail)
        compress(file)
        label = stage.label()
        file.with_suffix(".json").write_text(json.dumps(label, indent=1) + "\n")
        if afterwards is not None:
            recorded = file.with_suffix(".spy.gz")
            afterwards.ask(scene.name, scene.kinds, label, began, recorded)
    finally:
        for pod in stage.client.items("po", stage.namespace):
            if "example.com/drain" in pod["metadata"].get("finalizers", []):
                path = path_of(f"po/{pod['metadata']['name']}", stage.namespace)
                free = {"metadata": {"finalizers": None}}
                stage.client.send("PATCH", path, free, patch="merge-patch")
        stage.client.send("DELETE", path_of(f"ns/{stage.namespace}", ""))


@contextmanager
def recording(scene: Scene, kubeconfig: Path, file: Path) -> Iterator[None]:
    """Record the namespace of *scene* to *file* for as long as the block lasts."""
    command = [sys.executable, "-m", "kubectl_spy", "record", scene.kinds]
    log = file.with_suffix(".log")
    with log.open("wb") as said:
        process = processes.start(
            [*command, *(["--logs"] * scene.logs), "-n", scene.name, "-f", file],
            env={**os.environ, "KUBECONFIG": str(kubeconfig)},
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    try:
        wait_until(lambda: b"watching " in log.read_bytes(), log.read_text)
        yield
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
    assert process.returncode in (0, 130), log.read_text()
    log.unlink()


def compress(file: Path) -> None:
    """Replace *file* by FILE.gz, which is the same whenever it is made."""
    packed = gzip.compress(file.read_bytes(), mtime=0)
    file.with_suffix(".spy.gz").write_bytes(packed)
    file.unlink()


def _is_complete(workload: Record) -> bool:
    metadata, spec, status = (workload[key] for key in ("metadata", "spec", "status"))
    if status.get("observedGeneration", 0) < metadata["generation"]:
        return False
    if workload.get("kind") == "DaemonSet" or "replicas" not in spec:
        wanted = status.get("desiredNumberScheduled", 0)
        ready = status.get("numberReady", 0)
        return bool(wanted == ready == status.get("updatedNumberScheduled", 0) > 0)
    counts = (
        status.get(key, 0) for key in ("readyReplicas", "updatedReplicas", "replicas")
    )
    return all(count == spec["replicas"] for count in counts)
