"""Configuration: environment, ConfigMaps, Secrets and commands."""

from __future__ import annotations

from tools.incidents.objects import (
    config_map,
    deployment,
    env,
    from_map,
    image,
    of_container,
    secret,
    volume,
    workload,
)
from tools.incidents.programs import Program
from tools.incidents.scenes.common import (
    API,
    ARGO_API,
    EDIT_BANNER,
    LABEL_API,
    LABEL_WEB,
    NEW_WORKER,
    NOTE_WEB,
    RESTART_API,
    ROLL_API,
    SCALE_API,
)
from tools.incidents.stage import Scene
from tools.incidents.steps import (
    blame,
    change,
    create,
    delete,
    delete_pod,
    evict,
    guilty,
    json_patch,
    pause,
    rollout_restart,
    scale,
    settle,
    until,
)

WEB = "Deployment/web"
CRASHES = until("CrashLoopBackOff", kinds="po")
CONFIG_ERROR = until("CreateContainerConfigError", kinds="po")
UNMOUNTED = until("FailedMount", kinds="events")
SETTINGS = config_map("settings", DB_HOST="db", DB_PORT="5432", LOG_LEVEL="info")
NEEDS = {"web": Program(env={"DB_HOST": "db", "DB_PORT": "5432"})}
READS = deployment("web", 2, env=from_map("settings", "DB_HOST", "DB_PORT"))
LOADS = deployment("web", 2, envFrom=[{"configMapRef": {"name": "settings"}}])
PASSWORD = secret("db", password="s3cret")
LOGS_IN = deployment("web", 2, env=from_map("db", "password", kind="secret"))
SECRET_ENV = {"web": Program(env={"password": "s3cret"})}
CERTIFICATE = secret("tls", **{"tls.crt": "CERT", "tls.key": "KEY"})
SERVES_TLS = deployment("web", 2, volumes=[volume("tls", kind="secret")])
FILES = config_map("files", **{"app.yaml": "workers: 4", "log.yaml": "level: info"})
MOUNTS = deployment("web", 2, volumes=[volume("files", "app.yaml", "log.yaml")])


def data(**values: str | None) -> dict[str, object]:
    return {"data": values}


