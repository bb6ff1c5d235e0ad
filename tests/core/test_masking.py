from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest

from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.masking import SecretMask
from tests.builders import STREAMS, pod, recorded_lines

KEY = b"k" * 32
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def secret(value: str = "hunter2", **annotations: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "db", "namespace": "shop", "annotations": annotations},
        "data": {"password": base64.b64encode(value.encode()).decode()},
        "stringData": {"user": "admin-user"},
    }


def test_values_go_and_keys_stay() -> None:
    masked = SecretMask(KEY)(secret())
    assert list(masked["data"]) == ["password"]
    assert masked["data"]["password"].startswith("*** ")
    assert len(masked["data"]["password"]) == 4 + 16
    assert "admin-user" not in str(masked)


def test_a_changed_value_has_another_tag_and_an_unchanged_one_the_same() -> None:
    mask = SecretMask(KEY)
    one, same, other = mask(secret()), mask(secret()), mask(secret("hunter3"))
    assert one["data"] == same["data"] != other["data"]


def test_tags_of_another_run_say_nothing() -> None:
    assert SecretMask(KEY)(secret()) != SecretMask(b"l" * 32)(secret())


def test_equal_values_under_two_keys_do_not_show_it() -> None:
    document = secret()
    document["data"]["again"] = document["data"]["password"]
    masked = SecretMask(KEY)(document)["data"]
    assert masked["again"] != masked["password"]


def test_annotations_that_hold_the_object_or_a_value_are_masked() -> None:
    document = secret(
        **{
            LAST_APPLIED: '{"data":{"password":"b2xkZXI="}}',
            "note": "the password is hunter2",
            "owner": "team-a",
        }
    )
    annotations = SecretMask(KEY)(document)["metadata"]["annotations"]
    assert annotations[LAST_APPLIED].startswith("*** ")
    assert annotations["note"].startswith("*** ")
    assert annotations["owner"] == "team-a"


def test_hostile_shapes_are_masked_whole() -> None:
    document = {**secret(), "data": ["hunter2"], "metadata": None}
    assert "hunter2" not in str(SecretMask(KEY)(document))


def test_the_original_is_left_alone_and_other_kinds_are_passed_through() -> None:
    document = secret()
    SecretMask(KEY)(document)
    assert document == secret()
    other = pod()
    assert SecretMask(KEY)(other) is other


def test_no_value_of_the_recorded_secrets_survives() -> None:
    mask, values, masked = SecretMask(KEY), set(), []
    path = STREAMS / "secret-config.ndjson.gz"
    for line in recorded_lines(path):
        if not line["path"].endswith("/secrets") or "event" not in line:
            continue
        obj = line["event"]["object"]
        if "data" not in obj:
            continue
        values |= set(obj["data"].values())
        masked.append(dumps(mask(obj)).decode())
    assert values and masked
    for value in values:
        plain = base64.b64decode(value).decode()
        assert not [text for text in masked if value in text or plain in text]
    assert any(value.encode() in gzip.decompress(path.read_bytes()) for value in values)


PEM = '-----BEGIN KEY-----\nMII"<abc>\n-----END KEY-----\n'
TOKEN = "eyJhbGciOiJSUzI1NiIsImtpZCI6Ikx"


@pytest.mark.parametrize(
    "copy",
    [
        json.dumps({"tls.key": PEM}),
        json.dumps({"tls.key": PEM}).replace("<", "\\u003c").replace(">", "\\u003e"),
        '{"kind":"Secret","data":{"password":"b2xkZXI="}}',
        json.dumps({"last": '{"stringData":{"password":"older"}}'}),
        "kind: Secret\nstringData:\n  password: older\n",
        base64.b64encode(b'{"data":{"password":"b2xkZXI="}}').decode(),
        base64.b64encode(gzip.compress(b"whatever")).decode(),
        TOKEN,
    ],
    ids=["json", "Go", "older", "within", "yaml", "base64", "gzip", "part"],
)
def test_copies_that_an_unknown_tool_keeps_are_masked(copy: str) -> None:
    document = secret(copy=copy, note="the metadata: from team-a, due 2026-01-01")
    document["data"] = {
        "tls.key": base64.b64encode(PEM.encode()).decode(),
        ".dockercfg": base64.b64encode(f'{{"token":"{TOKEN}"}}'.encode()).decode(),
    }
    annotations = SecretMask(KEY)(document)["metadata"]["annotations"]
    assert annotations["copy"].startswith("*** ")
    assert annotations["note"] == "the metadata: from team-a, due 2026-01-01"
