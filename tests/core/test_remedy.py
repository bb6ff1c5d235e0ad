"""Remedies are pasted into shells, and the names in them come from a cluster."""

from __future__ import annotations

import ast
import copy
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.diagnosis.kinds.refusals import read_refusal
from kubectl_spy.core.diagnosis.kinds.registry import diagnose
from kubectl_spy.core.diagnosis.pods.missing import missing
from kubectl_spy.core.remedy import advice, kubectl
from tests.builders import bundled
from tests.examples import part
from tests.tracing import inventory

SOURCES = sorted((Path(__file__).resolve().parents[2] / "kubectl_spy").rglob("*.py"))
HOSTILE = "x'; touch pwned & $(id) `id` | cat <a >b \\"
STREAMS = (
    "custom-resource",
    "deploy-rollout",
    "node",
    "pod-bad-image",
    "pod-bad-volume",
    "pod-crashloop",
    "pod-oom-liveness",
    "workloads",
)
_NAMED = frozenset({"name", "namespace", "nodeName", "image", "claimName"})


def unquoted(line: str) -> str:
    """Return what of *line* a POSIX shell reads outside of quotations."""
    outside, quoted, place = "", "", 0
    while place < len(line):
        each = line[place]
        if quoted:
            quoted = "" if each == quoted else quoted
        elif each in "'\"":
            quoted = each
        else:
            outside += each
        place += 1
    assert not quoted, f"a quotation is not closed: {line}"
    return outside


def test_a_command_in_a_command_is_not_taken_for_a_name_of_that_text() -> None:
    command = kubectl("get pods")
    assert kubectl("run {}", str(command)) == "kubectl run 'kubectl get pods'"
    assert kubectl("run {}", command) == "kubectl run kubectl get pods"
    assert kubectl("run {}", str(command)) == "kubectl run 'kubectl get pods'"


def test_a_list_of_long_names_is_no_long_name() -> None:
    names = ",".join(f"{each}{'x' * 200}" for each in "abc")
    assert advice("get {}", names) == f"get {names}"
    assert advice("get {}", f"a,{'x' * 254}") == "get NAME"
    assert advice("get {}", "a," * 1000) == "get NAME"


@given(st.text(), st.text())
def test_every_argument_stays_one_shell_word(name: str, namespace: str) -> None:
    words = shlex.split(kubectl("get pod {}", name, namespace=f"n{namespace}"))
    assert len(words) == 6
    assert words[:3] == ["kubectl", "get", "pod"]
    assert words[4] == "-n"


@given(st.text())
def test_arguments_are_never_options(name: str) -> None:
    assert not shlex.split(kubectl("delete pod {}", name))[3].startswith("-")


def test_a_name_that_no_object_can_have_is_left_out() -> None:
    assert kubectl("delete pod {}", "--all") == "kubectl delete pod NAME"
    assert kubectl("delete pod {}", "a\nreboot") == "kubectl delete pod NAME"
    assert kubectl("delete pod {}", "a" * 254) == "kubectl delete pod NAME"


def test_a_remedy_within_a_remedy_is_quoted_once() -> None:
    inner = kubectl("logs {}", HOSTILE)
    assert advice("look: {}", inner) == f"look: {inner}"


def test_templates_of_remedies_hold_no_name_of_a_cluster() -> None:
    """An f-string would put a name into a template, where nothing quotes it."""
    for path in SOURCES:
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                check_template(call, path.name)


def check_template(call: ast.Call, file: str) -> None:
    function = call.func.id if isinstance(call.func, ast.Name) else ""
    assert function != "Remedy" or file == "remedy.py"
    if function not in ("advice", "kubectl"):
        return
    template = call.args[0]
    for each in ast.walk(template):
        assert not isinstance(each, (ast.JoinedStr, ast.Call)), ast.unparse(call)
    if isinstance(template, ast.Constant) and len(call.args) > 1:
        assert "'" not in str(template.value), ast.unparse(call)


@pytest.mark.parametrize("stream", STREAMS)
def test_hostile_names_stay_within_quotations(stream: str) -> None:
    recording = bundled(stream)
    documents = [document for _, document in recording.initial]
    documents += [step.object for step in recording.steps if not step.deleted]
    documents = [poisoned(each) for each in documents]
    remedies = []
    for end in range(1, len(documents) + 1, max(len(documents) // part(40), 1)):
        seen = inventory(*documents[:end])
        for document in documents[:end]:
            entry = seen.entry(document["metadata"]["uid"])
            if entry is not None:
                remedies += [each.remedy for each in diagnose(entry, seen).findings]
    assert not [each for each in remedies if "pwned" in unquoted(each)]
    if stream not in ("custom-resource", "node"):
        assert any("pwned" in each for each in remedies)


@pytest.mark.parametrize(
    "message",
    [
        'pods "a" is forbidden: exceeded quota: {}, requested: pods=1, used: pods=2, '
        "limited: pods=2",
        'Error creating: pods "a" is forbidden: error looking up service account '
        'shop/a: serviceaccount "{}" not found',
        'configmap "{}" not found',
        "couldn't find key {} in ConfigMap shop/app",
        "references non-existent config key: {}",
    ],
)
def test_a_name_in_a_message_stays_within_quotations(message: str) -> None:
    told = message.replace("{}", HOSTILE)
    refused = read_refusal(told, HOSTILE).remedy
    absent = missing(told, HOSTILE)
    for remedy in (refused, absent.remedy if absent else ""):
        assert "pwned" not in unquoted(remedy)


def poisoned(value: Any, key: str = "") -> Any:
    """Return a copy of *value* with shell syntax in each name and message."""
    if isinstance(value, dict):
        return {each: poisoned(inner, each) for each, inner in value.items()}
    if isinstance(value, list):
        return [poisoned(each, key) for each in value]
    if isinstance(value, str) and value and key in _NAMED:
        return value + HOSTILE
    if isinstance(value, str) and key == "message":
        return re.sub(r'"([^"]+)"', lambda it: f'"{it[1]}{HOSTILE}"', value)
    return copy.copy(value)
