"""Play scenes and record them; see the package."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.e2e.controlplane import ControlPlane
from tests.e2e.incidents.client import Client
from tests.e2e.incidents.kubelet import Kubelets
from tests.e2e.incidents.scenes import SCENES
from tests.e2e.incidents.stage import Scene, Stage, play, program_of
from tests.processes import wait_until

AT_ONCE = 8
NODES = ("node-0", "node-1", "node-2")
CONTROLLERS = (
    # Metrics need a metrics server; scenes write what the autoscaler would.
    "--controllers=*,-horizontal-pod-autoscaler-controller",
    "--node-monitor-period=2s",
    "--node-monitor-grace-period=20s",
)


class Theatre:
    """A control plane with kubelets, which plays scenes."""

    def __init__(self, plane: ControlPlane, directory: Path) -> None:
        self._plane = plane
        self._directory = directory
        self._client = Client(plane)
        self.kubelets = Kubelets(self._client, program_of)

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
            play(stage, self._plane.kubeconfig, self._directory)
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
        self.kubelets.wake_nodes()
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


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.incidents")
    parser.add_argument("directory", type=Path)
    parser.add_argument("scenes", nargs="*", metavar="SCENE")
    asked = parser.parse_args(words)
    scenes = [each for each in SCENES if not asked.scenes or each.name in asked.scenes]
    asked.directory.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as root,
        ControlPlane(Path(root), controller_manager=CONTROLLERS) as plane,
    ):
        theatre = Theatre(plane, asked.directory)
        failed = theatre.play_all(scenes)
        theatre.kubelets.close()
    if failed:
        print(f"error: not recorded: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
