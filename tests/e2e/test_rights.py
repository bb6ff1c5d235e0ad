"""Who one is, and what one may see: RBAC, credentials, impersonation, Secrets."""

from __future__ import annotations

import base64
import json
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.cluster import Cluster, watching
from tests.e2e.controlplane import ControlPlane
from tests.e2e.objects import config_map


def bind(cluster: Cluster, namespace: str, subject: dict[str, str], rule: Any) -> None:
    """Give *subject* a role with one rule in the namespace."""
    api = "rbac.authorization.k8s.io"
    place = {"name": "spy", "namespace": namespace}
    role = {"apiGroup": api, "kind": "Role", "name": "spy"}
    kinds = {"apiVersion": f"{api}/v1", "metadata": place}
    cluster.apply(
        {**kinds, "kind": "Role", "rules": [rule]},
        {**kinds, "kind": "RoleBinding", "roleRef": role, "subjects": [subject]},
    )


def as_user(kubeconfig: Path, target: Path, user: dict[str, Any]) -> Path:
    """Write a copy of *kubeconfig* whose one user has these credentials."""
    config = yaml.safe_load(kubeconfig.read_text())
    config["users"] = [{"name": "somebody", "user": user}]
    for context in config["contexts"]:
        context["context"]["user"] = "somebody"
    target.write_text(json.dumps(config))
    return target


@pytest.fixture
def token(cluster: Cluster, namespace: str) -> str:
    """A token of a service account that may list and watch one named ConfigMap."""
    cluster.apply(
        config_map("mine", namespace, a="1"),
        config_map("other", namespace, a="1"),
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "reader", "namespace": namespace},
        },
    )
    subject = {"kind": "ServiceAccount", "name": "reader", "namespace": namespace}
    rule = {
        "apiGroups": [""],
        "resources": ["configmaps"],
        "resourceNames": ["mine"],
        "verbs": ["list", "watch"],
    }
    bind(cluster, namespace, subject, rule)
    return cluster.kubectl("create", "token", "reader", "-n", namespace).strip()


def test_list_and_watch_of_one_name_is_enough(
    cluster: Cluster, namespace: str, token: str, tmp_path: Path
) -> None:
    config = as_user(cluster.kubeconfig, tmp_path / "config", {"token": token})
    spy = cluster.spy(config)
    with watching(spy, "changes", "cm/mine", "-n", namespace) as watch:
        watch.wait_for(bool)
        cluster.apply(config_map("mine", namespace, a="2"))
        records = watch.wait_for(lambda seen: len(seen) == 2)
    assert {"op": "replace", "path": "/data/a", "value": "2"} in records[1]["patch"]
    for words in (["cm/other"], ["cm"], ["secrets"]):
        refused = spy.run("changes", *words, "-n", namespace)
        assert (refused.code, refused.out) == (1, "")
        last = refused.err.splitlines()[-1]
        assert last.startswith("error: ") and "cannot list" in last
        assert token not in refused.err


def test_get_and_watch_without_list_will_do(
    cluster: Cluster, namespace: str, tmp_path: Path
) -> None:
    cluster.apply(config_map("mine", namespace, a="1"))
    api = "rbac.authorization.k8s.io"
    subject = {"kind": "User", "name": "getter", "apiGroup": api}
    verbs = ["get", "watch"]
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": verbs}
    bind(cluster, namespace, subject, rule)
    words = ("changes", "cm/mine", "-n", namespace, "--as", "getter")
    with watching(cluster.spy(), *words) as watch:
        watch.wait_for(bool)
        cluster.apply(config_map("mine", namespace, a="2"))
        records = watch.wait_for(lambda seen: len(seen) == 2)
    assert [r["type"] for r in records] == ["ADDED", "MODIFIED"]


