"""What looks like a cause and is none: later writes, other containers, undone writes."""

from __future__ import annotations

from tests.e2e.incidents.objects import (
    config_map,
    deployment,
    env,
    from_map,
    image,
    notes,
    of_container,
    of_pod,
    plain,
    pod_template,
    probe,
    secret,
    service,
)
from tests.e2e.incidents.programs import CRASH, Program
from tests.e2e.incidents.scenes.common import API, EDIT_BANNER, LABEL_API
from tests.e2e.incidents.stage import Scene
from tests.e2e.incidents.steps import (
    Step,
    blame,
    change,
    create,
    delete,
    guilty,
    json_patch,
    pause,
    rollout_restart,
    settle,
    until,
)

WEB = "Deployment/web"
CRASHES = until("CrashLoopBackOff", kinds="po")
CONFIG_ERROR = until("CreateContainerConfigError", kinds="po")
UNMOUNTED = until("FailedMount", kinds="events")
UNSCHEDULABLE = until("Unschedulable", kinds="po")
NODES: dict[str, dict[str, object]] = {"node-0": {}, "node-1": {}, "node-spare": {}}
CREDENTIALS = secret("creds", user="u", password="p")
LOGS_IN = deployment("web", 2, env=from_map("creds", "password", kind="secret"))
FILES = config_map("conf", **{"app.yaml": "a", "log": "b"})
PROJECTED = {
    "name": "conf",
    "projected": {
        "sources": [
            {
                "configMap": {
                    "name": "conf",
                    "items": [{"key": "app.yaml", "path": "app.yaml"}],
                }
            }
        ]
    },
}
HEALTHY = env(MODE="ok")
BAD = env(MODE="bad")
MODE = [{"name": "MODE", "value": "ok"}]


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


def status(ready: str, reason: str, message: str) -> dict[str, object]:
    condition = {
        "type": "Ready",
        "status": ready,
        "reason": reason,
        "message": message,
        "lastTransitionTime": "2026-11-23T12:00:00Z",
    }
    return {"status": {"conditions": [condition]}}


def certificate(by: str, patch: dict[str, object], subresource: str = "") -> Step:
    """Change the custom resource."""
    of = "certificates/shop"
    return change(by, of, patch, subresource=subresource, patch_type="merge-patch")


