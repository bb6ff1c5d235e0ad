"""A control plane with kubelets, which plays scenes and records them."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.controlplane import ControlPlane
from tests.processes import wait_until
from tools.incidents.afterwards import Afterwards
from tools.incidents.client import Client
from tools.incidents.kubelet import Kubelets
from tools.incidents.logs import Logs
from tools.incidents.stage import Scene, Stage, play

AT_ONCE = 8
NODES = ("node-0", "node-1", "node-2")
CONTROLLERS = (
    # Metrics need a metrics server; scenes write what the autoscaler would.
    "--controllers=*,-horizontal-pod-autoscaler-controller",
    "--node-monitor-period=2s",
    "--node-monitor-grace-period=20s",
)


class Theatre:
    """Plays scenes on *plane*, and records them to *directory*.

    With *late* it also asks the API server about each, once it was played.
    """

    def __init__(self, plane: ControlPlane, directory: Path, *, late: bool) -> None:
        self._plane = plane
        self._directory = directory
        self._client = Client(plane)
        self.kubelets = Kubelets(self._client, Logs(plane.certificates.server))
        self.afterwards = Afterwards(self._client, plane.kubeconfig) if late else None

    def play_all(self, scenes: Sequence[Scene]) -> list[str]:
        """Play *scenes*; return the names of those that failed."""
        together = [each for each in scenes if not each.alone]
        for name in NODES:
            self.kubelets.add_node(name)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            played = list(pool.map(self._play, together))
        for scene in scenes:
            if scene.alone:
                self._replace_nodes(scene)
                together.append(scene)
                played.append(self._play(scene))
        return [
            each.name for each, good in zip(together, played, strict=True) if not good
        ]

    def _play(self, scene: Scene) -> bool:
        began = time.monotonic()
        try:
            stage = Stage(scene, self._client, self.kubelets)
            play(stage, self._plane.kubeconfig, self._directory, self.afterwards)
        except Exception:  # the other scenes go on
            traceback.print_exc()
            return False
        size = (self._directory / f"{scene.name}.spy.gz").stat().st_size / 1e3
        print(
            f"{scene.name}: {time.monotonic() - began:.0f} s, {size:.0f} kB", flush=True
        )
        return True

    def _replace_nodes(self, scene: Scene) -> None:
        """Wait for the last scene to be gone, and give this one fresh nodes."""
        self.kubelets.start_nodes()
        wait_until(lambda: not self._client.send("GET", "/api/v1/pods")["items"])
        nodes = "/api/v1/nodes"
        for node in self._client.send("GET", nodes)["items"]:
            self.kubelets.forget_node(node["metadata"]["name"])
            self._client.send("DELETE", f"{nodes}/{node['metadata']['name']}")
        for name, fields in (scene.nodes or {each: {} for each in NODES}).items():
            self.kubelets.add_node(name, **fields)
        wait_until(
            lambda: (
                not any(
                    taint["key"].startswith("node.kubernetes.io/")
                    for node in self._client.send("GET", nodes)["items"]
                    for taint in node["spec"].get("taints", [])
                )
            )
        )


@contextmanager
def theatre(root: Path, directory: Path, *, late: bool = False) -> Iterator[Theatre]:
    """Open a theatre on a control plane of its own, with its files in *root*."""
    directory.mkdir(parents=True, exist_ok=True)
    with ControlPlane(root, controller_manager=CONTROLLERS) as plane:
        opened = Theatre(plane, directory, late=late)
        try:
            yield opened
        finally:
            opened.kubelets.close()
