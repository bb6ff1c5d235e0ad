"""`--audit`: the users behind recorded changes, by the audit log of an API server."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.times import rfc3339
from tests.cli.command import Spy
from tests.recordings import START


def audited(
    user: str, name: str, *, rv: str = "", after: float = 0.0, **more: Any
) -> dict[str, Any]:
    """Return an audit event; with *rv* it has the level RequestResponse."""
    written = {"metadata": {"uid": f"uid-{name}", "resourceVersion": rv}}
    return {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "stage": "ResponseComplete",
        "verb": "update",
        "user": {"username": user},
        "userAgent": "kubectl/v1.36.2 (linux/amd64) kubernetes/abc",
        "sourceIPs": ["192.0.2.7", "10.0.0.1"],
        "objectRef": {"resource": "pods", "namespace": "shop", "name": name},
        "responseStatus": {"code": 200},
        "stageTimestamp": rfc3339(START + after),
        **({"responseObject": written} if rv else {}),
        **more,
    }


def log(path: Path, *events: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(each) + "\n" for each in events))
    return str(path)


def test_a_version_names_the_user_the_program_and_the_address(
    spy: Spy, file: str, tmp_path: Path
) -> None:
    path = log(
        tmp_path / "audit.log",
        audited("jane", "a", rv="3", after=30),  # its clock does not matter
        audited("joe", "a", rv="8", impersonatedUser={"username": "ann"}),
    )
    ended = spy.run("changes", file, "pod/a", "-o", "short", "--audit", path)
    assert [line.partition("(")[2] for line in ended.out.splitlines()[1:]] == [
        "jane, kubectl/v1.36.2, 192.0.2.7)",
        "ann, kubectl/v1.36.2, 192.0.2.7)",
    ]
    as_json = spy.run("changes", "--from", file, "pod/a", "-o", "json", "--audit", path)
    last = json.loads(as_json.out.splitlines()[-1])
    assert last["audit"] == {
        "user": "ann",
        "agent": "kubectl/v1.36.2",
        "address": "192.0.2.7",
        "likely": False,
    }
    blamed = spy.run("blame", file, "pod/a", "--only", "/status", "--audit", path)
    assert "phase: Failed  # ann 15:05:05.000" in blamed.out


def test_a_summary_names_the_user_of_a_change(
    spy: Spy, file: str, tmp_path: Path
) -> None:
    path = log(tmp_path / "audit.log", audited("jane", "c", rv="4", verb="create"))
    lines = spy.run("summary", file, "--audit", path).out.splitlines()
    made = next(each for each in lines if "pod/c" in each and "created" in each)
    assert made.endswith("created (jane, kubectl/v1.36.2, 192.0.2.7)")


def test_a_log_of_another_time_is_said_to_explain_nothing(
    spy: Spy, file: str, tmp_path: Path
) -> None:
    path = log(tmp_path / "audit.log", audited("jane", "a", rv="999", after=86400))
    for words in (("summary", file), ("changes", "--from", file)):
        ended = spy.run(*words, "--audit", path)
        assert ended.code == 0
        assert "no request in the audit log made any of " in ended.err


def test_without_versions_the_nearest_request_is_only_likely(
    spy: Spy, file: str, tmp_path: Path
) -> None:
    path = log(
        tmp_path / "audit.log",
        audited("late", "a", after=2.5),
        audited("jane", "a", after=1.2),
        audited("read", "a", after=1.0, verb="get"),
        audited("refused", "a", after=1.0, responseStatus={"code": 409}),
        audited("begun", "a", after=1.0, stage="RequestReceived"),
        audited("ann", "b", after=4.1, verb="delete"),
        audited("far", "c", after=9),
    )
    ended = spy.run("changes", file, "-o", "json", "--audit", path)
    records = map(json.loads, ended.out.splitlines())
    named = {
        (each["name"], each["type"]): (each["audit"]["user"], each["audit"]["likely"])
        for each in records
        if "audit" in each
    }
    assert named == {("a", "MODIFIED"): ("jane", True), ("b", "DELETED"): ("ann", True)}


def test_two_requests_with_one_version_are_likely(
    spy: Spy, file: str, tmp_path: Path
) -> None:
    """A write that changes nothing is answered with the version that was there."""
    path = log(
        tmp_path / "audit.log",
        audited("second", "a", rv="3", after=1.1),
        audited("first", "a", rv="3", after=1.0),
    )
    ended = spy.run("changes", file, "pod/a", "-o", "short", "--audit", path)
    assert "(likely first, " in ended.out


def test_an_audit_log_may_be_gzipped_and_damaged(
    spy: Spy, file: str, tmp_path: Path
) -> None:
    whole = json.dumps(audited("jane\x1b[31m", "a", rv="3"))
    path = tmp_path / "audit.log.gz"
    path.write_bytes(gzip.compress(f"{whole}\n{{\n[]\n{whole[:50]}".encode()))
    flags = ("-o", "short", "--audit", str(path))
    ended = spy.run("changes", file, "pod/a", *flags)
    assert "(jane\\u001b[31m, " in ended.out
    assert f"warning: 3 lines of {path} cannot be read" in ended.err


@pytest.mark.parametrize("content", [None, b"", b'{"kind":"Pod"}\n', b"\x1f\x8bx"])
def test_a_file_that_is_no_audit_log_is_an_error_in_one_line(
    spy: Spy, file: str, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "audit.log"
    if content is not None:
        path.write_bytes(content)
    ended = spy.run("changes", file, "--audit", str(path))
    assert ended.code == 1
    assert ended.err.splitlines()[-1].startswith("error: ")
    live = spy.run("changes", "pods", "--audit", str(path))
    assert live.err.startswith("error: --audit is for recordings")
