"""-o, --only, --ignore and what else says how much of a change is shown."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonpatch
import yaml

from tests.builders import manifest
from tests.cli.changing import config_map
from tests.cli.command import LOOK, PATIENCE, Ended, Spy
from tests.cli.recorded import canonical
from tests.cli.test_record import watched
from tests.extras.serve.api_server.server import Serve

ESCAPE = "\x1b["
METADATA = {"name": "web", "namespace": "default"}


def boot(
    spy: Spy,
    serve: Serve,
    *flags: str,
    command: str = "changes",
    addition: bytes = b"ADDED",
) -> Ended:
    """Follow the Pod of pod-boot until it is gone, and there again."""
    server = serve("pod-boot", watches_before_play=2)
    with spy.running(command, "pod/nginx", *flags) as running:
        server.wait_for_watches(1, PATIENCE)
        server.play()
        server.wait_until_played(PATIENCE)
        server.put(manifest("Pod", "nginx", "pod-boot", status={"message": "again"}))
        running.wait_until(lambda seen: seen.stdout.count(addition) == 2)
        ended = running.end()
    server.__exit__(None, None, None)
    return ended


def test_every_yaml_document_is_the_json_record(spy: Spy, serve: Serve) -> None:
    as_json = boot(spy, serve, "-o", "json").records
    as_yaml = list(yaml.safe_load_all(boot(spy, serve, "-o", "yaml").out))
    for each in (*as_json, *as_yaml):
        each.pop("time")
        if each is as_json[-1] or each is as_yaml[-1]:
            each.pop("uid")
            each["object"]["metadata"] = {}
    assert canonical(as_yaml) == canonical(as_json)


def test_jsonpatch_lines_rebuild_the_object(spy: Spy, serve: Serve) -> None:
    as_json = boot(spy, serve, "-o", "json").records
    document = None
    seen: list[Any] = []
    flags = ("-o", "jsonpatch")
    ended = boot(spy, serve, *flags, addition=b'"op":"add","path":""')
    for line in ended.out.splitlines():
        document = jsonpatch.apply_patch(document, json.loads(line))
        seen.append(document)
    assert [each["type"] for each in as_json] == [
        "ADDED",
        *["MODIFIED"] * (len(as_json) - 3),
        "DELETED",
        "ADDED",
    ]
    assert canonical(seen[0]) == canonical(as_json[0]["object"])
    before: Any = as_json[0]["object"]
    for record, document in zip(as_json[1:-2], seen[1:-2], strict=True):
        before = jsonpatch.apply_patch(before, record["patch"])
        assert canonical(document) == canonical(before)
    assert seen[-2] is None
    assert seen[-1]["status"] == as_json[-1]["object"]["status"]


def test_jsonpatch_lines_give_an_object_that_returned_to_its_selector(
    spy: Spy, serve: Serve
) -> None:
    server, file = serve(), spy.home / "file.spy"
    selected, other = (
        {**config_map(number), "metadata": {**METADATA, "labels": {"app": app}}}
        for number, app in ((1, "web"), (2, "db"))
    )
    last = {**selected, "data": {"number": "3"}}
    flags = ("cm", "-l", "app=web", "-f", str(file))
    server.put(selected)
    watched(spy, server, *flags, puts=[other, last])
    ended = spy.run("changes", "cm/web", "--from", str(file), "-o", "jsonpatch")
    document: Any = None
    for line in ended.out.splitlines():
        document = jsonpatch.apply_patch(document, json.loads(line))
    assert document["data"] == {"number": "3"}


def test_only_limits_the_output(spy: Spy, serve: Serve) -> None:
    only = ("--only", "/status/conditions/*/status", "--only", "/spec/nodeName")
    first, *changes, gone, again = boot(spy, serve, "-o", "json", *only).records
    assert (first["object"], again["object"]) == ({}, {})
    assert changes[0]["patch"] == [
        {"op": "add", "path": "/spec", "value": {"nodeName": "node1"}},
        {"op": "add", "path": "/status", "value": {"conditions": [{"status": "True"}]}},
    ]
    assert gone["type"] == "DELETED"
    for step in [step for record in changes[1:] for step in record["patch"]]:
        assert re.fullmatch(r"/status/conditions/\d(/status)?", step["path"])
        assert step.get("value") in (None, "True", "False") or set(step["value"]) == {
            "status"
        }


def test_ignored_changes_are_not_printed(spy: Spy, serve: Serve) -> None:
    flags = ("--ignore", "/status", "--ignore", "/metadata/*")
    printed = boot(spy, serve, "-o", "json", *flags, "--ignore", "/spec/*").records
    assert [each["type"] for each in printed[:3]] == ["ADDED", "DELETED", "ADDED"]
    assert printed[0]["object"] == {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {},
        "spec": {},
    }


def test_text_in_a_pipe_has_no_colour_by_default(spy: Spy, serve: Serve) -> None:
    piped = boot(spy, serve)
    assert ESCAPE not in piped.out and "\r" not in piped.out
    coloured = boot(spy, serve, "--color", "always")
    assert ESCAPE in coloured.out
    assert ESCAPE not in boot(spy, serve, "-o", "json", "--color", "always").out


def test_one_object_is_shown_whole_and_many_are_a_line(spy: Spy, serve: Serve) -> None:
    whole = boot(spy, serve).out
    assert "more lines" not in whole.split("MODIFIED")[0]
    server = serve(namespace="shop")
    for name in ("a", "b"):
        server.put(manifest("ConfigMap", name))
    with spy.running("changes", "cm") as running:
        running.wait_for_lines(1)
        listed = running.end().out
    assert listed.endswith("  LISTED    2 configmaps in namespace shop\n")


def test_json_and_yaml_are_utf_8_whatever_the_locale(spy: Spy, serve: Serve) -> None:
    server = serve(namespace="shop")
    data = {"a": "é→😀"}
    server.put(manifest("ConfigMap", data=data))
    for encoding in ("ascii", "latin-1"):
        environ = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
        flags = ("cm/web", "--only", "/data", *LOOK.split())
        as_json = spy.run("changes", *flags, "-o", "json", environ=environ)
        assert json.loads(as_json.stdout)["object"] == {"data": data}
        as_yaml = spy.run("changes", *flags, "-o", "yaml", environ=environ)
        assert yaml.safe_load(as_yaml.stdout)["object"] == {"data": data}
