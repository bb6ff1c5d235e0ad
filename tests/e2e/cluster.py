"""The cluster under test: a control plane of our own, or one that somebody has."""

from __future__ import annotations

import json
import os
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests import processes
from tests.cli.command import Ended, Running, Spy, wait_for_lists
from tests.e2e.controlplane import ControlPlane, find_binary
from tests.processes import PATIENCE

SCRIPT = f"""#!{sys.executable}
from kubectl_spy.__main__ import main

main()
"""

IN_TIME = f"--timeout={PATIENCE:.0f}s"
"""For kubectl wait, and kubectl rollout status."""
Record = dict[str, Any]


class Cluster:
    """Where tests act, through kubectl; *control_plane* only if it is our own."""

    def __init__(
        self, kubeconfig: Path, directory: Path, control_plane: ControlPlane | None
    ) -> None:
        self.kubeconfig = kubeconfig
        self._directory = directory
        self._control_plane = control_plane

    @property
    def control_plane(self) -> ControlPlane:
        """What can be stopped and started."""
        assert self._control_plane is not None, "for a control plane of our own only"
        return self._control_plane

    @property
    def is_ours(self) -> bool:
        """Whether there is one."""
        return self._control_plane is not None

    def kubectl(self, *words: str, stdin: object = None) -> str:
        """Run kubectl and return what it printed; *stdin* is given as JSON."""
        completed = processes.run(
            [str(kubectl()), f"--kubeconfig={self.kubeconfig}", *words],
            input=None if stdin is None else json.dumps(stdin),
            capture_output=True,
            text=True,
        )
        assert completed.returncode == 0, completed.stderr
        return str(completed.stdout)

    def apply(self, *objects: Record) -> None:
        """Create or change *objects* the way people do."""
        items = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.kubectl("apply", "-f", "-", stdin=items)

    def get(self, *words: str) -> Record:
        """Return an object as the server has it, managedFields and all."""
        text = self.kubectl("get", *words, "-o", "json", "--show-managed-fields")
        found: Record = json.loads(text)
        return found

    def shown(self, *words: str, kubeconfig: Path | None = None) -> Ended:
        """Return what a command that goes on printed of the past and the first lists.

        A recording has both in this order.
        """
        spy = self.spy(kubeconfig)
        file = spy.home / "shown.spy"
        with spy.running(*words, "--record", str(file)) as running:
            wait_for_lists(file)
            processes.wait_until(lambda: processes.is_at_rest(running.process.pid))
            ended = running.end()
        assert ended.code == 130, ended.err
        return ended

    def spy(self, kubeconfig: Path | None = None) -> Spy:
        """Return `kubectl spy` as kubectl finds it, in a home of its own."""
        home = self._directory / f"home-{uuid.uuid4().hex[:8]}"
        script = home / "bin" / "kubectl-spy"
        script.parent.mkdir(parents=True)
        script.write_text(SCRIPT)
        script.chmod(0o755)
        spy = Spy(home, ("kubectl", "spy"))
        path = (str(script.parent), os.environ["PATH"], str(kubectl().parent))
        spy.environ["PATH"] = os.pathsep.join(path)
        spy.environ["KUBECONFIG"] = str(kubeconfig or self.kubeconfig)
        return spy


def kubectl() -> Path:
    """Return the kubectl that tests use: the user's own before what was built."""
    found = find_binary("kubectl")
    assert found is not None, "the cluster fixture checks this"
    return found


class Watching:
    """A `kubectl spy … -o json` under way, and the records it printed so far."""

    def __init__(self, running: Running) -> None:
        self.running = running

    @property
    def records(self) -> list[Record]:
        """Every whole line, parsed."""
        whole = self.running.stdout.rpartition(b"\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def wait_for(self, seen: Callable[[list[Record]], object]) -> list[Record]:
        """Return the records once *seen* says that they are enough."""
        self.running.wait_until(lambda _: bool(seen(self.records)))
        return self.records

    def wait_until_listed(self) -> None:
        """Wait until what was announced is being watched."""
        self.running.wait_for_talk("watching ")


@contextmanager
def watching(spy: Spy, *words: str) -> Iterator[Watching]:
    """Run `kubectl spy *words* -o json` for as long as the block lasts."""
    with spy.running(*words, "-o", "json") as running:
        watch = Watching(running)
        watch.wait_until_listed()
        yield watch


def of(records: list[Record], kind: str, name: str = "") -> list[Record]:
    """Return the records of one kind, and of one name if that is given."""
    return [
        record
        for record in records
        if record["kind"] == kind and name in ("", record.get("name"))
    ]
