"""Who wrote what: recorded and live attributions against the API server's audit log."""

from __future__ import annotations

import http.client
import json
import random
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.cli.command import Spy, wait_for_lists
from tests.e2e.cluster import Cluster
from tests.e2e.conftest import absent
from tests.e2e.controlplane import ControlPlane, find_binary, missing_binaries
from tests.processes import wait_until

WRITES = 200
"""By each manager."""
POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "RequestResponse", "verbs": ["create", "update", "patch"]},
        {"level": "None"},
    ],
}
KEYS = ("a", "b", "c", "d")


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A control plane that writes an audit log."""
    if find_binary("kubectl") is None:
        absent("kubectl")
    if missing := missing_binaries():
        absent(*missing)
    root = tmp_path_factory.mktemp("audited")
    (root / "policy.json").write_text(json.dumps(POLICY))
    flags = [
        f"--audit-policy-file={root / 'policy.json'}",
        f"--audit-log-path={root / 'audit.log'}",
        "--audit-log-mode=blocking",
    ]
    with ControlPlane(root, nodes=1, apiserver=flags) as running:
        yield Cluster(running.kubeconfig, tmp_path_factory.mktemp("homes"), running)


class Writer:
    """A client with a field manager of its own, which writes at random."""

    def __init__(self, plane: ControlPlane, namespace: str, name: str) -> None:
        self._plane = plane
        self._base = f"namespaces/{namespace}"
        self._name = name
        self._random = random.Random(name)
        self._connection: http.client.HTTPSConnection | None = None

    def send(self, method: str, path: str, body: Any, kind: str = "json") -> Any:
        """Send a request as this manager, and return the object in the answer."""
        if self._connection is None:
            self._connection = http.client.HTTPSConnection(
                "127.0.0.1",
                self._plane.port,
                context=self._plane.certificates.client("admin"),
            )
        force = "&force=true" if kind == "apply-patch+yaml" else ""
        query = "" if method == "GET" else f"?fieldManager={self._name}{force}"
        headers = {"Content-Type": f"application/{kind}", "User-Agent": self._name}
        payload = None if body is None else json.dumps(body)
        self._connection.request(method, f"{path}{query}", payload, headers)
        response = self._connection.getresponse()
        return response.status, json.loads(response.read())

    def write(self) -> None:
        """Do one of the things that clients do."""
        chance = self._random
        value, key = str(chance.randrange(1000)), chance.choice(KEYS)
        map_ = f"/api/v1/{self._base}/configmaps/m{chance.randrange(3)}"
        deployment = f"/apis/apps/v1/{self._base}/deployments/d"
        service = f"/api/v1/{self._base}/services/s"
        match chance.randrange(9):
            case 0:  # one key, by a merge patch
                self.send("PATCH", map_, {"data": {key: value}}, "merge-patch+json")
            case 1:  # a key goes
                self.send("PATCH", map_, {"data": {key: None}}, "merge-patch+json")
            case 2:  # server-side apply of some keys, which others may have as well
                keys = chance.sample(KEYS, 2)
                self._apply(map_, "v1", "ConfigMap", data=dict.fromkeys(keys, value))
            case 3:  # the whole object
                status, obj = self.send("GET", map_, None)
                if status == 200:
                    obj.setdefault("data", {})[key] = value
                    self.send("PUT", map_, obj)
            case 4:
                labels = {"metadata": {"labels": {key: f"v{value}"}}}
                self.send("PATCH", deployment, labels, "merge-patch+json")
            case 5:
                env = [{"name": key, "value": value}]
                containers = [{"name": "c", "env": env}]
                template = {"spec": {"containers": containers}}
                body = {"spec": {"paused": True, "template": template}}
                self.send("PATCH", deployment, body, "strategic-merge-patch+json")
            case 6:
                scale = {"spec": {"replicas": chance.randrange(3)}}
                self.send("PATCH", f"{deployment}/scale", scale, "merge-patch+json")
            case 7:
                condition = {"type": f"X{key}", "status": "True", "reason": f"R{value}"}
                body = {"status": {"conditions": [condition]}}
                path = f"{deployment}/status"
                self.send("PATCH", path, body, "strategic-merge-patch+json")
            case 8:
                ports = [{"name": key, "port": 80 + KEYS.index(key), "protocol": "TCP"}]
                self._apply(service, "v1", "Service", spec={"ports": ports})

    def _apply(self, path: str, version: str, kind: str, **members: Any) -> None:
        name = path.rpartition("/")[2]
        body = {"apiVersion": version, "kind": kind, "metadata": {"name": name}}
        self.send("PATCH", path, {**body, **members}, "apply-patch+yaml")


def truth(log: Path, namespace: str) -> dict[tuple[str, str], set[str]]:
    """Return who wrote each version, by uid and resourceVersion.

    A write that changes nothing is answered with the version that was there, maybe
    before the log has the write that made it. So several may be named.
    """
    found: dict[tuple[str, str], set[str]] = {}
    for line in log.read_text().splitlines():
        entry = json.loads(line)
        metadata = (entry.get("responseObject") or {}).get("metadata") or {}
        if metadata.get("namespace") != namespace:
            continue
        query = parse_qs(urlsplit(entry["requestURI"]).query)
        agent = entry.get("userAgent", "").partition("/")[0]
        who = query.get("fieldManager", [agent])[0]
        version = metadata.get("uid", ""), metadata["resourceVersion"]
        found.setdefault(version, set()).add(who)
    return found


def last_writers(log: Path, namespace: str) -> dict[tuple[str, str], set[str]]:
    """Return who changed each field last, by uid and pointer.

    Fields in lists are left out, and so are those that /scale writes.
    """
    writers, versions = truth(log, namespace), dict[tuple[str, int], Any]()
    for line in log.read_text().splitlines():
        obj = json.loads(line).get("responseObject") or {}
        metadata = obj.get("metadata") or {}
        if metadata.get("namespace") == namespace and obj.get("kind") != "Scale":
            versions[metadata["uid"], int(metadata["resourceVersion"])] = obj
    found: dict[tuple[str, str], set[str]] = {}
    before: dict[str, dict[str, Any]] = {}
    for (uid, version), obj in sorted(versions.items()):
        now = dict(plain(obj))
        known = before.get(uid, {})
        for path in now.keys() | known.keys():
            if path not in now:
                found.pop((uid, path), None)
            elif path not in known or known[path] != now[path]:
                found[uid, path] = writers[uid, str(version)]
        before[uid] = now
    return found


def plain(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the fields that no list leads to."""
    if isinstance(value, dict):
        for key, each in value.items():
            if (path, key) != ("/metadata", "managedFields"):
                yield from plain(each, f"{path}/{key.replace('/', '~1')}")
    elif not isinstance(value, list) and not path.endswith(("/replicas", "generation")):
        yield path, value


