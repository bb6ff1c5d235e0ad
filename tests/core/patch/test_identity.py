"""Elements of a list keep their identity: by the server's key, by ours, by likeness."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.objects import MASKED
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.list_keys import ListKeys
from kubectl_spy.core.patch.natural_keys import label, names_in
from kubectl_spy.core.patch.operation import PatchOperation
from tests.builders import entry
from tests.examples import examples
from tests.json_documents import hostile_json

WORDS = ["alpha", "bravo", "carbon", "delta", "ember", "fjord", "garnet", "heron"]


def steps(
    before: Any, after: Any, keys: ListKeys | None = None
) -> list[PatchOperation]:
    """Return the patch of a list in `spec.entries`, which applies back."""
    one, other = {"spec": {"entries": before}}, {"spec": {"entries": after}}
    patch = operations_between(one, other, keys=keys)
    applied = jsonpatch.apply_patch(one, [step.as_json() for step in patch])
    assert canonical(applied) == canonical(other)
    return patch


def told(patch: list[PatchOperation]) -> list[tuple[str, str]]:
    prefix = "/spec/entries/"
    return [(step.op, step.path.removeprefix(prefix)) for step in patch]


def route(path: str, *backends: str) -> Any:
    """Return a rule of an HTTPRoute, which has no key."""
    value = {"type": "PathPrefix", "value": path}
    weights = [{"name": each, "port": 80, "weight": 50} for each in backends]
    return {"matches": [{"path": value}], "backendRefs": weights}


def test_an_element_in_front_changes_nothing_of_the_others() -> None:
    patch = steps([route("/", "web")], [route("/api", "api"), route("/", "web")])
    assert told(patch) == [("add", "0")]


def test_a_change_is_found_beside_an_insertion() -> None:
    after = copy.deepcopy([route("/api", "api"), route("/", "web")])
    after[1]["backendRefs"][0]["weight"] = 90
    patch = steps([route("/", "web")], after)
    assert told(patch) == [("add", "0"), ("replace", "1/backendRefs/0/weight")]


def test_an_element_may_move_and_change() -> None:
    one, two, three = ({"a": n, "b": n, "c": n, "d": n} for n in (1, 2, 3))
    patch = steps([one, two, three], [two, three, {**one, "d": 9}])
    assert told(patch) == [("move", "2"), ("replace", "2/d")]


def test_an_element_that_moves_has_more_in_common() -> None:
    one = {"target": "x", "weight": 1, "on": True, "tls": True, "strict": False}
    stays, other = {"target": "y", "weight": 2}, {**one, "target": "z", "weight": 9}
    assert told(steps([one, stays], [stays, other])) == [("remove", "0"), ("add", "1")]
    assert told(steps([one, stays], [other, stays])) == [
        ("replace", "0/target"),
        ("replace", "0/weight"),
    ]


def test_what_has_less_than_half_in_common_is_another_element() -> None:
    before, after = {"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 0, "c": 0}
    assert told(steps([before], [after])) == [("remove", "0"), ("add", "0")]
    assert told(steps([before], [{**before, "c": 0}])) == [("replace", "0/c")]


def test_the_most_alike_are_one_element() -> None:
    old = {"a": 1, "b": 2, "c": 3, "d": 4}
    less, more = {**old, "a": 0, "b": 0}, {**old, "d": 0}
    assert told(steps([old], [less, more])) == [("add", "0"), ("replace", "1/d")]


def test_scalars_and_lists_have_no_likeness() -> None:
    assert told(steps(["--a=1", "--b"], ["--a=2", "--b"])) == [("replace", "0")]
    assert told(steps([[1, 2]], [[1, 3]])) == [("replace", "0/1")]
    assert told(steps([1, {"a": 1}], [2, {"a": 1}])) == [("replace", "0")]


@pytest.mark.parametrize(
    ("leaves", "share"), [(2, 0.8), (3, 0.8), (4, 0.97), (6, 0.97)]
)
def test_edits_of_lists_without_keys_read_as_what_happened(
    leaves: int, share: float
) -> None:
    thrown, right, tries = random.Random(7), 0, 300

    def element() -> dict[str, Any]:
        named = {f"m{n}": thrown.choice(WORDS) for n in range(leaves - 1)}
        return {"in": [named], "weight": thrown.randrange(100)}

    for _ in range(tries):
        before = [element() for _ in range(thrown.randrange(3, 9))]
        after = copy.deepcopy(before)
        changed = thrown.randrange(len(after))
        after[changed]["weight"] = thrown.randrange(1000, 2000)
        if thrown.random() < 0.5:
            after.insert(thrown.randrange(len(after) + 1), element())
        else:
            del after[(changed + 1) % len(after)]
        patch = steps(before, after)
        weights = (
            before[changed]["weight"],
            after[after.index(next(each for each in after if each["weight"] >= 1000))][
                "weight"
            ],
        )
        said = [(step.old, step.value) for step in patch if step.op == "replace"]
        right += len(patch) == 2 and said == [weights]
    assert right >= share * tries


def test_long_lists_of_switches_read_as_what_happened() -> None:
    thrown, right, tries = random.Random(7), 0, 100

    def element() -> dict[str, Any]:
        switches = {each: thrown.random() < 0.5 for each in ("on", "tls", "strict")}
        return {
            "target": thrown.choice(WORDS),
            "weight": thrown.randrange(1000),
            **switches,
        }

    for _ in range(tries):
        before = [element() for _ in range(thrown.randrange(40, 120))]
        after = copy.deepcopy(before)
        after[1]["weight"] = -1
        del after[20], after[30]
        after.insert(10, element())
        after.append(element())
        ops = sorted(step.op for step in steps(before, after))
        right += ops == ["add", "add", "remove", "remove", "replace"]
    assert right >= 0.95 * tries


@pytest.mark.parametrize("more", [{}, {"method": "GET"}])
def test_a_long_list_that_changed_everywhere_is_paired(more: Any) -> None:
    before = [{"path": f"/{n}", **more, "weight": n} for n in range(2_000)]
    after = [{**each, "weight": -1 - n} for n, each in enumerate(before)]
    new = {"path": "/new", "method": "PUT", "weight": 5}
    for later in (after, [new, *after], after[1:], after[1_000:] + after[:1_000]):
        patch = steps(before, later)
        replaced = [step for step in patch if step.op == "replace"]
        assert all(step.value == -1 - step.old for step in replaced)
        assert len(replaced) == len([each for each in later if each is not new])


HOSTILE = st.lists(hostile_json("name", "type", "alert", "key"), max_size=6)


@given(HOSTILE, HOSTILE)
@examples(200)
def test_patches_of_hostile_lists_apply_back(before: Any, after: Any) -> None:
    one, other = {"rules": before}, {"rules": after}
    patch = [step.as_json() for step in operations_between(one, other)]
    assert canonical(jsonpatch.apply_patch(one, patch)) == canonical(other)


_small = st.fixed_dictionaries(
    {"zone": st.sampled_from("ab"), "address": st.integers(1, 3)},
    optional={"name": st.sampled_from(WORDS), "weight": st.integers(0, 2)},
)


@given(st.lists(_small, max_size=6), st.lists(_small, max_size=6))
@examples(200)
def test_patches_by_any_key_apply_back(before: Any, after: Any) -> None:
    """Keys repeat, change and lack members. Members and elements change places."""
    for key in (("zone",), ("address", "zone"), ("name",), ("absent",)):
        keys = ListKeys()
        keys.note("/spec/entries", key)
        steps(before, after, keys)


def test_the_order_of_members_does_not_matter() -> None:
    one = {"alpha": 1, "bravo": {"x": 1, "y": 2}, "carbon": 3}
    turned = {"carbon": 3, "bravo": {"y": 2, "x": 1}, "alpha": 1}
    new = {"delta": 1, "ember": 2}
    assert told(steps([one], [new, turned])) == [("add", "0")]


def hosts(*addresses: tuple[str, str, int]) -> list[dict[str, Any]]:
    names = ("address", "zone", "weight")
    return [dict(zip(names, each, strict=True)) for each in addresses]


def widget(*owned: Any, manager: str = "bob") -> dict[str, Any]:
    entries = [entry(manager, each) for each in owned]
    return {"metadata": {"managedFields": entries}}


def owned(key: str) -> Any:
    return {"f:spec": {"f:entries": {f"k:{key}": {".": {}, "f:weight": {}}}}}


BY_ADDRESS = owned('{"address":"1","zone":"a"}')


def test_the_servers_key_says_which_element_it_is() -> None:
    keys = ListKeys()
    keys.look_in(widget({"f:spec": {"f:size": {}}}, BY_ADDRESS))
    before = hosts(("1", "a", 5), ("1", "b", 5))
    after = hosts(("1", "c", 5), ("1", "a", 7), ("1", "b", 5))
    patch = steps(before, after, keys)
    assert told(patch) == [("add", "0"), ("replace", "1/weight")]
    assert [step.label for step in patch] == [
        "address=1,zone=c",
        "address=1,zone=a",
    ]
    assert keys.used == [("/spec/entries", ("address", "zone"))]


def test_the_servers_key_comes_before_a_usual_one() -> None:
    keys = ListKeys()
    keys.look_in(widget(owned('{"id":"1"}')))
    before = [{"id": "1", "name": "a"}, {"id": "2", "name": "b"}]
    after = [{"id": "1", "name": "c"}, {"id": "2", "name": "b"}]
    assert told(steps(before, after, keys)) == [("replace", "0/name")]
    assert told(steps(before, after)) == [("remove", "0"), ("add", "0")]


def test_a_usual_key_is_not_noted() -> None:
    keys = ListKeys()
    conditions: Any = {"f:conditions": {'k:{"type":"Ready"}': {}}}
    keys.look_in(widget({"f:status": conditions}))
    one, other = (
        {"status": {"conditions": [{"type": "Ready", "status": each}]}}
        for each in ("True", "False")
    )
    assert operations_between(one, other, keys=keys)
    assert keys.of("/status/conditions") == ("type",)
    assert keys.used == []


def test_a_key_that_repeats_does_not_count() -> None:
    keys = ListKeys()
    keys.look_in(widget(owned('{"zone":"a"}')))
    before, after = hosts(("1", "a", 5), ("2", "a", 5)), hosts(("2", "a", 5))
    assert told(steps(before, after, keys)) == [("remove", "0")]


def test_a_masked_key_does_not_count() -> None:
    keys = ListKeys()
    keys.look_in(widget(owned('{"zone":"a"}')))
    before = [{"zone": f"{MASKED}{1:016x}", "a": 1, "b": 2}]
    after = [{"zone": f"{MASKED}{2:016x}", "a": 1, "b": 2}]
    assert told(steps(before, after, keys)) == [("replace", "0/zone")]


@pytest.mark.parametrize("members", [{"f:entries": {}}, {"f:entries": {'v:"a"': {}}}])
def test_without_a_key_of_the_server_likeness_decides(members: Any) -> None:
    keys = ListKeys()
    keys.look_in(widget({"f:spec": members}))
    before, after = hosts(("1", "a", 5)), hosts(("9", "z", 1), ("1", "a", 6))
    assert told(steps(before, after, keys)) == [("add", "0"), ("replace", "1/weight")]


def test_a_list_in_an_element_has_a_key_of_its_own() -> None:
    inner: Any = {"f:rules": {'k:{"ref":"x"}': {"f:size": {}}}}
    keys = ListKeys()
    keys.look_in(widget({"f:spec": {"f:groups": {'k:{"id":1}': inner}}}))
    before: Any = {"spec": {"groups": [{"id": 1, "rules": [{"ref": "x", "size": 1}]}]}}
    after = copy.deepcopy(before)
    after["spec"]["groups"][0]["rules"].insert(0, {"ref": "y", "size": 1})
    (step,) = operations_between(before, after, keys=keys)
    assert (step.op, step.path) == ("add", "/spec/groups/0/rules/0")
    assert keys.of("/spec/groups/7/rules") == ("ref",)


def test_an_empty_list_of_an_earlier_version_hides_no_key() -> None:
    keys = ListKeys()
    keys.look_in(widget({"f:spec": {"f:entries": {}}}))
    keys.look_in(widget(BY_ADDRESS))
    assert keys.of("/spec/entries") == ("address", "zone")


@pytest.mark.parametrize("owner", [{"f:spec": {"f:entries": {}}}, {"f:spec": {}}, {}])
def test_a_list_that_was_empty_may_have_a_key_later(owner: Any) -> None:
    keys = ListKeys()
    keys.look_in(widget(owner))
    assert keys.of("/spec/entries") == ()
    keys.look_in(widget(BY_ADDRESS))
    assert keys.of("/spec/entries") == ("address", "zone")


def test_the_key_of_the_later_version_counts() -> None:
    keys = ListKeys()
    keys.look_in(widget(owned('{"weight":5}')))
    assert keys.of("/spec/entries") == ("weight",)
    keys.look_in(widget({"f:spec": {"f:size": {}}}, BY_ADDRESS))
    assert keys.of("/spec/entries") == ("address", "zone")
    keys.look_in(widget({"f:spec": {"f:size": {}}}))
    assert keys.of("/spec/entries") == ("address", "zone")


def test_keys_of_an_earlier_version_are_remembered() -> None:
    keys = ListKeys()
    keys.look_in(widget(BY_ADDRESS))
    keys.look_in({"metadata": {}})
    assert keys.of("/spec/entries") == ("address", "zone")


@given(hostile_json("metadata", "managedFields", "fieldsV1", "f:spec", "k:{}", "k:[1]"))
@examples(200)
def test_hostile_managed_fields_do_no_harm(value: Any) -> None:
    keys = ListKeys()
    for obj in (value, {"metadata": value}, widget(value)):
        keys.look_in(obj)
        assert type(keys.of("/spec/entries")) is tuple


@pytest.mark.parametrize(
    ("member", "before", "after", "expected"),
    [
        (
            "rules",
            [{"alert": "High", "expr": "a > 0.05"}],
            [{"record": "a:b", "expr": "x"}, {"alert": "High", "expr": "a > 0.5"}],
            [("add", "/rules/0"), ("replace", "/rules/1/expr")],
        ),
        (
            "rules",
            [
                {"alert": "High", "expr": "1", "labels": {"severity": "page"}},
                {"alert": "High", "expr": "2", "labels": {"severity": "ticket"}},
            ],
            [
                {"alert": "High", "expr": "3", "labels": {"severity": "ticket"}},
                {"alert": "High", "expr": "1", "labels": {"severity": "page"}},
            ],
            [("move", "/rules/0"), ("replace", "/rules/0/expr")],
        ),
        (
            "parents",
            [{"controllerName": "c", "parentRef": {"name": "edge"}, "x": 1}],
            [
                {"controllerName": "c", "parentRef": {"name": "mesh"}, "x": 1},
                {"controllerName": "c", "parentRef": {"name": "edge"}, "x": 2},
            ],
            [("add", "/parents/0"), ("replace", "/parents/1/x")],
        ),
        (
            "budgets",
            [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 9 * * *"}],
            [{"nodes": "20%"}, {"nodes": "0", "schedule": "0 9 * * *"}],
            [("replace", "/budgets/0/nodes")],
        ),
        (
            "requirements",
            [{"key": "zone", "operator": "In", "values": ["a"]}],
            [
                {"key": "arch", "operator": "In", "values": ["a"]},
                {"key": "zone", "operator": "In", "values": ["b"]},
            ],
            [("add", "/requirements/0"), ("replace", "/requirements/1/values/0")],
        ),
        (
            "route",
            [{"destination": {"host": "web", "subset": "v1"}, "weight": 100}],
            [
                {"destination": {"host": "web", "subset": "v2"}, "weight": 10},
                {"destination": {"host": "web", "subset": "v1"}, "weight": 90},
            ],
            [("add", "/route/0"), ("replace", "/route/1/weight")],
        ),
    ],
)
def test_well_known_lists_have_keys_without_a_server(
    member: str, before: Any, after: Any, expected: list[tuple[str, str]]
) -> None:
    patch = operations_between({member: before}, {member: after})
    assert [(step.op, step.path) for step in patch] == expected


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        ({"alert": "High errors", "expr": "x"}, 'alert="High errors"'),
        ({"record": "job:x", "expr": "x"}, "record=job:x"),
        ({"host": "a.example", "http": {}}, "host=a.example"),
        ({"path": "/api", "backend": {}}, "path=/api"),
        ({"parentRef": {"name": "edge"}}, "name=edge"),
        ({"matches": []}, ""),
    ],
)
def test_an_element_without_a_key_has_the_name_that_people_use(
    element: Any, expected: str
) -> None:
    assert label("rules", element) == expected


@given(st.lists(st.tuples(st.sampled_from(["name", "alert"]), st.text(min_size=1))))
def test_names_are_read_back_from_labels(pairs: list[tuple[str, str]]) -> None:
    labels = " ".join(label("rules", {member: name}) for member, name in pairs)
    if json.dumps(pairs).isascii() and all(name.strip() for _, name in pairs):
        assert names_in(labels) == tuple(name for _, name in pairs)
