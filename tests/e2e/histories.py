"""Histories that people make, and what of each is to be known once nobody remembers.

KNOWABLE was written before any of them ran, by hand, from what each source can tell:
docs/past.md.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple

from tests.builders import manifest
from tests.e2e.chart import HELM, Helm
from tests.e2e.cluster import Cluster
from tests.e2e.objects import config_map, widget, workload

SHOP = "shop"
GROUP = "earlier.example.com"
TEMPLATE = "/spec/template/spec/containers/0"
IMAGE = f"{TEMPLATE}/image"
ENV = f"{TEMPLATE}/env"
REPLICAS = "/spec/replicas"
ANY: Any = ...
STICKY = "nobody-did-this"


class Row(NamedTuple):
    """A write that is to be told: *path* went from *before* to *value*."""

    object: str  # "Deployment/web"; of a ReplicaSet how its name begins
    path: str
    before: Any
    value: Any


class Owner(NamedTuple):
    """A manager that is to be told of, with the second of its last write."""

    object: str
    manager: str


def image(number: int) -> str:
    return f"example.com/nothing:{number}"


def images(of: str, *numbers: int) -> list[Row]:
    return [Row(of, IMAGE, *map(image, pair)) for pair in pairwise(numbers)]


def env(**values: str) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in values.items()]


KNOWABLE: dict[str, list[Row | Owner]] = {
    "web": [
        *images("Deployment/web", 1, 2),
        Row("Deployment/web", REPLICAS, 1, 3),  # by the next rollout, and an Event
        Row("Deployment/web", ENV, None, env(A="1")),
        Row("Deployment/web", ENV, env(A="1"), None),  # undone: an Event says when
        Row("ReplicaSet/web", REPLICAS, 1, 3),
    ],
    "paused": [
        *images("Deployment/paused", 1, 2),
        Row("Deployment/paused", ENV, None, env(A="1", B="2")),
    ],
    "applied": [
        *images("Deployment/applied", 1, 2),
        Row("Deployment/applied", "/spec/minReadySeconds", 1, 7),
        Owner("Deployment/applied", "kubectl-patch"),
        Owner("Deployment/applied", "kubectl-label"),  # the label that stayed
    ],
    "labelled": [],  # a label that was removed leaves nothing
    "ssa": [*images("Deployment/ssa", 1, 2, 3)],
    "pruned": [*images("Deployment/pruned", 3, 4, 5)],  # two old ones are kept
    "again": [*images("Deployment/again", 3, 4)],  # the one of that name before is gone
    "busy": [  # Events, up to the ninth; of what follows only the last message is kept
        Row("ReplicaSet/busy", REPLICAS, one, other)
        for one, other in pairwise((2, 3, 9, 4, 10, 5, 11, 6))
    ],
    "db": [
        *images("StatefulSet/db", 1, 2, 3, 2, 3),
        Row("StatefulSet/db", REPLICAS, 1, 2),  # by what was applied
    ],
    "agent": [*images("DaemonSet/agent", 1, 2, 1)],
    "scaled": [Row("Deployment/scaled", REPLICAS, ANY, 4)],
    "widget": [
        Row("Widget/w", "/spec/size", 2, 3),
        Owner("Widget/w", "resizer"),
        # The list belongs to who wrote it last, so who wrote what of it is not told.
        Row("Widget/w", "/spec/rules/0/value", 1, 2),
        Owner("Widget/w", "adder"),
    ],
    "conf": [
        Row("ConfigMap/conf", "/data/a", "2", "3"),
        Owner("ConfigMap/conf", "kubectl-patch"),
    ],
    "pw": [Owner("Secret/pw", "kubectl-patch")],
    HELM: [
        *images("Deployment/shop", 1, 2, 3, 4, 1),
        Row("ConfigMap/shop-conf", "/data/mode", "a", "b"),
        Row("ConfigMap/shop-conf", "/data/mode", "b", "c"),  # of the one that failed
        Row("ConfigMap/shop-conf", "/data/mode", ANY, "d"),
        Row("ConfigMap/shop-conf", "/data/mode", "d", "a"),
        *[Row("Secret/shop-pw", "/data/password", ANY, ANY)] * 2,
        *[Row("Secret/shop-coded", "/data/password", ANY, ANY)] * 2,
        Row("ConfigMap/gone-conf", "/data/mode", "c", "d"),  # before, it was another
        Row("ConfigMap/few-conf", "/data/mode", "d", "e"),  # two revisions are kept
    ],
}


class Histories:
    """Makes them, a step of each in turn, so that no two steps share a second."""

    def __init__(self, own: Cluster) -> None:
        self._own = own

    def kubectl(self, *words: str) -> None:
        self._own.kubectl(*words, "-n", SHOP)

    def apply(self, kind: str, name: str, number: int, **spec: Any) -> None:
        self._own.apply(workload(kind, name, SHOP, image=image(number), **spec))

    def image(self, of: str, number: int) -> None:
        self.kubectl("set", "image", of, f"main={image(number)}")

    def patch(self, of: str, manager: str, **spec: Any) -> None:
        body = json.dumps({"spec": spec})
        self.kubectl(
            *("patch", of, "--type=merge", "-p", body, f"--field-manager={manager}")
        )

    def run(self, helm: Helm) -> None:
        """Run them all."""
        mine = [getattr(self, name)() for name in KNOWABLE if name != HELM]
        for _ in zip_longest(*mine, *helm.histories()):
            time.sleep(1.1)

    def web(self) -> Iterator[None]:
        of = "deploy/web"
        self.apply("Deployment", "web", 1, replicas=1)
        note = f"kubernetes.io/change-cause={STICKY}"
        self.kubectl("annotate", of, note)
        yield
        self.image(of, 2)
        yield
        self.kubectl("scale", of, "--replicas=3")
        yield
        self.kubectl("set", "env", of, "A=1")
        yield
        self.kubectl("rollout", "undo", of)
        yield

    def paused(self) -> Iterator[None]:
        of = "deploy/paused"
        self.apply("Deployment", "paused", 1, replicas=1)
        yield
        self.kubectl("rollout", "pause", of)
        yield
        self.image(of, 2)
        yield
        self.kubectl("set", "env", of, "A=1")
        yield
        self.kubectl("set", "env", of, "B=2")
        yield
        self.kubectl("rollout", "resume", of)
        yield

    def applied(self) -> Iterator[None]:
        of = "deploy/applied"
        self.apply("Deployment", "applied", 1, replicas=1, minReadySeconds=1)
        yield
        self.apply("Deployment", "applied", 2, replicas=1, minReadySeconds=1)
        yield
        self.patch(of, "kubectl-patch", minReadySeconds=7)
        yield
        self.kubectl("label", of, "team=a")
        yield

    def labelled(self) -> Iterator[None]:
        self.apply("Deployment", "labelled", 1, replicas=1)
        yield
        self.kubectl("label", "deploy/labelled", "team=a")
        yield
        self.kubectl("label", "deploy/labelled", "team-")
        yield

    def ssa(self) -> Iterator[None]:
        for number in (1, 2, 3):
            made = workload("Deployment", "ssa", SHOP, image=image(number), replicas=1)
            words = "apply", "--server-side", "-f", "-"
            self._own.kubectl(*words, stdin=made)
            yield

    def pruned(self) -> Iterator[None]:
        self.apply("Deployment", "pruned", 1, replicas=1, revisionHistoryLimit=2)
        for number in range(2, 6):
            yield
            self.image("deploy/pruned", number)
        yield

    def again(self) -> Iterator[None]:
        self.apply("Deployment", "again", 1, replicas=1)
        yield
        self.image("deploy/again", 2)
        yield
        self.kubectl("delete", "deploy/again")
        yield
        self.apply("Deployment", "again", 3, replicas=1)
        yield
        self.image("deploy/again", 4)
        yield

    def busy(self) -> Iterator[None]:
        """Scale so often that the server combines the Events."""
        self.apply("Deployment", "busy", 1, replicas=2)
        for number in (3, 9, 4, 10, 5, 11, 6, 12, 7, 13, 8, 2):
            yield
            self.kubectl("scale", "deploy/busy", f"--replicas={number}")
        yield
        self.image("deploy/busy", 2)
        yield

    def db(self) -> Iterator[None]:
        self.apply("StatefulSet", "db", 1, replicas=1, serviceName="db")
        for number in (2, 3):
            yield
            self.image("sts/db", number)
        for _ in range(2):
            yield
            self.kubectl("rollout", "undo", "sts/db")
        yield
        self.kubectl("scale", "sts/db", "--replicas=2")
        yield

    def agent(self) -> Iterator[None]:
        self.apply("DaemonSet", "agent", 1)
        yield
        self.image("ds/agent", 2)
        yield
        self.kubectl("rollout", "undo", "ds/agent")
        yield

    def scaled(self) -> Iterator[None]:
        """Scale as an autoscaler does: nothing measures load here."""
        self.apply("Deployment", "scaled", 1, replicas=1)
        target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "scaled"}
        spec = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 9}
        version = "autoscaling/v2"
        kind = "HorizontalPodAutoscaler"
        made = manifest(kind, "h", SHOP, version=version, spec=spec)
        self._own.kubectl("create", "-f", "-", stdin=made)
        yield
        plane = self._own.control_plane
        path = f"/apis/apps/v1/namespaces/{SHOP}/deployments/scaled/scale"
        path += "?fieldManager=kube-controller-manager"
        assert plane.request("PATCH", path, {"spec": {"replicas": 4}})[0] == 200
        uid = self._own.get("hpa/h", "-n", SHOP)["metadata"]["uid"]
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        event = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": "h.1", "namespace": SHOP},
            "involvedObject": {
                "apiVersion": version,
                "kind": kind,
                "name": "h",
                "uid": uid,
                "namespace": SHOP,
            },
            "reason": "SuccessfulRescale",
            "message": "New size: 4; reason: cpu resource utilization above target",
            "source": {"component": "horizontal-pod-autoscaler"},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
            "type": "Normal",
        }
        plane.request("POST", f"/api/v1/namespaces/{SHOP}/events", event)
        yield

    def widget(self) -> Iterator[None]:
        of = f"widgets.{GROUP}/w"
        rules = [{"name": "a", "value": 1}]
        for size in (1, 2):
            self._own.apply(widget("w", SHOP, GROUP, size=size, rules=rules))
            yield
        self.patch(of, "resizer", size=3)
        yield
        self.patch(of, "changer", rules=[{"name": "a", "value": 2}])
        yield
        added = {"name": "b", "value": 1}
        self.patch(of, "adder", rules=[{"name": "a", "value": 2}, added])
        yield

    def conf(self) -> Iterator[None]:
        for number in "12":
            self._own.apply(config_map("conf", SHOP, a=number))
            yield
        self.kubectl("patch", "cm/conf", "-p", '{"data":{"a":"3"}}')
        yield

    def pw(self) -> Iterator[None]:
        for word in ("hunter2-one", "hunter2-two"):
            self._own.apply(manifest("Secret", "pw", SHOP, stringData={"k": word}))
            yield
        word = json.dumps({"stringData": {"k": "hunter2-three"}})
        self.kubectl("patch", "secret/pw", "-p", word)
        yield
