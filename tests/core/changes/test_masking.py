from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.changes.masking import SecretMask
from kubectl_spy.core.jsontext import dumps
from tests.builders import PODS, SECRETS, STREAMS, entry, pod, recorded_lines

MASK = SecretMask(b"k" * 32)
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
TAG = re.compile(r"\*\*\* [0-9a-f]{16}")


def secret(value: str = "hunter2", **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "Opaque",
        "immutable": False,
        "metadata": {"name": "db", "namespace": "shop"},
        "data": {"password": base64.b64encode(value.encode()).decode()},
        "stringData": {"user": "admin-user"},
        **more,
    }


def annotated(**annotations: Any) -> dict[str, Any]:
    metadata = {"name": "db", "namespace": "shop", "annotations": annotations}
    return secret(metadata=metadata)


def masked(document: dict[str, Any]) -> dict[str, Any]:
    return MASK(document, SECRETS)


def test_values_go_and_keys_stay() -> None:
    shown = masked(secret())
    assert list(shown["data"]) == ["password"]
    assert TAG.fullmatch(shown["data"]["password"])
    assert TAG.fullmatch(shown["stringData"]["user"])


def test_a_changed_value_has_another_tag_and_an_unchanged_one_the_same() -> None:
    one, other, back = masked(secret()), masked(secret("hunter3")), masked(secret())
    assert one["data"] == back["data"] != other["data"]


def test_tags_of_another_run_do_not_compare() -> None:
    assert masked(secret()) != SecretMask(b"l" * 32)(secret(), SECRETS)


def test_equal_values_under_two_keys_do_not_show_it() -> None:
    document = secret()
    document["data"]["again"] = document["data"]["password"]
    document["stringData"]["again"] = document["data"]["password"]
    shown = masked(document)
    tags = [*shown["data"].values(), shown["stringData"]["again"]]
    assert len(set(tags)) == 3


