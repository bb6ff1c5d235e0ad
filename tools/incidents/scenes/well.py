"""Changes that do no harm: nothing fails for longer than it takes."""

from __future__ import annotations

from tools.incidents.objects import (
    config_map,
    cron_job,
    deployment,
    image,
    job,
    probe,
    service,
    workload,
)
from tools.incidents.programs import Program
from tools.incidents.scenes.common import (
    API,
    ARGO_API,
    EDIT_BANNER,
    LABEL_API,
    LABEL_WEB,
    NOTE_WEB,
    QUICK,
    SCALED,
)
from tools.incidents.stage import Scene
from tools.incidents.steps import (
    autoscale,
    change,
    create,
    delete,
    pause,
    rollout_restart,
    scale,
    settle,
    until,
)

SCENES = (
    Scene(
        "well-rollout",
        "A release is rolled out; new Pods take a while to get ready.",
        (
            config_map("settings", LOG_LEVEL="info"),
            deployment("web", 3, readinessProbe=probe()),
            service("web"),
            *API,
        ),
        (
            change("helm", "cm/settings", {"data": {"LOG_LEVEL": "warn"}}),
            change("helm", "deploy/web", image("web", "1.1")),
            pause(2),
            settle(),
            LABEL_WEB,
        ),
        owner="helm",
        programs={"web": Program(boot=7)},
    ),
    Scene(
        "well-scaled",
        "A person scales up and down again.",
        (deployment("web", 2), service("web"), *API),
        (
            scale("deploy/web", 6),
            settle(),
            pause(3),
            scale("deploy/web", 1),
            settle(),
            EDIT_BANNER,
        ),
    ),
    Scene(
        "well-restarted",
        "A StatefulSet and a Deployment are restarted after their ConfigMap changed.",
        (
            config_map("settings", LOG_LEVEL="info"),
            workload(
                "StatefulSet", "db", 2, envFrom=[{"configMapRef": {"name": "settings"}}]
            ),
            deployment("web", 2, envFrom=[{"configMapRef": {"name": "settings"}}]),
            *API,
        ),
        (
            change("kubectl-edit", "cm/settings", {"data": {"LOG_LEVEL": "debug"}}),
            pause(3),
            rollout_restart("sts/db"),
            rollout_restart("deploy/web"),
            pause(1),
            settle(),
        ),
    ),
    Scene(
        "well-jobs",
        "A Job completes, and a CronJob runs.",
        API,
        (
            create(cron_job("tick"), "helm"),
            create(job("migrate", args=["up"]), "kubectl-create"),
            until("CompletionsReached", kinds="jobs"),
            LABEL_API,
            until("Saw completed job", kinds="events"),
        ),
        programs=QUICK,
    ),
    Scene(
        "well-autoscaled",
        "An autoscaler scales up, and a person raises its maximum.",
        (*SCALED, *API),
        (
            autoscale("web", 5),
            settle(),
            change("kubectl-edit", "hpa/web", {"spec": {"maxReplicas": 12}}),
            autoscale("web", 7),
            settle(),
            NOTE_WEB,
        ),
        before=(autoscale("web", 3),),
    ),
    Scene(
        "well-canary",
        "A new Deployment and its Service are created, scaled and deleted again.",
        (deployment("web", 2), service("web"), *API),
        (
            create(deployment("canary", 1), "argocd-controller"),
            create(service("canary"), "argocd-controller"),
            pause(1),
            settle(),
            scale("deploy/canary", 2),
            settle(),
            change("argocd-controller", "deploy/web", image("web", "1.2")),
            pause(1),
            settle(),
            delete("svc/canary"),
            delete("deploy/canary"),
        ),
    ),
    Scene(
        "well-rolled-back",
        "A release is rolled out and rolled back, and both are fine.",
        (deployment("web", 3), service("web"), *API),
        (
            change("kubectl-set", "deploy/web", image("web", "1.1")),
            pause(1),
            settle(),
            pause(5),
            change("kubectl", "deploy/web", image("web", "1.0")),
            pause(1),
            settle(),
            ARGO_API,
            settle(),
        ),
    ),
)
