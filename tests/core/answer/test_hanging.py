"""How much hangs on an object decides what is shown first."""

from __future__ import annotations

from kubectl_spy.core.answer.hanging import hanging
from tests.builders import config_map, manifest, obj, pod, service
from tests.tracing import inventory


def test_pods_hang_on_their_owner_and_what_leads_to_them_on_the_pods() -> None:
    backend = {"backend": {"service": {"name": "web"}}}
    rules = [{"http": {"paths": [backend]}}]
    seen = inventory(
        obj("ReplicaSet", "rs"),
        pod("web-1", labels={"app": "web"}, ownerReferences=[{"uid": "uid-rs"}]),
        pod("web-2", labels={"app": "web"}, ownerReferences=[{"uid": "uid-rs"}]),
        pod("alone", labels={"app": "alone"}),
        service("web", selector={"app": "web"}),
        service("other", selector={"app": "web"}, namespace="other"),
        obj("Ingress", "front", spec={"rules": rules}),
    )
    uids = ("uid-rs", "uid-web-1", "uid-alone")
    assert hanging(seen, uids) == {"uid-rs": 4, "uid-web-1": 2, "uid-alone": 0}


def test_what_is_named_has_those_that_name_it_on_it() -> None:
    user = pod("web")
    user["spec"]["volumes"] = [{"name": "v", "configMap": {"name": "settings"}}]
    elsewhere = config_map("settings", "other") | {}
    elsewhere["metadata"]["uid"] = "uid-elsewhere"
    settings = config_map("settings")
    settings["metadata"]["uid"] = "uid-settings"
    node = manifest("Node", "node1", None, metadata={"uid": "uid-node"})
    seen = inventory(user, settings, elsewhere, node)
    found = hanging(seen, ("uid-settings", "uid-elsewhere", "uid-node"))
    assert found == {"uid-settings": 1, "uid-elsewhere": 0, "uid-node": 1}


def test_one_failure_alone_needs_no_weight() -> None:
    seen = inventory(pod("web"))
    assert hanging(seen, ("uid-web", "gone")) == {"uid-web": 0}
