"""Nodes, and where Pods may run."""

from __future__ import annotations

from tools.incidents.objects import deployment, image, labels, of_pod, plain
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
    drain,
    evict,
    guilty,
    json_patch,
    pause,
    rollout_restart,
    settle,
    stop_node,
    until,
)

WEB = "Deployment/web"
UNSCHEDULABLE = until("Unschedulable", kinds="po")
SPECIAL: dict[str, dict[str, object]] = {
    "node-0": {},
    "node-1": {},
    "node-ssd": {"labels": {"disk": "ssd"}},
}
ON_SSD = deployment("web", 2, nodeSelector={"disk": "ssd"})
TAINT = {"key": "dedicated", "value": "web", "effect": "NoSchedule"}
APART = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {
                "labelSelector": {"matchLabels": {"app": "web"}},
                "topologyKey": "kubernetes.io/hostname",
            }
        ]
    }
}
BUDGET = plain(
    "policy/v1",
    "PodDisruptionBudget",
    "web",
    spec={"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
)
CORDON = {"spec": {"unschedulable": True}}
SCENES = (
    Scene(
        "node-selector",
        "A release selects nodes by a label that none has.",
        (deployment("web", 3), *API),
        (
            EDIT_BANNER,
            NOTE_WEB,
            blame(
                WEB,
                "argocd-controller",
                "deploy/web",
                of_pod(nodeSelector={"gpu": "a"}),
            ),
            ARGO_API,
            UNSCHEDULABLE,
        ),
        owner="argocd-controller",
    ),
    Scene(
        "anti-affinity",
        "Pods are kept apart by node, and there are more of them than nodes.",
        (deployment("web", 3), *API),
        (
            ROLL_API,
            blame(WEB, "kubectl-edit", "deploy/web", of_pod(affinity=APART)),
            pause(2),
            LABEL_API,
            UNSCHEDULABLE,
            LABEL_WEB,
        ),
    ),
    Scene(
        "node-cordoned",
        "The only node that fits is cordoned and drained; a budget stops the drain.",
        (BUDGET, ON_SSD, *API),
        (
            LABEL_API,
            pause(2),
            blame(WEB, "kubectl", "no/node-ssd", CORDON),
            pause(1),
            drain("node-ssd"),
            EDIT_BANNER,
            UNSCHEDULABLE,
            NOTE_WEB,
        ),
        more="nodes",
        alone=True,
        nodes=SPECIAL,
    ),
    Scene(
        "node-tainted",
        "The node that Pods need gets a taint that they do not tolerate.",
        (ON_SSD, *API),
        (
            NOTE_WEB,
            change("kubectl-label", "no/node-1", labels(rack="7")),
            blame(
                WEB,
                "kubectl-taint",
                "no/node-ssd",
                {"spec": {"taints": [{"key": "repair", "effect": "NoExecute"}]}},
            ),
            UNSCHEDULABLE,
            LABEL_API,
        ),
        more="nodes",
        alone=True,
        nodes=SPECIAL,
    ),
    Scene(
        "node-label-removed",
        "The label that Pods select is removed from a node; a Pod is evicted later.",
        (ON_SSD, *API),
        (
            EDIT_BANNER,
            blame(WEB, "kubectl-label", "no/node-ssd", labels(disk=None)),
            pause(12),
            change("kubectl-label", "no/node-0", labels(rack="7")),
            ROLL_API,
            evict("web"),
            UNSCHEDULABLE,
        ),
        more="nodes",
        alone=True,
        nodes=SPECIAL,
    ),
    Scene(
        "node-deleted",
        "A person deletes the only node that fits.",
        (ON_SSD, *API),
        (
            SCALE_API,
            change("kubectl-label", "no/node-1", labels(rack="7")),
            pause(3),
            guilty(delete("no/node-ssd"), WEB),
            pause(5),
            LABEL_WEB,
            UNSCHEDULABLE,
        ),
        more="nodes",
        alone=True,
        nodes=SPECIAL,
    ),
    Scene(
        "toleration-removed",
        "A change drops the toleration of the taint of the nodes that Pods select.",
        (
            deployment(
                "web",
                2,
                nodeSelector={"pool": "web"},
                tolerations=[{"key": "dedicated", "operator": "Exists"}],
            ),
            *API,
        ),
        (
            LABEL_API,
            change("kubectl-label", "no/node-1", labels(rack="7")),
            guilty(
                json_patch(
                    "Terraform",
                    "deploy/web",
                    {"op": "remove", "path": "/spec/template/spec/tolerations"},
                ),
                WEB,
            ),
            UNSCHEDULABLE,
            EDIT_BANNER,
        ),
        owner="Terraform",
        more="nodes",
        alone=True,
        nodes={
            "node-0": {},
            "node-1": {},
            "node-web": {"labels": {"pool": "web"}, "taints": [TAINT]},
        },
    ),
    Scene(
        "preempted",
        "A new Deployment of higher priority takes the place of the Pods.",
        (
            plain("scheduling.k8s.io/v1", "PriorityClass", "urgent", value=1000),
            deployment("web", 2, resources={"requests": {"cpu": "1500m"}}),
            *API,
        ),
        (
            NOTE_WEB,
            LABEL_API,
            pause(3),
            guilty(
                create(
                    deployment(
                        "batch",
                        2,
                        priorityClassName="urgent",
                        resources={"requests": {"cpu": "2"}},
                    ),
                    "kubectl-create",
                ),
                WEB,
            ),
            UNSCHEDULABLE,
            EDIT_BANNER,
        ),
        more="nodes,priorityclasses",
        alone=True,
        nodes={"node-0": {"capacity": {"cpu": "4"}}},
    ),
    Scene(
        "pod-security",
        "A namespace is made to refuse all but restricted Pods; a restart meets it.",
        (deployment("web", 2), *API),
        (
            EDIT_BANNER,
            blame(
                WEB,
                "kubectl-label",
                "ns/pod-security",
                labels(**{"pod-security.kubernetes.io/enforce": "restricted"}),
            ),
            pause(15),
            LABEL_WEB,
            rollout_restart("deploy/web"),
            until("FailedCreate", kinds="events"),
        ),
        more="ns",
        alone=True,
    ),
    Scene(
        "node-dies",
        "A node dies by itself.",
        (ON_SSD, *API),
        (
            NOTE_WEB,
            change("kubectl-label", "no/node-1", labels(rack="7")),
            ROLL_API,
            settle(),
            stop_node("node-ssd"),
            until("NodeNotReady", kinds="events"),
            pause(4),
        ),
        more="nodes",
        alone=True,
        nodes=SPECIAL,
        unexplained=(WEB,),
    ),
    Scene(
        "unrecorded-cordon",
        "All nodes are cordoned, but nodes are not recorded.",
        (deployment("web", 3), *API),
        (
            EDIT_BANNER,
            *(change("kubectl", f"no/node-{number}", CORDON) for number in range(3)),
            NOTE_WEB,
            pause(6),
            evict("web"),
            UNSCHEDULABLE,
        ),
        alone=True,
        unexplained=(WEB,),
    ),
    Scene(
        "well-drained",
        "A node is cordoned, drained and given back; its Pods go elsewhere.",
        (BUDGET, deployment("web", 3), *API),
        (
            change("kubectl", "no/node-0", CORDON),
            drain("node-0"),
            pause(2),
            settle(),
            change("kubectl", "no/node-0", {"spec": {"unschedulable": None}}),
            change("helm", "deploy/web", image("web", "1.1")),
            pause(1),
            settle(),
        ),
        owner="helm",
        more="nodes",
        alone=True,
    ),
)