OWNER = {"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "w"}


def test_well_known_fields_are_shown() -> None:
    document = secret()
    document["metadata"] |= {
        "uid": "u",
        "resourceVersion": "5",
        "generation": 1,
        "generateName": "db-",
        "selfLink": "/api/v1/secrets/db",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "deletionTimestamp": "2026-01-01T00:00:00Z",
        "deletionGracePeriodSeconds": 0,
        "finalizers": ["foregroundDeletion"],
        "labels": {"app.kubernetes.io/name": "db"},
        "annotations": {"cert-manager.io/certificate-name": "db"},
        "ownerReferences": [{**OWNER, "controller": True, "blockOwnerDeletion": False}],
        "managedFields": [entry("kubectl", {"f:data": {".": {}, "f:password": {}}})],
    }
    del document["data"], document["stringData"]
    assert masked(document) == document


def test_last_applied_shows_that_it_changes() -> None:
    old, new, back = (
        masked(annotated(**{LAST_APPLIED: text}))["metadata"]["annotations"]
        for text in ("one", "two", "one")
    )
    assert TAG.fullmatch(old[LAST_APPLIED])
    assert old == back != new


@pytest.mark.parametrize(
    "shape",
    [
        {"data": ["hunter2"]},
        {"data": "hunter2"},
        {"data": {"password": {"deeper": ["hunter2"]}}},
        {"data": {"password": 2026, "flag": True}},
        {"items": [secret("hunter2")], "status": {"hunter2": "hunter2"}},
        {"metadata": None},
        {"metadata": ["hunter2"]},
        {"metadata": {"annotations": "hunter2", "labels": ["hunter2"]}},
        {"metadata": {"name": ["hunter2"], "generation": "hunter2"}},
        {"metadata": {"finalizers": "hunter2", "spec": {"hunter2": 1}}},
        {"metadata": {"ownerReferences": ["hunter2", {"token": "hunter2"}]}},
        {"metadata": {"managedFields": [{"fieldsV1": {"f:data": "hunter2"}}]}},
        {"metadata": {"managedFields": {"hunter2": 1}}},
        {"type": {"hunter2": 1}, "immutable": "hunter2", "kind": ["hunter2"]},
    ],
)
def test_other_shapes_are_masked_whole(shape: dict[str, Any]) -> None:
    text = str(masked(secret(**shape)))
    assert "hunter2" not in text and "2026" not in text and "'flag': True" not in text


RELEASE = "helm.sh/release.v1"


def labelled(kind: object, **labels: Any) -> dict[str, Any]:
    """Return the labels that are shown of a Secret of this type."""
    metadata = {"name": "sh.helm.release.v1.api.v8", "labels": labels}
    shown: dict[str, Any] = masked(secret(type=kind, metadata=metadata))
    assert TAG.fullmatch(shown["data"]["password"])
    return dict(shown["metadata"]["labels"])


def test_the_state_of_a_release_of_helm_is_shown() -> None:
    labels = {"owner": "helm", "name": "api", "status": "pending-upgrade"}
    labels |= {"version": "8", "modifiedAt": "1764032400"}
    assert labelled(RELEASE, **labels) == labels


@pytest.mark.parametrize("kind", ["Opaque", "", None, [RELEASE], f"{RELEASE}\n"])
def test_the_same_labels_of_other_secrets_are_masked(kind: object) -> None:
    assert "hunter2" not in str(labelled(kind, owner="hunter2", status="hunter2"))


def test_other_labels_and_the_annotations_of_a_release_are_masked() -> None:
    labels = labelled(RELEASE, team="hunter2", Status="hunter2", createdAt="hunter2")
    assert "hunter2" not in str(labels)
    annotations = {"status": "hunter2", "owner": "hunter2"}
    document = secret(type=RELEASE, metadata={"annotations": annotations})
    assert "hunter2" not in str(masked(document))


@pytest.mark.parametrize(
    "value",
    [
        64 * "a",
        "hunter2 is it",
        "hunter2\n",
        "-hunter2",
        "hunter2=",
        "hünter2",
        2026,
        True,
        ["hunter2"],
        {"hunter2": "hunter2"},
    ],
)
def test_a_label_of_a_release_that_no_server_takes_is_masked(value: object) -> None:
    assert TAG.fullmatch(labelled(RELEASE, status=value)["status"])


def test_a_secret_that_becomes_a_release_does_not_show_what_it_was() -> None:
    before = labelled("Opaque", status="hunter2")["status"]
    after = labelled(RELEASE, status="failed")["status"]
    assert TAG.fullmatch(before) and after == "failed"
    assert labelled("Opaque", status="hunter2")["status"] == before


def test_null_and_what_is_empty_stay_visible() -> None:
    document = secret(data=None, stringData={})
    assert masked(document)["data"] is None
    assert masked(document)["stringData"] == {}


def test_a_value_may_be_nested_too_deeply_for_python() -> None:
    deep: Any = "hunter2"
    for _ in range(5000):
        deep = [{"f:data": deep}]
    fields = [{"fieldsV1": deep[0]}]
    document = secret(
        data=deep, metadata={"annotations": deep, "managedFields": fields}
    )
    shown = masked(document)
    assert TAG.fullmatch(shown["data"])
    assert TAG.fullmatch(shown["metadata"]["managedFields"][0]["fieldsV1"])


def test_the_original_is_left_alone_and_other_objects_are_passed_through() -> None:
    document = secret()
    masked(document)
    assert document == secret()
    other = pod()
    assert MASK(other, PODS) is other


@pytest.mark.parametrize("kind", ["Pod", "secret", "", None, ["Secret"]])
def test_the_watched_type_decides_what_is_masked(kind: object) -> None:
    assert "aHVudGVyMg" not in str(masked(secret(kind=kind, apiVersion="meta/v1")))
    assert "aHVudGVyMg" not in str(MASK(secret(), PODS))


QUOTING = [
    "kubectl create secret generic db --from-literal=password={}",
    "'{}'",
    '[{{"op":"replace","path":"/data/password","value":"{}"}}]',
    "postgres://admin:{}@db/shop",
]
ENCODED = [
    str,
    lambda value: base64.b64encode(value.encode()).decode(),
    lambda value: "Basic " + base64.b64encode(f"admin:{value}".encode()).decode(),
    lambda value: base64.urlsafe_b64encode(gzip.compress(value.encode())).decode(),
    lambda value: value.encode().hex(),
    lambda value: json.dumps(json.dumps(value)),
    lambda value: quote(value),
    lambda value: value[::-1],
    lambda value: {value: value},
    lambda value: [value, {"nested": [value]}],
]
PLACES: list[tuple[str, ...]] = [
    ("data", "again"),
    ("stringData", "again"),
    ("metadata", "annotations", "kubernetes.io/change-cause"),
    ("metadata", "annotations", LAST_APPLIED),
    ("metadata", "labels", "password"),
    ("metadata", "whatever"),
    ("metadata", "managedFields"),
    ("status", "last"),
    ("whatever",),
]


def quoted(value: str, old: str, quotes: list[tuple[Any, ...]]) -> dict[str, Any]:
    """Return a Secret with *value*, that quotes it and an *old* one at some places."""
    document = secret(value)
    for place, words, encoded, current in quotes:
        text = encoded(value if current else old)
        target = document
        for step in place[:-1]:
            target = target.setdefault(step, {})
        target[place[-1]] = words.format(text) if isinstance(text, str) else text
    return document


@given(
    st.text(min_size=1),
    st.text(min_size=1),
    st.lists(
        st.tuples(
            st.sampled_from(PLACES),
            st.sampled_from(["{}", *QUOTING]),
            st.sampled_from(ENCODED),
            st.booleans(),
        )
    ),
)
def test_masked_output_does_not_depend_on_values(
    value: str, old: str, quotes: list[tuple[Any, ...]]
) -> None:
    """So no value is shown, current or earlier, in whatever encoding or member."""

    def shown(document: dict[str, Any]) -> str:
        return TAG.sub("***", dumps(masked(document)).decode())

    assert shown(quoted(value, old, quotes)) == shown(quoted("x", "y", quotes))


def test_values_of_recorded_secrets_are_masked() -> None:
    values, shown = set(), []
    path = STREAMS / "secret-config.ndjson.gz"
    for line in recorded_lines(path):
        if not line["path"].endswith("/secrets") or "event" not in line:
            continue
        obj = line["event"]["object"]
        if "data" not in obj:
            continue
        values |= set(obj["data"].values())
        shown.append(dumps(masked(obj)).decode())
    assert values and shown
    for value in values:
        plain = base64.b64decode(value).decode()
        assert not [text for text in shown if value in text or plain in text]
    assert any(value.encode() in gzip.decompress(path.read_bytes()) for value in values)
