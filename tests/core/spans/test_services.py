"""Who did what happened: nobody is said where it is not known."""

from __future__ import annotations

from kubectl_spy.core.times import rfc3339
from tests.core.spans.told import Document, Told, deployment, event, pod
from tests.tracing import START

GOING = {"deletionTimestamp": rfc3339(START + 30), "deletionGracePeriodSeconds": 30}


def test_who_deletes_is_not_said() -> None:
    told = Told()
    told.tell(0, deployment())
    written = [{"manager": "kube-controller-manager", "time": rfc3339(START + 20)}]
    going = {**GOING, "managedFields": written}
    told.tell(20, deployment(metadata=going))
    assert told.spans()["Deployment.delete"].service == ""
    told.tell(21, deployment(metadata=going), "DELETED")
    assert told.spans()["Deployment.delete"].service == ""


def test_who_deletes_at_once_is_not_said() -> None:
    told = Told()
    told.tell(0, deployment())
    told.tell(20, deployment(), "DELETED")
    assert told.spans()["Deployment.delete"].service == ""


def test_of_several_who_wrote_while_nobody_looked_none_is_said() -> None:
    def written(second: float, *names: str) -> Document:
        at = rfc3339(START + second)
        fields = [{"manager": each, "time": at} for each in names]
        return {"managedFields": fields}

    told = Told()
    told.tell(0, deployment(metadata=written(0, "kubectl")), "ADDED")
    both = written(20, "kube-controller-manager", "kubectl-edit")
    told.lists(30, 10, deployment(2, metadata=both))
    assert told.spans()["Deployment.create"].service == "kubectl"
    assert told.spans()["Deployment.update"].service == ""
    told.lists(60, 40, deployment(3, metadata=written(50, "kubectl-edit")))
    assert told.spans()["Deployment.update"].service == "kubectl-edit"


def test_an_event_that_does_not_say_who_reports_it_is_nobodys() -> None:
    told = Told("Pod")
    told.tell(0, pod("web", owner=""))
    told.tell(1, event("web", 1, source={}))
    assert told.spans()["Pod.Scheduled"].service == ""
