"""What keeps a Pod from getting a node, in the scheduler's words made short."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.registry import diagnose
from kubectl_spy.core.objects import EventType, WatchEvent
from kubectl_spy.render.findings import text as text_of
from tests.builders import a_claim, a_pod, a_volume, container, node, obj, reported
from tests.tracing import START, diagnosis, found, inventory, selection_of

WAITING = Verdict.WAITING


def unscheduled(message: str, reason: str = "Unschedulable", **spec: Any) -> Diagnosis:
    scheduled = {"status": "False", "reason": reason, "message": message}
    pod = a_pod(
        container(),
        phase="Pending",
        conditions={"PodScheduled": scheduled},
        spec={"nodeName": "", **spec},
    )
    return diagnosis(pod)


def about(result: Diagnosis, what: str) -> Finding:
    (finding,) = [each for each in result.findings if each.about == what]
    return finding


PREEMPTION = (
    ". preemption: 0/3 nodes are available: 1 No preemption victims found for incoming "
    "pod, 2 Preemption is not helpful for scheduling."
)


@pytest.mark.parametrize(
    ("message", "text", "remedy"),
    [
        (
            "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had "
            "untolerated taint "
            "{node-role.kubernetes.io/control-plane: }" + PREEMPTION,
            "none of 3 nodes fits: insufficient cpu (1), had untolerated taint "
            "{node-role.kubernetes.io/control-plane: } (2)",
            "one of these: tolerate the taint, or remove it from nodes; lower "
            "resources.requests of the Pod, or add nodes",
        ),
        (
            "0/3 nodes are available: 3 Insufficient memory. no new claims to "
            "deallocate" + PREEMPTION.replace(".", ",", 1),
            "none of 3 nodes fits: insufficient memory (3)",
            "lower resources.requests of the Pod, or add nodes",
        ),
        (
            "0/3 nodes are available: 1 node(s) had taint {a: b}, that the pod didn't "
            "tolerate, 2 Too many pods.",
            "none of 3 nodes fits: had taint {a: b}, that the pod didn't tolerate (1), "
            "too many pods (2)",
            "one of these: add nodes, or let some Pods go; tolerate the taint, or "
            "remove it from nodes",
        ),
        (
            "0/2 nodes are available: pod has unbound immediate "
            "PersistentVolumeClaims. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful.",
            "cannot be scheduled: pod has unbound immediate PersistentVolumeClaims",
            "look at the Pod's PersistentVolumeClaims",
        ),
        (
            "0/2 nodes are available: pod has unbound immediate "
            "PersistentVolumeClaims. not found",
            "cannot be scheduled: pod has unbound immediate PersistentVolumeClaims",
            "look at the Pod's PersistentVolumeClaims",
        ),
        (
            '0/2 nodes are available: persistentvolumeclaim "data" bound to '
            'non-existent persistentvolume "gone". not found',
            'cannot be scheduled: persistentvolumeclaim "data" bound to non-existent '
            'persistentvolume "gone"',
            "the PersistentVolume of the claim is gone: restore it",
        ),
        (
            '0/2 nodes are available: persistentvolumeclaim "absent" not found. '
            "not found",
            "cannot be scheduled: PersistentVolumeClaim absent does not exist",
            "create PersistentVolumeClaim absent in namespace shop",
        ),
        (
            "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node "
            "affinity. no new claims to deallocate, preemption: 0/2 nodes are "
            "available: 2 Preemption is not helpful for scheduling.",
            "none of 2 nodes fits: didn't match PersistentVolume's node affinity (2)",
            "the volume is bound to other nodes: look at spec.nodeAffinity of its "
            "PersistentVolume",
        ),
        (
            "0/2 nodes are available: 2 node(s) had volume node affinity conflict. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful.",
            "none of 2 nodes fits: had volume node affinity conflict (2)",
            "the volume is in another zone: add a node there",
        ),
        (
            "0/1 nodes are available: 1 node(s) had untolerated taint "
            "{node.kubernetes.io/unreachable: }. preemption: 0/1 nodes are available: "
            "1 Preemption is not helpful for scheduling.",
            "the only node does not fit: had untolerated taint "
            "{node.kubernetes.io/unreachable: }",
            "mend the node, see what is wrong with it: kubectl get nodes",
        ),
        (
            '0/1 nodes are available: persistentvolumeclaim "data" not found. '
            "preemption: "
            "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
            "cannot be scheduled: PersistentVolumeClaim data does not exist",
            "create PersistentVolumeClaim data in namespace shop",
        ),
        (
            "0/1 nodes are available: 1 node(s) were unschedulable.",
            "the only node does not fit: were unschedulable",
            "kubectl uncordon a node",
        ),
        (
            "0/2 nodes are available: 2 node(s) didn't match Pod's node "
            "affinity/selector.",
            "none of 2 nodes fits: didn't match Pod's node affinity/selector (2)",
            "compare spec.affinity.nodeAffinity with kubectl get nodes --show-labels",
        ),
        (
            "no nodes available to schedule pods",
            "no node fits: no nodes available to schedule pods",
            "kubectl describe pod web-0 -n shop",
        ),
        (
            "0/0 nodes are available: .",
            "the cluster has no nodes",
            "kubectl describe pod web-0 -n shop",
        ),
        (
            "",
            "no node fits: the scheduler does not say why",
            "kubectl describe pod web-0 -n shop",
        ),
    ],
)
def test_scheduler_messages_are_shortened(message: str, text: str, remedy: str) -> None:
    result = unscheduled(message)
    finding = about(result, "scheduling")
    assert (text_of(finding), finding.remedy) == (text, remedy)
    # An autoscaler may bring a node.
    assert (result.phase, result.verdict) == ("Pending", WAITING)


def test_a_node_selector_is_shown_as_the_search_for_its_nodes() -> None:
    message = (
        "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
    )
    result = unscheduled(message, nodeSelector={"disk": "ssd", "zone": "a b"})
    assert about(result, "scheduling").remedy == (
        "label a node, or correct nodeSelector: kubectl get nodes -l "
        "'disk=ssd,zone=a b'"
    )


@pytest.mark.parametrize(
    ("gates", "text"),
    [
        (["a.example.com/quota"], "held back by scheduling gate a.example.com/quota"),
        (["a/x", "b/y"], "held back by scheduling gates a/x and b/y"),
        ([], "held back"),
    ],
)
def test_scheduling_gates_are_named(gates: list[str], text: str) -> None:
    named = [{"name": each} for each in gates]
    result = unscheduled(
        "Scheduling is blocked", "SchedulingGated", schedulingGates=named
    )
    assert result.phase == "SchedulingGated"
    assert found(result, "scheduling") == (WAITING, text)


def test_other_answers_and_schedulers_are_shown() -> None:
    assert found(
        unscheduled("running PreBind: oh", "SchedulerError"), "scheduling"
    ) == (WAITING, "not scheduled: running PreBind: oh")
    pod = a_pod(phase="Pending", spec={"nodeName": "", "schedulerName": "batch"})
    assert found(diagnosis(pod), "scheduling")[1] == (
        "waits for the scheduler that is named batch (spec.schedulerName)"
    )


@pytest.mark.parametrize(
    ("conditions", "what"),
    [
        (
            {"PodScheduled": {"reason": "Unschedulable", "status": "False"}},
            "other Pods are being removed from node-7 to make room",
        ),
        ({}, "the scheduler has chosen node-7 and prepares it for the Pod"),
    ],
)
def test_a_nominated_node_is_cleared_only_for_a_pod_that_fits_nowhere(
    conditions: dict[str, Any], what: str
) -> None:
    pod = a_pod(
        phase="Pending",
        spec={"nodeName": ""},
        nominatedNodeName="node-7",
        conditions=conditions,
    )
    assert found(diagnosis(pod), "scheduling")[1].endswith(f"; {what}")


@pytest.mark.parametrize("bound", ["2026-11-21T15:00:00Z", ""])
def test_a_pod_whose_node_does_not_exist_says_so(bound: str) -> None:
    """Without PodScheduled, the Pod was created with spec.nodeName."""
    pod = silent("nowhere", bound)
    told = about(diagnosis(pod), "kubelet")
    assert text_of(told) == "bound to Node nowhere, which does not exist"
    assert told.remedy == (
        "bring back Node nowhere, or make the Pod anew without spec.nodeName: "
        f"kubectl delete pod {pod['metadata']['name']} -n shop"
    )
    told = about(diagnosis(pod, a_node("nowhere")), "kubelet")
    assert text_of(told) == "bound to nowhere, whose kubelet has not taken it up yet"
    assert told.remedy == "kubectl get node nowhere"
    told = about(diagnosis(pod, unseen={"Node": "may not list nodes"}), "kubelet")
    assert text_of(told) == "bound to nowhere, whose kubelet has not taken it up yet"
    assert told.remedy == "kubectl get node nowhere"


def test_a_pod_waits_for_its_kubelet_for_a_moment() -> None:
    """The watch of Nodes may be behind that of Pods."""
    told = about(diagnosis(silent("nowhere", "2026-11-21T15:04:04Z")), "kubelet")
    assert text_of(told) == "bound to nowhere, whose kubelet has not taken it up yet"
    assert (told.verdict, told.remedy) == (WAITING, "")


def silent(node: str, bound: str) -> dict[str, Any]:
    """Return a Pod that no kubelet has reported; it was *bound* then."""
    scheduled = {"PodScheduled": {"status": "True", "lastTransitionTime": bound}}
    conditions = scheduled if bound else {}
    spec = {"nodeName": node}
    return a_pod(container(), phase="Pending", conditions=conditions, spec=spec)


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


def scheduling(
    message: str,
    *others: dict[str, Any],
    unseen: dict[str, str] | None = None,
    requests: dict[str, str] | None = None,
    **spec: Any,
) -> Finding:
    scheduled = {"status": "False", "reason": "Unschedulable", "message": message}
    app = container(resources={"requests": requests or {}})
    pod = a_pod(
        app,
        phase="Pending",
        conditions={"PodScheduled": scheduled},
        spec={"nodeName": "", **spec},
    )
    return about(diagnosis(pod, *others, unseen=unseen), "scheduling")


TAINTED = "0/2 nodes are available: 2 node(s) had untolerated taint(s). not found"


def test_taints_that_the_scheduler_does_not_name_are_read_from_the_nodes() -> None:
    """Since 1.36 its message does not name them."""
    nodes = (
        a_node("a", "dedicated=gpu:NoSchedule"),
        a_node("b", "dedicated=gpu:NoExecute"),
    )
    finding = scheduling(TAINTED, *nodes)
    assert text_of(finding) == (
        "none of 2 nodes fits: had untolerated taint(s) dedicated=gpu:NoSchedule and"
        " dedicated=gpu:NoExecute (2)"
    )
    assert finding.remedy == "tolerate the taint, or remove it from nodes"
    tolerating = [{"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"}]
    finding = scheduling(TAINTED, *nodes, tolerations=tolerating)
    assert "taint(s) dedicated=gpu:NoExecute (2)" in text_of(finding)
    finding = scheduling(TAINTED, unseen={"Node": "may not list nodes"})
    assert text_of(finding) == "none of 2 nodes fits: had untolerated taint(s) (2)"


@pytest.mark.parametrize(
    ("taint", "remedy"),
    [
        (
            "node.kubernetes.io/not-ready:NoSchedule",
            "mend the node, see what is wrong with it: kubectl describe node a",
        ),
        (
            "node.kubernetes.io/memory-pressure:NoSchedule",
            "mend the node, see what is wrong with it: kubectl describe node a",
        ),
        (
            "node.kubernetes.io/out-of-service:NoExecute",
            "mend the node, see what is wrong with it: kubectl describe node a",
        ),
        ("node.kubernetes.io/unschedulable:NoSchedule", "kubectl uncordon a"),
    ],
)
def test_taints_of_broken_nodes_are_not_tolerated(taint: str, remedy: str) -> None:
    assert scheduling(TAINTED, a_node("a", taint)).remedy == remedy


def test_every_obstacle_has_its_remedy_that_of_most_nodes_first() -> None:
    """As a control plane of 1.36 writes it: the taints are not named."""
    message = (
        "0/9 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 2 node(s) "
        "didn't match Pod's node affinity/selector, 5 node(s) had untolerated taint(s)."
    )
    nodes = (
        a_node("a", "dedicated=gpu:NoSchedule"),
        a_node("b", "team=data:NoSchedule"),
        a_node("c", "node.kubernetes.io/not-ready:NoExecute"),
        a_node("d", "node.kubernetes.io/unschedulable:NoSchedule"),
        a_node("e", "node.kubernetes.io/not-ready:NoExecute"),
    )
    finding = scheduling(message, *nodes, nodeSelector={"disk": "ssd"})
    assert finding.remedy == (
        "one of these: "
        "mend the node, see what is wrong with it: kubectl describe node c; "
        "tolerate the taint, or remove it from nodes; "
        "kubectl uncordon d; "
        "label a node, or correct nodeSelector: kubectl get nodes -l disk=ssd; "
        "lower resources.requests of the Pod, or add nodes"
    )


def test_a_taint_of_the_same_domain_may_be_one_that_people_set() -> None:
    finding = scheduling(TAINTED, a_node("a", "node.kubernetes.io/os:NoSchedule"))
    assert finding.remedy == "tolerate the taint, or remove it from nodes"


def cordoned(name: str, *taints: str, **has: Any) -> dict[str, Any]:
    """Return a Node as `kubectl cordon` and the node controller leave it."""
    made = a_node(name, "node.kubernetes.io/unschedulable:NoSchedule", *taints, **has)
    made["spec"]["unschedulable"] = True
    return made


def test_a_cordoned_node_is_named_once_and_not_for_its_taints() -> None:
    message = (
        "0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were "
        "unschedulable. not found"
    )
    a = a_node("a", "dedicated=gpu:NoSchedule")
    finding = scheduling(message, a, cordoned("b", "other:NoSchedule"))
    assert text_of(finding) == (
        "none of 2 nodes fits: had untolerated taint(s) dedicated=gpu:NoSchedule (1),"
        " were unschedulable (1)"
    )
    assert finding.remedy == (
        "one of these: tolerate the taint, or remove it from nodes; kubectl uncordon b"
    )
    # Some Pods may go to cordoned nodes, as those of DaemonSets do.
    own = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}
    finding = scheduling(TAINTED, a, cordoned("b", "x:NoExecute"), tolerations=[own])
    assert "taint(s) dedicated=gpu:NoSchedule and x:NoExecute (2)" in text_of(finding)


def test_a_cordoned_node_is_not_the_one_that_has_most() -> None:
    message = (
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable."
    )
    nodes = a_node("a", cpu="2"), cordoned("b", cpu="96")
    finding = scheduling(message, *nodes, requests={"cpu": "4"})
    assert "(1; it asks for 4, a node has at most 2 left)" in text_of(finding)


OFFER = "add nodes that offer example.com/gpu, or see whether its device plugin runs"


@pytest.mark.parametrize(
    ("has", "taint", "told", "remedy"),
    [
        ({}, "", "it asks for 1, no node offers any", OFFER),
        (
            {"example.com/gpu": "0"},
            "x:NoSchedule",
            "it asks for 1, no node offers any",
            OFFER,
        ),
        (
            {"example.com/gpu": "2"},
            "",
            "it asks for 1",
            "lower resources.requests of the Pod, or add nodes",
        ),
    ],
)
def test_a_device_that_no_node_offers_is_not_to_be_asked_for_less(
    has: dict[str, Any], taint: str, told: str, remedy: str
) -> None:
    message = "0/2 nodes are available: 2 Insufficient example.com/gpu. not found"
    node = a_node("b", *filter(None, [taint]))
    node["status"]["allocatable"] |= has
    wanted = {"cpu": "1", "example.com/gpu": "1"}
    finding = scheduling(message, a_node("a", cpu="4"), node, requests=wanted)
    assert text_of(finding) == (
        f"none of 2 nodes fits: insufficient example.com/gpu (2; {told})"
    )
    assert finding.remedy == remedy
    finding = scheduling(message, requests=wanted, unseen={"Node": "may not list"})
    assert text_of(finding).endswith("insufficient example.com/gpu (2)")


@pytest.mark.parametrize("kept", ["tainted", "cordoned"])
def test_a_device_of_an_unreachable_node_is_no_reason_to_ask_less(kept: str) -> None:
    why, remedy = {
        "tainted": (
            "node(s) had untolerated taint {gpu: only}",
            "tolerate the taint, or remove it from nodes",
        ),
        "cordoned": ("node(s) were unschedulable", "kubectl uncordon b"),
    }[kept]
    node = a_node("b", "gpu:NoSchedule") if kept == "tainted" else cordoned("b")
    node["status"]["allocatable"] |= {"example.com/gpu": "2"}
    finding = scheduling(
        f"0/2 nodes are available: 1 Insufficient example.com/gpu, 1 {why}. not found",
        *(a_node("a", cpu="4"), node),
        requests={"cpu": "1", "example.com/gpu": "1"},
    )
    told = "(1; it asks for 1, only tainted or cordoned nodes offer any)"
    assert f"insufficient example.com/gpu {told}" in text_of(finding)
    assert finding.remedy == remedy


def test_a_device_class_that_does_not_exist_is_to_be_created() -> None:
    finding = scheduling(
        "0/1 nodes are available: request gpu: device class gpu.example.com does not "
        "exist. no new claims to deallocate, preemption: 0/1 nodes are available"
    )
    assert text_of(finding) == (
        "cannot be scheduled: request gpu: device class gpu.example.com does not exist"
    )
    assert finding.remedy == (
        "create DeviceClass gpu.example.com, or ask for one that exists: "
        "kubectl get deviceclass"
    )


def test_a_too_large_request_shows_both_numbers() -> None:
    message = "0/1 nodes are available: 1 Insufficient cpu. not found"
    small, big = a_node("a", cpu="1500m"), a_node("b", cpu="2")
    tainted = a_node("c", "x:NoSchedule", cpu="96")
    other = pod_on("b", cpu="500m")
    finding = scheduling(message, small, big, tainted, other, requests={"cpu": "64"})
    assert text_of(finding) == (
        "the only node does not fit: insufficient cpu (it asks for 64, a node has at"
        " most 1.5 left)"
    )
    unseen = {"Pod": "only those of one namespace"}
    finding = scheduling(message, big, requests={"cpu": "64"}, unseen=unseen)
    assert "(it asks for 64, a node has at most 2)" in text_of(finding)
    finding = scheduling(message, big, requests={"cpu": "1"}, unseen=unseen)
    assert text_of(finding).endswith(
        "(it asks for 1, a node has at most 2, and other Pods take of that)"
    )


def pod_on(node: str, **requests: str) -> dict[str, Any]:
    app = container(resources={"requests": requests})
    return a_pod(app, metadata={"uid": "other", "name": "o"}, spec={"nodeName": node})


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

    message = "0/2 nodes are available: 2 Insufficient memory. not found"
    spec = {
        "initContainers": [asking(*each) for each in init],
        "containers": [asking(each) for each in own],
        **whole,
    }
    finding = scheduling(message, a_node("a", memory="1Mi"), **spec)
    assert f"(2; it asks for {asked}, a node has at most 1Mi left)" in text_of(finding)


@pytest.mark.parametrize(
    ("resource", "asked", "taken", "has", "told"),
    [
        ("cpu", "2", "1999m", "2", "it asks for 2, a node has at most 1m left"),
        ("cpu", "250m", "1876m", "2", "it asks for 250m, a node has at most 124m left"),
        ("cpu", "2.5", "3m", "2.5", "it asks for 2500m, a node has at most 2497m left"),
        ("memory", "4Gi", "1Mi", "4Gi", "asks for 4096Mi, a node has at most 4095Mi"),
        ("memory", "4Gi", "1", "4Gi", "4294967296, a node has at most 4294967295 left"),
        ("memory", "4Gi", "1Gi", "4Gi", "it asks for 4Gi, a node has at most 3Gi left"),
    ],
)
def test_request_and_capacity_never_look_equal(
    resource: str, asked: str, taken: str, has: str, told: str
) -> None:
    message = f"0/1 nodes are available: 1 Insufficient {resource}. not found"
    node, other = a_node("a"), pod_on("a", **{resource: taken})
    node["status"]["allocatable"] = {resource: has}
    finding = scheduling(message, node, other, requests={resource: asked})
    assert told in text_of(finding)


def test_the_label_that_a_topology_spread_misses_is_named() -> None:
    message = (
        "0/2 nodes are available: 2 node(s) didn't match pod topology spread "
        "constraints (missing required label). not found"
    )
    spread = [
        {"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"},
        {"topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule"},
        {"topologyKey": "row", "whenUnsatisfiable": "ScheduleAnyway"},
    ]
    known = a_node("a", labels={"zone": "1"})
    finding = scheduling(message, known, topologySpreadConstraints=spread)
    assert text_of(finding) == (
        "none of 2 nodes fits: didn't match pod topology spread constraints (missing"
        " required label rack) (2)"
    )
    assert finding.remedy == "label the nodes with rack, or correct topologyKey"
    finding = scheduling(message, topologySpreadConstraints=spread)
    assert "(missing required label zone or rack)" in text_of(finding)


def bound(*terms: dict[str, Any], name: str = "local-1") -> list[dict[str, Any]]:
    """Return a PersistentVolume that is tied to nodes, and the claim that has it."""
    required = {"nodeSelectorTerms": list(terms)}
    tied = a_volume(name, "Bound", nodeAffinity={"required": required})
    return [tied, a_claim("Bound", spec={"volumeName": name})]


def needs(key: str, *values: str, operator: str = "In") -> dict[str, Any]:
    expression = {"key": key, "operator": operator, "values": list(values)}
    return {"matchExpressions": [expression]}


HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
MISPLACED = (
    "0/2 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, "
    "1 node(s) were unschedulable. not found"
)


@pytest.mark.parametrize(
    ("terms", "why", "remedy"),
    [
        (
            [needs(HOST, "gone")],
            "tied to node gone, which does not exist",
            "bring back node gone, or use another volume than local-1",
        ),
        (
            [needs(HOST, "gone"), needs(HOST, "lost")],
            "tied to nodes gone and lost, which do not exist",
            "bring back node gone, or use another volume than local-1",
        ),
        ([needs(HOST, "c")], "tied to node c, which is cordoned", "kubectl uncordon c"),
        ([needs(HOST, "a", "c")], "tied to nodes a and c", "kubectl uncordon c"),
        (
            [needs(ZONE, "eu-3")],
            "tied to nodes with topology.kubernetes.io/zone in (eu-3), and there are"
            " none",
            "add a node with 'topology.kubernetes.io/zone in (eu-3)', or use"
            " another volume than local-1",
        ),
    ],
)
def test_a_volume_that_is_tied_to_nodes_is_named_with_them(
    terms: list[dict[str, Any]], why: str, remedy: str
) -> None:
    claims = {"claimName": "data"}
    finding = scheduling(
        MISPLACED,
        a_node("a", labels={HOST: "a", ZONE: "eu-1"}),
        cordoned("b", labels={HOST: "b"}),
        cordoned("c", labels={HOST: "c"}),
        *bound(*terms),
        volumes=[{"name": "data", "persistentVolumeClaim": claims}],
    )
    assert text_of(finding) == (
        "none of 2 nodes fits: didn't match PersistentVolume's node affinity (1;"
        f" PersistentVolume local-1 is {why}), were unschedulable (1)"
    )
    assert finding.remedy == remedy


@pytest.mark.parametrize(
    "terms", [[], [needs(ZONE, "3", operator="Gt")], [{"matchFields": [{"key": "x"}]}]]
)
def test_nodes_of_a_volume_are_named_if_known(terms: list[dict[str, Any]]) -> None:
    its = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
    message = "0/1 nodes are available: 1 node(s) had volume node affinity conflict."
    known = scheduling(message, a_node("a"), *bound(*terms), volumes=its)
    tied, refused = bound(needs(HOST, "x")), {"Node": "may not list"}
    unseen = scheduling(message, *tied, unseen=refused, volumes=its)
    for finding in (known, unseen):
        assert text_of(finding).endswith("had volume node affinity conflict")
        assert finding.remedy == "the volume is in another zone: add a node there"


def test_a_free_volume_on_a_node_that_does_not_exist_is_named() -> None:
    """With WaitForFirstConsumer, the scheduler looks for a volume on each node."""
    free, claim = bound(needs(HOST, "gone"))
    free["spec"] |= {"storageClassName": "local", "accessModes": ["ReadWriteOnce"]}
    free["status"] = {"phase": "Available"}
    claim["spec"] = {"storageClassName": "local", "accessModes": ["ReadWriteOnce"]}
    claim["status"]["phase"] = "Pending"
    finding = scheduling(
        "0/1 nodes are available: 1 node(s) didn't find available persistent volumes "
        "to bind. not found",
        *(a_node("a"), free, claim),
        volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}],
    )
    assert text_of(finding).endswith(
        "(PersistentVolume local-1 is tied to node gone, which does not exist)"
    )


def unqueued(*others: dict[str, Any], **claim: str) -> Diagnosis:
    """Return what is said of a Pod whose ResourceClaim the scheduler waits for."""
    claims = [{"name": "gpu", **claim}]
    spec = {"nodeName": "", "resourceClaims": claims}
    return diagnosis(a_pod(container(), phase="Pending", spec=spec), *others)


def test_an_absent_resource_claim_is_reported() -> None:
    """The scheduler does not take such a Pod up, and says nothing."""
    finding = about(unqueued(resourceClaimName="absent"), "resourceClaim/gpu")
    assert (
        text_of(finding) == "cannot be scheduled: ResourceClaim absent does not exist"
    )
    assert finding.remedy == "create ResourceClaim absent in namespace shop"
    found = unqueued(obj("ResourceClaim", "there"), resourceClaimName="there")
    assert [text_of(each) for each in found.findings] == ["waits for the scheduler"]


def test_an_absent_claim_template_is_reported() -> None:
    refused = reported(
        "FailedResourceClaimCreation",
        'PodResourceClaim gpu: resource claim template "absent": '
        'resourceclaimtemplate.resource.k8s.io "absent" not found',
    )
    claims = [{"name": "gpu", "resourceClaimTemplateName": "absent"}]
    pod = a_pod(
        container(), phase="Pending", spec={"nodeName": "", "resourceClaims": claims}
    )
    unseen = {"ResourceClaimTemplate": "were not asked for"}
    for result in (diagnosis(pod, refused, unseen=unseen), diagnosis(pod)):
        assert text_of(about(result, "resourceClaim/gpu")) == (
            "cannot be scheduled: ResourceClaimTemplate absent does not exist"
        )


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
    for record in History().observe(event):
        seen.observe(record)
    judge_all()
    assert judged == anew
