"""Pods that hang: by a finalizer, a readiness gate, a container beside the main one."""

from __future__ import annotations

from tools.incidents.objects import (
    deployment,
    image,
    job,
    of_pod,
    plain,
    pod_template,
    service,
)
from tools.incidents.programs import Program
from tools.incidents.scenes.common import (
    API,
    ARGO_API,
    EDIT_BANNER,
    LABEL_API,
    LABEL_WEB,
    NOTE_WEB,
    ROLL_API,
)
from tools.incidents.scenes.containers import container
from tools.incidents.stage import Scene
from tools.incidents.steps import (
    blame,
    change,
    create,
    delete,
    guilty,
    pause,
    until,
)

WEB = "Deployment/web"
GATE = {"conditionType": "target-health.elbv2.k8s.aws/web"}


def drained() -> dict[str, object]:
    """Return a Deployment whose Pods have a finalizer."""
    made = deployment("web", 2)
    made["spec"]["template"]["metadata"]["finalizers"] = ["example.com/drain"]
    return made


def with_sidecar(**top: object) -> dict[str, object]:
    """Return a Job whose Pod has a sidecar that is a plain container."""
    made = job("report", top=top)
    made["spec"]["template"]["spec"]["containers"].append(container("proxy"))
    return made


SCENES = (
    Scene(
        "pod-finalizer",
        "A Deployment is deleted in the foreground, and its Pods have a finalizer.",
        (drained(), *API),
        (
            LABEL_API,
            NOTE_WEB,
            pause(2),
            guilty(delete("deploy/web", "Foreground"), WEB),
            EDIT_BANNER,
            pause(70),
        ),
    ),
    Scene(
        "pod-held",
        "A Pod without a controller is deleted, and a finalizer keeps it.",
        (
            {
                **plain("v1", "Pod", "tool", spec=pod_template("tool")["spec"]),
                "metadata": {
                    "name": "tool",
                    "labels": {"app": "tool"},
                    "finalizers": ["example.com/drain"],
                },
            },
            *API,
        ),
        (
            EDIT_BANNER,
            pause(2),
            guilty(delete("po/tool"), "Pod/tool"),
            LABEL_API,
            pause(75),
        ),
        before=(until("Started", kinds="events"), pause(2)),
    ),
    Scene(
        "readiness-gate",
        "A release adds a readiness gate, and no controller sets its condition.",
        (deployment("web", 2), service("web"), *API),
        (
            LABEL_WEB,
            EDIT_BANNER,
            blame(
                WEB, "argocd-controller", "deploy/web", of_pod(readinessGates=[GATE])
            ),
            until("ReadinessGatesNotReady", kinds="po"),
            ARGO_API,
            pause(75),
        ),
        owner="argocd-controller",
    ),
    Scene(
        "job-sidecar",
        "The container of a Job completes, but another one beside it runs on.",
        API,
        (
            EDIT_BANNER,
            guilty(create(with_sidecar(), "kubectl-create"), "Job/report"),
            LABEL_API,
            until("Completed", kinds="po"),
            ROLL_API,
            pause(75),
        ),
        programs={"report": Program(ends=4)},
    ),
    Scene(
        "job-sidecar-deadline",
        "A Job runs into its deadline: a container beside the one that ends runs on.",
        (deployment("web", 2), *API),
        (
            LABEL_WEB,
            guilty(
                create(with_sidecar(activeDeadlineSeconds=40), "helm"), "Job/report"
            ),
            change("helm", "deploy/web", image("web", "1.1")),
            LABEL_API,
            until("DeadlineExceeded", kinds="jobs"),
            EDIT_BANNER,
        ),
        owner="helm",
        programs={"report": Program(ends=4)},
    ),
)
