"""Pods that are bound to a node by hand, or that need what the cluster lacks."""

from __future__ import annotations

from tools.incidents.objects import (
    cron_job,
    deployment,
    image,
    labels,
    of_container,
    of_pod,
    plain,
    pod_template,
    service,
    workload,
)
from tools.incidents.scenes.common import (
    API,
    ARGO_API,
    EDIT_BANNER,
    LABEL_API,
    LABEL_WEB,
    NOTE_WEB,
    QUICK,
    ROLL_API,
)
from tools.incidents.stage import Scene
from tools.incidents.steps import (
    blame,
    change,
    create,
    evict,
    guilty,
    pause,
    settle,
    until,
)

WEB = "Deployment/web"
HOST = "kubernetes.io/hostname"
REJECTED = until("Pod was rejected", kinds="po")
MISSING = until("FailedCreate", kinds="events")
SCENES = (
    Scene(
        "bound-elsewhere",
        "Pods that select one node are bound to another, which rejects each of them.",
        (deployment("web", 2, nodeSelector={HOST: "node-1"}), service("web"), *API),
        (
            EDIT_BANNER,
            LABEL_API,
            pause(2),
            blame(WEB, "kubectl-edit", "deploy/web", of_pod(nodeName="node-0")),
            REJECTED,
            NOTE_WEB,
            pause(18),
        ),
    ),
    Scene(
        "bound-too-large",
        "Pods that are bound to a node ask for more CPUs than it has.",
        (deployment("web", 3, nodeName="node-2"), *API),
        (
            LABEL_WEB,
            change("helm", "deploy/api", image("api", "1.1")),
            blame(
                WEB,
                "helm",
                "deploy/web",
                of_container(resources={"requests": {"cpu": "12"}}),
            ),
            REJECTED,
            EDIT_BANNER,
            pause(15),
        ),
        owner="helm",
    ),
    Scene(
        "bound-label-removed",
        "The label that bound Pods select is removed from their node.",
        (deployment("web", 2, nodeName="node-ssd", nodeSelector={"disk": "ssd"}), *API),
        (
            LABEL_API,
            blame(WEB, "kubectl-label", "no/node-ssd", labels(disk=None)),
            pause(6),
            change("kubectl-label", "no/node-0", labels(rack="7")),
            NOTE_WEB,
            evict("web"),
            REJECTED,
            pause(18),
        ),
        more="nodes",
        alone=True,
        nodes={"node-0": {}, "node-ssd": {"labels": {"disk": "ssd"}}},
    ),
    Scene(
        "bound-nowhere",
        "A Deployment binds its Pods to a node that does not exist.",
        (deployment("web", 2), *API),
        (
            LABEL_API,
            NOTE_WEB,
            pause(2),
            blame(WEB, "kubectl-edit", "deploy/web", of_pod(nodeName="node-11")),
            EDIT_BANNER,
            pause(6),
            ROLL_API,
            pause(65),
        ),
        more="no",
    ),
    Scene(
        "bound-pod-nowhere",
        "A Pod without a controller is bound to a node that does not exist.",
        API,
        (
            ARGO_API,
            pause(2),
            guilty(
                create(
                    plain(
                        "v1",
                        "Pod",
                        "tool",
                        spec={**pod_template("tool")["spec"], "nodeName": "nod-1"},
                    ),
                    "kubectl-create",
                ),
                "Pod/tool",
            ),
            EDIT_BANNER,
            LABEL_API,
            pause(75),
        ),
    ),
    Scene(
        "runtime-class-new",
        "A new Deployment names a RuntimeClass that the cluster does not have.",
        (deployment("web", 2), *API),
        (
            LABEL_WEB,
            guilty(
                create(
                    deployment("sandbox", 2, runtimeClassName="gvisor"),
                    "argocd-controller",
                ),
                "Deployment/sandbox",
            ),
            change("argocd-controller", "deploy/web", image("web", "1.1")),
            MISSING,
            EDIT_BANNER,
            pause(6),
        ),
        owner="argocd-controller",
    ),
    Scene(
        "priority-class-new",
        "A new StatefulSet names a PriorityClass that does not exist.",
        (deployment("web", 2), *API),
        (
            change("helm", "deploy/web", image("web", "1.1")),
            guilty(
                create(
                    workload("StatefulSet", "db", 2, priorityClassName="hihg"), "helm"
                ),
                "StatefulSet/db",
            ),
            LABEL_API,
            MISSING,
            NOTE_WEB,
            pause(8),
        ),
        owner="helm",
    ),
    Scene(
        "account-cron",
        "A CronJob gets a ServiceAccount with a typo; its next Job has no Pod.",
        (plain("v1", "ServiceAccount", "ticker"), cron_job("tick"), *API),
        (
            EDIT_BANNER,
            change("kubectl-label", "cj/tick", labels(tier="batch")),
            blame(
                "CronJob/tick",
                "kubectl-edit",
                "cj/tick",
                {
                    "spec": {
                        "jobTemplate": {
                            "spec": {
                                "template": {"spec": {"serviceAccountName": "tikcer"}}
                            }
                        }
                    }
                },
            ),
            ROLL_API,
            settle(),
            MISSING,
            pause(12),
        ),
        programs=QUICK,
    ),
)
