"""Commands without a target, on a real API server."""

from __future__ import annotations

import json

from tests.e2e.cluster import Cluster
from tests.e2e.objects import config_map
from tests.e2e.test_rights import bind
from tests.processes import wait_until


def broken(cluster: Cluster, namespace: str) -> None:
    """Make a Deployment that no node suits, a Secret and a ConfigMap."""
    labels = {"app": "web"}
    container = {"name": "web", "image": "example.org/web:1"}
    spec = {"nodeSelector": {"disk": "none"}, "containers": [container]}
    template = {"metadata": {"labels": labels}, "spec": spec}
    deployment = {"replicas": 2, "selector": {"matchLabels": labels}}
    place = {"name": "web", "namespace": namespace}
    cluster.apply(
        config_map("settings", namespace, a="1"),
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "key", "namespace": namespace},
            "stringData": {"token": "tell-nobody"},
        },
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": place,
            "spec": deployment | {"template": template},
        },
    )


def test_a_summary_of_a_namespace_names_what_fails(
    cluster: Cluster, namespace: str
) -> None:
    broken(cluster, namespace)

    def failures() -> list[str]:
        ended = cluster.spy().run("summary", "-n", namespace, "-o", "json")
        assert ended.code == 0, ended.err
        assert "not seen" not in ended.err
        found = json.loads(ended.out)
        named = {each["name"] for each in found["edits"]}
        assert {"web", "settings", "key"} <= named, found["edits"]
        return [each["name"] for each in found["failures"]]

    wait_until(lambda: failures() == ["web"])
    ended = cluster.spy().run("trace", "-n", namespace, "--once")
    assert "✗ deployment.apps/web" in ended.out or "… deployment.apps/web" in ended.out
    assert "tell-nobody" not in ended.out


def test_who_may_list_little_is_told_what_is_not_seen(
    cluster: Cluster, namespace: str
) -> None:
    broken(cluster, namespace)
    subject = {"kind": "User", "name": "jane", "apiGroup": "rbac.authorization.k8s.io"}
    verbs = ["list", "watch"]
    rule = {"apiGroups": ["", "apps"], "resources": ["pods", "deployments"]}
    bind(cluster, namespace, subject, rule | {"verbs": verbs})
    words = ("summary", "-n", namespace, "--as", "jane", "-o", "json")
    ended = cluster.spy().run(*words)
    assert ended.code == 0, ended.err
    assert ended.err.count("not seen, no right to list: ") == 1
    assert " more" in ended.err
    ended = cluster.spy().run("summary", "-n", "default", "--as", "jane")
    assert ended.code == 1
    assert "no right to list anything in namespace default; ask" in ended.err
    ended = cluster.spy().run("summary", "-n", f"{namespace}x")
    assert ended.code == 1
    assert f"there is no namespace {namespace}x" in ended.err