SCENES = (
    Scene(
        "map-value-restart",
        "A ConfigMap gets a wrong value; a restart half a minute later meets it.",
        (SETTINGS, LOADS, *API),
        (
            LABEL_API,
            pause(2),
            blame(WEB, "kubectl-edit", "cm/settings", data(DB_PORT="5433")),
            pause(20),
            NOTE_WEB,
            SCALE_API,
            pause(10),
            rollout_restart("deploy/web"),
            CRASHES,
        ),
        programs=NEEDS,
    ),
    Scene(
        "map-key-removed",
        "A key that the Pods read is removed from a ConfigMap; a Pod is deleted later.",
        (SETTINGS, READS, *API),
        (
            ARGO_API,
            blame(WEB, "argocd-controller", "cm/settings", data(DB_HOST=None)),
            settle(),
            pause(8),
            LABEL_API,
            delete_pod("web"),
            CONFIG_ERROR,
        ),
        owner="argocd-controller",
        programs=NEEDS,
    ),
    Scene(
        "map-deleted",
        "A ConfigMap is deleted as unused; a Pod that is evicted cannot start again.",
        (SETTINGS, LOADS, *API),
        (
            delete("cm/banner"),
            guilty(delete("cm/settings"), WEB),
            pause(15),
            NOTE_WEB,
            ROLL_API,
            pause(5),
            evict("web"),
            CONFIG_ERROR,
        ),
        programs=NEEDS,
    ),
    Scene(
        "map-second-edit",
        "Of two edits of a ConfigMap the second is wrong; a restart follows each.",
        (SETTINGS, LOADS, *API),
        (
            change("kubectl-edit", "cm/settings", data(LOG_LEVEL="debug")),
            pause(3),
            rollout_restart("deploy/web"),
            settle(),
            pause(5),
            blame(WEB, "kubectl-edit", "cm/settings", data(DB_HOST="db-2")),
            pause(4),
            rollout_restart("deploy/web"),
            CRASHES,
            change("kubectl-edit", "cm/settings", data(LOG_LEVEL="trace")),
        ),
        programs=NEEDS,
    ),
    Scene(
        "map-mounted-reload",
        "A program reads its mounted file again, and crashes on what is new in it.",
        (FILES, MOUNTS, *API),
        (
            EDIT_BANNER,
            LABEL_WEB,
            pause(6),
            blame(
                WEB,
                "kubectl-client-side-apply",
                "cm/files",
                data(**{"app.yaml": "workers: four"}),
            ),
            LABEL_API,
            CRASHES,
        ),
        programs={"web": Program(files={"files/app.yaml": "workers: \\d+"})},
    ),
    Scene(
        "map-item-removed",
        "A file is removed from a mounted ConfigMap; a new Pod cannot mount it.",
        (FILES, MOUNTS, *API),
        (
            blame(WEB, "helm", "cm/files", data(**{"log.yaml": None})),
            pause(9),
            LABEL_API,
            pause(9),
            scale("deploy/web", 3),
            UNMOUNTED,
        ),
        owner="helm",
    ),
    Scene(
        "secret-deleted",
        "A mounted Secret is deleted, and the Deployment is restarted.",
        (CERTIFICATE, SERVES_TLS, *API),
        (
            EDIT_BANNER,
            guilty(delete("secrets/tls"), WEB),
            pause(20),
            RESTART_API,
            rollout_restart("deploy/web"),
            UNMOUNTED,
        ),
    ),
    Scene(
        "secret-rotated",
        "A password is rotated in the Secret only; the Pods crash when they restart.",
        (PASSWORD, LOGS_IN, *API),
        (
            LABEL_API,
            blame(WEB, "kubectl-patch", "secrets/db", secret("db", password="n3w")),
            pause(95),
            ROLL_API,
            pause(2),
            rollout_restart("deploy/web"),
            CRASHES,
        ),
        programs=SECRET_ENV,
    ),
    Scene(
        "secret-key-renamed",
        "A key of a Secret is renamed; a Pod that is evicted cannot be started.",
        (PASSWORD, LOGS_IN, *API),
        (
            blame(
                WEB,
                "external-secrets",
                "secrets/db",
                {"data": {"password": None, "PASSWORD": "czNjcmV0"}},
            ),
            pause(5),
            NOTE_WEB,
            evict("web"),
            CONFIG_ERROR,
        ),
        programs=SECRET_ENV,
    ),
    Scene(
        "env-value",
        "kubectl set env gives a variable a wrong value; the new Pods crash.",
        (deployment("web", 3, env=[{"name": "DB_HOST", "value": "db"}]), *API),
        (
            NEW_WORKER,
            blame(WEB, "kubectl-set", "deploy/web", env(DB_HOST="localhost")),
            pause(1),
            LABEL_WEB,
            LABEL_API,
            CRASHES,
        ),
        programs={"web": Program(env={"DB_HOST": "db"})},
    ),
    Scene(
        "env-removed",
        "A release removes a variable that the program needs.",
        (deployment("web", 2, env=[{"name": "DB_HOST", "value": "db"}]), *API),
        (
            EDIT_BANNER,
            pause(4),
            guilty(
                json_patch(
                    "helm",
                    "deploy/web",
                    {"op": "remove", "path": "/spec/template/spec/containers/0/env"},
                ),
                WEB,
            ),
            CRASHES,
            scale("deploy/web", 3),
        ),
        owner="helm",
        programs={"web": Program(env={"DB_HOST": "db"})},
    ),
    Scene(
        "map-name-typo",
        "The Deployment names a missing ConfigMap; the right one changes, too.",
        (SETTINGS, LOADS, *API),
        (
            change("kubectl-edit", "cm/settings", data(LOG_LEVEL="warn")),
            pause(3),
            blame(
                WEB,
                "kubectl-edit",
                "deploy/web",
                of_container(envFrom=[{"configMapRef": {"name": "setings"}}]),
            ),
            CONFIG_ERROR,
            change("kubectl-edit", "cm/settings", data(LOG_LEVEL="debug")),
        ),
        programs=NEEDS,
    ),
    Scene(
        "wrong-command",
        "An edit has a typo in the command: the runtime cannot start the container.",
        (deployment("web", 2, command=["/app/server"]), *API),
        (
            SCALE_API,
            blame(
                WEB, "kubectl-edit", "deploy/web", of_container(command=["/app/servr"])
            ),
            pause(2),
            LABEL_API,
            CRASHES,
            NOTE_WEB,
        ),
    ),
    Scene(
        "unknown-flag",
        "A release adds a flag that the program does not know.",
        (deployment("web", 3, args=["--port=8080"], command=["/app/server"]), *API),
        (
            ARGO_API,
            pause(2),
            blame(
                WEB,
                "argocd-controller",
                "deploy/web",
                of_container(args=["--port=8080", "--cache-size=1G"]),
            ),
            EDIT_BANNER,
            CRASHES,
        ),
        owner="argocd-controller",
        programs={"web": Program(flags="--port=\\d+")},
    ),
    Scene(
        "rollback-in-vain",
        "A ConfigMap loses a key; a rollout meets that, and so does its rollback.",
        (SETTINGS, READS, *API),
        (
            blame(WEB, "kubectl-edit", "cm/settings", data(DB_HOST=None)),
            pause(20),
            change("kubectl-set", "deploy/web", image("web", "1.1")),
            CONFIG_ERROR,
            pause(10),
            change("kubectl", "deploy/web", image("web", "1.0")),
            pause(2),
            delete_pod("web", 2),
            CONFIG_ERROR,
        ),
        programs=NEEDS,
    ),
    Scene(
        "new-statefulset-env",
        "A new StatefulSet reads a Secret that was never made, and waits at ordinal 0.",
        API,
        (
            LABEL_API,
            guilty(
                create(
                    workload(
                        "StatefulSet", "db", 3, env=from_map("db", "key", kind="secret")
                    ),
                    "helm",
                ),
                "StatefulSet/db",
            ),
            EDIT_BANNER,
            CONFIG_ERROR,
        ),
    ),
)