def test_impersonation_by_flag_and_by_kubeconfig_is_not_forgotten(
    cluster: Cluster, namespace: str, tmp_path: Path
) -> None:
    words = ("changes", "secrets", "-n", namespace)
    config = yaml.safe_load(cluster.kubeconfig.read_text())
    config["users"][0]["user"] |= {"as": "nobody", "as-groups": ["nowhere"]}
    path = tmp_path / "config"
    path.write_text(json.dumps(config))
    for refused in (
        cluster.spy().run(*words, "--as", "nobody", "--as-group", "nowhere"),
        cluster.spy(path).run(*words),
    ):
        assert refused.code == 1
        assert 'User "nobody" cannot list resource "secrets"' in refused.err


def test_client_certificates_without_rights_are_told_what_they_lack(
    control_plane: ControlPlane, cluster: Cluster, namespace: str, tmp_path: Path
) -> None:
    config = control_plane.write_kubeconfig(tmp_path / "config", "mallory", ["nobody"])
    refused = cluster.spy(config).run("status", "pods", "-n", namespace)
    assert refused.code == 1
    assert 'User "mallory" cannot list resource "pods"' in refused.err
    assert f'the right to list (and watch) pods in namespace "{namespace}"' in (
        refused.err
    )


def test_a_token_that_is_none_is_one_line(cluster: Cluster, tmp_path: Path) -> None:
    config = as_user(cluster.kubeconfig, tmp_path / "config", {"token": "nonsense"})
    refused = cluster.spy(config).run("status", "pods")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.count("\n") <= 2 and "nonsense" not in refused.err
    assert "error: " in refused.err and "Traceback" not in refused.err


def test_an_exec_plugin_gives_the_token(
    cluster: Cluster, namespace: str, token: str, tmp_path: Path
) -> None:
    plugin = tmp_path / "give-token"
    credential = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": token},
    }
    plugin.write_text(f"#!/bin/sh\ncat <<'EOF'\n{json.dumps(credential)}\nEOF\n")
    plugin.chmod(plugin.stat().st_mode | stat.S_IXUSR)
    execute = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": str(plugin),
        "interactiveMode": "Never",
    }
    config = as_user(cluster.kubeconfig, tmp_path / "config", {"exec": execute})
    with watching(cluster.spy(config), "changes", "cm/mine", "-n", namespace) as watch:
        (record,) = watch.wait_for(bool)
    assert record["name"] == "mine"


def test_of_two_kubeconfigs_the_first_decides(
    cluster: Cluster, namespace: str, tmp_path: Path
) -> None:
    whole = yaml.safe_load(cluster.kubeconfig.read_text())
    context = {**whole["contexts"][0]["context"], "namespace": namespace}
    first = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "first",
        "contexts": [{"name": "first", "context": context}],
    }
    spy = cluster.spy()
    (tmp_path / "first").write_text(json.dumps(first))
    spy.environ["KUBECONFIG"] = f"{tmp_path / 'first'}:{cluster.kubeconfig}"
    with watching(spy, "changes", "cm") as watch:
        records = watch.wait_for(bool)
        watch.running.wait_for_talk(f"in namespace {namespace} (context first)")
    assert {record["namespace"] for record in records} == {namespace}


@pytest.mark.parametrize("output", ["text", "json", "yaml", "jsonpatch"])
def test_the_values_of_a_secret_are_nowhere(
    cluster: Cluster, namespace: str, output: str
) -> None:
    values = ["hunter2-first", "hunter2-second", "hunter2-third"]

    def apply(value: str) -> None:
        cluster.apply(
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": "db", "namespace": namespace},
                "stringData": {"password": value},
            }
        )

    apply(values[0])
    words = ("changes", "secret/db", "-n", namespace, "-o", output, "--debug")
    with cluster.spy().running(*words) as running:
        running.wait_until(lambda seen: b"password" in seen.stdout)
        for value in values[1:]:
            apply(value)
        running.wait_until(lambda seen: seen.stdout.count(b"/data/password") >= 2)
        printed = running.stdout + running.stderr
    for value in values:
        assert value.encode() not in printed
        assert base64.b64encode(value.encode())[:-4] not in printed
