"""What a person must be able to read of the writes of each case, and who did them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.cli.command import Spy
from tests.field.cases import FOLDER, field

if not FOLDER.is_dir():
    pytest.skip("the cases are others' data, and not here", allow_module_level=True)


def test_c19_three_objects_and_the_writes_that_did_it(spy: Spy) -> None:
    kinds = "rollouts.argoproj.io,kafkas.kafka.strimzi.io,buckets.s3.aws.example.com"
    with field("c19", spy) as played:
        file = played.record(f"{kinds},events", "-A")
        summary = json.loads(played.run("summary", file, "-o", "json").out)
        found = {
            each["kind"]: str(each["by"][0]["what"])
            for each in (*summary["failures"], *summary["warnings"])
        }
        assert set(found) == {"Bucket", "Kafka", "Rollout"}
        assert "3.9.0 → 3.99.0" in found["Kafka"]
        assert "api:1.1" in found["Rollout"]
        assert "private → privat" in found["Bucket"]


def test_c20_the_state_of_a_release_can_be_read(spy: Spy) -> None:
    with field("c20", spy) as played:
        file = played.record("secrets")
        for command in (["summary", file], ["changes", "--from", file, "secrets"]):
            told = played.run(*command).out
            assert "sh.helm.release.v1.api.v8" in told
            assert "pending-upgrade → failed" in told
            assert "SDRz" not in told  # the release itself stays masked


def test_c23_patches_say_what_happened(spy: Spy) -> None:
    kinds = "httproutes.gateway.networking.k8s.io,prometheusrules.monitoring.coreos.com"
    with field("c23", spy) as played:
        file = played.record(kinds, "-A")

        def operations(target: str) -> list[tuple[str, str, object]]:
            words = ["changes", "--from", file, target, "-n", "shop", "-o", "json"]
            lines = map(json.loads, played.run(*words).out.splitlines())
            return [
                (each["op"], each["path"], each.get("value"))
                for line in lines
                for each in line.get("patch", ())
            ]

        rules = operations("prometheusrules.monitoring.coreos.com/rules")
        (added,) = (value for op, _, value in rules if op == "add")
        assert isinstance(added, dict) and added["record"] == "job:http:rate5m"
        (changed,) = (value for _, path, value in rules if path.endswith("/expr"))
        assert str(changed).endswith("> 0.5")
        assert not [path for op, path, _ in rules if op == "remove"]
        routes = operations("httproutes.gateway.networking.k8s.io/shop")
        shown = [path for op, path, _ in routes if op == "add"]
        assert shown == ["/status/parents/0", "/spec/rules/0"]
        assert not [path for _, path, _ in routes if path.endswith("/path/value")]


def test_c33_one_rule_changed_and_quantities_are_only_counted(
    spy: Spy, tmp_path: Path
) -> None:
    for side, name in (("LIVE", "a.yaml"), ("MERGED", "b.yaml")):
        (tmp_path / side).mkdir()
        objects = yaml.safe_load_all((FOLDER / "c33-diff" / name).read_text())
        for each in objects:
            file = tmp_path / side / f"{each['kind']}.{each['metadata']['name']}"
            file.write_text(yaml.safe_dump(each))
    sides = str(tmp_path / "LIVE"), str(tmp_path / "MERGED")
    lines = spy.run("diff", *sides).out.splitlines()
    (expr,) = (each for each in lines if "/rules/1/expr" in each)
    assert "HighErrors" in expr and "0.05" in expr and "0.1" in expr
    assert not [each for each in lines if "remove" in each and "/rules" in each]
    assert not [each for each in lines if "1024Mi" in each or "1000m" in each]
    assert [each for each in lines if "2 only written differently" in each]


def test_c34_blame_names_who_applied_a_field(spy: Spy) -> None:
    with field("c34", spy) as played:
        words = ("blame", "widgetsets.example.org/w", "-n", "shop", "-o", "json")
        fields = json.loads(played.run(*words).out)["fields"]
        who = {each["path"]: str(each["managers"]) for each in fields}
        assert "argocd-controller" in who["/spec/backends/0/weight"]
        assert "keda-operator" in who["/spec/backends/1/weight"]
        assert "keda-operator" in who["/metadata/finalizers/1"]
        assert "widget-controller" in who["/status/conditions/0/status"]
