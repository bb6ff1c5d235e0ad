"""A Service of a recorded rollout, at several moments; and whatever it may hold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.trace.picture import Node
from kubectl_spy.render.findings import text as text_of
from tests.examples import examples
from tests.tracing import diagnosis, found, recorded_trace


def at(seconds: float) -> Node:
    (root,) = recorded_trace("deploy-rollout", "Service/nginx", seconds).picture().roots
    return root


def roles(root: Node) -> dict[str, str]:
    return {each.name: each.role for each in root.children if each.gvk.kind == "Pod"}


@pytest.mark.parametrize(
    ("seconds", "phase", "summary", "pods"),
    [
        (
            2.3,
            "NotReady",
            "0 of 3 Pods ready",
            "0 of 3 Pods ready; nginx-865d967699-h6xfw and 2 more: assigned to "
            "node1, whose kubelet has not reported it yet",
        ),
        (
            3.5,
            "Pending",
            "2 of 3 Pods ready",
            "2 of 3 Pods ready; nginx-865d967699-wz2xs: running, not ready: its "
            "readiness probe (exec cat /www/index.html) has not passed",
        ),
        (10, "Pending", "3 of 3 Pods ready", "3 of 3 Pods ready"),
        (13, "Serving", "3 of 3 Pods ready, 203.0.113.10", "3 of 3 Pods ready"),
        (
            16,
            "Serving",
            "3 of 4 Pods ready, 203.0.113.10",
            "3 of 4 Pods ready; nginx-bc988676b-n7cbl: running, not ready: its "
            "readiness probe (exec cat /www/index.html) has not passed; 2 terminating",
        ),
    ],
)
def test_a_service_shows_its_rollout(
    seconds: float, phase: str, summary: str, pods: str
) -> None:
    root = at(seconds)
    assert (root.phase, root.summary) == (
        phase,
        f"LoadBalancer 10.96.113.227, {summary}",
    )
    assert found(root, "pods")[1] == pods


def test_a_relabelled_pod_leaves_its_service() -> None:
    relabelled = "nginx-bc988676b-n7cbl"
    assert relabelled in roles(at(34))
    assert relabelled not in roles(at(36))


WORDS = st.sampled_from(
    """selector ports port targetPort protocol name clusterIP clusterIPs type ipFamilies
    loadBalancer ingress conditions status containerStatuses containers state waiting
    running reason nodeName labels app ip endpoints addresses rules http paths path
    backend service resource number defaultBackend tls hosts secretName host ready
    podIPs readinessGates externalName nodePort metadata spec""".split()  # noqa: SIM905
)
TEXTS = ["", "None", "web", "ExternalName", "True", "Local", "\x1b[2J"]
JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(TEXTS)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=6)
    ),
    max_leaves=25,
)
PLURALS = {
    "Service": "v1",
    "Pod": "v1",
    "Node": "v1",
    "EndpointSlice": "discovery.k8s.io/v1",
    "Ingress": "networking.k8s.io/v1",
    "IngressClass": "networking.k8s.io/v1",
}


@examples(100)
@given(
    st.lists(st.tuples(st.sampled_from(list(PLURALS)), JUNK, JUNK, JUNK), min_size=1),
    st.sampled_from(["shop", "kube-system"]),
    st.sampled_from(["Service", "Ingress", "EndpointSlice"]),
    st.sampled_from([{"app": "web"}, {"k8s-app": "kube-dns"}, {}]),
)
def test_nothing_that_objects_hold_is_raised_about(
    others: list[tuple[str, Any, Any, Any]], namespace: str, kind: str, labels: Any
) -> None:
    objects = [
        {
            "apiVersion": PLURALS[kind],
            "kind": kind,
            "metadata": {
                "name": "web",
                "namespace": namespace,
                "uid": f"u{number}",
                "resourceVersion": "1",
                "labels": {**labels, "kubernetes.io/service-name": "web"},
                "annotations": junk,
            },
            "spec": spec,
            "status": status,
            "endpoints": junk,
            "ports": spec,
        }
        for number, (kind, spec, status, junk) in enumerate(
            [(kind, *others[0][1:]), *others]
        )
    ]
    of = diagnosis(objects[0], *objects[1:])
    for each in of.findings:
        assert isinstance(text_of(each), str) and len(text_of(each)) < 4000
