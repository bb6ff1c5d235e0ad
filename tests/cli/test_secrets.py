"""No value of a Secret comes out, in no way, unless --show-secrets asks for it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.builders import STREAMS, recorded_lines
from tests.cli.command import PATIENCE, Ended, Spy
from tests.extras.serve.api_server.server import ApiServer, Serve


def recorded_values() -> Iterator[bytes]:
    """Yield what is in the recorded Secrets, as it is and as base64."""
    for line in recorded_lines(STREAMS / "secret-config.ndjson.gz"):
        item = line.get("event", {}).get("object", {})
        if item.get("kind") == "Secret":
            for value in item.get("data", {}).values():
                yield value.encode()
                yield base64.b64decode(value)


VALUES = {value for value in recorded_values() if len(value) > 3}

SENTINEL: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "the-end", "namespace": "secret-config"},
    "stringData": {"token": "s3cret-in-string-data"},
    "data": {"key": "c2VjcmV0LWluLWRhdGE="},
}
PUT = {b"s3cret-in-string-data", b"c2VjcmV0LWluLWRhdGE=", b"secret-in-data"}


def follow(spy: Spy, serve: Serve, *arguments: str) -> Ended:
    """Follow the Secrets of the recording, and one with a copy of its value."""
    server = serve("secret-config", watches_before_play=100)
    copy = {**SENTINEL["metadata"], "annotations": {"copy": "it is secret-in-data"}}
    with spy.running(*arguments) as running:
        server.wait_for_watches(1, PATIENCE)
        server.play()
        server.wait_until_played(PATIENCE)
        server.put({**SENTINEL, "metadata": copy})
        server.delete(SENTINEL)
        server.put({**SENTINEL, "metadata": {**copy, "name": "finally"}})
        running.wait_until(lambda seen: b"finally" in seen.stdout)
        ended = running.end()
    server.__exit__(None, None, None)
    return ended


@pytest.mark.parametrize("command", ["status", "changes"])
@pytest.mark.parametrize("output", ["text", "json", "yaml"])
def test_values_of_secrets_are_not_printed(
    spy: Spy, serve: Serve, command: str, output: str
) -> None:
    ended = follow(spy, serve, command, "secrets", "-o", output, "--debug")
    assert len(VALUES) >= 4
    for value in VALUES | PUT:
        assert value not in ended.stdout + ended.stderr
    if command == "changes":
        assert b"*** " in ended.stdout


def rotated(password: str, quoted: str) -> dict[str, Any]:
    """Return a Secret as `kubectl create --record` and several tools leave it."""
    basic = base64.b64encode(f"admin:{quoted}".encode()).decode()
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "rotated",
            "namespace": "secret-config",
            "labels": {"last-password": quoted, "app.kubernetes.io/name": "shop-db"},
            "annotations": {
                "kubernetes.io/change-cause": "kubectl create secret generic rotated "
                f"--from-literal=password={quoted}",
                "tool.example.com/header": f"Basic {basic}",
                "tool.example.com/hex": quoted.encode().hex(),
            },
        },
        "data": {"password": base64.b64encode(f"{password}\n".encode()).decode()},
        "lastRotation": {"from": quoted},
    }


@pytest.mark.parametrize("output", ["text", "json", "yaml", "jsonpatch"])
def test_rotated_secrets_show_no_password(spy: Spy, serve: Serve, output: str) -> None:
    server = serve()
    file = spy.home / "rotated.spy"
    recording = ("--record", str(file)) if output == "json" else ()
    server.put(rotated("older-hunter", "older-hunter"))
    arguments = ("changes", "secret/rotated", "-n", "secret-config", "-o", output)
    with spy.running(*arguments, *recording) as running:
        server.wait_for_watches(1, PATIENCE)
        server.put(rotated("newer-hunter", "older-hunter"))
        server.put(rotated("older-hunter", "newer-hunter"))
        server.put({**rotated("older-hunter", "older-hunter"), "type": "the-end"})
        running.wait_until(lambda seen: b"the-end" in seen.stdout)
        ended = running.end()
    written = file.read_bytes() if recording else b""
    for password in (b"older-hunter", b"newer-hunter"):
        header = base64.b64encode(b"admin:" + password)
        encoded = base64.b64encode(password + b"\n")
        for form in (password, password.hex().encode(), header, encoded):
            assert form not in ended.stdout + ended.stderr + written
    assert b"shop-db" in ended.stdout or output == "jsonpatch"
    if output == "json":
        first, *rest = ended.records
        passwords = [
            step["value"]
            for record in rest
            for step in record["patch"]
            if step["path"] == "/data/password"
        ]
        was = first["object"]["data"]["password"]
        assert passwords[0] != was and passwords[1:] == [was]
        assert "/metadata/annotations/kubernetes.io~1change-cause" in str(rest)


def test_a_span_of_a_secret_holds_no_value(spy: Spy, serve: Serve) -> None:
    server = serve()
    server.put(rotated("older-hunter", "older-hunter"))
    arguments = ("spans", "secret/rotated", "-n", "secret-config")
    with spy.running(*arguments, "-o", "json") as running:
        server.wait_for_watches(2, PATIENCE)  # of Secrets and of Events
        server.put(rotated("newer-hunter", "newer-hunter"))
        running.wait_until(lambda seen: b"Secret.update" in seen.stdout)
        ended = running.end()
    assert '"k8s.change.what":"' in ended.out and " → *** " in ended.out
    for password in ("older-hunter", "newer-hunter"):
        encoded = base64.b64encode(f"{password}\n".encode()).decode()
        assert password not in ended.out and encoded not in ended.out


def test_values_are_shown_when_asked_for(spy: Spy, serve: Serve) -> None:
    arguments = ("changes", "secrets", "-o", "json", "--show-secrets")
    ended = follow(spy, serve, *arguments)
    assert any(value in ended.stdout for value in VALUES)
    assert b"s3cret-in-string-data" in ended.stdout
    assert b"*** " not in ended.stdout


CONFIG: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "app", "namespace": "shop"},
    "data": {"password": "first-pw", "url": "http://db"},
}


def changed_config(server: ApiServer) -> None:
    for password in ("second-pw", "third-pw"):
        data = {**CONFIG["data"], "password": password}
        copied = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(data)}
        metadata = {**CONFIG["metadata"], "annotations": copied}
        server.put({**CONFIG, "metadata": metadata, "data": data})


@pytest.mark.parametrize("flags", [(), ("--show-secrets",)])
def test_redacted_fields_show_no_value_live_nor_recorded(
    spy: Spy, serve: Serve, flags: tuple[str, ...]
) -> None:
    server = serve(namespace="shop")
    server.put(CONFIG)
    (spy.home / "rules.txt").write_text("# of ours\n\ncm:/data/password\n")
    file = spy.home / "app.spy"
    words = ("changes", "cm", "--redact", f"@{spy.home / 'rules.txt'}", *flags)
    with spy.running(*words, "--record", str(file)) as running:
        running.wait_until(lambda seen: b"LISTED" in seen.stdout)
        changed_config(server)
        running.wait_until(lambda seen: seen.stdout.count(b"MODIFIED") == 2)
        ended = running.end()
    recorded = file.read_text()
    for text in (ended.out, ended.err, recorded):
        assert "-pw" not in text
    assert "http://db" in recorded
    assert len(set(re.findall(r"\*\*\* [0-9a-f]{16}", ended.out))) >= 3
    header = json.loads(recorded.splitlines()[0])
    assert header["redaction"]["fields"] == ["cm:/data/password"]
    assert spy.run("ls", "--verify", str(file)).code == 0
