"""Jobs, CronJobs, StatefulSets and autoscaling."""

from __future__ import annotations

from tools.incidents.objects import (
    autoscaler,
    config_map,
    cron_job,
    deployment,
    env,
    from_map,
    image,
    job,
    labels,
    plain,
    pod_template,
    probe,
    service,
    workload,
)
from tools.incidents.programs import REGISTRY, Program
from tools.incidents.scenes.common import (
    API,
    ARGO_API,
    EDIT_BANNER,
    LABEL_API,
    LABEL_WEB,
    NOTE_WEB,
    QUICK,
    ROLL_API,
    SCALE_API,
)
from tools.incidents.stage import Scene
from tools.incidents.steps import (
    autoscale,
    blame,
    change,
    create,
    guilty,
    pause,
    rollout_restart,
    scale,
    settle,
    until,
)

JOB_FAILED = until("BackoffLimitExceeded", kinds="jobs")


def of_cron_job(command: str) -> dict[str, object]:
    container = {"name": "app", "command": [command]}
    pod = {"spec": {"containers": [container]}}
    return {"spec": {"jobTemplate": {"spec": {"template": pod}}}}


MODE_READER = deployment("reader", 2, env=from_map("settings", "MODE"))


def of_bare_pod(image: str) -> dict[str, object]:
    containers = [{"name": "app", "image": f"{REGISTRY}/{image}"}]
    return {"spec": {"containers": containers}}


SCENES = (
    Scene(
        "job-arguments",
        "A Job is created with arguments that its program does not know.",
        API,
        (
            EDIT_BANNER,
            guilty(
                create(job("migrate", args=["upp"]), "kubectl-create"), "Job/migrate"
            ),
            LABEL_API,
            JOB_FAILED,
        ),
        programs=QUICK,
    ),
    Scene(
        "job-image",
        "A Job of a release has an image that does not exist.",
        (deployment("web", 2), *API),
        (
            change("helm", "deploy/web", image("web", "1.1")),
            guilty(
                create(job("migrate", tag="1.1.0", args=["up"]), "helm"), "Job/migrate"
            ),
            LABEL_API,
            until("ImagePullBackOff", kinds="po"),
            settle(),
        ),
        owner="helm",
        programs=QUICK,
    ),
    Scene(
        "cron-command",
        "The command of a CronJob gets a typo; its next Job fails.",
        (cron_job("tick"), *API),
        (
            LABEL_API,
            blame("CronJob/tick", "kubectl-edit", "cj/tick", of_cron_job("/app/sever")),
            pause(5),
            ROLL_API,
            JOB_FAILED,
        ),
        programs=QUICK,
    ),
    Scene(
        "statefulset-ordinal-0",
        "A variable of a StatefulSet gets a wrong value: its only Pod crashes.",
        (workload("StatefulSet", "db", 1, env=[{"name": "MODE", "value": "rw"}]), *API),
        (
            ARGO_API,
            pause(2),
            blame("StatefulSet/db", "kubectl-set", "sts/db", env(MODE="readwrite")),
            pause(3),
            change("kubectl-label", "sts/db", labels(tier="db")),
            scale("sts/db", 3),
            until("CrashLoopBackOff", kinds="po"),
        ),
        programs={"db": Program(env={"MODE": "rw|ro"})},
    ),
    Scene(
        "autoscaler-maximum",
        "The maximum of an autoscaler is lowered; the Pods that stay are overloaded.",
        (
            deployment("web", 6, readinessProbe=probe()),
            service("web"),
            autoscaler("web", 2, 10),
            *API,
        ),
        (
            LABEL_API,
            NOTE_WEB,
            pause(3),
            blame(
                "Deployment/web", "Terraform", "hpa/web", {"spec": {"maxReplicas": 3}}
            ),
            pause(8),
            autoscale("web", 3),
            ROLL_API,
            until("probe failed", kinds="events"),
            pause(8),
        ),
        owner="Terraform",
        before=(autoscale("web", 6), settle()),
        programs={"web": Program(least=5)},
    ),
    Scene(
        "scaled-down",
        "A person scales a Deployment down; the Pods that stay are overloaded.",
        (deployment("web", 6, readinessProbe=probe()), service("web"), *API),
        (
            EDIT_BANNER,
            SCALE_API,
            guilty(scale("deploy/web", 2), "Deployment/web"),
            pause(3),
            LABEL_WEB,
            until("probe failed", kinds="events"),
            pause(8),
        ),
        programs={"web": Program(least=4)},
    ),
    Scene(
        "bare-pod",
        "The image of a Pod without a controller is edited to one that does not exist.",
        (plain("v1", "Pod", "tool", spec=pod_template("tool")["spec"]), *API),
        (
            LABEL_API,
            change("kubectl-label", "po/tool", labels(tier="ops")),
            pause(2),
            blame("Pod/tool", "kubectl-edit", "po/tool", of_bare_pod("tool:0.9")),
            EDIT_BANNER,
            until("ImagePullBackOff", kinds="po"),
        ),
        before=(until("Started", kinds="events"), pause(2)),
    ),
    Scene(
        "two-causes",
        "Two people break two Deployments in two ways, half a minute apart.",
        (config_map("settings", MODE="rw"), MODE_READER, deployment("web", 2), *API),
        (
            blame("Deployment/web", "helm", "deploy/web", image("web", "1.1-rc")),
            pause(8),
            LABEL_API,
            blame(
                "Deployment/reader",
                "kubectl-edit",
                "cm/settings",
                {"data": {"MODE": None}},
            ),
            pause(16),
            rollout_restart("deploy/reader"),
            NOTE_WEB,
            until("ImagePullBackOff", "CreateContainerConfigError", kinds="po"),
        ),
    ),
)
