"""kubectl's argument grammar, as tables."""

from __future__ import annotations

import sys

import pytest

from kubectl_spy.errors import UsageError
from kubectl_spy.sources.resolution.target import TargetSpec, parse_targets
from tests import processes


@pytest.mark.parametrize(
    ("line", "specs"),
    [
        ("deploy/nginx", [TargetSpec("deploy", "nginx")]),
        ("deploy/nginx po/a", [TargetSpec("deploy", "nginx"), TargetSpec("po", "a")]),
        ("po/a po/a", [TargetSpec("po", "a")]),
        ("deploy nginx", [TargetSpec("deploy", "nginx")]),
        ("po a b", [TargetSpec("po", "a"), TargetSpec("po", "b")]),
        ("pods", [TargetSpec("pods")]),
        ("po,svc", [TargetSpec("po"), TargetSpec("svc")]),
        ("po,svc web", [TargetSpec("po", "web"), TargetSpec("svc", "web")]),
        ("po,po", [TargetSpec("po")]),
        ("all", [TargetSpec("all")]),
        ("widgets.example.com/w0", [TargetSpec("widgets.example.com", "w0")]),
        ("deployments.v1.apps/nginx", [TargetSpec("deployments.v1.apps", "nginx")]),
        ("clusterroles system:node", [TargetSpec("clusterroles", "system:node")]),
        ("v1 Pod nginx", [TargetSpec("Pod", "nginx", None, "v1")]),
        ("v1 Pod web/nginx", [TargetSpec("Pod", "nginx", "web", "v1")]),
        (
            "apps/v1beta1 deployment web/nginx",
            [TargetSpec("deployment", "nginx", "web", "apps/v1beta1")],
        ),
    ],
)
def test_the_forms_of_kubectl_and_kubespy(line: str, specs: list[TargetSpec]) -> None:
    assert list(parse_targets(line.split())) == specs


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ([], "no target given"),
        ([""], "a target is empty"),
        (["po", ""], "a target is empty"),
        (["po,,svc"], "empty type"),
        ([","], "empty type"),
        (["/web"], "a part is empty"),
        (["po/"], "a part is empty"),
        (["po/a/b"], "more than one slash"),
        (["po,svc/web"], "several types"),
        (["po/a", "b"], "mix two forms"),
        (["po", "web/a"], "mix two forms"),
        (["po", ".."], "invalid name"),
        (["po/a%2f"], "invalid name"),
        (["po", "a\x1b[2J"], "invalid name"),
        (["v1", "Pod", "web/"], r"no \[namespace/\]name"),
        (["v1", "Pod", "/a"], r"no \[namespace/\]name"),
        (["v1", "Pod", "Web/a"], "invalid namespace"),
        (["v1", "po/d", "a"], "no kind"),
        (["v1/x/y", "Pod", "a"], "no apiVersion"),
    ],
)
def test_refusals_of_kubectl_are_refused_in_one_line(args: list[str], why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        parse_targets(args)
    assert caught.value.remedy
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("line", "flags", "why"),
    [
        ("po a", {"label_selector": "app=web"}, "and -l cannot be used together"),
        ("po/a", {"field_selector": "a=b"}, "and --field-selector cannot"),
        ("po/a", {"all_namespaces": True}, "across all namespaces"),
        ("v1 Pod a", {"all_namespaces": True}, "across all namespaces"),
        ("v1 Pod web/a", {"namespace": "shop"}, "contradicts"),
        ("po", {"namespace": "Shop"}, "invalid namespace"),
        ("po", {"label_selector": "app=\udcff"}, "invalid selector"),
        ("po", {"field_selector": "a=\x1b"}, "invalid selector"),
    ],
)
def test_flags_that_do_not_go_with_the_words_are_refused(
    line: str, flags: dict[str, object], why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        parse_targets(line.split(), **flags)  # type: ignore[arg-type]


def test_flags_that_go_with_the_words_pass() -> None:
    specs = parse_targets(
        ["po,svc"], all_namespaces=True, label_selector="a", field_selector="b=c"
    )
    assert specs == (TargetSpec("po"), TargetSpec("svc"))
    assert parse_targets(["v1", "Pod", "web/a"], namespace="web")


def test_arguments_are_checked_without_importing_kubernetes() -> None:
    script = (
        "import sys, kubectl_spy.sources.connection.connect\n"
        "import kubectl_spy.sources.resolution.resolve\n"
        "import kubectl_spy.sources.resolution.target\n"
        "print([m for m in ('kubernetes', 'urllib3', 'yaml') if m in sys.modules])"
    )
    found = processes.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert found.stdout == "[]\n"
