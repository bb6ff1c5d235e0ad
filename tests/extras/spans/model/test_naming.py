"""Who did what happened: nobody is said where it is not known."""

from __future__ import annotations

from kubectl_spy.core.times import rfc3339
from tests.extras.spans.model.watch import Document, Watch, deployment, event, pod
from tests.tracing import START

GOING = {"deletionTimestamp": rfc3339(START + 30), "deletionGracePeriodSeconds": 30}


def test_the_deleter_is_not_named() -> None:
    watch = Watch()
    watch.observe(0, deployment())
    written = [{"manager": "kube-controller-manager", "time": rfc3339(START + 20)}]
    going = {**GOING, "managedFields": written}
    watch.observe(20, deployment(metadata=going))
    assert watch.spans()["Deployment.delete"].service == ""
    watch.observe(21, deployment(metadata=going), "DELETED")
    assert watch.spans()["Deployment.delete"].service == ""


def test_the_deleter_without_grace_is_not_named() -> None:
    watch = Watch()
    watch.sees((0, deployment()), (20, deployment(), "DELETED"))
    assert watch.spans()["Deployment.delete"].service == ""


def test_several_unseen_writers_are_not_named() -> None:
    def written(second: float, *names: str) -> Document:
        at = rfc3339(START + second)
        fields = [{"manager": each, "time": at} for each in names]
        return {"managedFields": fields}

    watch = Watch()
    watch.observe(0, deployment(metadata=written(0, "kubectl")), "ADDED")
    both = written(20, "kube-controller-manager", "kubectl-edit")
    watch.lists(30, 10, deployment(2, metadata=both))
    assert watch.spans()["Deployment.create"].service == "kubectl"
    assert watch.spans()["Deployment.update"].service == ""
    watch.lists(60, 40, deployment(3, metadata=written(50, "kubectl-edit")))
    assert watch.spans()["Deployment.update"].service == "kubectl-edit"


def test_an_event_that_does_not_say_who_reports_it_is_nobodys() -> None:
    watch = Watch("Pod")
    watch.sees((0, pod("web", owner="")), (1, event("web", 1, source={})))
    assert watch.spans()["Pod.Scheduled"].service == ""


def test_a_root_says_what_was_changed() -> None:
    def what(name: str) -> object:
        return dict(watch.spans()[name].attributes).get("k8s.change.what")

    watch = Watch()
    watch.sees((0, deployment()), (20, deployment(2, 0, replicas=2)))
    labelled = {"metadata": {"labels": {"app": "web"}}}
    watch.observe(40, deployment(3, 0, replicas=2, template=labelled))
    assert what("Deployment.create") is None
    assert what("Deployment.scale") == "replicas 1 → 2"
    assert what("Deployment.update") == "template label app web"
    going = {**GOING, "finalizers": ["foregroundDeletion"]}
    watch.observe(60, deployment(4, 0, replicas=2, metadata=going))
    assert what("Deployment.delete") is None
