"""A real Kubernetes control plane on loopback, for as long as a `with` block lasts.

    with ControlPlane(logs, nodes=2) as cluster:
        run(["kubectl", "--kubeconfig", cluster.kubeconfig, "get", "nodes"])

etcd, kube-apiserver, kube-controller-manager and kube-scheduler run as children of this
process on free ports, with a certificate authority of their own; they end with it
even when it is killed. With nodes, kwok plays the kubelets: Pods get scheduled, become
Ready and finish without a container. The binaries come from $KUBEBUILDER_ASSETS, PATH,
or what scripts/control-plane built.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.e2e.certificates import Certificates
from tests.processes import PATIENCE, start, wait_until

BINARIES = (
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kwok",
)
GO_MODULE = Path(__file__).resolve().with_name("control-plane")
STOP_SECONDS = 10.0


def find_binary(name: str) -> Path | None:
    """Return where *name* is, or None; see the lookup order above."""
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    for directory in (assets, os.environ.get("PATH"), str(built())):
        if directory and (found := shutil.which(name, path=directory)):
            return Path(found)
    return None


def built() -> Path:
    """Return the directory that scripts/control-plane builds into."""
    pins = (GO_MODULE / "go.mod").read_text()
    match = re.search(r"^\s*k8s\.io/kubernetes (v\S+)", pins, re.MULTILINE)
    assert match is not None, "go.mod pins no Kubernetes"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "kubectl-spy" / "control-plane" / match[1]


def missing_binaries() -> list[str]:
    """Return the names of the binaries that are nowhere to be found."""
    return [name for name in BINARIES if find_binary(name) is None]


class ControlPlane:
    """Starts on entering, stops on leaving; everything it writes is under *root*.

    *nodes* are played by kwok, named node-0 and so on. *progress_notify* is how often
    etcd reports progress (``"5s"``), and with it how soon a quiet watch is sent a
    bookmark. *apiserver*, *controller_manager* and *etcd* are further flags of those.
    """

    def __init__(
        self,
        root: Path,
        *,
        nodes: int = 0,
        progress_notify: str | None = None,
        apiserver: Sequence[str] = (),
        controller_manager: Sequence[str] = (),
        etcd: Sequence[str] = (),
    ) -> None:
        self.root = root
        self.nodes = nodes
        self.certificates = Certificates(root / "certificates")
        etcd_port, peer_port, self.port = free_ports(3)
        self.kubeconfig = root / "admin.kubeconfig"
        if progress_notify is not None:
            etcd = [f"--watch-progress-notify-interval={progress_notify}", *etcd]
        self._commands = {
            "etcd": etcd_flags(root, etcd_port, peer_port, etcd),
            "kube-apiserver": [
                *apiserver_flags(self.certificates, etcd_port, self.port),
                *apiserver,
            ],
            "kube-controller-manager": [
                *controller_manager_flags(self.certificates),
                f"--kubeconfig={root / 'kube-controller-manager.kubeconfig'}",
                *controller_manager,
            ],
            "kube-scheduler": [
                "--leader-elect=false",
                "--secure-port=0",
                f"--kubeconfig={root / 'kube-scheduler.kubeconfig'}",
            ],
        }
        if nodes:
            self._commands["kwok"] = [
                f"--config={GO_MODULE / 'stages.yaml'}",
                f"--kubeconfig={self.kubeconfig}",
                "--manage-all-nodes=true",
                "--node-ip=192.0.2.1",
                "--node-lease-duration-seconds=40",
            ]
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> ControlPlane:
        try:
            self._start_all()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _start_all(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        self.certificates.create()
        self.write_kubeconfig(self.kubeconfig, "admin", ["system:masters"])
        for name in ("kube-controller-manager", "kube-scheduler"):
            self.write_kubeconfig(self.root / f"{name}.kubeconfig", f"system:{name}")
        self.start("etcd")
        self.start("kube-apiserver")
        self.wait_ready()
        for name in list(self._commands)[2:]:
            self.start(name)
        for index in range(self.nodes):
            self.request("POST", "/api/v1/nodes", node(f"node-{index}"))
        # The first Pod needs it, and it tells that the controllers run.
        self._wait(
            lambda: self._answers("/api/v1/namespaces/default/serviceaccounts/default"),
            "kube-controller-manager",
        )

    def command(self, name: str) -> Sequence[str]:
        """Return the flags that the component *name* is started with."""
        return self._commands[name]

    def start(self, name: str) -> None:
        """Start the component *name*; its output is appended to NAME.log."""
        binary = find_binary(name)
        if binary is None:
            raise FileNotFoundError(f"{name}: not found; run scripts/control-plane")
        with (self.root / f"{name}.log").open("ab") as log:
            self._processes[name] = start(
                [binary, *self._commands[name]],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.root,
                # The API server would send what it passes on to a proxy.
                env={
                    name: value
                    for name, value in os.environ.items()
                    if not name.lower().endswith("_proxy")
                },
                # Ctrl-C is for the tests; they leave the `with` block in order.
                start_new_session=True,
            )

    def stop(self, name: str, signal_number: int = signal.SIGTERM) -> None:
        """Stop the component *name*, as a fault or at the end."""
        process = self._processes.pop(name)
        process.send_signal(signal_number)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def close(self) -> None:
        """Stop everything that runs, last started first."""
        for name in reversed(list(self._processes)):
            # An API server drains its watches for as long as it is let.
            gentle = name not in ("kube-apiserver", "etcd")
            self.stop(name, signal.SIGTERM if gentle else signal.SIGKILL)

    def wait_ready(self) -> None:
        """Wait until the API server says that it is ready."""
        self._wait(lambda: self._answers("/readyz"), "kube-apiserver")

    def _answers(self, path: str) -> bool:
        try:
            return self.request("GET", path)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def _wait(self, done: Callable[[], bool], name: str) -> None:
        """Wait until *done*; give up when *name* has died, or after PATIENCE."""

        def dead() -> list[str]:
            running = self._processes.items()
            return [each for each, process in running if process.poll() is not None]

        def state() -> str:
            culprit = [*dead(), name][0]
            log = (self.root / f"{culprit}.log").read_text(errors="replace")
            return "\n".join([f"{culprit} did not come up:", *log.splitlines()[-20:]])

        wait_until(lambda: done() or dead(), state)
        assert not dead(), state()

    def request(
        self, method: str, path: str, body: object = None, *, user: str = "admin"
    ) -> tuple[int, Any]:
        """Ask the API server; return the status and what the body decodes to.

        A PATCH is a JSON merge patch. *user* has had a kubeconfig written.
        """
        connection = http.client.HTTPSConnection(
            "127.0.0.1",
            self.port,
            timeout=PATIENCE,
            context=self.certificates.client(user),
        )
        kind = "merge-patch+json" if method == "PATCH" else "json"
        headers = {"Content-Type": f"application/{kind}"}
        try:
            payload = None if body is None else json.dumps(body)
            connection.request(method, path, payload, headers)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        is_json = response.headers.get_content_type() == "application/json"
        return response.status, json.loads(text) if is_json else text.decode()

    def write_kubeconfig(
        self, path: Path, user: str, groups: Sequence[str] = ()
    ) -> Path:
        """Write a kubeconfig for a new client certificate of *user* in *groups*."""
        certificate, key = self.certificates.issue_client(user, groups)
        cluster = {
            "server": f"https://127.0.0.1:{self.port}",
            "certificate-authority": str(self.certificates.authority),
        }
        credentials = {"client-certificate": str(certificate), "client-key": str(key)}
        context = {"cluster": "e2e", "user": user, "namespace": "default"}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "e2e",
            "clusters": [{"name": "e2e", "cluster": cluster}],
            "users": [{"name": user, "user": credentials}],
            "contexts": [{"name": "e2e", "context": context}],
        }
        path.write_text(json.dumps(config, indent=2))
        return path


def etcd_flags(root: Path, port: int, peer_port: int, more: Sequence[str]) -> list[str]:
    """Return the flags of a single member that does not wait for the disk."""
    client, peer = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peer_port}"
    return [
        f"--data-dir={root.absolute() / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync=true",
        "--log-level=warn",
        *more,
    ]


def apiserver_flags(certificates: Certificates, etcd_port: int, port: int) -> list[str]:
    """Return the flags of an API server with RBAC and client certificates."""
    certificate, key = certificates.server
    return [
        f"--etcd-servers=http://127.0.0.1:{etcd_port}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        # It refuses to publish a loopback address as the kubernetes Service's endpoint.
        "--endpoint-reconciler-type=none",
        f"--tls-cert-file={certificate}",
        f"--tls-private-key-file={key}",
        f"--client-ca-file={certificates.authority}",
        "--authorization-mode=RBAC",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={certificates.service_account_key}",
        f"--service-account-signing-key-file={certificates.service_account_key}",
    ]


def controller_manager_flags(certificates: Certificates) -> list[str]:
    """Return the flags of a controller manager alone in its cluster."""
    return [
        "--leader-elect=false",
        "--secure-port=0",
        "--use-service-account-credentials=true",
        f"--service-account-private-key-file={certificates.service_account_key}",
        f"--root-ca-file={certificates.authority}",
    ]


def node(name: str) -> dict[str, Any]:
    """Return a Node for kwok to play."""
    capacity = {"cpu": "32", "memory": "256Gi", "pods": "110"}
    labels = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "type": "kwok",
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": labels,
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "status": {"capacity": capacity, "allocatable": capacity, "phase": "Running"},
    }


def free_ports(count: int) -> list[int]:
    """Return ports nobody listens on; held open together so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()
