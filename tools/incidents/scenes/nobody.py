"""Failures that no recorded change led to: the label says that it cannot be told."""

from __future__ import annotations

from tools.incidents.objects import (
    config_map,
    cron_job,
    deployment,
    env,
    from_map,
    image,
    job,
    probe,
    quota,
    secret,
    service,
    workload,
)
from tools.incidents.programs import BUSY, CRASH, OOM, STUCK, Program
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
    behave,
    change,
    delete,
    evict,
    pause,
    repeat,
    rollout_restart,
    scale,
    settle,
    until,
)

WEB = "Deployment/web"
CRASHES = until("CrashLoopBackOff", kinds="po")
BACK_OFF = until("ImagePullBackOff", kinds="po")
PROBED = deployment("web", 3, readinessProbe=probe(), livenessProbe=probe())
JOB_FAILED = until("BackoffLimitExceeded", kinds="jobs")
SCENES = (
    Scene(
        "nobody-crash",
        "A program begins to crash by itself, after harmless changes.",
        (deployment("web", 2), *API),
        (NOTE_WEB, ROLL_API, pause(6), behave("web", ill=CRASH), CRASHES, LABEL_API),
        unexplained=(WEB,),
    ),
    Scene(
        "nobody-memory",
        "A StatefulSet is OOMKilled after it has run for long.",
        (workload("StatefulSet", "db", 2), *API),
        (ARGO_API, settle(), EDIT_BANNER, pause(20), behave("db", ill=OOM), CRASHES),
        unexplained=("StatefulSet/db",),
    ),
    Scene(
        "nobody-busy",
        "Pods turn unready and ready again by themselves, and then stay unready.",
        (PROBED, service("web"), *API),
        (
            LABEL_WEB,
            repeat(
                2, pause(6), behave("web", ill=BUSY), pause(9), behave("web", ill=None)
            ),
            ROLL_API,
            pause(8),
            behave("web", ill=BUSY),
            pause(12),
        ),
        unexplained=(WEB,),
    ),
    Scene(
        "nobody-stuck",
        "The liveness probes of a program fail by themselves.",
        (PROBED, service("web"), *API),
        (
            EDIT_BANNER,
            NEW_WORKER,
            pause(8),
            behave("web", ill=STUCK),
            CRASHES,
            LABEL_WEB,
        ),
        unexplained=(WEB,),
    ),
    Scene(
        "nobody-mending",
        "A program crashes by itself; people try a restart, an image and a variable.",
        (deployment("web", 2, env=[{"name": "MODE", "value": "rw"}]), *API),
        (
            LABEL_API,
            pause(8),
            behave("web", ill=CRASH),
            CRASHES,
            pause(4),
            rollout_restart("deploy/web"),
            pause(8),
            change("kubectl-set", "deploy/web", image("web", "1.1")),
            pause(6),
            change("kubectl-set", "deploy/web", env(MODE="ro")),
            pause(5),
        ),
        unexplained=(WEB,),
    ),
    Scene(
        "before-image",
        "The image could not be pulled before the recording began.",
        (deployment("web", 2), *API),
        (LABEL_WEB, pause(4), scale("deploy/web", 3), ROLL_API, pause(5)),
        before=(
            change("kubectl-edit", "deploy/web", image("web", "1.x")),
            BACK_OFF,
            pause(3),
        ),
        unexplained=(WEB,),
    ),
    Scene(
        "before-crash",
        "A program crashed before the recording began; an edit does not help.",
        (
            config_map("settings", MODE="rw"),
            deployment("web", 2, envFrom=[{"configMapRef": {"name": "settings"}}]),
            *API,
        ),
        (
            change("kubectl-edit", "cm/settings", {"data": {"MODE": "ro"}}),
            EDIT_BANNER,
            pause(15),
            NOTE_WEB,
        ),
        before=(behave("web", ill=CRASH), CRASHES, pause(3)),
        unexplained=(WEB,),
    ),
    Scene(
        "unrecorded-map",
        "A ConfigMap is deleted, but ConfigMaps are not recorded.",
        (
            config_map("settings", MODE="rw"),
            deployment("web", 2, env=from_map("settings", "MODE")),
            *API,
        ),
        (
            delete("cm/settings"),
            LABEL_API,
            SCALE_API,
            pause(8),
            evict("web"),
            until("CreateContainerConfigError", kinds="po"),
        ),
        less="cm",
        unexplained=(WEB,),
    ),
    Scene(
        "unrecorded-secret",
        "A Secret gets a wrong value, but Secrets are not recorded.",
        (
            secret("db", password="s3cret"),
            deployment("web", 3, env=from_map("db", "password", kind="secret")),
            *API,
        ),
        (
            change("external-secrets", "secrets/db", secret("db", password="n3w")),
            EDIT_BANNER,
            pause(10),
            ROLL_API,
            evict("web", 2),
            CRASHES,
        ),
        programs={"web": Program(env={"password": "s3cret"})},
        less="secrets",
        unexplained=(WEB,),
    ),
    Scene(
        "unrecorded-quota",
        "A quota is lowered, but quotas are not recorded.",
        (quota("team", pods="10"), deployment("web", 3), *API),
        (
            change("Terraform", "quota/team", {"spec": {"hard": {"pods": "3"}}}),
            NOTE_WEB,
            LABEL_API,
            pause(6),
            evict("web"),
            until("FailedCreate", kinds="events"),
        ),
        owner="Terraform",
        less="quota",
        unexplained=(WEB,),
    ),
    Scene(
        "nobody-job",
        "A Job that ran when the recording began fails by itself.",
        (job("migrate"), deployment("web", 2), *API),
        (RESTART_API, pause(8), behave("migrate", ill=CRASH), LABEL_API, JOB_FAILED),
        unexplained=("Job/migrate",),
    ),
    Scene(
        "nobody-cron",
        "The Jobs of a CronJob begin to fail by themselves.",
        (cron_job("tick"), *API),
        (ROLL_API, EDIT_BANNER, behave("tick", ill=CRASH), JOB_FAILED),
        programs={"tick": Program(ends=3)},
        unexplained=("CronJob/tick",),
    ),
)
