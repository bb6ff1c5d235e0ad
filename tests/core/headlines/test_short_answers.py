"""Headlines that name an element, a member of a text, or a number of changes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.headlines.edits import edits
from kubectl_spy.core.headlines.facts import NO_FACTS, changed, facts
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.operation import PatchOperation


def told(before: Any, after: Any) -> list[str]:
    return edits(operations_between(before, after), after)


def groups(*rules: dict[str, Any]) -> dict[str, Any]:
    """Return groups, of which the second has rules that nothing names."""
    return {"spec": {"groups": [{"name": "web"}, {"name": "shop", "rules": [*rules]}]}}


def rule(text: str, **more: Any) -> dict[str, Any]:
    return {"expr": f"{text} {90 * 'x'}", **more}


A, B, C = rule("a"), rule("b"), rule("c")


def test_an_element_without_a_name_has_not_that_of_the_element_above() -> None:
    before, after = groups(A, B), groups(A, {**B, "for": "5m"})
    assert told(before, after) == ["groups.shop.rules.1.for 5m"]
    assert told(groups(A, B), groups(A)) == ["groups.shop.rules: 1 removed"]
    assert told(groups(A), groups(A, B, C)) == ["groups.shop.rules: 2 added"]


def test_a_short_element_without_a_name_is_shown_and_several_are_counted() -> None:
    one, two = {"weight": 1}, {"weight": 2}
    shown = ['groups.shop.rules.0 {"weight":1} added']
    assert told(groups(), groups(one)) == shown
    assert told(groups(), groups(one, two)) == ["groups.shop.rules: 2 added"]


def test_the_elements_of_a_new_list_are_named_or_counted() -> None:
    named = {"columns": [{"name": "Ready"}, {"name": "Age"}], "rules": [A, B]}
    phrases = ["columns Ready added", "columns Age added", "rules: 2 added"]
    assert told({"spec": {}}, {"spec": named}) == phrases
    gone = [each.replace("added", "removed") for each in phrases]
    assert told({"spec": named}, {"spec": {}}) == gone


def test_lists_that_have_their_own_names_are_named_by_them() -> None:
    old = groups(A, {**B, "labels": [{"name": "severity page", "x": 1}]})
    new = groups(A, {**B, "labels": [{"name": "severity page", "x": 2}]})
    assert told(old, new) == ["groups.shop.rules.1.labels.severity page.x 1 → 2"]


@pytest.mark.parametrize("document", [groups(A, B), None, {"spec": {"groups": 1}}])
def test_without_the_version_a_label_names_what_it_can(document: Any) -> None:
    """Such as the label that an earlier version gave, or one for both elements."""
    path = "/spec/groups/1/rules/1/for"
    one = PatchOperation("replace", path, "1m", "2m", "", "name=shop")
    named = "shop" if document == groups(A, B) else "1"
    assert edits([one], document) == [f"groups.{named}.rules.1.for 2m → 1m"]
    both = one._replace(label="name=other alert=Down")
    assert edits([both], document) == ["groups.other.rules.Down.for 2m → 1m"]


def annotated(value: str) -> dict[str, Any]:
    return {"metadata": {"annotations": {"a/b": value}}}


NETWORK = {"name": "kindnet", "ips": ["10.0.0.1"], "mac": "02:42"}


@pytest.mark.parametrize(
    ("old", "new", "phrase"),
    [
        ({"x": {"y": 30}, "z": 1}, {"x": {"y": 7}, "z": 1}, "x.y 30 → 7"),
        ([NETWORK], [NETWORK, {**NETWORK, "name": "macvlan"}], "macvlan added"),
        ([NETWORK], [{**NETWORK, "mac": "02:43"}], "kindnet.mac 02:42 → 02:43"),
        ([A, B, C], [A], "2 removed"),
        ({"status": {"phase": "a"}}, {"status": {"phase": "b"}}, "status.phase a → b"),
        ({"metadata": {"uid": "a"}}, {"metadata": {}}, "metadata.uid removed"),
        (
            dict.fromkeys("abcdef", 1),
            dict.fromkeys("abcdef", 2),
            "a 1 → 2, b 1 → 2, c 1 → 2 and 3 more",
        ),
        ({"x": '{"y": 1}'}, {"x": '{"y": 2}'}, 'x {"y": 1} → {"y": 2}'),
    ],
)
def test_json_in_an_annotation_shows_the_member_that_changed(
    old: Any, new: Any, phrase: str
) -> None:
    before, after = (annotated(dumps(each).decode()) for each in (old, new))
    assert told(before, after) == [f"annotation a/b: {phrase}"]


def test_what_kubectl_applied_last_is_not_read() -> None:
    name = "kubectl.kubernetes.io/last-applied-configuration"
    before, after = (
        {"metadata": {"annotations": {name: dumps({"spec": each}).decode()}}}
        for each in (1, 2)
    )
    assert told(before, after) == []


@pytest.mark.parametrize(
    ("old", "new", "phrase"),
    [
        ("a: 1\nb: {c: x}\n", "a: 1\nb: {c: y}\n", "k: b.c x → y"),
        ("a=1\nb=2\n", "a=1\nb=3\n", "k: b=2 → b=3"),
        ("a=1\nb=2\n", "a=1\nnew=1\nb=2\n", "k: new=1 added"),
        ("a=1\nb=2\n", "a=1\n", "k: b=2 removed"),
        ("a=1\nb=2\n", "a=2\nb=3\n", "k a=1 b=2 → a=2 b=3"),
        ("a=1", "a=2", "k a=1 → a=2"),
        ("a=1\nb=2\n", "a=1\nb=2", "k changed"),
        ('{"a": 1}', "{broken", 'k {"a": 1} → {broken'),
        ('{"a": 1}', '{ "a": 1 }', 'k {"a": 1} → { "a": 1 }'),
    ],
)
def test_a_text_of_lines_shows_what_changed_in_it(
    old: str, new: str, phrase: str
) -> None:
    assert told({"data": {"k": old}}, {"data": {"k": new}}) == [phrase]


def test_long_yaml_is_told_by_its_line() -> None:
    lines = "".join(f"option_{n}: on\n" for n in range(200))
    changed = lines.replace("option_7: on", "option_7: off")
    phrase = "k: option_7: on → option_7: off"
    assert told({"data": {"k": lines}}, {"data": {"k": changed}}) == [phrase]


def definition(*versions: dict[str, Any], **spec: Any) -> dict[str, Any]:
    kind = "CustomResourceDefinition"
    return {"kind": kind, "spec": {"versions": [*versions], **spec}}


def version(name: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": name, "schema": {"openAPIV3Schema": schema}, **more}


def test_a_definition_tells_its_versions_first_and_counts_its_schemas() -> None:
    old = {"a": {"type": "string"}, "b": {"type": "string", "description": "b"}}
    new = {"a": {"type": "integer"}, "c": {"type": "string", "description": "c"}}
    columns = [{"name": "Ready", "jsonPath": ".status.ready", "type": "string"}]
    before = definition(
        version("v1alpha1", old, served=True),
        version("v1", old, served=True),
        conversion={"strategy": "None"},
        names={"shortNames": ["x"]},
    )
    webhook = {"clientConfig": {"caBundle": 900 * "A", "url": "https://example.com"}}
    after = definition(
        version("v1", new, served=False, additionalPrinterColumns=columns),
        version("v2", new),
        conversion={"strategy": "Webhook", "webhook": webhook},
        names={"shortNames": ["y"]},
    )
    phrases = told(before, after)
    assert phrases[:4] + phrases[5:] == [
        "versions v1alpha1 removed",
        "versions v2 added",
        "versions.v1.served true → false",
        "conversion.strategy None → Webhook",
        "names.shortNames.0 x → y",
        "schema of v1: 3 changes",
    ]
    assert phrases[4].startswith("versions.v1.additionalPrinterColumns ")
    renewed = definition(*after["spec"]["versions"], conversion={"strategy": "Webhook"})
    other = {"clientConfig": {"caBundle": 900 * "B", "url": "https://example.com"}}
    for each, ca in ((after, webhook), (renewed, other)):
        each["spec"]["conversion"] = {"strategy": "Webhook", "webhook": ca}
    del after["spec"]["names"]
    changed = "conversion.webhook.clientConfig.caBundle changed"
    assert told(after, renewed) == [changed]


def test_the_schema_of_an_earlier_definition_is_counted() -> None:
    kind = {"kind": "CustomResourceDefinition"}
    before, after = (
        {**kind, "spec": {"validation": {"openAPIV3Schema": {"type": each}}}}
        for each in ("a", "b")
    )
    assert told(before, after) == ["schema: 1 change"]


def release(status: str, data: str, **labels: str) -> dict[str, Any]:
    metadata = {"labels": {"name": "api", "status": status, **labels}}
    kind = {"kind": "Secret", "type": "helm.sh/release.v1"}
    return {**kind, "metadata": metadata, "data": {"release": data}}


def test_a_release_of_helm_tells_its_status() -> None:
    before = release("pending-upgrade", "*** 1", createdAt="1")
    after = release("failed", "*** 2", modifiedAt="2")
    assert told(before, after) == ["status pending-upgrade → failed", "release changed"]
    old, new = facts("Secret", before), facts("Secret", after)
    assert [each.text for each in changed(NO_FACTS, old)] == ["status pending-upgrade"]
    assert changed(old, new) == []
    more = release("failed", "*** 2", modifiedAt="2", team="a")
    assert told(after, more) == ["label team a"]


def test_a_masked_status_of_a_release_is_no_headline() -> None:
    masked = release("*** 0123456789abcdef", "*** 1")
    assert changed(NO_FACTS, facts("Secret", masked)) == []


def test_a_custom_resource_may_only_look_like_a_definition() -> None:
    number = 5000 * "9"
    before, after = (
        definition(versions={number: {"schema": {"a": each}}}) for each in (1, 2)
    )
    assert told(before, after) == [f"versions.{number}.schema.a 1 → 2"]


DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["name", "spec", "versions", "0", "data", "env", "containers"]
            ),
            inner | inner.map(lambda value: dumps(value).decode("utf-8", "replace")),
            max_size=4,
        )
    ),
)


@given(DOCUMENTS, DOCUMENTS, st.sampled_from(["", "CustomResourceDefinition"]))
def test_any_change_has_a_headline_of_lines(old: Any, new: Any, kind: str) -> None:
    before, after = ({"kind": kind, "spec": each} for each in (old, new))
    patch = operations_between(before, after)
    assert all(isinstance(each, str) and each for each in edits(patch, after))
    assert edits([step._replace(label="a=b c") for step in patch], {}) is not None
