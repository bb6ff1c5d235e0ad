"""The manifests of deploy/ on a real API server, and the recorder as they run it.

No image is built. The steps of the Containerfile are carried out in a directory, which
is then the container's root: read-only, without privileges, with the Pod's volumes.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import processes
from tests.cli.command import Running, Spy
from tests.e2e.cluster import Cluster
from tests.e2e.controlplane import ControlPlane, free_ports
from tests.e2e.objects import config_map
from tests.e2e.test_collector import collecting
from tests.processes import wait_until

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
NAMESPACE = "kubectl-spy"
ACCOUNT = f"system:serviceaccount:{NAMESPACE}:recorder"
GROUPS = ("system:serviceaccounts", f"system:serviceaccounts:{NAMESPACE}")
TOKENS = "/var/run/secrets/kubernetes.io/serviceaccount"
SYSTEM = ("bin", "lib", "lib64", "usr", "sbin")


@pytest.fixture(scope="module")
def deployed(
    cluster: Cluster, control_plane: ControlPlane
) -> Iterator[dict[str, dict[str, Any]]]:
    """The manifests by kind. All but the Deployment and its volumes are applied."""
    text = cluster.kubectl("kustomize", str(DEPLOY))
    manifests = {each["kind"]: each for each in yaml.safe_load_all(text)}
    cluster.apply(manifests["Namespace"])
    cluster.kubectl("apply", "-k", str(DEPLOY), "--dry-run=server")
    left = ("Deployment", "PersistentVolumeClaim")
    cluster.apply(*(each for kind, each in manifests.items() if kind not in left))
    yield manifests
    for kind in ("ClusterRoleBinding", "ClusterRole"):
        name = manifests[kind]["metadata"]["name"]
        cluster.kubectl("delete", kind, name)
    cluster.kubectl("delete", "namespace", NAMESPACE, "--wait=false")


def container(manifests: dict[str, dict[str, Any]]) -> dict[str, Any]:
    (only,) = manifests["Deployment"]["spec"]["template"]["spec"]["containers"]
    found: dict[str, Any] = only
    return found


def test_the_recorder_may_list_and_watch_what_it_records_and_nothing_else(
    cluster: Cluster, deployed: dict[str, dict[str, Any]]
) -> None:
    api = "authorization.k8s.io"
    review = {
        "apiVersion": f"{api}/v1",
        "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": NAMESPACE},
    }
    groups = [f"--as-group={group}" for group in (*GROUPS, "system:authenticated")]
    words = ("create", "-f", "-", "-o", "json", "--validate=false", f"--as={ACCOUNT}")
    status = json.loads(cluster.kubectl(*words, *groups, stdin=review))["status"]
    allowed = {
        (verb, resource, *rule.get("resourceNames", ()))
        for rule in status["resourceRules"]
        for verb in rule["verbs"]
        for resource in rule["resources"]
        # Everyone may ask about themselves.
        if set(rule["apiGroups"]) - {api, "authentication.k8s.io"}
    }
    targets = deployed["ConfigMap"]["data"]["TARGETS"].split(",")
    assert allowed == {("get", "namespaces", "kube-system")} | {
        (verb, target) for target in targets for verb in ("list", "watch")
    }
    paths = {path for rule in status["nonResourceRules"] for path in rule["verbs"]}
    assert paths == {"get"}


def test_the_pod_is_one_that_the_restricted_standard_admits(
    cluster: Cluster, deployed: dict[str, dict[str, Any]]
) -> None:
    template = deployed["Deployment"]["spec"]["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", **template}
    pod["metadata"] = {**pod["metadata"], "name": "recorder", "namespace": NAMESPACE}
    cluster.kubectl("create", "--dry-run=server", "-f", "-", stdin=pod)
    labels = deployed["Namespace"]["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root directory with what the Containerfile's steps put there."""
    if os.geteuid() != 0 or processes.run(["unshare", "-m", "true"]).returncode:
        pytest.skip("needs root, and mount namespaces, for the container's root")
    source = tmp_path_factory.mktemp("source")
    root = tmp_path_factory.mktemp("image")
    root.chmod(0o755)
    text = (DEPLOY / "Containerfile").read_text()
    build, final = text.split("\nFROM ")[1:]
    for names in re.findall(r"^COPY (?!--)(.+)$", build, re.MULTILINE):
        *copied, target = names.split()
        for name in copied:
            place = source / target / (Path(name).name if target.endswith("/") else "")
            if (ROOT / name).is_dir():
                skip = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / name, place, ignore=skip)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, place)
    (place,) = re.findall(r"^COPY --from=build (\S+) \1$", final, re.MULTILINE)
    (step,) = re.findall(r"^RUN (.+)$", build, re.MULTILINE)
    # Scripts hold the path of the environment: it is mounted there.
    (root / place[1:]).mkdir(parents=True)
    step = step.replace("python3", f"{sys.base_prefix}/bin/python3", 1)
    step = step.replace(" --no-cache-dir", "")  # what was downloaded is kept
    mounted = f"mkdir -p {place}; mount --bind {root}{place} {place}"
    built = processes.run(
        ["unshare", "-m", "sh", "-ec", f"mount -t tmpfs none /opt; {mounted}; {step}"],
        cwd=source,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert built.returncode == 0, built.stderr
    (record,) = root.glob(f"{place[1:]}/lib/*/site-packages/kubectl_spy-*/RECORD")
    tops = {line.partition("/")[0] for line in record.read_text().splitlines()}
    assert tops == {"..", "kubectl_spy", record.parent.name}
    return root


@contextmanager
def recorder(
    image: Path,
    volumes: dict[str, Path],
    manifests: dict[str, dict[str, Any]],
    environ: dict[str, str],
    port: int,
) -> Iterator[Running]:
    """Run the container of the Deployment; only the port of the metrics is another."""
    spec = manifests["Deployment"]["spec"]["template"]["spec"]
    user, security = spec["securityContext"], container(manifests)["securityContext"]
    assert security["readOnlyRootFilesystem"] and user["runAsNonRoot"]
    (entry,) = re.findall(
        r'^ENTRYPOINT \["(.+)"\]$', (DEPLOY / "Containerfile").read_text(), re.M
    )
    args = [
        re.sub(r"\$\((\w+)\)", lambda match: environ[match[1]], each)
        for each in container(manifests)["args"]
    ]
    args[-1] = args[-1].replace(":8080", f":{port}")
    mounts = {
        each["name"]: each["mountPath"] for each in container(manifests)["volumeMounts"]
    }
    binds = [
        (path, mounts.get(name, name), name == "state")
        for name, path in volumes.items()
    ]
    binds += [
        (Path(f"/{each}"), f"/{each}", False)
        for each in SYSTEM
        if Path(f"/{each}").is_dir()
    ]
    binds += [(Path(sys.base_prefix), sys.base_prefix, False)]
    binds += [
        (Path(each), each, True) for each in ("/proc", "/dev/null", "/dev/urandom")
    ]
    root = image.parent / f"{image.name}-root"
    steps = [
        f"mkdir -p {root}",
        f"mount -t tmpfs none {root}",
        f"cp -a {image}/. {root}",
    ]
    for path, place, writable in binds:
        make = "mkdir -p" if path.is_dir() else f"mkdir -p {root}/dev; touch"
        mode = "" if writable else f" && mount -o remount,bind,ro {root}{place}"
        steps += [f"{make} {root}{place}", f"mount --bind {path} {root}{place}{mode}"]
    steps += [
        f"mount -o remount,ro {root}",
        f"exec chroot {root} setpriv --reuid={user['runAsUser']} "
        f"--regid={user['runAsGroup']} --groups={user['fsGroup']} --no-new-privs "
        f"--bounding-set=-all --inh-caps=-all {shlex.join([entry, *args])}",
    ]
    process = processes.start(
        ["unshare", "-m", "sh", "-ec", "\n".join(steps)],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        running = Running(process)
        try:
            yield running
        finally:
            process.kill()
            running.ended()


def answer(port: int, path: str) -> tuple[int, str]:
    """Return the answer as a probe of the kubelet gets it; 0 is none in time."""
    try:
        url = f"http://127.0.0.1:{port}{path}"
        with urllib.request.urlopen(url, timeout=5) as got:
            return got.status, got.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)


@contextmanager
def hanging(process: int) -> Iterator[None]:
    """Stop the main thread of *process*, and no other, as a debugger does."""
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    seize, interrupt, detach, wall = 0x4206, 0x4207, 17, 0x40000000
    assert ptrace(seize, process, None, None) == 0, os.strerror(ctypes.get_errno())
    try:
        ptrace(interrupt, process, None, None)
        os.waitpid(process, wall)
        yield
    finally:
        ptrace(detach, process, None, None)


def write_tokens(cluster: Cluster, directory: Path) -> None:
    """Write what the kubelet mounts, as it does: a link to a new directory."""
    words = ("create", "token", "recorder", "-n", NAMESPACE)
    data = directory / f"..{time.monotonic_ns()}"
    data.mkdir(mode=0o755)
    authority = cluster.control_plane.certificates.authority.read_text()
    token = cluster.kubectl(*words)
    for name, text in (
        ("token", token),
        ("ca.crt", authority),
        ("namespace", NAMESPACE),
    ):
        (data / name).write_text(text)
        (data / name).chmod(0o640)
        os.chown(data / name, 0, 65532)
        if not (directory / name).is_symlink():
            (directory / name).symlink_to(f"..data/{name}")
    (directory / "..new").symlink_to(data.name)
    (directory / "..new").rename(directory / "..data")


def test_the_recorder_of_the_deployment_records(
    cluster: Cluster,
    namespace: str,
    deployed: dict[str, dict[str, Any]],
    image: Path,
    tmp_path: Path,
) -> None:
    logs = tmp_path / "otlp.jsonl"
    state, mask, tokens = (tmp_path / name for name in ("state", "mask", "tokens"))
    for directory in (state, mask, tokens):
        directory.mkdir(mode=0o755)
    os.chown(state, 0, 65532)
    state.chmod(0o2775)
    (mask / "..1").mkdir()
    (mask / "..1" / "key").write_bytes(os.urandom(32))
    (mask / "..1" / "key").chmod(0o440)
    os.chown(mask / "..1" / "key", 0, 65532)
    (mask / "..data").symlink_to("..1")
    (mask / "key").symlink_to("..data/key")
    write_tokens(cluster, tokens)
    volumes = {"state": state, "mask": mask, TOKENS: tokens}
    port, collector = free_ports(2)
    environ = {
        **deployed["ConfigMap"]["data"],
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector}",
        "KUBERNETES_SERVICE_HOST": "127.0.0.1",
        "KUBERNETES_SERVICE_PORT": str(cluster.control_plane.port),
    }
    probes = container(deployed)
    with collecting(collector, logs):
        with recorder(image, volumes, deployed, environ, port) as running:
            running.wait_for_talk("watching ")
            ready = probes["readinessProbe"]["httpGet"]["path"]
            wait_until(
                lambda: answer(port, ready) == (200, "ok\n"), lambda: running.stderr
            )
            cluster.apply(config_map("first", namespace, a="1"))
            wait_until(lambda: "first" in logs.read_text())
            live = probes["livenessProbe"]["httpGet"]["path"]
            assert answer(port, live) == (200, "ok\n")
            status, text = answer(port, "/metrics")
            assert status == 200 and "kubectl_spy_gaps_total 0.0" in text
            targets = environ["TARGETS"].split(",")
            assert text.count("\nkubectl_spy_watch_up{") == len(targets)
            number = running.process.pid
            about = Path(f"/proc/{number}/status").read_text()
            assert re.search(r"^Uid:\t65532\t65532\t65532\t65532$", about, re.M)
            assert re.search(r"^CapEff:\t0+$", about, re.M)
            assert "\nNoNewPrivs:\t1\n" in about
            with hanging(number):
                wait_until(lambda: answer(port, live)[0] == 503)
                assert "the recorder has hung for " in answer(port, live)[1]
            wait_until(lambda: answer(port, live) == (200, "ok\n"))
            ended = running.end(15)
            assert (ended.code, ended.out) == (0, ""), ended.err
        write_tokens(cluster, tokens)
        with recorder(image, volumes, deployed, environ, port) as running:
            running.wait_for_talk("watching ")
            wait_until(lambda: answer(port, "/readyz")[0] == 200)
            cluster.apply(config_map("second", namespace, a="1"))
            wait_until(lambda: "second" in logs.read_text())
            assert running.end(15).code == 0
    spy = Spy(tmp_path)
    # One recording, whole: the second run continued it.
    verified = spy.run("ls", "--verify", str(logs))
    assert verified.code == 0, verified.err
    for name in ("first", "second"):
        shown = spy.run("show", str(logs), f"cm/{name}", "-n", namespace)
        assert shown.code == 0, shown.err
    uid = cluster.get("namespace", "kube-system")["metadata"]["uid"]
    assert f'"k8s.cluster.uid","value":{{"stringValue":"{uid}"}}' in logs.read_text()
