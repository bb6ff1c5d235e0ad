"""Limits, quotas, policies, and what else keeps Pods from being made or placed."""

from __future__ import annotations

from tools.incidents.objects import (
    deployment,
    labels,
    of_container,
    of_pod,
    plain,
    quota,
    webhook,
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
    pause,
    rollout_restart,
    scale,
    settle,
    until,
)

WEB = "Deployment/web"
CRASHES = until("CrashLoopBackOff", kinds="po")
REFUSED = until("FailedCreate", kinds="events")
UNSCHEDULABLE = until("Unschedulable", kinds="po")
WITH_LIMIT = deployment("web", 2, resources={"limits": {"memory": "256Mi", "cpu": "1"}})
ACCOUNT = plain("v1", "ServiceAccount", "web")
WITH_ACCOUNT = deployment("web", 2, serviceAccountName="web")


def limits(name: str, **item: object) -> dict[str, object]:
    spec = {"limits": [{"type": "Container", **item}]}
    return plain("v1", "LimitRange", name, spec=spec)


SCENES = (
    Scene(
        "memory-limit",
        "The memory limit is lowered below what the program needs: OOMKilled.",
        (WITH_LIMIT, *API),
        (
            LABEL_API,
            blame(
                WEB,
                "kubectl-set",
                "deploy/web",
                of_container(resources={"limits": {"memory": "64Mi"}}),
            ),
            pause(2),
            LABEL_WEB,
            ROLL_API,
            CRASHES,
        ),
        programs={"web": Program(memory=180)},
    ),
    Scene(
        "limit-range-default",
        "A new LimitRange gives Pods a small default limit; an evicted Pod meets it.",
        (deployment("web", 2), *API),
        (
            guilty(
                create(
                    limits("defaults", default={"memory": "128Mi"}), "kubectl-create"
                ),
                WEB,
            ),
            pause(10),
            EDIT_BANNER,
            NOTE_WEB,
            pause(15),
            evict("web"),
            CRASHES,
        ),
        programs={"web": Program(memory=180)},
    ),
    Scene(
        "limit-range-max",
        "A LimitRange lowers the maximum; a restart cannot make its Pods.",
        (limits("bounds", max={"memory": "1Gi"}), WITH_LIMIT, *API),
        (
            ARGO_API,
            blame(
                WEB,
                "Terraform",
                "limits/bounds",
                limits("bounds", max={"memory": "128Mi"}),
            ),
            pause(15),
            LABEL_API,
            rollout_restart("deploy/web"),
            REFUSED,
        ),
        owner="Terraform",
    ),
    Scene(
        "cpu-request",
        "A request of 64 CPUs, by a slip of the unit, fits on no node.",
        (deployment("web", 3), *API),
        (
            EDIT_BANNER,
            pause(2),
            blame(
                WEB,
                "kubectl-edit",
                "deploy/web",
                of_container(resources={"requests": {"cpu": "64"}}),
            ),
            LABEL_API,
            UNSCHEDULABLE,
            NOTE_WEB,
        ),
    ),
    Scene(
        "daemonset-memory",
        "A DaemonSet requests more memory than a node has.",
        (workload("DaemonSet", "agent", None), *API),
        (
            SCALE_API,
            blame(
                "DaemonSet/agent",
                "helm",
                "ds/agent",
                of_container(resources={"requests": {"memory": "100Gi"}}),
            ),
            pause(1),
            ROLL_API,
            UNSCHEDULABLE,
        ),
        owner="helm",
    ),
    Scene(
        "quota-new",
        "A quota is created; scaling up half a minute later meets it.",
        (deployment("web", 2), *API),
        (
            guilty(create(quota("team", pods="4"), "kubectl-create"), WEB),
            pause(12),
            LABEL_API,
            EDIT_BANNER,
            pause(14),
            scale("deploy/web", 4),
            REFUSED,
            NOTE_WEB,
        ),
    ),
    Scene(
        "quota-lowered",
        "A quota is lowered; a Pod that is deleted cannot be replaced.",
        (quota("team", pods="10"), deployment("web", 3), *API),
        (
            NOTE_WEB,
            blame(WEB, "Terraform", "quota/team", {"spec": {"hard": {"pods": "3"}}}),
            pause(6),
            LABEL_API,
            delete_pod("web"),
            REFUSED,
        ),
        owner="Terraform",
    ),
    Scene(
        "quota-wants-limits",
        "A quota for memory limits is created; Pods without a limit are refused.",
        (deployment("web", 2), *API),
        (
            EDIT_BANNER,
            guilty(
                create(quota("memory", limits_memory="8Gi"), "argocd-controller"), WEB
            ),
            pause(5),
            rollout_restart("deploy/web"),
            REFUSED,
            LABEL_WEB,
        ),
        owner="argocd-controller",
    ),
    Scene(
        "account-deleted",
        "The ServiceAccount is deleted; the Pod of an eviction cannot be made again.",
        (ACCOUNT, WITH_ACCOUNT, *API),
        (
            guilty(delete("sa/web"), WEB),
            pause(8),
            ROLL_API,
            LABEL_WEB,
            pause(8),
            evict("web"),
            REFUSED,
        ),
    ),
    Scene(
        "account-typo",
        "The Deployment names a ServiceAccount that does not exist.",
        (ACCOUNT, WITH_ACCOUNT, *API),
        (
            change("kubectl-label", "sa/web", labels(team="blue")),
            blame(
                WEB,
                "kustomize-controller",
                "deploy/web",
                of_pod(serviceAccountName="wbe"),
            ),
            pause(1),
            SCALE_API,
            REFUSED,
        ),
        owner="kustomize-controller",
    ),
    Scene(
        "priority-typo",
        "The Deployment names a PriorityClass that does not exist.",
        (deployment("web", 2), *API),
        (
            NOTE_WEB,
            blame(
                WEB, "kubectl-edit", "deploy/web", of_pod(priorityClassName="critcal")
            ),
            LABEL_API,
            REFUSED,
        ),
    ),
    Scene(
        "priority-deleted",
        "A PriorityClass is deleted; a Pod that is deleted cannot be made again.",
        (
            plain("scheduling.k8s.io/v1", "PriorityClass", "gold", value=1000),
            deployment("web", 2, priorityClassName="gold"),
            *API,
        ),
        (
            EDIT_BANNER,
            guilty(delete("pc/gold"), WEB),
            pause(10),
            LABEL_WEB,
            ROLL_API,
            settle(),
            delete_pod("web"),
            REFUSED,
        ),
        more="priorityclasses",
    ),
    Scene(
        "webhook-down",
        "A new admission webhook cannot be reached: no Pod can be made any more.",
        (deployment("web", 2), *API),
        (
            EDIT_BANNER,
            pause(2),
            guilty(create(webhook("policy.example.com", "webhook-down"), "helm"), WEB),
            pause(10),
            LABEL_API,
            evict("web"),
            REFUSED,
        ),
        more="validatingwebhookconfigurations",
    ),
    Scene(
        "runtime-class",
        "The Deployment names a RuntimeClass that does not exist.",
        (deployment("web", 2), *API),
        (
            LABEL_WEB,
            blame(WEB, "Terraform", "deploy/web", of_pod(runtimeClassName="gvisor")),
            REFUSED,
            ROLL_API,
        ),
        owner="Terraform",
    ),
)
