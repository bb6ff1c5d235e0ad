"""What managedFields and the last applied configuration tell of an object's past."""

from __future__ import annotations

import json
from typing import Any

from kubectl_spy.core.past.owners import of_last_applied, of_managers
from kubectl_spy.core.past.subject import Subject
from tests.core.past.leaving import left, managed, told

APPLIES = "kubectl-client-side-apply"
ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"


def owns(*names: str) -> dict[str, Any]:
    return {"f:spec": {f"f:{name}": {} for name in names}}


def applied(now: Any, before: Any, *entries: Any, **more: Any) -> Subject:
    annotations = {ANNOTATION: json.dumps({"spec": before})}
    entries = managed(APPLIES, 10, owns("strategy")), *entries
    return left(
        "Deployment", spec=now, annotations=annotations, entries=entries, **more
    )


def test_each_manager_wrote_last_and_owns_fields() -> None:
    status = managed("ingress", 60, {"f:status": {}}, subresource="status")
    scaled = managed("kubectl", None, owns("replicas"), subresource="scale")
    entries = [
        managed("kubectl-edit", 40, {**owns("paused"), "f:status": {"f:x": {}}}),
        managed("kube-controller-manager", 50, owns("replicas")),
        status,
        scaled,
    ]
    assert told(of_managers(left("Deployment", entries=entries))) == [
        "40 owns spec.paused by kubectl-edit"
    ]


def test_a_release_of_helm_has_no_earlier_writes() -> None:
    entries = [managed("Helm", 40, {"f:data": {"f:release": {}}})]
    secret = left("Secret", group="", entries=entries, type="helm.sh/release.v1")
    assert not list(of_managers(secret))


def test_a_slash_in_a_name_is_shown_as_one() -> None:
    fields: Any = {"f:metadata": {"f:labels": {"f:example.org/a": {}}}}
    subject = left("ConfigMap", entries=[managed("edit", 9, fields)])
    assert told(of_managers(subject)) == [
        "9 owns metadata.labels.example.org/a by edit"
    ]


def test_an_owner_of_many_fields_is_cut() -> None:
    many: Any = {"f:data": {f"f:key-{number}": {} for number in range(1000)}}
    (write,) = of_managers(left("ConfigMap", entries=[managed("edit", 9, many)]))
    assert len(write.fields) == 20


def test_a_field_that_others_own_since_had_the_value_that_was_applied() -> None:
    subject = applied(
        {"replicas": 5, "paused": True},
        {"replicas": 2, "paused": True},
        managed("kubectl-edit", 50, owns("replicas", "paused")),
    )
    assert told(of_last_applied(subject)) == ["10-50 replicas 2 → 5 by kubectl-edit"]


def test_an_element_of_a_list_is_found_by_its_name() -> None:
    def containers(*pairs: tuple[str, str]) -> Any:
        named = [{"name": name, "image": image} for name, image in pairs]
        return {"template": {"spec": {"containers": named}}}

    key = 'k:{"name":"app"}'
    below: Any = {"f:template": {"f:spec": {"f:containers": {key: {"f:image": {}}}}}}
    subject = applied(
        containers(("log", "l"), ("app", "b")),
        containers(("app", "a"), ("log", "l")),
        managed("kubectl-set", 50, {"f:spec": below}),
    )
    (write,) = of_last_applied(subject)
    (step,) = write.patch
    assert step.path == "/spec/template/spec/containers/1/image"
    assert (step.old, step.value) == ("a", "b")


def test_who_changed_an_element_of_an_atomic_list_is_not_told() -> None:
    """Whoever adds to it owns all of it."""

    def rules(*values: int) -> Any:
        return {"rules": [{"name": f"r{at}", "v": v} for at, v in enumerate(values)]}

    subject = applied(rules(2, 1), rules(1), managed("adder", 50, owns("rules")))
    assert told(of_last_applied(subject)) == ["10-50 rules.0.v 1 → 2"]


def test_an_apply_that_keeps_only_what_holds_a_field_does_not_own_it() -> None:
    """Its set is then as empty as that of an atomic field."""
    subject = left(
        "Deployment",
        spec={"replicas": 5},
        annotations={ANNOTATION: json.dumps({"spec": {"replicas": 2}})},
        entries=[
            managed(APPLIES, 10, {"f:spec": {}}),
            managed("kubectl-patch", 50, owns("replicas")),
        ],
    )
    assert told(of_last_applied(subject)) == ["10-50 replicas 2 → 5 by kubectl-patch"]


def test_nothing_is_told_where_it_would_be_a_guess() -> None:
    now, before = {"replicas": 5}, {"replicas": 2}
    edit = managed("kubectl-edit", 50, owns("replicas"))
    other = managed("kubectl-patch", 60, owns("replicas"))
    assert not list(of_last_applied(applied(now, before)))  # nobody owns it
    assert not list(of_last_applied(applied(now, before, edit, other)))  # two do
    assert not list(of_last_applied(applied(now, before, edit, settled=False)))
    early = managed("kubectl-edit", 5, owns("replicas"))  # the apply came later
    assert not list(of_last_applied(applied(now, before, early)))


def test_a_masked_or_damaged_annotation_tells_nothing() -> None:
    for text in ("*** 0123456789abcdef", "{", "[]", "\ud800", "5"):
        subject = left(
            "Deployment",
            spec={"replicas": 5},
            annotations={ANNOTATION: text},
            entries=[managed(APPLIES, 10, {}), managed("edit", 20, owns("replicas"))],
        )
        assert not list(of_last_applied(subject))
