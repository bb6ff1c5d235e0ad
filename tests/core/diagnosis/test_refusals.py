"""What is read from the answers to requests that were refused."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.diagnosis.kinds.refusals import read_refusal
from kubectl_spy.findings import code_of
from kubectl_spy.render.findings import text as text_of
from tests.core.diagnosis.cases import said

POD = 'Error creating: pods "web-x7z" is forbidden: '
CALL = 'failed to call webhook: Post "https://v.policy.svc:443/": EOF'
ROBOT = 'error looking up service account shop/a: serviceaccount "robot" not found'
LACKS = "must specify limits.cpu for: app; limits.memory for: app"


@pytest.mark.parametrize(
    "row",
    [
        "QuotaExceeded amounts=[(QuotaAmount limit=4 requested=1 resource=limits.cpu"
        " used=3500m), (QuotaAmount limit=? requested=1 resource=pods used=2)] quota=q"
        f" < {POD}exceeded quota: q, requested: limits.cpu=1,pods=1, used:"
        " limits.cpu=3500m,pods=2, limited: limits.cpu=4",
        "QuotaExceeded amounts=[(QuotaAmount limit=10Gi requested=10Gi"
        " resource=requests.storage used=5Gi)] quota=s < create Claim data-db-0 for Pod"
        ' db-0 in StatefulSet db failed error: persistentvolumeclaims "data-db-0" is'
        " forbidden: exceeded quota: s, requested: requests.storage=10Gi, used:"
        " requests.storage=5Gi, limited: requests.storage=10Gi",
        f"QuotaNeedsResources message={LACKS} quota=q final < {POD}failed quota: q:"
        f" {LACKS}",
        f"ServiceAccountMissing kind=ServiceAccount name=robot < {POD}{ROBOT}",
        "PodSecurityForbids level=restricted:latest message=runAsNonRoot != true final"
        f' < {POD}violates PodSecurity "restricted:latest": runAsNonRoot != true',
        "WebhookDenies webhook=v.example.com < Error creating: admission webhook"
        ' "v.example.com" denied the request: ',
        "WebhookDenies message=policy require-labels: - no label team"
        " webhook=v.example.com < Error creating: admission webhook"
        ' "v.example.com" denied the request:\n\n  policy require-labels:\n  - no label'
        " team",
        f"WebhookUnreachable message={CALL} namespace=policy service=v"
        " webhook=v.example.com < Error creating: Internal error occurred: failed"
        f' calling webhook "v.example.com": {CALL}',
        "ObjectInvalid message=spec.containers: Required value final"
        ' < Pod "web-x7z" is invalid: spec.containers: Required value',
        "RequestRefused message=maximum cpu usage per Container is 500m"
        f" < {POD}maximum cpu usage per Container is 500m",
        "RequestRefused < ",
    ],
)
def test_a_refusal_is_a_fact_without_generated_names(row: str) -> None:
    """Each row is a fact, whether it stays so, and the message that tells it."""
    told, message = row.split(" < ")
    of = read_refusal(message, "shop").fact
    assert said(of) + (" final" if code_of(of.code).final else "") == told


@given(st.text(alphabet='abc":,= \n\x1b', max_size=60), st.integers(0, 3))
def test_any_refusal_message_is_read(message: str, start: int) -> None:
    starts = ("", "Error creating: ", 'x "y" is forbidden: exceeded quota: ', "create ")
    assert text_of(read_refusal(starts[start] + message, "shop").fact)


@pytest.mark.parametrize(
    "again",
    [
        "exceeded quota: a, requested: b, used: ",
        "failed quota: ",
        'violates PodSecurity "',
        'admission webhook "a" denied the request',
        'create x "" is forbidden: ',
    ],
)
def test_a_long_message_takes_no_time(again: str) -> None:
    message = again * (500_000 // len(again))
    began = time.process_time()
    told = read_refusal(message, "shop")
    assert time.process_time() - began < 0.5
    assert 0 < len(text_of(told.fact)) < 5_000
