"""Nothing that others may write into a cluster reaches a terminal as more than text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.builders import event, manifest, pod
from tests.cli.command import PATIENCE, Ended, Spy
from tests.extras.serve.api_server.server import Serve
from tests.recordings import ORIGIN, START, first_list, record

CONTROLS = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0)]))
TURNERS = "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2069"
HOSTILE = f"a{CONTROLS}b{TURNERS}c\ufeff\x1b[2J\x1b]0;owned\x07 é 日本 👩\u200d🚀"
OUR_COLOURS = re.compile(r"\x1b\[[0-9]{1,2}m")


def nested(levels: int) -> Any:
    value: Any = HOSTILE
    for level in range(levels):
        value = {"deeper": value} if level % 2 else [value]
    return value


def hostile(name: str, number: int) -> dict[str, Any]:
    """Return an object with hostile text wherever an object can hold text."""
    return manifest(
        "ConfigMap",
        name,
        "default",
        metadata={
            "labels": {HOSTILE: HOSTILE},
            "annotations": {f"{HOSTILE}/{number}": f"{HOSTILE}\n{number}"},
            "finalizers": [HOSTILE, f"{HOSTILE}{number}"],
            "managedFields": [
                {"manager": HOSTILE, "time": f"2026-01-01T00:00:0{number}Z"}
            ],
        },
        data={
            "key\nwith\nlines": f"{number}\n" * 3,
            "long": "x" * 100_000 + HOSTILE + str(number),
            "lines": "".join(f"{HOSTILE}{n % (number + 2)}\n" for n in range(50)),
            "list": [{"name": HOSTILE, "value": number}, {"name": "b"}],
            "type": {"type": HOSTILE, "status": str(number)},
        },
        status={"conditions": [{"type": HOSTILE, "status": str(number)}]},
    ) | {HOSTILE: {str(number): HOSTILE}}


def follow(spy: Spy, serve: Serve, *arguments: str) -> Ended:
    """Follow a hostile object by name, or all, as it comes, changes and goes."""
    server = serve()
    with spy.running("changes", *arguments) as running:
        server.wait_for_watches(1, PATIENCE)
        for number in range(3):
            server.put(hostile("web", number))
        server.delete(hostile("web", 0))
        server.put(hostile("web", 0))
        server.put({**hostile("web", 0), "data": {"the-end": "the-end"}})
        running.wait_until(lambda seen: b"the-end" in seen.stdout)
        return running.end()


def harmless(printed: bytes) -> bool:
    """Whether there is no control character but the newline, nor one that turns."""
    text = printed.decode()
    return not set(text) & (set(CONTROLS + TURNERS) - {"\n"})


@pytest.mark.parametrize("output", ["text", "json", "yaml", "jsonpatch"])
def test_control_sequences_in_values_are_escaped(
    spy: Spy, serve: Serve, output: str
) -> None:
    ended = follow(spy, serve, "cm/web", "-o", output)
    assert ended.code == 130
    assert harmless(ended.stdout) and harmless(ended.stderr)
    assert "日本" in ended.out


def test_the_only_control_sequences_are_our_colours(spy: Spy, serve: Serve) -> None:
    ended = follow(spy, serve, "cm", "--color", "always")
    assert OUR_COLOURS.search(ended.out)
    assert harmless(OUR_COLOURS.sub("", ended.out).encode())


def test_json_and_yaml_still_say_what_was_there(spy: Spy, serve: Serve) -> None:
    as_json = [
        json.loads(line)
        for line in follow(spy, serve, "cm/web", "-o", "json").out.splitlines()
    ]
    assert as_json[0]["object"]["metadata"]["labels"] == {HOSTILE: HOSTILE}
    assert as_json[0]["managers"] == [HOSTILE]
    yaml_text = follow(spy, serve, "cm/web", "-o", "yaml").out
    as_yaml = list(yaml.safe_load_all(yaml_text))
    assert as_yaml[0]["object"]["data"] == as_json[0]["object"]["data"]
    assert as_yaml[0]["object"]["metadata"]["labels"] == {HOSTILE: HOSTILE}
    assert as_yaml[1]["patch"] == as_json[1]["patch"]


SURROGATE = '{"a\\ud800b":"c\\udfff \\ud83d"}'


@pytest.mark.parametrize("output", ["text", "json", "yaml", "jsonpatch"])
def test_half_surrogate_pairs_are_escaped(spy: Spy, serve: Serve, output: str) -> None:
    server = serve()
    item = '{"metadata":{"name":"web","uid":"u","resourceVersion":"5"},"data":%s}'
    items = f'{{"metadata":{{"resourceVersion":"5"}},"items":[{item % SURROGATE}]}}'
    server.refuse("/api/v1/namespaces/default/configmaps", 200, items, watches=False)
    with spy.running("changes", "cm/web", "-o", output) as running:
        running.wait_until(lambda seen: b"udfff" in seen.stdout.lower())
        ended = running.end()
    assert ended.code == 130 and harmless(ended.stdout)
    if output == "json":
        record = json.loads(ended.out.splitlines()[0])
        assert record["object"]["data"] == json.loads(SURROGATE)
    if output == "yaml":
        record, *_ = yaml.safe_load_all(ended.out)
        assert record["object"]["data"] == json.loads(SURROGATE)


@pytest.mark.parametrize(
    "metadata",
    [
        {"uid": "\ud800"},
        {"uid": "", "resourceVersion": ""},
        {"deletionGracePeriodSeconds": 2**62},
        {"deletionGracePeriodSeconds": -(2**62)},
    ],
)
def test_commands_survive_hostile_metadata(spy: Spy, metadata: dict[str, Any]) -> None:
    deleted = {"deletionTimestamp": "2026-11-21T15:04:30Z", **metadata}
    versions = [pod(phase=phase) for phase in ("Pending", "Running", "Failed")]
    for number, each in enumerate(versions):
        each["metadata"] |= {"resourceVersion": str(number), **deleted}
    file = str(spy.home / "hostile.spy")
    later = [event("MODIFIED", each, time=START + 5) for each in versions[1:]]
    happened = [*first_list(versions[0], time=START), *later]
    record(Path(file), happened, origin=ORIGIN._replace(owned=True))
    all_ended = spy.run_all(
        f"ls {file} --verify",
        f"changes {file}",
        f"changes {file} -o json",
        f"show {file} pod/web",
        f"diff {file} pod/web first last",
        f"diff {file} pod/web first last -o semantic",
        f"trace pod/web --from {file}",
        f"trace pod/web --from {file} -o json",
        f"summary {file}",
        f"summary {file} -o json",
        f"events pod/web --from {file}",
        f"spans pod/web --from {file}",
        f"spans pod/web --from {file} -o html -f {spy.home}/page.html",
    )
    assert "Failed" in all_ended[3].out
    for ended in all_ended:
        assert ended.code in (0, 1), ended.err
        assert harmless(ended.stdout) and harmless(ended.stderr)


@pytest.mark.parametrize("output", ["text", "json", "yaml", "jsonpatch"])
def test_deep_nesting_is_printed(spy: Spy, serve: Serve, output: str) -> None:
    server = serve()
    with spy.running("changes", "cm/web", "-o", output) as running:
        server.wait_for_watches(1, PATIENCE)
        for levels in (500, 501, 400):
            server.put({**hostile("web", levels % 10), "data": nested(levels)})
        server.put({**hostile("web", 0), "data": {"the-end": "the-end"}})
        running.wait_until(lambda seen: b"the-end" in seen.stdout)
        ended = running.end()
    assert ended.code == 130 and harmless(ended.stdout)
    assert "bug" not in ended.err


def test_names_are_escaped_in_headers_and_messages(spy: Spy, serve: Serve) -> None:
    server = serve()
    with spy.running("changes", "cm") as running:
        server.wait_for_watches(1, PATIENCE)
        server.put(hostile(f"w{HOSTILE}", 0))
        server.delete(hostile(f"w{HOSTILE}", 0))
        running.wait_until(lambda seen: b"DELETED" in seen.stdout)
        ended = running.end()
    assert harmless(ended.stdout) and harmless(ended.stderr)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_answers_of_the_server_are_escaped(spy: Spy, serve: Serve, status: int) -> None:
    server = serve()
    body = {"kind": "Status", "message": HOSTILE * 100, "reason": HOSTILE}
    server.refuse("/api/v1/namespaces/default/configmaps", status, body)
    if status in (429, 500):
        with spy.running("changes", "cm") as running:
            running.wait_for_talk("refused: ")
            ended = running.end()
    else:
        ended = spy.run("changes", "cm")
    assert harmless(ended.stderr) and len(ended.stderr) < 3000
    assert ended.stdout == b""


def test_arguments_are_escaped_in_messages(spy: Spy, serve: Serve) -> None:
    serve()
    typed = HOSTILE.replace("\0", "")
    for arguments in (
        [typed],
        ["changes", typed],
        ["changes", "cm", "-n", typed],
        ["changes", "cm", "--only", typed],
        ["changes", "cm", "--context", typed],
        ["changes", "cm", "-l", typed],
        ["changes", f"cm/{typed}"],
    ):
        ended = spy.run(*arguments)
        assert ended.code in (1, 2) and harmless(ended.stderr), arguments
        assert ended.err.count("\n") == 1
