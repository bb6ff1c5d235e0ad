"""Every way to say which object, against the real discovery."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from kubectl_spy.sources.connection.access import ConnectionSettings
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.resolution.discovery import discover
from tests.e2e.cluster import IN_TIME, Cluster, Record, of, watching
from tests.e2e.objects import config_map, widget, widget_definition, workload


def test_plain_discovery_finds_what_aggregated_discovery_finds(
    cluster: Cluster,
) -> None:
    settings = ConnectionSettings(kubeconfig=str(cluster.kubeconfig))
    connection = Connection(
        settings, environ={"HOME": "/nonexistent"}, say=lambda _: None
    )

    def plain(path: str, accept: str | None = None, **more: Any) -> object:
        return connection.get_path(path, "application/json", **more)

    aggregated, old = discover(connection.get_path), discover(plain)
    assert len(aggregated.resources) > 50
    assert set(old.resources) == set(aggregated.resources)


def test_all_forms_of_a_target_lead_to_the_object(
    cluster: Cluster, namespace: str
) -> None:
    group = f"e2e-{uuid.uuid4().hex[:6]}.example.com"
    cluster.apply(widget_definition(group))
    crd = f"crd/widgets.{group}"
    cluster.kubectl("wait", "--for=condition=established", crd, IN_TIME)
    cluster.apply(
        workload("Deployment", "web", namespace, replicas=0),
        config_map("web", namespace, a="1"),
        widget("web", namespace, group, size=1),
    )
    forms = {
        "deploy/web": ["Deployment"],
        "deploy web": ["Deployment"],
        "deployments/web": ["Deployment"],
        "Deployment/web": ["Deployment"],
        "deployments.apps/web": ["Deployment"],
        "deployments.v1.apps/web": ["Deployment"],
        f"apps/v1 Deployment {namespace}/web": ["Deployment"],
        f"v1 ConfigMap {namespace}/web": ["ConfigMap"],
        "deploy/web cm/web": ["ConfigMap", "Deployment"],
        "deploy,cm --field-selector metadata.name=web": ["ConfigMap", "Deployment"],
        f"widgets.{group}/web": ["Widget"],
        f"widget.v1.{group} web": ["Widget"],
        f"all -l nothing!=here --field-selector metadata.name=web -n {namespace}": [
            "Deployment",
            "Widget",
        ],
    }
    spy = cluster.spy()

    def kinds(form: str) -> list[str]:
        words = [*form.split(), "-n", namespace]
        with watching(spy, "changes", *words) as watch:
            records = watch.wait_for(lambda seen: len(seen) >= len(forms[form]))
        return sorted({record["kind"] for record in records if record.get("name")})

    try:
        with ThreadPoolExecutor(3) as pool:
            found = dict(zip(forms, pool.map(kinds, forms), strict=True))
    finally:
        cluster.kubectl("delete", crd, "--wait=false")
    assert found == forms


def test_a_definition_created_while_the_cache_is_fresh_is_found(
    cluster: Cluster, namespace: str
) -> None:
    spy = cluster.spy()
    with watching(spy, "changes", "cm", "-n", namespace) as watch:
        watch.wait_for(bool)  # the namespace's own ConfigMap; discovery is cached now
    group = f"e2e-{uuid.uuid4().hex[:6]}.example.com"
    refused = spy.run("changes", f"widgets.{group}", "-n", namespace)
    assert refused.code == 1 and "no resource type" in refused.err
    cluster.apply(widget_definition(group))
    crd = f"crd/widgets.{group}"
    cluster.kubectl("wait", "--for=condition=established", crd, IN_TIME)
    target = f"widgets.{group}/web"
    with watching(spy, "status", target, "-n", namespace) as watch:
        cluster.apply(widget("web", namespace, group, size=1))
        watch.wait_for(lambda seen: len(seen) == 1)
        patch = '{"status":{"phase":"Ready"}}'
        cluster.kubectl(
            "patch", target, "--subresource=status", "--type=merge", "-p", patch,
            "-n", namespace,
        )  # fmt: skip
        records = watch.wait_for(lambda seen: len(seen) == 2)
        assert records[1]["patch"] == [
            {"op": "add", "path": "/status", "value": {"phase": "Ready"}}
        ]
        cluster.kubectl("delete", crd)
        records = watch.wait_for(lambda seen: len(seen) == 3)
        assert records[2]["type"] == "DELETED"
        watch.running.wait_for_talk("trying again")
        cluster.apply(widget_definition(group))
        cluster.kubectl("wait", "--for=condition=established", crd, IN_TIME)
        cluster.apply(widget("web", namespace, group, size=2))
        records = watch.wait_for(lambda seen: named(seen)[3:])
        assert named(records)[3]["type"] == "ADDED"
    cluster.kubectl("delete", crd, "--wait=false")


def named(records: list[Record]) -> list[Record]:
    """Return the records of objects; GAPs of a whole stream have no name."""
    return [record for record in records if "name" in record]


def test_errors_of_the_real_server_are_one_line(
    cluster: Cluster, namespace: str
) -> None:
    spy = cluster.spy()
    refusals = {
        "status nosuch": "no resource type",
        "status deploymint/web": "did you mean deployments",
        "changes pods --field-selector spec.bogus=x": "field label not supported",
        "changes pods --field-selector phase": "can't understand 'phase'",
        "changes pods -l a=(": "unable to parse requirement",
        "changes bindings": "cannot be watched",
        "changes componentstatuses": "cannot be watched",
    }
    for line, expected in refusals.items():
        ended = spy.run(*line.split(), "-n", namespace)
        assert (ended.code, ended.out) == (1, "")
        errors = [row for row in ended.err.splitlines() if row.startswith("error:")]
        assert len(errors) == 1 and expected in errors[0], ended.err


def test_a_type_that_goes_is_waited_for_until_it_is_back(
    cluster: Cluster, namespace: str
) -> None:
    group = f"{uuid.uuid4().hex[:8]}.example.com"
    crd = f"crd/widgets.{group}"

    def define(size: int) -> None:
        cluster.apply(widget_definition(group))
        cluster.kubectl("wait", "--for=condition=established", crd, IN_TIME)
        cluster.apply(widget("web", namespace, group, size=size))

    define(1)
    target = f"widgets.{group}"
    with watching(cluster.spy(), "changes", target, "-n", namespace) as watch:
        watch.wait_for(lambda records: of(records, "Widget", "web"))
        cluster.kubectl("delete", crd)
        watch.wait_for(lambda records: records[-1]["type"] == "DELETED")
        watch.running.wait_for_talk("trying again")
        define(2)
        records = watch.wait_for(lambda records: records[-1]["type"] == "ADDED")
        watch.running.wait_for_talk("watching again")
        said = watch.running.stderr.decode()
    cluster.kubectl("delete", crd, "--wait=false")
    web = of(records, "Widget", "web")
    assert [web[0]["type"], web[-2]["type"]] == ["ADDED", "DELETED"]
    assert web[0]["uid"] != web[-1]["uid"]
    assert "Traceback" not in said
