"""What keeps a Pod from getting a node, in the scheduler's words made short."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Diagnosis
from kubectl_spy.core.diagnosis.kinds.registry import diagnose
from kubectl_spy.core.objects import EventType, WatchEvent
from tests.builders import (
    Object,
    a_claim,
    a_pod,
    a_volume,
    container,
    node,
    obj,
    reported,
)
from tests.core.diagnosis.cases import Row, Rules, Unseen, check, rows, unseen
from tests.tracing import START, feed, inventory, selection_of


def unscheduled(
    message: str, reason: str = "Unschedulable", *, asks: Any = None, **spec: Any
) -> Object:
    """Return a Pod that got no node; it *asks* for so much."""
    scheduled = {"status": "False", "reason": reason, "message": message}
    return a_pod(
        container(resources={"requests": asks or {}}),
        phase="Pending",
        conditions={"PodScheduled": scheduled},
        spec={"nodeName": "", **spec},
    )


LOWER = "lower resources.requests of the Pod, or add nodes"
TOLERATE = "tolerate the taint, or remove it from nodes"
MEND = "mend the node, see what is wrong with it: kubectl"
DESCRIBE = "kubectl describe pod web-0 -n shop"
OF_ONE, OF_TWO = "0/1 nodes are available: ", "0/2 nodes are available: "
OF_CLAIM = "ObjectMissing kind=PersistentVolumeClaim"
PREEMPTION = (
    ". preemption: 0/3 nodes are available: 1 No preemption victims found for incoming "
    "pod, 2 Preemption is not helpful for scheduling."
)
TAINTED = f"{OF_TWO}2 node(s) had untolerated taint(s). not found"


@pytest.mark.parametrize(
    ("message", "told", "remedy"),
    [
        (
            "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated"
            f" taint {{node-role.kubernetes.io/control-plane: }}{PREEMPTION}",
            "nodes=3 reasons=[(NodesRefuse nodes=1 why=insufficient cpu), (NodesRefuse"
            " nodes=2 why=had untolerated taint {node-role.kubernetes.io/control-plane:"
            " })]",
            f"one of these: {TOLERATE}; {LOWER}",
        ),
        (
            "0/3 nodes are available: 3 Insufficient memory. no new claims to"
            f" deallocate{PREEMPTION.replace('.', ',', 1)}",
            "nodes=3 reasons=[(NodesRefuse nodes=3 why=insufficient memory)]",
            LOWER,
        ),
        (
            "0/3 nodes are available: 1 node(s) had taint {a: b}, that the pod didn't"
            " tolerate, 2 Too many pods.",
            "(NodesRefuse nodes=1 why=had taint {a: b}, that the pod didn't tolerate),"
            " (NodesRefuse nodes=2 why=too many pods)",
            f"one of these: add nodes, or let some Pods go; {TOLERATE}",
        ),
        (
            f"{OF_TWO}pod has unbound immediate PersistentVolumeClaims{PREEMPTION}",
            "own=[(NodesRefuse why=pod has unbound immediate PersistentVolumeClaims)]",
            "look at the Pod's PersistentVolumeClaims",
        ),
        (
            f"{OF_TWO}pod has unbound immediate PersistentVolumeClaims. not found",
            "own=[(NodesRefuse why=pod has unbound immediate PersistentVolumeClaims)]",
            "look at the Pod's PersistentVolumeClaims",
        ),
        (
            f'{OF_TWO}persistentvolumeclaim "data" bound to non-existent'
            ' persistentvolume "gone". not found',
            'own=[(NodesRefuse why=persistentvolumeclaim "data" bound to non-existent'
            ' persistentvolume "gone")]',
            "the PersistentVolume of the claim is gone: restore it",
        ),
        (
            f'{OF_TWO}persistentvolumeclaim "absent" not found. not found',
            f"missing=({OF_CLAIM} name=absent namespace=shop)",
            "create PersistentVolumeClaim absent in namespace shop",
        ),
        (
            f"{OF_TWO}2 node(s) didn't match PersistentVolume's node affinity. no new"
            f" claims to deallocate{PREEMPTION.replace('.', ',', 1)}",
            "NodesRefuse nodes=2 why=didn't match PersistentVolume's node affinity",
            "the volume is bound to other nodes: look at spec.nodeAffinity of its"
            " PersistentVolume",
        ),
        (
            f"{OF_TWO}2 node(s) had volume node affinity conflict{PREEMPTION}",
            "NodesRefuse nodes=2 why=had volume node affinity conflict",
            "the volume is in another zone: add a node there",
        ),
        (
            f"{OF_ONE}1 node(s) had untolerated taint"
            f" {{node.kubernetes.io/unreachable: }}{PREEMPTION}",
            "only reasons=[(NodesRefuse why=had untolerated taint"
            " {node.kubernetes.io/unreachable: })]",
            f"{MEND} get nodes",
        ),
        (
            f'{OF_ONE}persistentvolumeclaim "data" not found{PREEMPTION}',
            f"missing=({OF_CLAIM} name=data namespace=shop)",
            "create PersistentVolumeClaim data in namespace shop",
        ),
        (
            f"{OF_ONE}1 node(s) were unschedulable.",
            "only reasons=[(NodesRefuse why=were unschedulable)]",
            "kubectl uncordon a node",
        ),
        (
            f"{OF_TWO}2 node(s) didn't match Pod's node affinity/selector.",
            "NodesRefuse nodes=2 why=didn't match Pod's node affinity/selector",
            "compare spec.affinity.nodeAffinity with kubectl get nodes --show-labels",
        ),
        ("no nodes available", "Unschedulable message=no nodes available", DESCRIBE),
        ("0/0 nodes are available: .", "NoNodes", DESCRIBE),
        ("", "Unschedulable", DESCRIBE),
    ],
)
def test_scheduler_messages_are_shortened(message: str, told: str, remedy: str) -> None:
    """It waits, as an autoscaler may bring a node."""
    remedy = f"scheduling -> {remedy}"
    check((unscheduled(message), f"scheduling ~ {told}", remedy, "Pending waiting"))


def held(*gates: str) -> Object:
    named = [{"name": each} for each in gates]
    blocked = "Scheduling is blocked"
    return unscheduled(blocked, "SchedulingGated", schedulingGates=named)


def nominated(**conditions: Any) -> Object:
    spec, name = {"nodeName": ""}, "node-7"
    return a_pod(
        phase="Pending", spec=spec, nominatedNodeName=name, conditions=conditions
    )


def silent(node: str, bound: str = "2026-11-21T15:00:00Z") -> Object:
    """Return a Pod that no kubelet has reported; it was *bound* then."""
    scheduled = {"PodScheduled": {"status": "True", "lastTransitionTime": bound}}
    conditions = scheduled if bound else {}
    spec = {"nodeName": node}
    return a_pod(container(), phase="Pending", conditions=conditions, spec=spec)


REMOVE = (
    "kubelet -> bring back Node nowhere, or make the Pod anew without spec.nodeName:"
    " kubectl delete pod web-0 -n shop"
)
UNFIT = {"reason": "Unschedulable", "status": "False"}
MISFIT = f"{OF_ONE}1 node(s) didn't match Pod's node affinity/selector."
WAITING: Rules = {
    "a node selector is shown as the search for its nodes": (
        unscheduled(MISFIT, nodeSelector={"disk": "ssd", "zone": "a b"}),
        "scheduling -> label a node, or correct nodeSelector:"
        " kubectl get nodes -l 'disk=ssd,zone=a b'",
    ),
    "a scheduling gate is named": (
        held("a.example.com/quota"),
        "SchedulingGated waiting",
        "scheduling: SchedulingGated gates=[a.example.com/quota]",
    ),
    "scheduling gates are named": (
        held("a/x", "b/y"),
        "scheduling: SchedulingGated gates=[a/x, b/y]",
    ),
    "a Pod may be held back by no gate": (held(), "scheduling: SchedulingGated"),
    "other answers are shown": (
        unscheduled("running PreBind: oh", "SchedulerError"),
        "scheduling: NotScheduled message=running PreBind: oh",
    ),
    "other schedulers are named": (
        a_pod(phase="Pending", spec={"nodeName": "", "schedulerName": "batch"}),
        "scheduling: WaitsForScheduler scheduler=batch",
    ),
    "a nominated node is cleared for a Pod that fits nowhere": (
        nominated(PodScheduled=UNFIT),
        "scheduling ~ nominated=node-7",
    ),
    "a nominated node is only prepared for another": (
        nominated(),
        "scheduling ~ chosen=node-7",
    ),
    "a Pod whose node does not exist says so": (
        silent("nowhere"),
        "kubelet: NodeMissing node=nowhere",
        REMOVE,
    ),
    # Without PodScheduled, the Pod was created with spec.nodeName.
    "a Pod that was created with a node that does not exist says so": (
        silent("nowhere", ""),
        "kubelet: NodeMissing node=nowhere",
        REMOVE,
    ),
    "a Pod waits for the kubelet of its node": (
        *(silent("nowhere"), node("nowhere")),
        "kubelet: KubeletSilent node=nowhere",
        "kubelet -> kubectl get node nowhere",
    ),
    "without rights to list nodes a Pod waits for its kubelet": (
        *(silent("nowhere"), unseen(Node="may not list nodes")),
        "kubelet: KubeletSilent node=nowhere",
        "kubelet -> kubectl get node nowhere",
    ),
    # The watch of Nodes may be behind that of Pods.
    "a Pod waits for its kubelet for a moment": (
        silent("nowhere", "2026-11-21T15:04:04Z"),
        "Pending waiting",
        "kubelet: KubeletSilent node=nowhere",
        "kubelet -> nothing",
    ),
}


@rows(WAITING)
def test_a_pod_without_a_node_says_what_it_waits_for(row: Row) -> None:
    check(row)


def a_node(
    name: str, *taints: str, labels: dict[str, str] | None = None, **has: str
) -> dict[str, Any]:
    """Return a Node; *taints* are `KEY=VALUE:EFFECT`."""
    found = []
    for each in taints:
        pair, _, effect = each.rpartition(":")
        key, _, value = pair.partition("=")
        found.append({"key": key, "value": value, "effect": effect})
    spec, status = {"taints": found}, {"allocatable": has}
    return node(name, labels=labels, spec=spec, status=status)


def cordoned(name: str, *taints: str, **has: Any) -> Object:
    """Return a Node as `kubectl cordon` and the node controller leave it."""
    made = a_node(name, "node.kubernetes.io/unschedulable:NoSchedule", *taints, **has)
    made["spec"]["unschedulable"] = True
    return made


def pod_on(node: str, **requests: str) -> Object:
    app = container(resources={"requests": requests})
    return a_pod(app, metadata={"uid": "other", "name": "o"}, spec={"nodeName": node})


def tolerating(key: str, **more: str) -> dict[str, Any]:
    return {"tolerations": [{"key": key, "operator": "Exists", **more}]}


OF_TROUBLE, OF_CORDON = "node.kubernetes.io", "node.kubernetes.io/unschedulable"
GPU = a_node("a", "dedicated=gpu:NoSchedule")
GPU_TOO = a_node("b", "dedicated=gpu:NoExecute")
MANY_REASONS = (
    "0/9 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 2 node(s) "
    "didn't match Pod's node affinity/selector, 5 node(s) had untolerated taint(s)."
)
CORDONED = "1 node(s) were unschedulable."
NO_LABEL = "2 node(s) didn't match pod topology spread constraints (missing required"
MISSES = "NodesRefuse nodes=2 why=didn't match pod topology spread constraints (missing"
HARD, SOFT = "DoNotSchedule", "ScheduleAnyway"
SPREAD = [
    {"topologyKey": key, "whenUnsatisfiable": each}
    for key, each in (("zone", HARD), ("rack", HARD), ("row", SOFT))
]
OBSTACLES: Rules = {
    # Since 1.36 the scheduler's message does not name them.
    "taints that the scheduler does not name are read from the nodes": (
        *(unscheduled(TAINTED), GPU, GPU_TOO),
        "scheduling ~ NodesRefuse nodes=2 taints=[dedicated=gpu:NoSchedule,"
        " dedicated=gpu:NoExecute] why=had untolerated taint(s)",
        f"scheduling -> {TOLERATE}",
    ),
    "taints that the Pod tolerates are not named": (
        unscheduled(TAINTED, **tolerating("dedicated", effect="NoSchedule")),
        *(GPU, GPU_TOO),
        "scheduling ~ NodesRefuse nodes=2 taints=[dedicated=gpu:NoExecute]",
    ),
    "without rights to list nodes no taint is named": (
        *(unscheduled(TAINTED), unseen(Node="may not list nodes")),
        "scheduling ~ NodesRefuse nodes=2 why=had untolerated taint(s)",
    ),
    **{
        f"the taint {taint} of a broken node is not tolerated": (
            *(unscheduled(TAINTED), a_node("a", f"{OF_TROUBLE}/{taint}")),
            f"scheduling -> {MEND} describe node a",
        )
        for taint in (
            *("not-ready:NoSchedule", "memory-pressure:NoSchedule"),
            "out-of-service:NoExecute",
        )
    },
    "a cordoned node is uncordoned": (
        *(unscheduled(TAINTED), a_node("a", f"{OF_CORDON}:NoSchedule")),
        "scheduling -> kubectl uncordon a",
    ),
    "a taint of the same domain may be one that people set": (
        *(unscheduled(TAINTED), a_node("a", "node.kubernetes.io/os:NoSchedule")),
        f"scheduling -> {TOLERATE}",
    ),
    # As a control plane of 1.36 writes it: the taints are not named.
    "every obstacle has its remedy, that of most nodes first": (
        unscheduled(MANY_REASONS, nodeSelector={"disk": "ssd"}),
        *(GPU, a_node("b", "team=data:NoSchedule")),
        a_node("c", f"{OF_TROUBLE}/not-ready:NoExecute"),
        a_node("d", f"{OF_CORDON}:NoSchedule"),
        a_node("e", f"{OF_TROUBLE}/not-ready:NoExecute"),
        f"scheduling -> one of these: {MEND} describe node c; {TOLERATE}; kubectl"
        " uncordon d; label a node, or correct nodeSelector: kubectl get nodes -l"
        f" disk=ssd; {LOWER}",
    ),
    "a cordoned node is named once and not for its taints": (
        unscheduled(f"{OF_TWO}1 node(s) had untolerated taint(s), {CORDONED}"),
        *(GPU, cordoned("b", "other:NoSchedule")),
        "scheduling ~ reasons=[(NodesRefuse nodes=1 taints=[dedicated=gpu:NoSchedule]"
        " why=had untolerated taint(s)), (NodesRefuse nodes=1 why=were unschedulable)]",
        f"scheduling -> one of these: {TOLERATE}; kubectl uncordon b",
    ),
    "some Pods may go to cordoned nodes, as those of DaemonSets do": (
        unscheduled(TAINTED, **tolerating(OF_CORDON)),
        *(GPU, cordoned("b", "x:NoExecute")),
        "scheduling ~ taints=[dedicated=gpu:NoSchedule, x:NoExecute]",
    ),
    "a cordoned node is not the one that has most": (
        unscheduled(f"{OF_TWO}1 Insufficient cpu, {CORDONED}", asks={"cpu": "4"}),
        *(a_node("a", cpu="2"), cordoned("b", cpu="96")),
        "scheduling ~ RequestTooLarge asked=4 has=2 left",
    ),
    "a device class that does not exist is to be created": (
        unscheduled(
            f"{OF_ONE}request gpu: device class gpu.example.com does not exist. no new"
            " claims to deallocate, preemption: 0/1 nodes are available"
        ),
        "scheduling: Unschedulable own=[(NodesRefuse why=request gpu: device class"
        " gpu.example.com does not exist)]",
        "scheduling -> create DeviceClass gpu.example.com, or ask for one that exists:"
        " kubectl get deviceclass",
    ),
    "the label that a topology spread misses is named": (
        unscheduled(f"{OF_TWO}{NO_LABEL} label)", topologySpreadConstraints=SPREAD),
        a_node("a", labels={"zone": "1"}),
        f"scheduling ~ {MISSES} required label rack)",
        "scheduling -> label the nodes with rack, or correct topologyKey",
    ),
    "all labels of a topology spread are named": (
        unscheduled(f"{OF_TWO}{NO_LABEL} label)", topologySpreadConstraints=SPREAD),
        f"scheduling ~ {MISSES} required label zone or rack)",
    ),
}


@rows(OBSTACLES)
def test_what_keeps_a_pod_from_nodes_is_told_with_its_remedy(row: Row) -> None:
    check(row)


ONE_CPU = f"{OF_ONE}1 Insufficient cpu. not found"
BIG = a_node("b", cpu="2")
OTHERS_UNSEEN = unseen(Pod="only those of one namespace")
OFFER = "add nodes that offer example.com/gpu, or see whether its device plugin runs"
A_GPU = {"cpu": "1", "example.com/gpu": "1"}
FEW = f"{OF_TWO}1 Insufficient example.com/gpu, 1"
NO_GPU = unscheduled(f"{OF_TWO}2 Insufficient example.com/gpu. not found", asks=A_GPU)


def with_gpus(made: Object, number: str = "2") -> Object:
    made["status"]["allocatable"] |= {"example.com/gpu": number}
    return made


ROOM: Rules = {
    "a too large request shows both numbers": (
        *(unscheduled(ONE_CPU, asks={"cpu": "64"}), a_node("a", cpu="1500m"), BIG),
        *(a_node("c", "x:NoSchedule", cpu="96"), pod_on("b", cpu="500m")),
        "scheduling ~ only … (RequestTooLarge asked=64 has=1.5 left)]",
    ),
    "what others take is unknown without rights": (
        *(unscheduled(ONE_CPU, asks={"cpu": "64"}), BIG, OTHERS_UNSEEN),
        "scheduling ~ (RequestTooLarge asked=64 has=2)",
    ),
    "what others take may be too much": (
        *(unscheduled(ONE_CPU, asks={"cpu": "1"}), BIG, OTHERS_UNSEEN),
        "scheduling ~ (RequestTaken asked=1 has=2)",
    ),
    "a device that no node offers is not to be asked for less": (
        *(NO_GPU, a_node("a", cpu="4"), a_node("b")),
        "scheduling ~ NodesRefuse nodes=2 notes=[(ResourceNotOffered asked=1)]",
        f"scheduling -> {OFFER}",
    ),
    "none of a device is no offer": (
        *(NO_GPU, a_node("a", cpu="4"), with_gpus(a_node("b", "x:NoSchedule"), "0")),
        "scheduling ~ NodesRefuse nodes=2 notes=[(ResourceNotOffered asked=1)]",
        f"scheduling -> {OFFER}",
    ),
    "a device that a node offers may be asked for less": (
        *(NO_GPU, a_node("a", cpu="4"), with_gpus(a_node("b"))),
        "scheduling ~ NodesRefuse nodes=2 notes=[(RequestFits asked=1)]",
        f"scheduling -> {LOWER}",
    ),
    "without rights to list nodes no offer is known": (
        *(NO_GPU, unseen(Node="may not list")),
        "scheduling ~ [(NodesRefuse nodes=2 why=insufficient example.com/gpu)]",
    ),
    "a device of a tainted node is no reason to ask less": (
        unscheduled(
            f"{FEW} node(s) had untolerated taint {{gpu: only}}. not found", asks=A_GPU
        ),
        *(a_node("a", cpu="4"), with_gpus(a_node("b", "gpu:NoSchedule"))),
        "scheduling ~ nodes=1 notes=[(ResourceOutOfReach asked=1)]",
        f"scheduling -> {TOLERATE}",
    ),
    "a device of a cordoned node is no reason to ask less": (
        unscheduled(f"{FEW} node(s) were unschedulable. not found", asks=A_GPU),
        *(a_node("a", cpu="4"), with_gpus(cordoned("b"))),
        "scheduling ~ nodes=1 notes=[(ResourceOutOfReach asked=1)]",
        "scheduling -> kubectl uncordon b",
    ),
}


@rows(ROOM)
def test_a_request_is_compared_with_what_nodes_have(row: Row) -> None:
    check(row)


@pytest.mark.parametrize(
    ("init", "own", "whole", "asked"),
    [
        ((), ["1Gi", "1536Mi"], {}, "2.5Gi"),
        ((("4Gi", ""),), ["1Gi"], {}, "4Gi"),
        ((("1Gi", "Always"), ("1Gi", "")), ["512Mi"], {}, "2Gi"),
        ((("1Gi", "Always"),), ["512Mi"], {}, "1.5Gi"),
        ((), ["1Gi"], {"resources": {"requests": {"memory": "3Gi"}}}, "3Gi"),
        ((), ["1Gi"], {"overhead": {"memory": "1Gi"}}, "2Gi"),
        ((), ["odd"], {"overhead": {"memory": "2000M"}}, "1.86Gi"),
    ],
)
def test_requests_are_counted_as_by_the_scheduler(
    init: tuple[tuple[str, str], ...], own: list[str], whole: dict[str, Any], asked: str
) -> None:
    def asking(memory: str, policy: str = "") -> dict[str, Any]:
        found: dict[str, Any] = {"resources": {"requests": {"memory": memory}}}
        return found | ({"restartPolicy": policy} if policy else {})

    message = f"{OF_TWO}2 Insufficient memory. not found"
    spec = {
        "initContainers": [asking(*each) for each in init],
        "containers": [asking(each) for each in own],
        **whole,
    }
    told = f"scheduling ~ nodes=2 notes=[(RequestTooLarge asked={asked} has=1Mi left)]"
    check((unscheduled(message, **spec), a_node("a", memory="1Mi"), told))


@pytest.mark.parametrize(
    ("resource", "asked", "taken", "has", "told"),
    [
        ("cpu", "2", "1999m", "2", "asked=2 has=1m"),
        ("cpu", "250m", "1876m", "2", "asked=250m has=124m"),
        ("cpu", "2.5", "3m", "2.5", "asked=2500m has=2497m"),
        ("memory", "4Gi", "1Mi", "4Gi", "asked=4096Mi has=4095Mi"),
        ("memory", "4Gi", "1", "4Gi", "asked=4294967296 has=4294967295"),
        ("memory", "4Gi", "1Gi", "4Gi", "asked=4Gi has=3Gi"),
    ],
)
def test_request_and_capacity_never_look_equal(
    resource: str, asked: str, taken: str, has: str, told: str
) -> None:
    message = f"{OF_ONE}1 Insufficient {resource}. not found"
    pod = unscheduled(message, asks={resource: asked})
    room = node("a", spec={}, status={"allocatable": {resource: has}})
    taking = pod_on("a", **{resource: taken})
    check((pod, room, taking, f"scheduling ~ (RequestTooLarge {told} left)"))


def bound(*terms: dict[str, Any], name: str = "local-1") -> list[Object]:
    """Return a PersistentVolume that is tied to nodes, and the claim that has it."""
    required = {"nodeSelectorTerms": list(terms)}
    tied = a_volume(name, "Bound", nodeAffinity={"required": required})
    return [tied, a_claim("Bound", spec={"volumeName": name})]


def needs(key: str, *values: str, operator: str = "In") -> dict[str, Any]:
    expression = {"key": key, "operator": operator, "values": list(values)}
    return {"matchExpressions": [expression]}


HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
CLAIMED = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
MISPLACED = unscheduled(
    f"{OF_TWO}1 node(s) didn't match PersistentVolume's node affinity, {CORDONED}",
    volumes=CLAIMED,
)
ELSEWHERE = f"{ZONE} in (eu-3)"


@pytest.mark.parametrize(
    ("terms", "why", "remedy"),
    [
        (
            [needs(HOST, "gone")],
            "VolumeNodesGone nodes=[gone]",
            "bring back node gone, or use another volume than local-1",
        ),
        (
            [needs(HOST, "gone"), needs(HOST, "lost")],
            "VolumeNodesGone nodes=[gone, lost]",
            "bring back node gone, or use another volume than local-1",
        ),
        ([needs(HOST, "c")], "VolumeTied cordoned nodes=[c]", "kubectl uncordon c"),
        ([needs(HOST, "a", "c")], "VolumeTied nodes=[a, c]", "kubectl uncordon c"),
        (
            [needs(ZONE, "eu-3")],
            "VolumeNodesNone",
            f"add a node with '{ELSEWHERE}', or use another volume than local-1",
        ),
    ],
)
def test_a_volume_that_is_tied_to_nodes_is_named_with_them(
    terms: list[dict[str, Any]], why: str, remedy: str
) -> None:
    wanted = f" wanted={ELSEWHERE}" if "None" in why else ""
    check(
        (
            MISPLACED,
            a_node("a", labels={HOST: "a", ZONE: "eu-1"}),
            *(cordoned(each, labels={HOST: each}) for each in "bc"),
            *bound(*terms),
            f"scheduling ~ nodes=1 notes=[({why} volume=local-1{wanted})]",
            f"scheduling -> {remedy}",
        )
    )


IN_CONFLICT = unscheduled(
    f"{OF_ONE}1 node(s) had volume node affinity conflict.", volumes=CLAIMED
)


@pytest.mark.parametrize(
    ("terms", "reasons"),
    [
        ([], {}),
        ([needs(ZONE, "3", operator="Gt")], {}),
        ([{"matchFields": [{"key": "x"}]}], {}),
        ([needs(HOST, "x")], {"Node": "may not list"}),
    ],
)
def test_nodes_of_a_volume_are_named_if_known(
    terms: list[dict[str, Any]], reasons: dict[str, str]
) -> None:
    check(
        (
            *(IN_CONFLICT, a_node("a"), *bound(*terms), Unseen(reasons)),
            "scheduling ~ [(NodesRefuse why=had volume node affinity conflict)]",
            "scheduling -> the volume is in another zone: add a node there",
        )
    )


def test_a_free_volume_on_a_node_that_does_not_exist_is_named() -> None:
    """With WaitForFirstConsumer, the scheduler looks for a volume on each node."""
    free, claim = bound(needs(HOST, "gone"))
    free["spec"] |= {"storageClassName": "local", "accessModes": ["ReadWriteOnce"]}
    free["status"] = {"phase": "Available"}
    claim["spec"] = {"storageClassName": "local", "accessModes": ["ReadWriteOnce"]}
    claim["status"]["phase"] = "Pending"
    unbound = f"{OF_ONE}1 node(s) didn't find available persistent volumes to bind."
    check(
        (
            *(unscheduled(unbound, volumes=CLAIMED), a_node("a"), free, claim),
            "scheduling ~ (VolumeNodesGone nodes=[gone] volume=local-1)",
        )
    )


def unqueued(phase: str = "Pending", **claim: str) -> Object:
    """Return a Pod whose ResourceClaim the scheduler waits for, and says nothing."""
    spec = {"nodeName": "", "resourceClaims": [{"name": "gpu", **claim}]}
    return a_pod(container(), phase=phase, spec=spec)


NO_TEMPLATE = reported(
    "FailedResourceClaimCreation",
    'PodResourceClaim gpu: resource claim template "absent": '
    'resourceclaimtemplate.resource.k8s.io "absent" not found',
)
OF_TEMPLATE = unqueued(resourceClaimTemplateName="absent")
CLAIMS: Rules = {
    "an absent ResourceClaim is reported": (
        unqueued(resourceClaimName="absent"),
        "resourceClaim/gpu: Unschedulable missing=(ObjectMissing "
        "kind=ResourceClaim name=absent namespace=shop)",
        "resourceClaim/gpu -> create ResourceClaim absent in namespace shop",
    ),
    "a Pod with its ResourceClaim waits for the scheduler": (
        *(unqueued(resourceClaimName="there"), obj("ResourceClaim", "there")),
        "scheduling: WaitsForScheduler",
        "no others",
    ),
    "an absent template of claims is reported": (
        OF_TEMPLATE,
        "resourceClaim/gpu: Unschedulable missing=(ObjectMissing "
        "kind=ResourceClaimTemplate name=absent namespace=shop)",
    ),
    "an absent template of claims may be known from an Event": (
        *(OF_TEMPLATE, NO_TEMPLATE),
        unseen(ResourceClaimTemplate="were not asked for"),
        "resourceClaim/gpu: Unschedulable missing=(ObjectMissing "
        "kind=ResourceClaimTemplate name=absent namespace=shop)",
    ),
}


@rows(CLAIMS)
def test_resource_claims_that_do_not_exist_are_reported(row: Row) -> None:
    check(row)


def pending(number: int, message: str) -> dict[str, Any]:
    scheduled = {"status": "False", "reason": "Unschedulable", "message": message}
    name = f"web-{number}"
    return a_pod(
        container(resources={"requests": {"cpu": "8"}}),
        phase="Pending",
        conditions={"PodScheduled": scheduled},
        metadata={"name": name, "uid": name, "resourceVersion": message[:9]},
        spec={"nodeName": ""},
    )


@pytest.mark.parametrize(
    ("change", "anew"),
    [
        # One of the Pods that wait is told something else.
        (pending(3, "0/2 nodes are available: 2 Insufficient cpu. not"), ["web-3"]),
        # A heartbeat, and a node with more to give.
        (a_node("a", cpu="4") | {"heard": "of"}, []),
        (a_node("a", cpu="5"), ["web-0", "web-1", "web-2", "web-3"]),
    ],
)
def test_pods_are_judged_anew_if_what_they_wait_for_is_another_thing(
    change: dict[str, Any], anew: list[str]
) -> None:
    message = "0/1 nodes are available: 1 Insufficient cpu. not found"
    pods = [pending(each, message) for each in range(4)]
    seen = inventory(*pods, a_node("a", cpu="4"))
    judged: list[str] = []

    def judge(entry: Entry, seen: Inventory) -> Diagnosis:
        judged.append(entry.name)
        return diagnose(entry, seen)

    def judge_all() -> None:
        for each in seen.every("", "Pod"):
            seen.once(judge, each)

    judge_all()
    judged.clear()
    selection = selection_of("v1", change["kind"])
    event = WatchEvent(EventType.MODIFIED, selection, START + 1, change)
    feed(seen, [event], History())
    judge_all()
    assert judged == anew