OBJECTS = "cm/m0", "cm/m1", "cm/m2", "deploy/d", "svc/s"


def _is_settled(deployment: dict[str, Any]) -> bool:
    """Return whether the controllers have done what *deployment* asks for."""
    spec, status = deployment["spec"], deployment["status"]
    counts = {status.get(each, 0) for each in ("replicas", "availableReplicas")}
    seen = status.get("observedGeneration") == deployment["metadata"]["generation"]
    return seen and counts == {spec["replicas"]}


def _labelled(file: Path) -> set[str]:
    """Return the names of the objects whose last label is in a recording."""
    lines = file.read_bytes().splitlines()
    return {json.loads(it)["name"] for it in lines if b'"labelled"' in it}


def test_writes_are_attributed_to_who_made_them(
    audited: Cluster, tmp_path: Path
) -> None:
    """Of the operations that one manager is named for, 99 % are its own."""
    plane, namespace = audited.control_plane, "blamed"
    audited.kubectl("create", "namespace", namespace)
    template = {
        "metadata": {"labels": {"app": "d"}},
        "spec": {"containers": [{"name": "c", "image": "nginx"}]},
    }
    selector = {"matchLabels": {"app": "d"}}
    spec = {"replicas": 0, "selector": selector, "template": template}
    place = {"namespace": namespace}
    audited.apply(
        *(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": n, **place}}
            for n in ("m0", "m1", "m2")
        ),
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "d", **place},
            "spec": spec,
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "s", **place},
            "spec": {"ports": [{"name": "z", "port": 99}]},
        },
    )
    file = tmp_path / "blamed.spy"
    words = ("configmaps,deployments,services", "-n", namespace, "-f", str(file))
    with audited.spy().running("record", *words) as recording:
        wait_for_lists(file)
        names = ("helm", "argocd", "kubectl-edit", "operator")
        threads = [
            threading.Thread(target=_write, args=(Writer(plane, namespace, each),))
            for each in names
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wait_until(lambda: _is_settled(audited.get("deploy/d", "-n", namespace)))
        audited.kubectl("label", *OBJECTS, "last=labelled", "-n", namespace)
        wait_until(lambda: len(_labelled(file)) == len(OBJECTS))
        recording.process.send_signal(signal.SIGINT)
        recording.ended()
    writers = truth(plane.root / "audit.log", namespace)
    fields = last_writers(plane.root / "audit.log", namespace)
    for flags in (("-n", namespace), ("--from", str(file))):
        ended = audited.spy().run(
            "blame", "configmaps,deployments,services", *flags, "-o", "json"
        )
        verdicts = Counter(judged(ended.out, fields))
        print(dict(verdicts))
        assert verdicts["right"] / (verdicts["right"] + verdicts["wrong"]) >= 0.99
    log, less = plane.root / "audit.log", tmp_path / "metadata.log"
    entries = map(json.loads, log.read_text().splitlines())
    bare = ({**each, "responseObject": None} for each in entries)
    less.write_text("".join(json.dumps(each) + "\n" for each in bare))
    for level, file_ in (("RequestResponse", log), ("Metadata", less)):
        verdicts = Counter(agents(audited.spy(), file, file_, writers))
        print(level, dict(verdicts))
        assert verdicts["right"] >= 99 * verdicts["wrong"]
    counts: Counter[str] = Counter()
    wrong = []
    for line in map(json.loads, file.read_text().splitlines()):
        if line["type"] not in ("MODIFIED", "GAP"):
            continue
        who = writers.get((line["uid"], line["resourceVersion"]), set())
        named = set(line["managers"])
        for step in line["patch"]:
            verdict = "right" if named & who else "wrong"
            if len(named) != 1:
                verdict = f"likely {verdict}" if named else "nobody"
            counts[verdict] += 1
            if "wrong" in verdict:
                wrong.append((who, named, line["type"], step))
    print(dict(counts), *wrong[:20], sep="\n")
    assert counts["right"] > WRITES
    assert counts["right"] / (counts["right"] + counts["wrong"]) >= 0.99


def agents(spy: Spy, file: Path, log: Path, writers: Any) -> Iterator[str]:
    """Yield whether the audit log names the right client for each recorded change."""
    ended = spy.run("changes", str(file), "--audit", str(log), "-o", "json")
    for line in map(json.loads, ended.out.splitlines()):
        who = writers.get((line.get("uid"), line.get("resourceVersion")))
        if line["type"] == "MODIFIED" and who is not None:
            audit = line.get("audit", {})
            right = audit.get("agent", "").partition("/")[0] in who
            verdict = "right" if right else "wrong" if audit else "nobody"
            yield f"likely {verdict}" if audit.get("likely") else verdict


def judged(out: str, writers: dict[tuple[str, str], set[str]]) -> Iterator[str]:
    """Yield whether each field that has one manager has the right one."""
    for obj in map(json.loads, out.splitlines()):
        fields = {each["path"]: each for each in obj["fields"]}
        uid = fields["/metadata/uid"]["value"]
        for path, each in fields.items():
            who = writers.get((uid, path))
            if who is not None and each["managers"] and not each.get("likely"):
                yield "right" if set(each["managers"]) & who else "wrong"


def _write(writer: Writer) -> None:
    for _ in range(WRITES):
        writer.write()
