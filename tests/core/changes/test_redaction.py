"""`--redact`: fields of any kind are masked as Secrets are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.changes.masking import DEFAULTS, Redaction, parse_rule
from tests.builders import PODS, pod, resource

KEY = b"0123456789abcdef"
SECRET = "hunter2-s3cr3t"
words = st.sampled_from(["a", "b", "0", "1", "*"])
documents = st.recursive(
    st.just(SECRET) | st.none() | st.integers(0, 9),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "0"]), below, max_size=3)
    ),
    max_leaves=10,
)


def redacted(obj: dict[str, Any], *rules: str, of: Any = PODS) -> Any:
    mask = Redaction(map(parse_rule, rules), KEY, lambda document, resource: document)
    return mask(obj, of)


def values(value: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    members = (
        value.items()
        if isinstance(value, dict)
        else [(str(n), each) for n, each in enumerate(value)]
        if isinstance(value, list)
        else None
    )
    if members is None:
        return {path: value}
    found: dict[tuple[str, ...], Any] = {}
    for name, each in members:
        found |= values(each, (*path, name))
    return found


@given(documents, st.lists(words, min_size=1, max_size=4))
def test_exactly_what_is_at_the_pointer_is_masked(spec: Any, path: list[str]) -> None:
    before = {**pod(), "spec": spec}
    after = redacted(before, "pods:/spec/" + "/".join(path))
    shown = values(after)
    for where, value in values(before).items():
        inside = len(where) > len(path) and where[0] == "spec"
        hit = inside and all(
            wanted in (name, "*") for wanted, name in zip(path, where[1:], strict=False)
        )
        if hit and value is not None:
            assert shown[where].startswith("*** ")
        else:
            assert shown[where] == value
    assert shown.keys() == values(before).keys()


@pytest.mark.parametrize(
    ("kind", "hit"),
    [
        ("deployments", True),
        ("deployment", True),
        ("Deployment", True),
        ("deploy", True),
        ("deployments.apps", True),
        ("deploy.apps", True),
        ("*", True),
        ("pods", False),
        ("deployments.extensions", False),
    ],
)
def test_a_kind_is_named_as_in_kubectl(kind: str, hit: bool) -> None:
    of = resource("Deployment", "apps", short_names=("deploy",))
    masked = redacted({"spec": {"x": SECRET}}, f"{kind}:/spec/x", of=of)
    assert (SECRET not in json.dumps(masked)) is hit


def test_copies_in_the_last_applied_configuration_are_masked() -> None:
    name = "kubectl.kubernetes.io/last-applied-configuration"
    obj = pod(annotations={name: json.dumps({"spec": {"x": SECRET}}), "other": "kept"})
    obj["spec"]["x"] = SECRET
    masked = redacted(obj, "pods:/spec/x")
    assert SECRET not in json.dumps(masked)
    assert masked["metadata"]["annotations"]["other"] == "kept"
    assert SECRET in json.dumps(redacted(obj, "services:/spec/x"))


def test_values_that_stand_in_managed_fields_are_masked() -> None:
    fields: Any = {"f:spec": {"f:x": {f'v:"{SECRET}"': {}, ".": {}}}}
    obj = pod(managedFields=[{"manager": "helm", "fieldsV1": fields}])
    masked = redacted(obj, "pods:/spec/x")
    assert SECRET not in json.dumps(masked)
    assert masked["metadata"]["managedFields"][0]["manager"] == "helm"


def test_a_tag_changes_with_the_value_and_not_with_the_place_in_a_list() -> None:
    def tags(*found: str) -> list[str]:
        obj = {**pod(), "spec": {"env": [{"value": each} for each in found]}}
        masked = redacted(obj, "pods:/spec/env/*/value")
        return [each["value"] for each in masked["spec"]["env"]]

    one, two = tags("x", "y")
    assert one != two
    assert tags("y", "x") == [two, one]
    assert tags("z", "y")[0] not in (one, two)


def test_well_known_kinds_are_masked_by_default() -> None:
    of = resource("OAuthClient", "oauth.openshift.io")
    mask = Redaction(DEFAULTS, KEY, lambda document, resource: document)
    client = {"kind": "OAuthClient", "secret": SECRET, "additionalSecrets": [SECRET]}
    masked = mask(client, of)
    assert SECRET not in json.dumps(masked)
    assert masked["kind"] == "OAuthClient"


@pytest.mark.parametrize("text", ["", "pods", "pods:", ":/a", "pods:a", "pods:/a~2"])
def test_an_invalid_rule_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"KIND:POINTER|~"):
        parse_rule(text)
