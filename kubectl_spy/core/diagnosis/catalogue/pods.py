"""Facts about Pods as a whole: their place, their volumes, their end."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.catalogue.code import Code, Verdict

OK, WAITING, UNKNOWN = Verdict.OK, Verdict.WAITING, Verdict.UNKNOWN
_SCHEDULING = "https://kubernetes.io/docs/concepts/scheduling-eviction/"
_VOLUMES = "https://kubernetes.io/docs/concepts/storage/volumes/"
_DISRUPTIONS = (
    "https://kubernetes.io/docs/concepts/workloads/pods/disruptions/"
    "#pod-disruption-conditions"
)
_LIFECYCLE = "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/"
_LATER = (
    "[; other Pods are being removed from {nominated} to make room"
    "|; the scheduler has chosen {chosen} and prepares it for the Pod]"
)

MISSING = (
    Code(
        "ObjectMissing",
        "{kind} {name} does not exist",
        remedy="create {kind} {name}[ in namespace {namespace}]",
    ),
    Code(
        "KeyMissing",
        "[{kind} {name}|its {kind}] has no key {key}"
        "[; it has {near}|; it has {there}|; it has {others} others"
        "|; it is empty{empty!}]",
        remedy="[add the key {key} to {kind} {name}[ in namespace {namespace}]"
        "|add the key {key}, or do not mount it]",
        page="https://kubernetes.io/docs/concepts/configuration/configmap/",
    ),
)

SCHEDULING = (
    Code(
        "Unschedulable",
        "[cannot be scheduled: {missing}|no node fits: {message}"
        "|cannot be scheduled: {own,, }"
        "|the only node does not fit{only!}[: {reasons,, }]"
        "|none of {nodes} nodes fits[: {reasons,, }]"
        "|no node fits: the scheduler does not say why]" + _LATER,
        WAITING,
        blames="scheduling",
        explains=("FailedScheduling", "NotTriggerScaleUp"),
        page=_SCHEDULING,
        grace=0.0,
    ),
    Code(
        "NoNodes",
        "the cluster has no nodes" + _LATER,
        WAITING,
        blames="scheduling",
        explains=("FailedScheduling",),
        grace=0.0,
    ),
    Code(
        "NodesRefuse",
        "{why}[ {taints~3}][ ({nodes}; {notes,; })| ({nodes})| ({notes,; })]",
        WAITING,
    ),
    Code(
        "RequestTooLarge",
        "it asks for {asked}, a node has at most {has}[ left{left!}]",
        WAITING,
    ),
    Code("RequestFits", "it asks for {asked}", WAITING),
    Code(
        "RequestTaken",
        "it asks for {asked}, a node has at most {has}, and other Pods take of that",
        WAITING,
    ),
    Code("ResourceNotOffered", "it asks for {asked}, no node offers any", WAITING),
    Code(
        "ResourceOutOfReach",
        "it asks for {asked}, only tainted or cordoned nodes offer any",
        WAITING,
    ),
    Code(
        "VolumeTied",
        "PersistentVolume {volume} is tied to {nodes node~3}"
        "[, which {nodes#is|are} cordoned{cordoned!}]",
        WAITING,
        page="https://kubernetes.io/docs/concepts/storage/persistent-volumes/#node-affinity",
    ),
    Code(
        "VolumeNodesGone",
        "PersistentVolume {volume} is tied to {nodes node~3}, which "
        "{nodes#does|do} not exist",
        WAITING,
    ),
    Code(
        "VolumeNodesNone",
        "PersistentVolume {volume} is tied to nodes with {wanted}, and there are none",
        WAITING,
    ),
    Code(
        "SchedulingGated",
        "held back[ by {gates scheduling gate}]" + _LATER,
        WAITING,
        remedy="its controller removes the gate from spec.schedulingGates",
        blames="scheduling",
        page=f"{_SCHEDULING}pod-scheduling-readiness/",
    ),
    Code(
        "NotScheduled",
        "not scheduled: {message}" + _LATER,
        WAITING,
        blames="scheduling",
        grace=0.0,
    ),
    Code(
        "WaitsForScheduler",
        "waits for the scheduler[ that is named {scheduler} (spec.schedulerName)]"
        + _LATER,
        WAITING,
        blames="scheduling",
    ),
    Code(
        "ResourceClaimRefused",
        "its ResourceClaim {name} cannot be created: {message}",
        WAITING,
    ),
    Code(
        "KubeletSilent",
        "bound to {node}, whose kubelet has not taken it up yet",
        WAITING,
        blames="scheduling",
        grace=0.0,
    ),
    Code(
        "NodeMissing",
        "bound to Node {node}, which does not exist",
        WAITING,
        blames="scheduling",
        page=f"{_SCHEDULING}assign-pod-node/#nodename",
        grace=0.0,
    ),
)

VOLUMES = (
    Code(
        "ClaimNotBound",
        "PersistentVolumeClaim {claim} is {phase}[: {why}]",
        WAITING,
        blames="configuration",
        page="https://kubernetes.io/docs/concepts/storage/persistent-volumes/",
    ),
    Code(
        "MountTimedOut",
        "[{volumes volume} could not be mounted in time|{message}]",
        blames="configuration",
        explains=("FailedMount",),
        page=_VOLUMES,
    ),
    Code(
        "VolumeInUse",
        "it is attached to another node[: {message}]",
        remedy="it is free when the Pod that used it before is gone",
        blames="configuration",
        explains=("FailedAttachVolume",),
        page=_VOLUMES,
    ),
    Code(
        "CSIDriverMissing",
        "the CSI driver {driver} does not run on [{node}|the node]",
        blames="configuration",
        explains=("FailedMount", "FailedAttachVolume", "FailedMapVolume"),
        page="https://kubernetes-csi.github.io/docs/node-driver-registrar.html",
    ),
    Code(
        "AttachFailed",
        "cannot be attached[: {message}]",
        blames="configuration",
        explains=("FailedAttachVolume",),
        page=_VOLUMES,
    ),
    Code(
        "MountFailed",
        "cannot be mounted[: {message}]",
        blames="configuration",
        explains=("FailedMount", "FailedMapVolume"),
        page=_VOLUMES,
    ),
    Code(
        "NetworkMissing",
        "the Pod gets no network[: {message}]",
        explains=("FailedCreatePodSandBox", "NetworkNotReady"),
    ),
    Code(
        "SandboxFailed",
        "the Pod's sandbox cannot be created[: {message}]",
        explains=("FailedCreatePodSandBox",),
    ),
)

_WHY = "[: {message}]"
ENDS = (
    Code(
        "Evicted",
        "evicted by its node" + _WHY,
        explains=("Evicted",),
        page=f"{_SCHEDULING}node-pressure-eviction/",
    ),
    Code("DeadlineExceeded", "ran longer than activeDeadlineSeconds allows" + _WHY),
    Code("PreemptedByNode", "removed for a Pod that the node needs more" + _WHY),
    Code("NodeShutDown", "ended, for its node was shut down" + _WHY),
    Code("NodeLost", "its node does not answer any more" + _WHY),
    Code(
        "NodeAffinityRefused",
        "its node refused it: the labels do not fit any more" + _WHY,
        blames="scheduling",
    ),
    Code("NodeRefused", "its node refused it" + _WHY, blames="scheduling"),
    Code(
        "NodeOutOf",
        "its node refused it: out of {resource}" + _WHY,
        blames="scheduling",
    ),
    Code("PodFailed", "{reason}" + _WHY),
    Code(
        "Preempted",
        "[preempted by {by} on node {node}|preempted: {said}"
        "|preempted: a Pod of higher priority needs its place" + _WHY + "]",
        WAITING,
        explains=("Preempted",),
        page=f"{_SCHEDULING}pod-priority-preemption/",
    ),
    Code(
        "TaintEviction",
        "removed for a taint of its node" + _WHY,
        WAITING,
        explains=("TaintManagerEviction",),
        page=f"{_SCHEDULING}taint-and-toleration/",
    ),
    Code(
        "EvictedByRequest",
        "evicted through the API, as by kubectl drain" + _WHY,
        WAITING,
        page=f"{_SCHEDULING}api-eviction/",
    ),
    Code("NodeGone", "removed because its node is gone" + _WHY, WAITING),
    Code(
        "EndedByNode",
        "ended by its node: eviction, shutdown or preemption" + _WHY,
        WAITING,
    ),
    Code("ToBeRemoved", "about to be removed ({reason})" + _WHY, WAITING),
    Code(
        "PodEnd",
        "[{reason}[, {containers,, }]|{containers,, }][ ({pods Pod})]",
    ),
    Code("ContainerEnd", "container {container}: [{reason}, ]exit code {exit}"),
    Code(
        "GracePeriodOver",
        "still there after its grace period of {grace}s"
        "[: node {node} may be unreachable]",
        explains=("FailedKillPod",),
        page=f"{_LIFECYCLE}#pod-termination",
    ),
    Code(
        "PodDeleting",
        "being deleted[, may take {grace}s (as the deletion asks for{asked!}): "
        "{waits, and }|, may take {grace}s (terminationGracePeriodSeconds): "
        "{waits, and }][, but its node cannot stop it: {stuck}]"
        "[, held by {finalizers finalizer}]",
        WAITING,
        explains=("Killing", "FailedKillPod"),
        page=f"{_LIFECYCLE}#pod-termination",
    ),
    Code(
        "StopsOnSignal", "container {container} runs until it ends on SIGTERM", WAITING
    ),
    Code(
        "PreStopHook",
        "container {container} has a preStop hook[ ({hook})] that runs first",
        WAITING,
        page="https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/",
    ),
)

STATES = (
    Code(
        "NodeNotReady",
        "node {node} is not ready" + _WHY,
        explains=("NodeNotReady",),
        page="https://kubernetes.io/docs/concepts/architecture/nodes/#condition",
    ),
    Code(
        "ReadinessGateUnmet",
        "not ready: readiness gate {gate} is not met"
        "[, nobody has set that condition{unset!}|: {message}]",
        WAITING,
        page=f"{_LIFECYCLE}#pod-readiness-gate",
        grace=60.0,
    ),
    Code(
        "ResizeInfeasible",
        "its new resources are impossible on its node" + _WHY,
        remedy="ask for resources that a node has",
    ),
    Code(
        "ResizePending",
        "its new resources must wait until the node has them" + _WHY,
        WAITING,
    ),
    Code(
        "ResizeFailed",
        "its new resources cannot be given to it" + _WHY,
        remedy="ask for resources that a node has",
    ),
    Code("Resizing", "its new resources are being given to it" + _WHY, WAITING),
    Code(
        "NodeMarkedUnready",
        "not ready: the node controller marked it, as {node} was not ready",
        WAITING,
    ),
    Code(
        "SidecarOutlives",
        "{done container} {done#has|have} ended, and {left container} "
        "{left#keeps|keep} the Pod from being complete",
        WAITING,
        remedy="make it a sidecar: an init container with restartPolicy Always",
        grace=60.0,
        blames="container",
        page="https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/",
    ),
    Code("PodNotReady", "[{phase}|not ready[: {reason}]]", WAITING),
    Code("EventsUnseen", "unknown: {why}, and Events may say why", UNKNOWN),
)
