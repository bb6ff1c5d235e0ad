"""What an object refers to, what is missing of it, and who makes it."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding, Verdict
from kubectl_spy.core.times import rfc3339
from kubectl_spy.knowledge.form import NOTHING, Kind, kind_of
from kubectl_spy.knowledge.references import Named, named_by
from tests.builders import a_pod, container, obj, waiting
from tests.tracing import START, diagnosis

OLD = {"creationTimestamp": rfc3339(START - 3600)}
WAITS = [{"type": "Ready", "status": "False", "reason": "Waiting"}]
READY = [{"type": "Ready", "status": "True"}]


def made(kind: str, name: str, version: str, **members: Any) -> dict[str, Any]:
    return obj(kind, name, metadata=OLD, **members) | {"apiVersion": version}


def claim(*conditions: dict[str, str]) -> dict[str, Any]:
    reference = {"apiVersion": "example.com/v1", "kind": "Widget", "name": "w1"}
    spec = {"resourceRef": reference}
    return made(
        "Claim", "c", "shop.io/v1", spec=spec, status={"conditions": list(conditions)}
    )


def widget(**status: Any) -> dict[str, Any]:
    return obj("Widget", "w1", metadata=OLD, spec={}, status=status)


def test_what_an_object_names_is_below_it_and_counts_while_it_does_not_work() -> None:
    for conditions, counts in ((WAITS, True), (READY, False)):
        said = diagnosis(claim(*conditions), widget(phase="Failed"))
        assert said.children is not None
        assert [(it.role, it.counts) for it in said.children] == [
            ("spec.resourceRef", counts)
        ]


def test_what_only_looks_like_a_reference_is_not_missed() -> None:
    said = diagnosis(claim(*WAITS))
    assert (said.children, [it.about for it in said.findings]) == (
        None,
        ["condition/Ready"],
    )


def certificate(*conditions: dict[str, str]) -> dict[str, Any]:
    spec = {"secretName": "tls", "issuerRef": {"name": "le"}}
    status = {"conditions": list(conditions)}
    return made("Certificate", "www", "cert-manager.io/v1", spec=spec, status=status)


def missing(said: Diagnosis) -> Finding | None:
    about = (it for it in said.findings if it.about.startswith("reference/"))
    return next(about, None)


def api_service(*conditions: dict[str, str]) -> dict[str, Any]:
    service = {"service": {"name": "metrics", "namespace": "shop"}}
    return made(
        "APIService",
        "v1.metrics",
        "apiregistration.k8s.io/v1",
        spec=service,
        status={"conditions": list(conditions)},
    )


UNAVAILABLE = {"type": "Available", "status": "False", "reason": "ServiceNotFound"}


def test_what_does_not_exist_is_a_failure_of_who_cannot_work_without_it() -> None:
    found = missing(diagnosis(api_service(UNAVAILABLE)))
    assert found is not None and found.verdict is Verdict.FAILING
    assert found.about == "reference/Service/metrics"
    available = {"type": "Available", "status": "True"}
    found = missing(diagnosis(api_service(available)))
    assert found is not None and found.verdict is Verdict.WARNING


def test_nothing_is_missed_where_not_everything_was_seen() -> None:
    unseen = {"Service": "services may not be listed"}
    assert missing(diagnosis(api_service(UNAVAILABLE), unseen=unseen)) is None
    assert missing(diagnosis(certificate(*WAITS))) is None  # Issuers are not watched


OF_TLS = {"target": {"name": "tls"}}
WANTING = a_pod(
    container(state=waiting("CreateContainerConfigError", 'secret "tls" not found')),
    phase="Pending",
)


@pytest.mark.parametrize(
    ("maker", "printed"),
    [
        (certificate(*WAITS), "certificate.cert-manager.io/www"),
        (
            made("SealedSecret", "tls", "bitnami.com/v1alpha1", spec={}),
            "sealedsecret.bitnami.com/tls",
        ),
        (
            made("ExternalSecret", "vault", "external-secrets.io/v1", spec=OF_TLS),
            "externalsecret.external-secrets.io/vault",
        ),
    ],
)
def test_the_remedy_of_a_missing_secret_asks_its_maker(
    maker: dict[str, Any], printed: str
) -> None:
    remedies = [str(it.remedy) for it in diagnosis(WANTING, maker).findings]
    assert any(f"kubectl spy trace {printed}" in each for each in remedies)
    alone = [str(it.remedy) for it in diagnosis(WANTING).findings]
    assert any("create Secret tls" in each for each in alone)


@pytest.mark.parametrize(
    ("metadata", "word"),
    [
        ({"labels": {"kueue.x-k8s.io/queue-name": "batch"}}, "LocalQueue batch"),
        ({"labels": {"argocd.argoproj.io/instance": "shop"}}, "Application shop"),
        ({"annotations": {"argocd.argoproj.io/tracking-id": "a:b/C:d/e"}}, "on a,"),
        (
            {"labels": {"kustomize.toolkit.fluxcd.io/name": "apps"}},
            "Kustomization apps",
        ),
        ({"labels": {"helm.toolkit.fluxcd.io/name": "web"}}, "HelmRelease web"),
        ({"annotations": {"meta.helm.sh/release-name": "api"}}, "Helm release api"),
    ],
)
def test_no_write_is_suggested_that_another_would_undo(
    metadata: dict[str, Any], word: str
) -> None:
    suspended = [{"type": "Suspended", "status": "True"}]
    spec = {"suspend": True, "template": {"spec": {}}}
    job = obj("Job", "etl", spec=spec, status={"conditions": suspended})
    job["apiVersion"] = "batch/v1"
    (remedy,) = (it.remedy for it in diagnosis(job).findings if it.about == "progress")
    assert "patch job" in remedy
    job["metadata"] |= metadata
    (remedy,) = (it.remedy for it in diagnosis(job).findings if it.about == "progress")
    assert word in remedy and "patch" not in remedy


GIVEN = kind_of(
    {
        "references": {
            "spec.secretName": "Secret",
            "spec.storeRef": "Store.example.org",
            "spec.dependsOn[].name": {
                "kind": "Widget.example.org",
                "namespace": "spec.dependsOn[].namespace",
            },
            "spec.source": {"kind": "ref", "group": "sources.org", "waits": False},
        }
    }
)


@pytest.mark.parametrize(
    ("spec", "kind", "named"),
    [
        ({"secretName": "a"}, GIVEN, [("", "Secret", "", "a")]),
        ({"secretName": {"x": 1}}, GIVEN, []),
        ({"storeRef": {"name": "s"}}, GIVEN, [("example.org", "Store", "", "s")]),
        (
            {"storeRef": {"name": "s", "kind": "ClusterStore"}},
            GIVEN,
            [("example.org", "ClusterStore", "", "s")],
        ),
        (
            {"dependsOn": [{"name": "a", "namespace": "x"}, {"name": "b"}]},
            GIVEN,
            [("example.org", "Widget", "x", "a"), ("example.org", "Widget", "", "b")],
        ),
        (
            {"source": {"kind": "Git", "name": "g"}},
            GIVEN,
            [("sources.org", "Git", "", "g")],
        ),
        (
            {"source": {"kind": "Git", "name": "g", "apiVersion": "other.org/v1"}},
            GIVEN,
            [("other.org", "Git", "", "g")],
        ),
        (
            {"deep": [{"poolRef": {"kind": "Pool", "name": "p", "namespace": "n"}}]},
            NOTHING,
            [("own.org", "Pool", "n", "p")],
        ),
        ({"poolRef": {"name": "p"}, "pool": {"kind": "A", "name": "b"}}, NOTHING, []),
    ],
)
def test_references_are_found(
    spec: Any, kind: Kind, named: list[tuple[str, str, str, str]]
) -> None:
    found: list[Named] = named_by({"spec": spec}, "own.org", kind)
    assert [each[:4] for each in found] == named