NAMES = {
    "plural": "certificates",
    "singular": "certificate",
    "kind": "Certificate",
}
SCHEMA = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
VERSION = {
    "name": "v1",
    "served": True,
    "storage": True,
    "schema": {"openAPIV3Schema": SCHEMA},
    "subresources": {"status": {}},
}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "certificates.example.com"},
    "spec": {
        "group": "example.com",
        "names": NAMES,
        "scope": "Namespaced",
        "versions": [VERSION],
    },
}
SHOP = plain(
    "example.com/v1", "Certificate", "shop", spec={"dnsNames": ["a.example.com"]}
)
SCENES = (
    Scene(
        "projected-key",
        "A key is removed from a ConfigMap, and then another key is edited.",
        (FILES, deployment("web", 2, volumes=[PROJECTED]), *API),
        (
            guilty(
                json_patch(
                    "kubectl-edit",
                    "cm/conf",
                    {"op": "remove", "path": "/data/app.yaml"},
                ),
                WEB,
            ),
            pause(3),
            change("kubectl-edit", "cm/conf", {"data": {"log": "c"}}),
            rollout_restart("deploy/web"),
            UNMOUNTED,
        ),
    ),
    Scene(
        "secret-key-then-rotate",
        "A key is removed from a Secret, and then another key is rotated.",
        (CREDENTIALS, LOGS_IN, *API),
        (
            blame(WEB, "kubectl-edit", "secrets/creds", {"data": {"password": None}}),
            pause(3),
            change("cert-manager", "secrets/creds", secret("creds", user="v")),
            pause(1),
            rollout_restart("deploy/web"),
            CONFIG_ERROR,
        ),
    ),
    Scene(
        "key-missing-before",
        "A key was removed before the recording; another one is edited in it.",
        (CREDENTIALS, LOGS_IN, *API),
        (
            change("kubectl-edit", "secrets/creds", secret("creds", user="v")),
            pause(3),
            rollout_restart("deploy/web"),
            CONFIG_ERROR,
        ),
        before=(
            change("kubectl-edit", "secrets/creds", {"data": {"password": None}}),
            pause(1),
        ),
        unexplained=(WEB,),
    ),
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
        "The ConfigMap of the init container goes wrong; then a Secret of the main one.",
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
    Scene(
        "svc-then-note",
        "A selector gets a typo; then other fields of the Service are written.",
        (service("web"), deployment("web", 2), *API),
        (
            blame(
                "Service/web",
                "kubectl-edit",
                "svc/web",
                {"spec": {"selector": {"app": "webb"}}},
            ),
            pause(1),
            change("argocd-controller", "svc/web", notes(owner="blue")),
            change(
                "kubectl-patch", "svc/web", {"spec": {"sessionAffinity": "ClientIP"}}
            ),
            pause(8),
        ),
    ),
    Scene(
        "probe-path-then-period",
        "A readiness probe gets a wrong path; then its period is changed.",
        (deployment("web", 2, readinessProbe=probe()), *API),
        (
            blame(
                WEB,
                "kubectl-edit",
                "deploy/web",
                of_container(readinessProbe=probe(path="/ready")),
            ),
            pause(1),
            change(
                "kubectl-patch",
                "deploy/web",
                of_container(readinessProbe={"periodSeconds": 3}),
            ),
            until("statuscode: 404", kinds="events"),
            pause(12),
        ),
    ),
    Scene(
        "fails-heals-fails",
        "A bad value is set, mended, and set again by another one.",
        (deployment("web", 2, env=MODE), *API),
        (
            blame(WEB, "kubectl-set", "deploy/web", BAD),
            CRASHES,
            change("kubectl-edit", "deploy/web", HEALTHY),
            settle(),
            pause(4),
            blame(WEB, "argocd-controller", "deploy/web", BAD),
            CRASHES,
        ),
        programs={"web": Program(env={"MODE": "ok"})},
    ),
    Scene(
        "request-lowered",
        "A Pod asks for too much from the beginning; asking for less is not enough.",
        (*API,),
        (
            pause(4),
            change(
                "kubectl-edit",
                "deploy/web",
                of_container(resources={"requests": {"cpu": "50"}}),
            ),
            UNSCHEDULABLE,
            pause(14),
        ),
        before=(
            create(deployment("web", 1, resources={"requests": {"cpu": "100"}})),
            UNSCHEDULABLE,
            pause(2),
        ),
        unexplained=(WEB,),
        more="no",
    ),
    Scene(
        "host-port",
        "More Pods want a host port than there are nodes; one of them was cordoned.",
        (deployment("web", 3), *API),
        (
            change("kubectl-drain", "no/node-spare", {"spec": {"unschedulable": True}}),
            EDIT_BANNER,
            guilty(
                json_patch(
                    "kubectl-edit",
                    "deploy/web",
                    {
                        "op": "add",
                        "path": "/spec/template/spec/containers/0/ports/0/hostPort",
                        "value": 8081,
                    },
                ),
                WEB,
            ),
            pause(1),
            change("kubectl-label", "no/node-0", {"metadata": {"labels": {"z": "1"}}}),
            UNSCHEDULABLE,
            pause(6),
        ),
        alone=True,
        nodes=NODES,
        more="no",
    ),
    Scene(
        "finalizer",
        "A Deployment is deleted, and a finalizer that nobody removes keeps it.",
        (
            {
                **deployment("web", 2),
                "metadata": {"name": "web", "finalizers": ["example.com/cleanup"]},
            },
            *API,
        ),
        (LABEL_API, guilty(delete("deploy/web"), WEB), pause(70)),
    ),
    Scene(
        "cr-ready-false",
        "A custom resource gets a wrong name, and its controller cannot work with it.",
        (DEFINITION, *API),
        (
            guilty(
                certificate("kubectl-edit", {"spec": {"dnsNames": ["a..example.com"]}}),
                "Certificate/shop",
            ),
            pause(2),
            certificate("flux", {"metadata": {"labels": {"team": "blue"}}}),
            pause(1),
            certificate(
                "cert-manager",
                status("False", "Invalid", "a..example.com is not a valid domain"),
                "/status",
            ),
            LABEL_API,
            pause(25),
        ),
        before=(
            pause(4),
            create(SHOP),
            certificate("cert-manager", status("True", "Issued", ""), "/status"),
        ),
        more="certificates.example.com",
    ),
    Scene(
        "well-one-restart",
        "Each new Pod is restarted once, and is well again within seconds.",
        (deployment("web", 2), *API),
        (
            change("kubectl-set", "deploy/web", image("web", "1.1")),
            pause(30),
        ),
        programs={"web": Program(once={"1.1": CRASH._replace(after=8)})},
    ),
)
