"""What the containers do: programs that work with some specs and fail with others.

A Pod runs the program that the scene has for its label `app`. find_fault() says what
the kubelet or the container runtime would find wrong with its container, from the Pod's
spec and the ConfigMaps and Secrets that it reads. The messages are those of the kubelet
and of containerd:
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/kubelet_pods.go
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/images/image_manager.go
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Record = dict[str, Any]
Read = Callable[[str, str], "Record | None"]
"""Return the data of a ConfigMap or Secret by kind and name, or None."""
REGISTRY = "registry.example.com"
_MI = {"Ki": 1 / 1024, "Mi": 1, "Gi": 1024}


class Fault(NamedTuple):
    """What goes wrong: when *stage* is reached, after so many seconds there."""

    stage: str  # mount, pull, config, start, exit, unready or unlive
    message: str = ""
    code: int = 1
    reason: str = "Error"
    after: float = 0.4


CRASH = Fault("exit")
OOM = Fault("exit", code=137, reason="OOMKilled", after=3)
BUSY = Fault("unready", "HTTP probe failed with statuscode: 503")
STUCK = Fault("unlive", "HTTP probe failed with statuscode: 500")


@dataclass(frozen=True)
class Program:
    """What a program needs, as regular expressions that the values must match."""

    tags: tuple[str, ...] = ("1.0", "1.1", "1.2")
    broken: Mapping[str, Fault] = field(default_factory=dict)  # by tag
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)  # by VOLUME/KEY
    command: str = "/app/server"
    flags: str = ".*"
    memory: float = 60  # MiB
    login: str = ""  # the pull secret's token, where the repository is private
    port: int = 8080
    path: str = "/healthz"
    ends: float | None = None  # after so many seconds, with exit code 0
    boot: float = 0.6
    least: int = 0  # fewer ready Pods than this cannot carry the load
    once: Mapping[str, Fault] = field(default_factory=dict)  # by tag: the first run
    ill: Fault | None = None  # by itself, whatever its spec
    container: str = ""  # the one that it runs in; of several, "" is the first
    writes: bool = False  # to its root file system
    log: str = ""  # what it says before it ends with an error


class Acting(NamedTuple):
    """The container of a Pod that may fail now, and its program."""

    program: Program
    container: Record
    is_init: bool


def acting(program: Program, spec: Record, *, initialized: bool) -> Acting:
    """Return what runs in a Pod of *spec*; *program* is that of one container."""
    inits = spec.get("initContainers", [])
    is_init = bool(inits) and not initialized
    every = inits[:1] if is_init else spec["containers"]
    mine = [each for each in every if each["name"] == program.container]
    if not mine and (is_init or program.container):
        program = Program()
    return Acting(program, (mine or every)[0], is_init)


def find_fault(
    program: Program,
    pod: Record,
    container: Record,
    read: Read,
    at_start: Read,
    count: int,
    stages: str,
) -> Fault | None:
    """Return the first fault in one of *stages*.

    *at_start* reads what the container got when it was started. *count* Pods share the
    load.
    """
    for fault in _faults(program, pod, container, read, at_start, count):
        if fault.stage in stages.split():
            return fault
    return None


def _faults(
    program: Program,
    pod: Record,
    container: Record,
    read: Read,
    at_start: Read,
    count: int,
) -> Iterator[Fault]:
    files = yield from _volumes(pod, read)
    yield from _image(program, pod, container, read)
    env = yield from _environment(pod, container, at_start)
    command = container.get("command", [program.command])[0]
    if command != program.command:
        yield Fault("start", _START.format(command))
    if not re.fullmatch(program.flags, " ".join(container.get("args", []))):
        yield Fault("exit", code=2)
    tag = container["image"].rpartition(":")[2]
    for broken in (program.broken, program.once):
        if tag in broken:
            yield broken[tag]
    security = container.get("securityContext", {})
    if program.writes and security.get("readOnlyRootFilesystem"):
        yield CRASH
    if program.ill is not None:
        yield program.ill
    limit = container.get("resources", {}).get("limits", {}).get("memory")
    if limit and mebibytes(limit) < program.memory:
        yield OOM
    for needs, has in ((program.env, env), (program.files, files)):
        for name, pattern in needs.items():
            if not re.fullmatch(pattern, has.get(name, "")):
                yield CRASH
    for probe, stage in (("livenessProbe", "unlive"), ("readinessProbe", "unready")):
        if asked := container.get(probe, {}).get("httpGet"):
            yield from _probe(program, asked, stage, env)
    if count < program.least:
        yield BUSY


_START = (
    "failed to create containerd task: failed to create shim task: OCI runtime create"
    ' failed: runc create failed: unable to start container process: exec: "{0}": stat'
    " {0}: no such file or directory"
)
_PULL = 'failed to pull and unpack image "{0}": failed to resolve reference "{0}": '


def _volumes(pod: Record, read: Read) -> Generator[Fault, None, dict[str, str]]:
    """Yield what cannot be mounted; return the files."""
    files: dict[str, str] = {}
    for volume in pod["spec"].get("volumes", []):
        name = volume["name"]
        setup = f'MountVolume.SetUp failed for volume "{name}" : '
        sources = [volume, *volume.get("projected", {}).get("sources", [])]
        for kind, source in _sources(sources):
            member = "name" if "name" in source else "secretName"
            data = read(kind, source[member])
            if data is None:
                what = f'{kind.lower()} "{source[member]}" not found'
                yield Fault("mount", setup + what)
                continue
            wanted = [item["key"] for item in source.get("items", [])] or list(data)
            for key in wanted:
                if key not in data:
                    noun = (
                        "configmap references" if kind == "configMap" else "references"
                    )
                    word = "config" if kind == "configMap" else "secret"
                    what = f"{noun} non-existent {word} key: {key}"
                    yield Fault("mount", setup + what)
            files.update({f"{name}/{key}": data.get(key, "") for key in wanted})
    return files


def _sources(places: list[Record]) -> Iterator[tuple[str, Record]]:
    """Yield the ConfigMaps and Secrets of a volume; that of the cluster is well."""
    for each in places:
        for kind in ("configMap", "secret"):
            if each.get(kind, {}).get("name") != "kube-root-ca.crt" and kind in each:
                yield kind, each[kind]


def _image(
    program: Program, pod: Record, container: Record, read: Read
) -> Iterator[Fault]:
    image = container["image"]
    repository, _, tag = image.rpartition(":")
    if program.login:
        names = [each["name"] for each in pod["spec"].get("imagePullSecrets", [])]
        logins = [
            (read("secret", name) or {}).get(".dockerconfigjson") for name in names
        ]
        if not any(login and program.login in login for login in logins):
            host, _, path = repository.partition("/")
            token = f"https://{host}/token?scope=repository%3A{path}%3Apull"
            refused = "failed to authorize: failed to fetch oauth token: unexpected"
            refused += f" status from GET request to {token}: 401 Unauthorized"
            yield Fault("pull", _PULL.format(image) + refused)
    app = pod["metadata"]["labels"]["app"]
    if repository != f"{REGISTRY}/{app}" or tag not in program.tags:
        yield Fault("pull", _PULL.format(image) + f"{image}: not found")


def _environment(
    pod: Record, container: Record, read: Read
) -> Generator[Fault, None, dict[str, str]]:
    """Yield what of the environment cannot be resolved; return it."""
    namespace = pod["metadata"]["namespace"]
    env: dict[str, str] = {}
    for source in container.get("envFrom", []):
        kind = "configMap" if "configMapRef" in source else "secret"
        name = source[f"{kind}Ref"]["name"]
        data = read(kind, name)
        if data is None:
            yield Fault("config", f'{kind.lower()} "{name}" not found')
        env.update(data or {})
    for variable in container.get("env", []):
        env[variable["name"]] = variable.get("value", "")
        for kind, noun in (("configMap", "ConfigMap"), ("secret", "Secret")):
            if source := variable.get("valueFrom", {}).get(f"{kind}KeyRef"):
                data = read(kind, source["name"])
                if data is None:
                    yield Fault(
                        "config", f'{kind.lower()} "{source["name"]}" not found'
                    )
                elif source["key"] not in data:
                    where = f"{noun} {namespace}/{source['name']}"
                    message = f"couldn't find key {source['key']} in {where}"
                    yield Fault("config", message)
                else:
                    env[variable["name"]] = data[source["key"]]
    return env


def _probe(
    program: Program, asked: Record, stage: str, env: Mapping[str, str]
) -> Iterator[Fault]:
    listens = int(env.get("PORT") or program.port)
    if int(asked["port"]) != listens:
        where = f"{{ip}}:{asked['port']}"
        refused = f"dial tcp {where}: connect: connection refused"
        yield Fault(stage, f'Get "http://{where}{asked["path"]}": {refused}')
    elif asked["path"] != program.path:
        yield Fault(stage, "HTTP probe failed with statuscode: 404")


def mebibytes(quantity: str) -> float:
    """Return a memory quantity in MiB.

    >>> mebibytes("1Gi")
    1024.0
    """
    found = re.fullmatch(r"(\d+)([KMG]i)", quantity)
    assert found is not None, quantity
    return float(found[1]) * _MI[found[2]]


def decoded(kind: str, document: Record) -> Record:
    """Return the data of a ConfigMap or Secret as text."""
    data = document.get("data") or {}
    if kind == "configMap":
        return dict(data)
    return {key: base64.b64decode(value).decode() for key, value in data.items()}
