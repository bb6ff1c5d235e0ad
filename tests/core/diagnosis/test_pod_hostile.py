"""Whatever a Pod or a claim holds: there is a diagnosis, and it is all text."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.diagnosis.finding import Diagnosis
from kubectl_spy.render.findings import text as text_of
from tests.builders import (
    APP,
    CREATING,
    a_claim,
    a_pod,
    container,
    over,
    reported,
    running,
    waiting,
)
from tests.examples import examples
from tests.tracing import diagnosis

JUNK: Any = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["True", "Always", "2026-11-21T15:00:00Z", "CrashLoopBackOff"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=4) | st.sampled_from(["name", "type", "reason"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)

EVENTS = (
    reported("Failed", 'Failed to pull image "shop/app:2": not found', field=APP),
    reported("FailedMount", 'MountVolume.SetUp failed for volume "a" : it is odd'),
    reported("Unhealthy", "Readiness probe failed: no", field=APP),
    reported(
        "Killing", "Container app failed liveness probe, will be restarted", field=APP
    ),
    reported("NodeNotReady", "Node is not ready"),
)
PROBE = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 5}
WELL_FORMED = (
    a_pod(
        container(
            "app",
            running(),
            last=over(137, "OOMKilled", message="a\nb"),
            restarts=2,
            readinessProbe=PROBE,
            livenessProbe={"exec": {"command": ["true"]}},
            startupProbe={"tcpSocket": {"port": "web"}},
        ),
        container("other", {"terminated": over(1)}),
        init=(container("proxy", running(), restartPolicy="Always"),),
        conditions={
            "Ready": "False",
            "ContainersReady": "True",
            "DisruptionTarget": {"status": "True", "reason": "r", "message": "m"},
            "PodResizePending": {"status": "True", "reason": "Infeasible"},
        },
        spec={"readinessGates": [{"conditionType": "x"}], "restartPolicy": "Never"},
    ),
    a_pod(
        container(
            "app", waiting("CrashLoopBackOff", "back-off 5s restarting"), restarts=1
        ),
        container("other", waiting("ImagePullBackOff", 'Back-off pulling image "x"')),
        metadata={
            "deletionTimestamp": "2026-11-21T15:00:00Z",
            "deletionGracePeriodSeconds": 30,
            "finalizers": ["a", "b"],
        },
    ),
    a_pod(
        container("app", waiting("ContainerCreating")),
        phase="Pending",
        conditions=CREATING,
        spec={
            "volumes": [
                {"name": "a", "persistentVolumeClaim": {"claimName": "data"}},
                {"name": "b", "ephemeral": {"x": 1}},
            ]
        },
    ),
    a_pod(
        phase="Pending",
        conditions={
            "PodScheduled": {
                "status": "False",
                "reason": "Unschedulable",
                "message": "0/3 nodes are available: 3 node(s) didn't match Pod's node "
                "affinity/selector.",
            }
        },
        spec={
            "nodeName": "",
            "nodeSelector": {"disk": "ssd"},
            "schedulingGates": [{"name": "g"}],
        },
    ),
    a_pod(phase="Failed", reason="Evicted", message="The node was low on resource"),
    a_claim(
        "Bound",
        conditions=({"type": "Resizing", "status": "True"},),
        capacity={"storage": "1Gi"},
        allocatedResourceStatuses={"storage": "x"},
    ),
    a_claim(
        metadata={
            "deletionTimestamp": "2026-11-21T15:00:00Z",
            "finalizers": ["kubernetes.io/pvc-protection"],
        }
    ),
)

CHECKED = {"uid", "name", "namespace", "resourceVersion"}
"""Members of metadata that are text, or `is_object` of the watch refuses the object."""


def check(result: Diagnosis) -> None:
    assert isinstance(result.phase, str) and result.phase
    assert "\n" not in result.summary
    for each in result.findings:
        assert isinstance(text_of(each), str) and text_of(each)
        assert "\n" not in text_of(each) + each.remedy
        assert len(text_of(each)) < 1000


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the ways to everything in *value* but what makes it that object."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    found = [path] if len(path) > 1 or path in (("spec",), ("status",)) else []
    for key, each in items:
        if path != ("metadata",) or key not in CHECKED:
            found += places(each, (*path, key))
    return found


@examples(300)
@given(data=st.data())
def test_wrong_types_stop_no_diagnosis(data: st.DataObject) -> None:
    document = copy.deepcopy(data.draw(st.sampled_from(WELL_FORMED)))
    for _ in range(data.draw(st.integers(1, 4))):
        *way, last = data.draw(st.sampled_from(places(document)))
        within: Any = document
        for key in way:
            within = within[key]
        within[last] = data.draw(JUNK)
    others = [each for each in WELL_FORMED[5:6] if each["kind"] != document["kind"]]
    check(diagnosis(document, *EVENTS, *others))


@examples(100)
@given(spec=JUNK, status=JUNK, kind=st.sampled_from(["Pod", "PersistentVolumeClaim"]))
def test_no_junk_stops_a_diagnosis(spec: Any, status: Any, kind: str) -> None:
    document = a_pod() | {"kind": kind, "spec": spec, "status": status}
    check(diagnosis(document, *EVENTS))


@examples(200)
@given(
    message=st.text(max_size=60)
    | st.sampled_from(["", '"', "0/1 nodes are available: ", "lookup : no such host"]),
    reason=st.sampled_from(
        [
            "ErrImagePull",
            "InvalidImageName",
            "CrashLoopBackOff",
            "RunContainerError",
            "X",
        ]
    ),
)
def test_no_message_stops_a_diagnosis(message: str, reason: str) -> None:
    scheduled = {"status": "False", "reason": "Unschedulable", "message": message}
    unscheduled = a_pod(
        phase="Pending", conditions={"PodScheduled": scheduled}, spec={"nodeName": ""}
    )
    check(diagnosis(unscheduled))
    refused = a_pod(container(state=waiting(reason, message)), phase="Pending")
    reports = [
        reported(kind, message, field=field)
        for kind, field in (
            ("FailedMount", ""),
            ("FailedCreatePodSandBox", ""),
            ("Failed", APP),
            ("Unhealthy", APP),
        )
    ]
    check(diagnosis(refused, *reports))
    creating = container(state=waiting("ContainerCreating"))
    pending = a_pod(creating, phase="Pending", conditions=CREATING)
    check(diagnosis(pending, *reports))


def test_a_message_of_maximal_length_is_read_quickly() -> None:
    for piece in (" ", "0/1 nodes are available: ", 'x "', ": ", "lookup a ", "1, "):
        message = "0/9 nodes are available: " + piece * (500_000 // len(piece))
        scheduled = {"status": "False", "reason": "Unschedulable", "message": message}
        told = {"PodScheduled": scheduled}
        check(diagnosis(a_pod(conditions=told, spec={"nodeName": ""})))
        for reason in (
            "ErrImagePull",
            "CreateContainerConfigError",
            "CrashLoopBackOff",
        ):
            check(diagnosis(a_pod(container(state=waiting(reason, message)))))
        check(diagnosis(a_pod(), reported("FailedMount", message)))
