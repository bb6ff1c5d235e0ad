"""What looks like a cause and is none: later writes, and writes that were undone."""

from __future__ import annotations

from tools.incidents.objects import (
    config_map,
    deployment,
    env,
    from_map,
    image,
    notes,
    of_container,
    probe,
    secret,
    service,
)
from tools.incidents.programs import CRASH, Program
from tools.incidents.scenes.common import API, EDIT_BANNER
from tools.incidents.stage import Scene
from tools.incidents.steps import (
    blame,
    change,
    create,
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
