"""What is read from the answers to requests that were refused."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.diagnosis.catalogue import code_of
from kubectl_spy.core.diagnosis.kinds.refusals import read_refusal
from kubectl_spy.render.findings import text as text_of


@pytest.mark.parametrize(
    ("message", "text", "final"),
    [
        (
            'Error creating: pods "web-x7z" is forbidden: failed quota: q: must '
            "specify limits.cpu for: app; limits.memory for: app",
            "quota q: the containers must specify limits.cpu for: app; limits.memory"
            " for: app",
            True,
        ),
        (
            "Error creating: Internal error occurred: failed calling webhook "
            '"v.example.com": failed to call webhook: Post "https://v.shop.svc:443/": '
            "context deadline exceeded",
            "admission webhook v.example.com cannot be called: failed to call webhook: "
            'Post "https://v.shop.svc:443/": context deadline exceeded',
            False,
        ),
        (
            'Error creating: admission webhook "v.example.com" denied the request:\n'
            "\n  policy require-labels:\n  - no label team",
            "admission webhook v.example.com denies it: policy require-labels: - no "
            "label team",
            False,
        ),
        (
            'Error creating: pods "web-x7z" is forbidden: maximum cpu usage per '
            "Container is 500m, but limit is 1",
            "maximum cpu usage per Container is 500m, but limit is 1",
            False,
        ),
        (
            "create Claim data-db-0 for Pod db-0 in StatefulSet db failed error: "
            'persistentvolumeclaims "data-db-0" is forbidden: exceeded quota: s, '
            "requested: requests.storage=10Gi, used: requests.storage=5Gi, "
            "limited: requests.storage=10Gi",
            "quota s is exceeded: requests.storage requested 10Gi, used 5Gi of 10Gi",
            False,
        ),
        ("", "no reason is given", False),
    ],
)
def test_refusals_omit_generated_names(message: str, text: str, final: bool) -> None:
    told = read_refusal(message, "shop")
    assert text_of(told.fact) == text
    assert code_of(told.fact.code).final is final


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
