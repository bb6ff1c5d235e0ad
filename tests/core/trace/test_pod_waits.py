"""What a Pod waits for: a node, volumes, a sandbox, probes, gates, resources."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.trace.picture import Diagnosis, Finding, Verdict
from tests.core.trace.pods import (
    APP,
    CREATING,
    READY,
    STARTED,
    UNREADY,
    a_pod,
    container,
    event,
    running,
    waiting,
)
from tests.tracing import diagnosis, found

OK, WAITING, FAILING = Verdict.OK, Verdict.WAITING, Verdict.FAILING
NOT_ALLOWED = {"Event": "may not list events in namespace shop"}


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
            "tolerate the taint, or remove it from nodes",
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
            "add nodes, or let some Pods go",
        ),
        (
            "0/2 nodes are available: pod has unbound immediate "
            "PersistentVolumeClaims. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful.",
            "none of 2 nodes fits: pod has unbound immediate PersistentVolumeClaims",
            "look at the Pod's PersistentVolumeClaims",
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
def test_the_scheduler_s_message_is_distilled_into_its_parts(
    message: str, text: str, remedy: str
) -> None:
    result = unscheduled(message)
    finding = about(result, "scheduling")
    assert (finding.text, finding.remedy) == (text, remedy)
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


def test_other_answers_and_other_schedulers_are_told() -> None:
    assert found(
        unscheduled("running PreBind: oh", "SchedulerError"), "scheduling"
    ) == (
        WAITING,
        "not scheduled: running PreBind: oh",
    )
    pod = a_pod(phase="Pending", spec={"nodeName": "", "schedulerName": "batch"})
    assert found(diagnosis(pod), "scheduling")[1] == "waits for the scheduler batch"


def test_the_node_that_is_being_cleared_for_it_is_named() -> None:
    pod = a_pod(phase="Pending", spec={"nodeName": ""}, nominatedNodeName="node-7")
    assert found(diagnosis(pod), "scheduling")[1] == (
        "waits for the scheduler; other Pods are being removed from node-7 to make room"
    )


def creating(*events: dict[str, Any], **spec: Any) -> Diagnosis:
    app = container(state=waiting("ContainerCreating"))
    pod = a_pod(app, phase="Pending", conditions=CREATING, spec=spec)
    return diagnosis(pod, *events)


@pytest.mark.parametrize(
    ("reason", "message", "what", "verdict", "text"),
    [
        (
            "FailedMount",
            'MountVolume.SetUp failed for volume "tls" : secret "tls-web" not found',
            "volume/tls",
            FAILING,
            "Secret tls-web does not exist",
        ),
        (
            "FailedMount",
            'MountVolume.SetUp failed for volume "cfg" : configmap references '
            "non-existent config key: app.conf",
            "volume/cfg",
            FAILING,
            "its ConfigMap has no key app.conf",
        ),
        (
            "FailedMount",
            'MountVolume.SetUp failed for volume "cfg" : failed to sync '
            "configmap cache: "
            "timed out waiting for the condition",
            "volume/cfg",
            WAITING,
            "cannot be mounted: failed to sync configmap cache: "
            "timed out waiting for the condition",
        ),
        (
            "FailedMount",
            "Unable to attach or mount volumes: unmounted volumes=[a b], unattached "
            "volumes=[a b], failed to process volumes=[]: timed out waiting for the "
            "condition",
            "volumes",
            FAILING,
            "volume a and b could not be mounted in time",
        ),
        (
            "FailedAttachVolume",
            'AttachVolume.Attach failed for volume "pvc-1" : rpc error: no such disk',
            "volume/pvc-1",
            FAILING,
            "cannot be attached: rpc error: no such disk",
        ),
        (
            "FailedAttachVolume",
            'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) '
            "web-1",
            "volume/pvc-1",
            FAILING,
            "it is attached to another node: Volume is already used by pod(s) web-1",
        ),
        (
            "FailedCreatePodSandBox",
            "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to "
            'setup network for sandbox "4f1c": plugin type="calico" failed (add): no '
            "address",
            "sandbox",
            FAILING,
            'the Pod gets no network: plugin type="calico" failed (add): no address',
        ),
        (
            "FailedCreatePodSandBox",
            "Failed to create pod sandbox: rpc error: code = Unknown desc = no space",
            "sandbox",
            FAILING,
            "the Pod's sandbox cannot be created: no space",
        ),
        (
            "NetworkNotReady",
            "network is not ready: container runtime network not ready: "
            "NetworkReady=false reason:NetworkPluginNotReady message:Network plugin "
            "returns error: cni plugin not initialized",
            "sandbox",
            FAILING,
            "the Pod gets no network: Network plugin returns error: cni plugin not "
            "initialized",
        ),
    ],
)
def test_what_keeps_containers_from_being_created_is_told(
    reason: str, message: str, what: str, verdict: Verdict, text: str
) -> None:
    result = creating(event(reason, message))
    assert found(result, what) == (verdict, text)
    assert result.verdict is verdict


def test_the_cause_is_told_instead_of_the_time_out_that_it_leads_to() -> None:
    result = creating(
        event("FailedMount", 'MountVolume.SetUp failed for volume "a" : it is odd'),
        event(
            "FailedMount", "Unable to attach or mount volumes: unmounted volumes=[a]"
        ),
    )
    assert [each.about for each in result.findings] == ["volume/a", "container/app"]


def test_what_was_in_the_way_is_past_when_the_sandbox_is_there() -> None:
    app = container(state=waiting("ContainerCreating"))
    ready = CREATING | {"PodReadyToStartContainers": "True"}
    pod = a_pod(app, phase="Pending", conditions=ready)
    mount = event("FailedMount", 'MountVolume.SetUp failed for volume "a" : it is odd')
    assert [each.about for each in diagnosis(pod, mount).findings] == ["container/app"]
    pulling = event("Pulling", 'Pulling image "shop/app:2"', field=APP, kind="Normal")
    assert [each.text for each in creating(mount, pulling).findings] == [
        "pulling image shop/app:2"
    ]


def test_without_the_right_to_events_it_is_said_once_that_the_reason_is_unknown() -> (
    None
):
    app, side = (container(each, waiting("ContainerCreating")) for each in ("app", "b"))
    pod = a_pod(app, side, phase="Pending", conditions=CREATING)
    result = diagnosis(pod, unseen=NOT_ALLOWED)
    assert [
        each.about for each in result.findings if each.verdict is Verdict.UNKNOWN
    ] == ["events"]
    up = a_pod(container(state=running(), ready=True), conditions=READY)
    assert len(diagnosis(up, unseen=NOT_ALLOWED).findings) == 1


def claim(**status: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "data-web-0",
            "namespace": "shop",
            "uid": "claim-uid",
            "resourceVersion": "1",
        },
        "spec": {"storageClassName": "fast", "volumeName": status.pop("volume", "")},
        "status": status,
    }


VOLUMES = [
    {"name": "data", "persistentVolumeClaim": {"claimName": "data-web-0"}},
    {"name": "cache", "emptyDir": {}},
]


def test_a_claim_that_is_not_bound_is_a_child_and_a_finding_with_its_reason() -> None:
    failed = event(
        "ProvisioningFailed",
        'storageclass.storage.k8s.io "fast" not found',
        about="claim-uid",
    )
    result = creating(claim(phase="Pending"), failed, nodeName="", volumes=VOLUMES)
    assert result.children is not None
    assert [(each.uid, each.role) for each in result.children] == [
        ("claim-uid", "volume data")
    ]
    assert found(result, "volume/data") == (
        FAILING,
        "PersistentVolumeClaim data-web-0 is Pending: StorageClass fast does not exist",
    )


def test_a_time_out_that_names_no_volumes_is_told_as_it_is() -> None:
    result = creating(event("FailedMount", "it took too long"))
    assert found(result, "volumes") == (FAILING, "it took too long")


def test_a_claim_that_is_bound_or_not_seen_is_not_spoken_of() -> None:
    bound = creating(claim(phase="Bound"), volumes=VOLUMES)
    unseen = creating(volumes=[*VOLUMES, {"name": "tmp", "ephemeral": {"x": 1}}])
    for result in (bound, unseen):
        assert result.children == ()
        assert [each.about for each in result.findings] == ["container/app"]


def test_a_volume_is_called_as_the_pod_calls_it() -> None:
    failed = event(
        "FailedAttachVolume", 'AttachVolume.Attach failed for volume "pvc-1" : no disk'
    )
    bound = claim(phase="Bound", volume="pvc-1")
    other = failed | {"message": failed["message"].replace("pvc-1", "pvc-2")}
    about = [each.about for each in creating(bound, other, volumes=VOLUMES).findings]
    assert about[0] == "volume/pvc-2"
    assert found(creating(bound, failed, volumes=VOLUMES), "volume/data") == (
        FAILING,
        "cannot be attached: no disk",
    )


READINESS = {"httpGet": {"path": "/ready", "port": "web"}, "periodSeconds": 5}


def probed(*events: dict[str, Any], **spec: Any) -> Diagnosis:
    app = container(state=running(), started=spec.pop("started", True), **spec)
    return diagnosis(a_pod(app, conditions=UNREADY), *events)


@pytest.mark.parametrize(
    ("at", "verdict"),
    [("2026-11-21T15:00:10Z", WAITING), ("2026-11-21T15:00:20Z", FAILING)],
)
def test_a_readiness_probe_fails_once_its_patience_from_the_start_is_over(
    at: str, verdict: Verdict
) -> None:
    unhealthy = event(
        "Unhealthy",
        "Readiness probe failed: HTTP probe failed with statuscode: 503",
        field=APP,
        first=at,
    )
    result = probed(unhealthy, readinessProbe=READINESS)
    assert found(result, "container/app") == (WAITING, "running, not ready")
    assert found(result, "probe/app/readiness") == (
        verdict,
        "readiness probe (GET :web/ready) failed: HTTP 503",
    )
    assert result.verdict is verdict


def test_a_probe_that_failed_before_the_container_was_started_is_past() -> None:
    old = event(
        "Unhealthy",
        "Readiness probe failed: no",
        field=APP,
        first="2026-11-21T14:59:59Z",
    )
    assert [each.text for each in probed(old, readinessProbe=READINESS).findings] == [
        "running, not ready: its readiness probe (GET :web/ready) has not passed"
    ]


def test_a_probe_of_which_nothing_is_known_is_named_by_its_kind() -> None:
    unhealthy = event("Unhealthy", "Readiness probe errored: no shell", field=APP)
    odd = running(startedAt="long ago")
    app = container(state=odd, started=True, readinessProbe={"later": {}})
    result = diagnosis(a_pod(app, conditions=UNREADY), unhealthy)
    assert found(result, "probe/app/readiness") == (
        WAITING,
        "readiness probe failed: no shell",
    )


@pytest.mark.parametrize(
    ("probe", "asked"),
    [
        ({"tcpSocket": {"port": 5432}}, "TCP :5432"),
        ({"grpc": {"port": 9000, "service": "health"}}, "gRPC :9000 health"),
        ({"exec": {"command": ["cat", "/ok"]}}, "exec cat /ok"),
        ({"httpGet": {"port": 443, "scheme": "HTTPS"}}, "HTTPS GET :443/"),
    ],
)
def test_a_startup_probe_is_what_a_container_waits_for_first(
    probe: dict[str, Any], asked: str
) -> None:
    result = probed(startupProbe=probe, readinessProbe=READINESS, started=False)
    assert found(result, "container/app") == (
        WAITING,
        f"running, not ready: its startup probe ({asked}) has not passed",
    )


def test_a_container_that_is_given_up_by_its_startup_probe_is_failing() -> None:
    failed = event("Unhealthy", "Startup probe failed: no", field=APP)
    killing = event(
        "Killing",
        "Container app failed startup probe, will be restarted",
        field=APP,
        kind="Normal",
    )
    probe = {"tcpSocket": {"port": 80}}
    result = probed(failed, killing, startupProbe=probe, started=False)
    assert result.verdict is FAILING
    assert found(result, "probe/app/startup") == (
        FAILING,
        "startup probe (TCP :80) failed: no; the container is being restarted for it",
    )


def test_a_readiness_gate_that_is_not_met_is_named() -> None:
    up = container(state=running(), ready=True)
    kind = "example.com/load-balancer"
    spec = {"readinessGates": [{"conditionType": kind}]}
    conditions = UNREADY | {"ContainersReady": "True"}
    absent = diagnosis(a_pod(up, conditions=conditions, spec=spec))
    assert found(absent, f"gate/{kind}") == (
        WAITING,
        f"not ready: readiness gate {kind} is not met, nobody has set that condition",
    )
    told = conditions | {kind: {"status": "False", "message": "not registered"}}
    unmet = diagnosis(a_pod(up, conditions=told, spec=spec))
    assert found(unmet, f"gate/{kind}")[1].endswith("is not met: not registered")
    silent = diagnosis(a_pod(up, conditions=conditions | {kind: "False"}, spec=spec))
    assert found(silent, f"gate/{kind}")[1].endswith("is not met")
    met = diagnosis(a_pod(up, conditions=READY | {kind: "True"}, spec=spec))
    assert (met.verdict, len(met.findings)) == (OK, 1)


@pytest.mark.parametrize(
    ("kind", "reason", "verdict", "text"),
    [
        ("PodResizePending", "Deferred", OK, "must wait until the node has them"),
        ("PodResizePending", "Infeasible", FAILING, "are impossible on its node"),
        ("PodResizeInProgress", "", OK, "are being given to it"),
        ("PodResizeInProgress", "Error", FAILING, "cannot be given to it"),
    ],
)
def test_a_resize_in_place_is_told(
    kind: str, reason: str, verdict: Verdict, text: str
) -> None:
    up = container(state=running(), ready=True)
    resize = {"status": "True", "reason": reason, "message": "m"}
    result = diagnosis(a_pod(up, conditions=READY | {kind: resize}))
    assert result.verdict is verdict
    assert found(result, "resize")[1] == f"its new resources {text}: m"


def test_a_running_pod_says_since_when() -> None:
    up = container(state=running(startedAt="2026-11-21T15:00:05Z"), ready=True)
    result = diagnosis(a_pod(up, conditions=READY))
    pending = diagnosis(a_pod(phase="Pending", metadata={"creationTimestamp": STARTED}))
    assert result.since is not None and pending.since is not None
    assert result.since - pending.since == 5
