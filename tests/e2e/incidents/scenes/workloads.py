"""Jobs, CronJobs and autoscaling; and fields that two managers fight over."""

from __future__ import annotations

from tests.e2e.incidents.objects import (
    autoscaler,
    config_map,
    cron_job,
    deployment,
    env,
    image,
    job,
    labels,
    probe,
    replicas,
    service,
    workload,
)
from tests.e2e.incidents.programs import Program
from tests.e2e.incidents.scenes.common import (
    API,
    ARGO_API,
    EDIT_BANNER,
    LABEL_API,
    LABEL_WEB,
    NOTE_WEB,
    ROLL_API,
    SCALE_API,
)
from tests.e2e.incidents.stage import Scene
from tests.e2e.incidents.steps import (
    Step,
    autoscale,
    blame,
    change,
    create,
    guilty,
    pause,
    repeat,
    rollout_restart,
    scale,
    settle,
    until,
)

JOB_FAILED = until("BackoffLimitExceeded", kinds="jobs")
QUICK = {"migrate": Program(ends=4, flags="up"), "tick": Program(ends=3)}
SCALED = (
    deployment("web", 3, readinessProbe=probe()),
    service("web"),
    autoscaler("web", 2, 10),
)


def fight(kind: str, name: str, pointer: str, *managers: str) -> dict[str, object]:
    return {"kind": kind, "name": name, "pointer": pointer, "managers": list(managers)}


def of_cron_job(command: str) -> dict[str, object]:
    container = {"name": "app", "command": [command]}
    pod = {"spec": {"containers": [container]}}
    return {"spec": {"jobTemplate": {"spec": {"template": pod}}}}


def turns(times: int, *steps: Step) -> Step:
    """Return *steps* in turn, with four seconds between them."""
    return repeat(times, *(each for step in steps for each in (step, pause(4))))


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
                "Deployment/web", "terraform", "hpa/web", {"spec": {"maxReplicas": 3}}
            ),
            pause(8),
            autoscale("web", 3),
            ROLL_API,
            until("probe failed", kinds="events"),
            pause(8),
        ),
        owner="terraform",
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
        "fight-replicas-person",
        "An autoscaler and a person set the replicas of a Deployment in turn.",
        (*SCALED, *API),
        (LABEL_API, turns(6, scale("deploy/web", 3), autoscale("web", 5)), settle()),
        before=(autoscale("web", 3),),
        flaps=(
            fight(
                "Deployment",
                "web",
                "/spec/replicas",
                "kube-controller-manager",
                "kubectl",
            ),
        ),
    ),
    Scene(
        "fight-replicas-argo",
        "An autoscaler and Argo CD set the replicas of a Deployment in turn.",
        (*SCALED, *API),
        (
            EDIT_BANNER,
            turns(
                7,
                autoscale("web", 4),
                change("argocd-controller", "deploy/web", replicas(3)),
            ),
            NOTE_WEB,
            settle(),
        ),
        owner="argocd-controller",
        before=(autoscale("web", 3),),
        flaps=(
            fight(
                "Deployment",
                "web",
                "/spec/replicas",
                "argocd-controller",
                "kube-controller-manager",
            ),
        ),
    ),
    Scene(
        "fight-label",
        "Two GitOps controllers set a label of a Service in turn.",
        (deployment("web", 2), service("web"), *API),
        (
            ROLL_API,
            turns(
                6,
                change("kustomize-controller", "svc/web", labels(team="blue")),
                change("terraform", "svc/web", labels(team="green")),
            ),
        ),
        flaps=(
            fight(
                "Service",
                "web",
                "/metadata/labels/team",
                "kustomize-controller",
                "terraform",
            ),
        ),
    ),
    Scene(
        "fight-image",
        "Argo CD and an image updater set the image of a Deployment in turn.",
        (deployment("web", 2), *API),
        (
            LABEL_API,
            turns(
                5,
                change("keel", "deploy/web", image("web", "1.1")),
                change("argocd-controller", "deploy/web", image("web", "1.0")),
            ),
            settle(),
        ),
        owner="argocd-controller",
        flaps=(
            fight(
                "Deployment",
                "web",
                "/spec/template/spec/containers/0/image",
                "argocd-controller",
                "keel",
            ),
        ),
    ),
    Scene(
        "fight-map",
        "A person and Helm set a key of a ConfigMap in turn while a rollout fails.",
        (config_map("settings", LOG_LEVEL="info"), deployment("web", 2), *API),
        (
            turns(
                3,
                change("kubectl-edit", "cm/settings", {"data": {"LOG_LEVEL": "debug"}}),
                change("helm", "cm/settings", {"data": {"LOG_LEVEL": "info"}}),
            ),
            blame("Deployment/web", "kubectl-set", "deploy/web", image("web", "2.0")),
            turns(
                3,
                change("kubectl-edit", "cm/settings", {"data": {"LOG_LEVEL": "debug"}}),
                change("helm", "cm/settings", {"data": {"LOG_LEVEL": "info"}}),
            ),
        ),
        owner="helm",
        flaps=(
            fight("ConfigMap", "settings", "/data/LOG_LEVEL", "helm", "kubectl-edit"),
        ),
    ),
)
WELL = (
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
        (cron_job("tick"), *API),
        (
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
            scale("deploy/canary", 0),
            settle(),
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
            change("kubectl-rollout", "deploy/web", image("web", "1.0")),
            pause(1),
            settle(),
            ARGO_API,
            settle(),
        ),
    ),
)
