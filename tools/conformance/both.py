"""A kube-apiserver, and `kubectl spy serve` of a recording of it."""

from __future__ import annotations

import http.client
import json
import shlex
import signal
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from tests.cli.command import Spy
from tests.e2e.controlplane import ControlPlane
from tests.e2e.objects import Record
from tests.processes import wait_until
from tools.conformance.requests import HERE, THERE

KINDS = (
    "pods,deployments,statefulsets,replicasets,daemonsets,controllerrevisions,jobs,"
    "cronjobs,replicationcontrollers,services,endpoints,endpointslices,ingresses,"
    "networkpolicies,configmaps,secrets,serviceaccounts,persistentvolumeclaims,"
    "persistentvolumes,storageclasses,nodes,horizontalpodautoscalers,"
    "poddisruptionbudgets,leases,events,namespaces,customresourcedefinitions,"
    "widgets,gadgets"
)


DEFINITION = "CustomResourceDefinition"
OBJECTS: list[Record] = list(
    yaml.safe_load_all(Path(__file__).with_name("objects.yaml").read_text())
)


class ApiOnly(ControlPlane):
    """etcd and kube-apiserver: what is written stays as it is."""

    def _start_all(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        self.certificates.create()
        self.write_kubeconfig(self.kubeconfig, "admin", ["system:masters"])
        self.start("etcd")
        self.start("kube-apiserver")
        self.wait_ready()


@dataclass(frozen=True)
class Answer:
    status: int
    content_type: str
    body: bytes


@dataclass
class Server:
    """Where requests go."""

    host: str
    prefix: str
    tls: ssl.SSLContext | None

    def ask(self, path: str, accept: str = "", method: str = "GET") -> Answer:
        connection: http.client.HTTPConnection
        if self.tls is None:
            connection = http.client.HTTPConnection(self.host, timeout=8)
        else:
            connection = http.client.HTTPSConnection(
                self.host, timeout=8, context=self.tls
            )
        headers = {"Accept": accept} if accept else {}
        try:
            connection.request(method, self.prefix + path, headers=headers)
            response = connection.getresponse()
            kind = response.headers.get("Content-Type", "")
            try:
                return Answer(response.status, kind, response.read())
            except TimeoutError:
                return Answer(response.status, kind, b"no end")
        finally:
            connection.close()


@contextmanager
def both(root: Path) -> Iterator[tuple[Server, Server, Path]]:
    """Yield the real server, the served recording of it, and that recording."""
    flags = ["--disable-admission-plugins=ServiceAccount,DefaultStorageClass"]
    with ApiOnly(root / "control-plane", apiserver=flags) as plane:
        spy = Spy(root)
        spy.environ["KUBECONFIG"] = str(plane.kubeconfig)
        file = root / "conformance.spy"
        _create(plane, [each for each in OBJECTS if each["kind"] == DEFINITION])
        _wait_until_served(plane)
        with spy.running(
            "record", KINDS, "-A", "--show-secrets", "-f", str(file)
        ) as recorder:
            recorder.wait_for_talk("watching ")
            wait_until(
                lambda: file.read_bytes().count(b'"type":"LISTED"') >= KINDS.count(",")
            )
            _fill(plane)
            last = plane.request(
                "POST", f"/api/v1/namespaces/{THERE}/configmaps", _marker()
            )[1]
            version = last["metadata"]["resourceVersion"].encode()
            wait_until(lambda: b'"resourceVersion":"%b"' % version in file.read_bytes())
            time.sleep(1.0)
            recorder.end(signal.SIGINT)
        with spy.running("serve", str(file), "--speed", "0") as served:
            served.wait_for_lines(1)
            path = Path(shlex.split(served.stdout.decode().partition("=")[2])[0])
            config = json.loads(path.read_text())
            url = urlsplit(config["clusters"][0]["cluster"]["server"])
            ours = Server(url.netloc, url.path, None)
            ours.ask("/api/v1/nodes?watch=1&timeoutSeconds=1")
            there = f"/api/v1/namespaces/{THERE}/configmaps/last"
            wait_until(lambda: ours.ask(there).status == 200)
            real = Server(
                f"127.0.0.1:{plane.port}", "", plane.certificates.client("admin")
            )
            yield real, ours, file


def _marker() -> Record:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "last"}}


def _wait_until_served(plane: ControlPlane) -> None:
    for plural in ("widgets", "gadgets"):
        path = f"/apis/example.com/v1/{plural}"
        wait_until(partial(_is_served, plane, path))


def _is_served(plane: ControlPlane, path: str) -> bool:
    return plane.request("GET", path)[0] == 200


def _create(plane: ControlPlane, objects: list[Record]) -> None:
    for each in objects:
        code, answer = plane.request("POST", path_of(each), each)
        assert code == 201, (each, answer)


def _fill(plane: ControlPlane) -> None:
    """Create all objects, change some, and delete some."""
    _create(
        plane,
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            for name in (HERE, THERE)
        ],
    )
    others = [each for each in OBJECTS if each["kind"] != DEFINITION]
    _create(plane, others)
    for item in others:
        if "status" in item:
            one = f"{path_of(item)}/{item['metadata']['name']}/status"
            code, answer = plane.request("PATCH", one, {"status": item["status"]})
            assert code == 200, (item, answer)
    maps = f"/api/v1/namespaces/{HERE}/configmaps"
    for number in range(3):
        plane.request("PATCH", f"{maps}/one", {"data": {"changed": str(number)}})
    labels = {"metadata": {"labels": {"app": "moved"}}}
    plane.request("PATCH", f"{maps}/two", labels)
    plane.request("DELETE", f"{maps}/three")
    plane.request("PATCH", f"/api/v1/namespaces/{HERE}/pods/plain", labels)


PLURALS = {
    "Endpoints": "endpoints",
    "Ingress": "ingresses",
    "NetworkPolicy": "networkpolicies",
    "StorageClass": "storageclasses",
}


def path_of(item: Record) -> str:
    """Return the path of the collection that *item* is in."""
    version, kind = item["apiVersion"], item["kind"]
    root = "/apis" if "/" in version else "/api"
    namespace = item["metadata"].get("namespace")
    within = f"/namespaces/{namespace}" if namespace else ""
    plural = PLURALS.get(kind, f"{kind.lower()}s")
    return f"{root}/{version}{within}/{plural}"
