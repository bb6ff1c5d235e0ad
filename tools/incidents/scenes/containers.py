"""Pods of several containers, of which one fails."""

from __future__ import annotations

from tools.incidents.objects import (
    config_map,
    deployment,
    env,
    from_map,
    image,
    of_pod,
    pod_template,
    secret,
)
from tools.incidents.programs import CRASH, Program
from tools.incidents.scenes.common import API, LABEL_API
from tools.incidents.stage import Scene
from tools.incidents.steps import blame, change, pause, rollout_restart, until

WEB = "Deployment/web"
CRASHES = until("CrashLoopBackOff", kinds="po")
CREDENTIALS = secret("creds", user="u", password="p")


def container(name: str, tag: str = "1.0", **fields: object) -> dict[str, object]:
    template = pod_template("web", tag, **fields)
    found: dict[str, object] = template["spec"]["containers"][0]
    return {**found, "name": name, "ports": []}


def two(sidecar: dict[str, object], **fields: object) -> dict[str, object]:
    """Return a Deployment whose Pods have a sidecar."""
    made = deployment("web", 2, **fields)
    made["spec"]["template"]["spec"]["containers"].append(sidecar)
    return made


def init(tag: str, **fields: object) -> list[dict[str, object]]:
    return [container("migrate", tag, **fields)]


SCENES = (
    Scene(
        "init-fails",
        "A release breaks the init container; then the main container gets a variable.",
        (deployment("web", 2, initContainers=init("1.0")), *API),
        (
            LABEL_API,
            blame(WEB, "helm", "deploy/web", of_pod(initContainers=init("1.1"))),
            pause(1),
            change("kubectl-edit", "deploy/web", env(LOG="debug")),
            CRASHES,
        ),
        programs={"web": Program(container="migrate", broken={"1.1": CRASH})},
        owner="helm",
    ),
    Scene(
        "init-configuration",
        "The ConfigMap of an init container goes wrong; then a Secret of the main one.",
        (
            config_map("mig", DB="db"),
            CREDENTIALS,
            deployment(
                "web",
                2,
                env=from_map("creds", "password", kind="secret"),
                initContainers=init("1.0", envFrom=[{"configMapRef": {"name": "mig"}}]),
            ),
        ),
        (
            blame(WEB, "kubectl-edit", "cm/mig", {"data": {"DB": "x"}}),
            pause(3),
            change("vault", "secrets/creds", secret("creds", password="q")),
            pause(1),
            rollout_restart("deploy/web"),
            CRASHES,
        ),
        programs={"web": Program(container="migrate", env={"DB": "db"})},
    ),
    Scene(
        "sidecar-crash",
        "The ConfigMap of a sidecar goes wrong; then the main container is released.",
        (
            config_map("proxy", UP="a"),
            two(container("proxy", envFrom=[{"configMapRef": {"name": "proxy"}}])),
            *API,
        ),
        (
            blame(WEB, "istio-operator", "cm/proxy", {"data": {"UP": "b"}}),
            pause(2),
            change("kubectl-set", "deploy/web", image("web", "1.1")),
            CRASHES,
        ),
        programs={"web": Program(container="proxy", env={"UP": "a"})},
    ),
)
