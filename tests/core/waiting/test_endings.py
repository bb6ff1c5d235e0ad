"""What nobody waits for, as it cannot come any more; and what may yet come."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.readiness.readiness import readiness
from kubectl_spy.core.waiting.awaited import parse_awaited
from kubectl_spy.core.waiting.endings import never
from tests.builders import manifest


def thing(kind: str, *true: str, **status: Any) -> dict[str, Any]:
    conditions = [{"type": each, "status": "True"} for each in true]
    return manifest(kind, "it", status={"conditions": conditions, **status})


FAILED = thing("Job", "FailureTarget", "Failed", failed=1)
COMPLETE = thing("Job", "SuccessCriteriaMet", "Complete", succeeded=1)
FAILING = thing("Job", "FailureTarget", active=1)
RUNNING = thing("Job", active=1)
ENDED = thing("Pod", "PodScheduled", phase="Failed")
DENIED = thing("CertificateSigningRequest", "Denied")
LOOPING = thing("Pod", phase="Running")
IS = "jsonpath={.status.conditions[?(@.type=='%s')].status}=%s"


@pytest.mark.parametrize(
    ("obj", "condition", "over"),
    [
        (FAILED, "condition=Complete", True),
        (FAILED, "condition=complete=TRUE", True),
        (FAILED, "condition=SuccessCriteriaMet", True),
        (FAILED, "condition=Suspended", True),
        (FAILED, "jsonpath={.status.succeeded}=1", True),
        (FAILED, "jsonpath=.status.succeeded", True),
        (FAILED, IS % ("Complete", "True"), True),
        (FAILED, "jsonpath={.metadata.labels.x}=1", False),
        (FAILED, "ready", True),
        (COMPLETE, "condition=Failed", True),
        (COMPLETE, "condition=FailureTarget", True),
        (COMPLETE, "failed", True),
        (COMPLETE, "delete", False),
        (FAILING, "condition=Complete", True),
        (FAILING, "condition=Failed", False),
        (FAILING, "jsonpath={.status.active}=0", False),
        (RUNNING, "condition=Complete", False),
        (RUNNING, "condition=Failed", False),
        (ENDED, "condition=Ready", True),
        (ENDED, "condition=Ready=False", False),
        (ENDED, "condition=DisruptionTarget", False),
        (ENDED, "condition=example.com/gate", False),
        (ENDED, "jsonpath={.status.phase}=Succeeded", True),
        (ENDED, "jsonpath={.status.podIP}", False),
        (ENDED, IS % ("Ready", "True"), True),
        (ENDED, IS % ("Ready", "False"), False),
        (LOOPING, "condition=Ready", False),
        (LOOPING, "jsonpath={.status.phase}=Succeeded", False),
        (DENIED, "condition=Approved", True),
        (DENIED, "condition=Failed", False),
    ],
)
def test_only_excluded_states_cannot_come(
    obj: dict[str, Any], condition: str, over: bool
) -> None:
    known = never(parse_awaited(condition), obj, readiness(obj), going=False)
    assert known is over
