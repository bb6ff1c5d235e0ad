"""What a person must be able to read of each case: its README has the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cli.command import Spy
from tests.field.cases import FOLDER, field
from tests.processes import limits

if not FOLDER.is_dir():
    pytest.skip("the cases are others' data, and not here", allow_module_level=True)

WAITED = 124


def nodes(root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a node of a trace, and all below it."""
    yield root
    for each in root.get("children", ()):
        yield from nodes(each)


def said(root: dict[str, Any], verdict: str = "") -> str:
    """Return all that is said from *root* down, or only what has a *verdict*."""
    lines = []
    for node in nodes(root):
        if verdict in ("", node["verdict"]):
            lines.append(node.get("summary", ""))
        lines += (
            f"{each['text']} {each.get('remedy', '')}"
            for each in node.get("findings", ())
            if verdict in ("", each["verdict"])
        )
    return "\n".join(lines)


def below(root: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return the first node of a kind below *root*."""
    return next(each for each in nodes(root) if each["kind"] == kind)


FAILING = [
    # case, target, words of the objects that must stand on failing lines
    ("c01", "kafkas.kafka.strimzi.io/my-cluster", ["TimeoutException"]),
    ("c05", "gateway/edge", ["shop/edge-tls"]),
    ("c06", "rollouts.argoproj.io/canary-demo", ["success-rate"]),
    ("c08", "pipelinerun/ci-run-x7k2p", ["step-golangci"]),
    ("c10", "gitrepository/infra", ["refs/heads/main2"]),
    ("c11", "apiservice/v1beta1.metrics.k8s.io", ["MissingEndpoints"]),
    ("c12", "node/worker-7", ["Filesystem is read-only"]),
    ("c14", "volumesnapshot/data-daily", ["quota exceeded"]),
    ("c15", "machines.cluster.x-k8s.io/cp-x7mrf", ["ubuntu-24.04-v2"]),
    ("c17", "services.serving.knative.dev/hello", ["hello:2"]),
    ("c22", "workflows.argoproj.io/etl-8kx2z", ["OOMKilled"]),
    ("c22", "workflows.argoproj.io/etl-noshow", ["exceeded quota"]),
]


@pytest.mark.parametrize(("case", "target", "words"), FAILING)
def test_what_fails_is_failing_and_says_why(
    spy: Spy, case: str, target: str, words: list[str]
) -> None:
    with field(case, spy) as played:
        played.play()
        root = played.root(target)
        assert root["verdict"] == "failing"
        for each in words:
            assert each in said(root, "failing")


@pytest.mark.parametrize(
    ("case", "target", "code"),
    [
        ("c01", "kafkas.kafka.strimzi.io/my-cluster", WAITED),
        ("c06", "rollouts.argoproj.io/canary-demo", 1),
        ("c22", "workflows.argoproj.io/etl-noshow", 1),
        ("c24", "kafkas.kafka.strimzi.io/test", WAITED),
        ("c24", "rollouts.argoproj.io/api", WAITED),
    ],
)
def test_ready_is_not_claimed(spy: Spy, case: str, target: str, code: int) -> None:
    with field(case, spy) as played:
        words = ("trace", target, "--for", "ready", "--timeout")
        for seconds in limits(4):
            ended = played.run(*words, f"{seconds}s")
            if ended.code == code:
                break
        assert ended.code == code, ended.err


def test_c30_a_warning_event_does_not_hold_up_what_is_ready(spy: Spy) -> None:
    with field("c30", spy) as played:
        words = ("--for", "ready")
        assert played.run("trace", "scaledobject/orders", *words).code == 0


@pytest.mark.parametrize(
    ("case", "target"),
    [
        ("c14", "volumesnapshot/data-daily"),
        ("c17", "services.serving.knative.dev/hello"),
        ("c10", "gitrepository/infra"),
        ("c11", "apiservice/v1beta1.metrics.k8s.io"),
    ],
)
def test_a_wait_for_ready_or_failed_ends(spy: Spy, case: str, target: str) -> None:
    with field(case, spy) as played:
        ended = played.run("trace", target, "--for", "ready|failed")
        assert ended.code == 1, ended.err


def test_c01_the_root_names_the_memory_that_its_pod_lacks(spy: Spy) -> None:
    with field("c01", spy) as played:
        root = played.root("kafkas.kafka.strimzi.io/my-cluster")
        assert "insufficient memory" in said(below(root, "Pod"))


def test_c02_the_challenge_tells_of_its_404(spy: Spy) -> None:
    with field("c02", spy) as played:
        root = played.root("certificate/www-tls")
        challenge = below(root, "Challenge")
        assert challenge["verdict"] == "waiting"
        assert "'404'" in said(challenge)


def test_c03_what_was_launched_never_registered(spy: Spy) -> None:
    with field("c03", spy) as played:
        root = played.root("nodeclaim/default-26pwv")
        assert root["verdict"] == "waiting"
        by = {each["about"]: each["verdict"] for each in root["findings"]}
        assert by["condition/Launched"] == "ok"
        assert by["condition/Registered"] == "waiting"


def test_c04_the_chain_leads_from_a_claim_to_its_composite(spy: Spy) -> None:
    with field("c04", spy) as played:
        root = played.root("sqlclaims.devops.example.com/app-db")
        assert below(root, "XSQL")["verdict"] == "failing"
        assert "no compatible Compositions" in said(root, "failing")
        repository = played.root("repositories.github.example.com/infra")
        assert repository["verdict"] == "warning"
        assert "visibility" in said(repository, "warning")
        text = played.run(
            "trace", "repositories.github.example.com/infra", "--once"
        ).out
        assert text.startswith("! ") and "22d" in text


def test_c05_the_route_misses_its_backend(spy: Spy) -> None:
    with field("c05", spy) as played:
        played.play()
        root = played.root("httproute/shop")
        assert root["verdict"] != "ok"
        assert "service-does-not-exist" in said(root)
        assert "shop/edge-tls" in said(root, "failing")


def test_c10_the_dependency_is_behind_it(spy: Spy) -> None:
    with field("c10", spy) as played:
        root = played.root("kustomization/apps")
        assert root["verdict"] != "ok"
        assert "refs/heads/main2" in said(below(root, "GitRepository"), "failing")


def test_c11_the_service_is_below_its_api(spy: Spy) -> None:
    with field("c11", spy) as played:
        root = played.root("apiservice/v1beta1.metrics.k8s.io")
        assert below(root, "Service")["name"] == "metrics-server"
        space = played.root("ns/old-team")
        assert "metrics.k8s.io/v1beta1" in said(space)


def test_c14_the_content_is_below_its_snapshot(spy: Spy) -> None:
    with field("c14", spy) as played:
        content = below(
            played.root("volumesnapshot/data-daily"), "VolumeSnapshotContent"
        )
        assert content["verdict"] == "failing"


def test_c26_an_owner_elsewhere_and_a_definition_that_waits(spy: Spy) -> None:
    with field("c26", spy) as played:
        copied = played.root("cm/copied", "-n", "other")
        notes = said(copied, "warning").splitlines()
        assert any("App shop-app" in each for each in notes)  # not its Event alone
        definition = played.root("crd/widgets.example.org")
        assert "kubectl get widgets.example.org" in said(definition)


@pytest.mark.parametrize(
    ("case", "command", "words"),
    [
        ("c08", "trace pipelinerun/ci-run-stuck --once", ["environment-properties"]),
        ("c27", "trace issuers.cert-manager.io/le --once", ["invalidEmail"]),
        ("c27", "trace canaries.flagger.app/podinfo --once", ["47.00%"]),
        ("c30", "trace scaledobject/orders --once", ["Ready is True"]),
        ("c32", "trace pod/pull-toomany --once", ["429"]),
        ("c35", "events pod/web --once", ["x31", 'secret "tls" not found']),
        ("c35", "trace pod/web --once", ["Secret tls does not exist"]),
    ],
)
def test_what_was_right_stays_so(
    spy: Spy, case: str, command: str, words: list[str]
) -> None:
    with field(case, spy) as played:
        shown = played.run(*command.split()).out
        for each in words:
            assert each in shown
