"""Codes and arguments of what makes Pods, which programs alert on."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.answer.likeness import in_kind
from kubectl_spy.core.diagnosis.finding import Fact, fact
from kubectl_spy.core.diagnosis.kinds.refusals import read_refusal
from tests.builders import workload
from tests.tracing import diagnosis

POD = 'Error creating: pods "web-x7z" is forbidden: '
CALL = 'failed to call webhook: Post "https://v.policy.svc:443/": EOF'
ROBOT = 'error looking up service account shop/a: serviceaccount "robot" not found'


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            f"{POD}exceeded quota: q, requested: limits.cpu=1,pods=1, used: "
            "limits.cpu=3500m,pods=2, limited: limits.cpu=4",
            fact(
                "QuotaExceeded",
                quota="q",
                amounts=(
                    fact(
                        "QuotaAmount",
                        resource="limits.cpu",
                        requested="1",
                        used="3500m",
                        limit="4",
                    ),
                    fact(
                        "QuotaAmount",
                        resource="pods",
                        requested="1",
                        used="2",
                        limit="?",
                    ),
                ),
            ),
        ),
        (
            f"{POD}failed quota: q: must specify limits.cpu for: app",
            fact(
                "QuotaNeedsResources",
                quota="q",
                message="must specify limits.cpu for: app",
            ),
        ),
        (
            f"{POD}{ROBOT}",
            fact("ServiceAccountMissing", kind="ServiceAccount", name="robot"),
        ),
        (
            f'{POD}violates PodSecurity "restricted:latest": runAsNonRoot != true',
            fact(
                "PodSecurityForbids",
                level="restricted:latest",
                message="runAsNonRoot != true",
            ),
        ),
        (
            'Error creating: admission webhook "v.example.com" denied the request: ',
            fact("WebhookDenies", webhook="v.example.com"),
        ),
        (
            f'Internal error occurred: failed calling webhook "v.example.com": {CALL}',
            fact(
                "WebhookUnreachable",
                webhook="v.example.com",
                message=CALL,
                service="v",
                namespace="policy",
            ),
        ),
        (
            'Pod "web-x7z" is invalid: spec.containers: Required value',
            fact("ObjectInvalid", message="spec.containers: Required value"),
        ),
        (
            f"{POD}maximum cpu usage per Container is 500m",
            fact("RequestRefused", message="maximum cpu usage per Container is 500m"),
        ),
        ("", fact("RequestRefused")),
    ],
)
def test_a_refusal_is_a_fact(message: str, expected: Fact) -> None:
    assert read_refusal(message, "shop").fact == expected


@pytest.mark.parametrize(
    ("code", "count", "args"),
    [
        ("PodsCreating", "updated", {"desired": 5, "old": True, "soon": True}),
        ("PodsCreating", "updated", {"desired": 5, "deleting": True}),
        ("PodsInCrashLoop", "loops", {"pods": 5, "again": True}),
        ("BudgetAtLimit", "healthy", {"expected": 5, "desired": 5}),
        ("OldPodsLeft", "old", {"desired": 5, "room": True}),
        ("PodsTooMany", "pods", {}),
        ("NodesToUpdate", "nodes", {"surge": 1}),
    ],
)
def test_a_count_makes_no_other_failure(
    code: str, count: str, args: dict[str, Any]
) -> None:
    """`2 of 5 Pods` are as `3 of 5 Pods`: such a change is no news."""
    one, other = (fact(code, **args, **{count: many}) for many in (2, 3))
    assert in_kind(one, "web") == in_kind(other, "web")


def test_the_service_that_a_stateful_set_lacks_is_named_as_any_object() -> None:
    """So that the write which deleted it can be found."""
    lacking = workload("StatefulSet", spec={"serviceName": "db", "replicas": 0})
    of = diagnosis(lacking)
    named = [each.args for each in of.findings if each.about == "serviceName"]
    assert named == [{"kind": "Service", "name": "db", "namespace": "shop"}]
