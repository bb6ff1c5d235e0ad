"""--since: a command begins with what the API server remembers."""

from __future__ import annotations

import base64
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click
import pytest

from kubectl_spy.cli.since import take_times
from kubectl_spy.core.times import rfc3339, seconds
from tests import forks
from tests.builders import READY, UNREADY, a_pod, container, entry
from tests.cli.changing import config_map
from tests.cli.command import PATIENCE, Ended, Spy, wait_for_file
from tests.extras.serve.api_server.server import Serve


def pulled(state: str, ago: float) -> dict[str, Any]:
    """Return a Pod that was written some seconds *ago*: it runs, or waits."""
    written = f"{rfc3339(time.time() - ago)[:19]}Z"
    waits = {"waiting": {"reason": state, "message": "app:1: not found"}}
    held = waits if state else {"running": {"startedAt": written}}
    app = container(state=held, ready=not state)
    item = a_pod(app, conditions=UNREADY if state else READY)
    item["metadata"] |= {"namespace": "default", "creationTimestamp": written}
    item["metadata"]["managedFields"] = [entry("kubelet", time=written)]
    return item


def test_what_failed_before_the_time_is_not_said_to_begin_with_it(
    spy: Spy, serve: Serve
) -> None:
    server = serve()
    fine = pulled("", 500)
    server.put(fine)
    failing = pulled("ErrImagePull", 300)
    failing["metadata"]["creationTimestamp"] = fine["metadata"]["creationTimestamp"]
    server.put(failing)
    began = failing["metadata"]["managedFields"][0]["time"]

    def failure(since: str) -> tuple[str, bool]:
        words = ("summary", "pods", "--since", since)
        ended = spy.run_in_time(*words, "-o", "json", done=tells_of_the_past)
        (found,) = json.loads(ended.out)["failures"]
        printed = spy.run_in_time(*words, done=tells_of_the_past).out
        bound = found.get("fromIsBound", False)
        assert ("  before " in printed) is bound, printed
        return found["from"], bound

    assert failure("10m") == (f"{began[:19]}.000000Z", False)
    from_, bound = failure("1m")
    assert bound and from_ > began


WATCHES = "/api/v1/namespaces/default/configmaps?"


def edited(number: int, name: str = "web") -> dict[str, Any]:
    """Return a version of a ConfigMap that was written now."""
    item = config_map(number, name)
    written = f"{rfc3339(time.time())[:19]}Z"
    item["metadata"]["managedFields"] = [
        {
            "manager": "edit",
            "operation": "Update",
            "time": written,
            "fieldsV1": {"f:data": {"f:number": {}}},
        }
    ]
    return item


def remembered(spy: Spy, *words: str, code: int | None = None) -> Ended:
    """Return what `--since 1h` of *words* printed of the past."""
    ended = spy.run_in_time(*words, "--since", "1h", done=tells_of_the_past)
    assert code is None or ended.code == code, ended.err
    return ended


def tells_of_the_past(ended: Ended) -> bool:
    """Return whether the past of all types came within --timeout."""
    return "complete since" in ended.err and "without the past" not in ended.err


def values(found: list[dict[str, Any]]) -> list[str]:
    """Return what the versions of ConfigMaps hold, as they came."""
    return [
        each["object"]["data"]["number"] if "object" in each else step["value"]
        for each in found
        for step in each.get("patch", [{}])
        if "object" in each or step.get("path") == "/data/number"
    ]


def test_what_was_written_before_comes_as_patches_and_then_what_is_written(
    spy: Spy, serve: Serve
) -> None:
    server = serve()
    for number in range(5):
        server.put(edited(number))
    with spy.running("changes", "cm/web", "--since", "1h", "-o", "json") as running:
        running.wait_until(lambda seen: seen.stdout.count(b"\n") == 5)
        server.put(edited(5))
        running.wait_until(lambda seen: seen.stdout.count(b"\n") == 6)
        found = running.end().records
    assert values(found) == list("012345")
    assert [each["type"] for each in found] == ["ADDED", *["MODIFIED"] * 5]
    assert [each.get("previous") for each in found[1:]] == [
        each["resourceVersion"] for each in found[:-1]
    ]
    times = [each["time"] for each in found]
    assert times == sorted(times)


@pytest.mark.parametrize("long", ["8760h", "9999999d", "1d15min"])
def test_a_longer_time_than_the_server_keeps_is_no_error(
    spy: Spy, serve: Serve, long: str
) -> None:
    serve().put(edited(0))
    words = "changes", "cm/web", "--since", long
    ended = spy.run_in_time(*words, done=tells_of_the_past)
    assert ended.code == 124 and "complete since" in ended.err, ended.err


def test_a_time_is_that_time_however_long_the_start_takes() -> None:
    context = click.Context(click.Command("changes"))
    context.params = {"since": rfc3339(1_700_000_000.0), "source": None}
    take_times(context)
    assert context.params["back_to"] == 1_700_000_000.0


def test_it_costs_two_requests_more_and_no_list(spy: Spy, serve: Serve) -> None:
    server = serve()
    server.put(edited(0))

    def done(ended: Ended) -> bool:
        if not tells_of_the_past(ended):
            server.requests.clear()
        return tells_of_the_past(ended)

    spy.run_in_time("changes", "cm", "--since", "1h", done=done)
    asked = [each.query for each in server.requests if "configmaps" in each.path]
    watches = [each["resourceVersion"] for each in asked if "watch" in each]
    assert watches[0] == "1"
    assert len(asked) - len(watches) == 1
    assert len(watches) <= 3


@pytest.mark.parametrize(
    "words, lists, watches",
    [
        ("summary -n workloads", 45, 40),
        ("summary -n workloads --since 1h", 45, 40),
        ("summary -A", 50, 50),
        ("trace rs -n workloads --since 1h --once", 15, 15),
        ("trace rs -n workloads --once", 15, 15),
    ],
)
def test_each_type_is_listed_once_and_its_past_is_asked_for_once(
    spy: Spy, serve: Serve, words: str, lists: int, watches: int
) -> None:
    """The server remembers nothing of its first versions, as most do."""
    server = serve("workloads", "node")
    server.play()
    server.wait_until_played(PATIENCE)
    for _ in range(9):  # on a slow machine, types do not wait for each other's answer
        server.requests.clear()
        assert spy.run(*words.split()).code == 0
        asked = [each.path for each in server.requests]
        assert sorted(set(asked)) == sorted(asked)
        listed = [each.route for each in server.requests if not each.watches]
        assert len(listed) <= lists
        assert sum(each.endswith("/events") for each in listed) == 1
        if len(asked) - len(listed) <= watches:
            return
    raise AssertionError(f"{len(asked) - len(listed)} watches")


def test_without_it_nothing_more_is_asked(spy: Spy, serve: Serve) -> None:
    server = serve()
    server.put(edited(0))
    with spy.running("changes", "cm") as running:
        running.wait_until(lambda seen: b"LISTED" in seen.stdout)
        server.wait_for_watches(1, PATIENCE)
    asked = [each for each in server.requests if "configmaps" in each.path]
    assert len(asked) == 2


def test_history_that_is_gone_is_told_and_the_rest_is_shown(
    spy: Spy, serve: Serve
) -> None:
    server = serve()
    for number in range(3):
        server.put(edited(number))
    server.compact()
    server.put(edited(3))
    ended = remembered(spy, "changes", "cm/web", "-o", "json")
    found = ended.records
    assert values(found) == ["2", "3"]
    assert found[0]["initial"]
    assert re.search("complete since [0-9: -]+ \\(configmaps\\): ", ended.err)


def test_an_object_that_is_gone_is_shown_with_its_end(spy: Spy, serve: Serve) -> None:
    server = serve()
    server.put(edited(0))
    server.put(edited(1))
    server.delete(edited(1))
    found = remembered(spy, "changes", "cm", "-o", "json").records
    assert [each["type"] for each in found] == ["ADDED", "MODIFIED", "DELETED"]


def test_a_server_that_refuses_is_one_line_and_the_watch_begins_as_ever(
    spy: Spy, serve: Serve
) -> None:
    server = serve()
    server.put(edited(0))
    server.refuse(f"{WATCHES}allowWatchBookmarks=true&resourceVersion=1&", 400)
    with spy.running("changes", "cm", "--since", "1h", "-o", "json") as running:
        running.wait_until(lambda seen: seen.stdout.count(b"\n") == 1)
        server.wait_for_watches(1, PATIENCE)
        server.put(edited(1))
        running.wait_until(lambda seen: seen.stdout.count(b"\n") == 2)
        ended = running.end()
    assert values(ended.records) == ["0", "1"]
    assert ended.stderr.count(b"without the past of configmaps") == 1


def test_a_recording_begins_with_it_and_is_whole(
    spy: Spy, serve: Serve, tmp_path: Path
) -> None:
    server = serve()
    for number in range(3):
        server.put(edited(number))
    server.delete(edited(2))
    server.put(edited(3, "other"))
    file = tmp_path / "past.spy"
    words = ("record", "cm", "--since", "1h", "-f", str(file))
    with spy.running(*words) as running:
        wait_for_file(file, b'"name":"other"')
        running.end()
    lines = list(map(json.loads, file.read_text().splitlines()))
    (horizon,) = [each for each in lines if each["type"] == "HORIZON"]
    assert horizon["writes"] == 5
    times = [each["time"] for each in lines[:-1]]
    assert times == sorted(times)
    verified = spy.run("ls", "--verify", str(file))
    assert verified.code == 0 and b"every one as it was written" in verified.stdout
    replayed = spy.run("changes", str(file), "-o", "json")
    assert values(replayed.records) == ["0", "1", "2", "3"]


SECRET = base64.b64encode(b"hunter2-hunter2").decode()


def secret(name: str, **data: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}


SHOWN = (
    *(f"changes secrets -o {output}" for output in ("text", "json", "yaml")),
    *("changes secrets --full", "changes secret/pw -o jsonpatch"),
    *("status secrets -o json", "trace secret/pw -o lines", "blame secret/kept"),
    *("summary secrets -o json", "spans secrets -o json", "events secrets"),
    "record secrets --owned",
)


def test_values_of_secrets_are_masked_also_of_deleted_ones(
    spy: Spy, serve: Serve, tmp_path: Path
) -> None:
    server = serve()
    server.put(secret("pw", password=SECRET))
    server.put(secret("kept", password=SECRET))
    server.compact()
    server.put(secret("kept", password="bmV3LW5ldy1uZXc="))
    server.put(secret("pw", password="bmV3LW5ldy1uZXc="))
    server.delete(secret("pw"))
    flags = {"summary": "", "blame": "", "record": "-f"}

    def look(number: int) -> Ended:
        words, file = SHOWN[number].split(), tmp_path / f"{number}.spy"
        flag = flags.get(words[0], "--record")
        words += ["--since", "1h", "--debug", *([flag, str(file)] if flag else ())]

        def done(ended: Ended) -> bool:
            if not tells_of_the_past(ended):
                file.unlink(missing_ok=True)
            return tells_of_the_past(ended)

        return spy.run_in_time(*words, done=done)

    forks.prepare()
    with ThreadPoolExecutor(3) as pool:
        looked = list(pool.map(look, range(len(SHOWN))))
    for words, ended in zip(SHOWN, looked, strict=True):
        assert "Traceback" not in ended.err, words
        for value in (SECRET, "hunter2-hunter2", "bmV3LW5ldy1uZXc", "new-new-new"):
            assert value not in ended.out + ended.err, words
    written = [each.read_text() for each in tmp_path.glob("*.spy")]
    assert len(written) == len(SHOWN) - 2
    for value in (SECRET, "hunter2-hunter2", "bmV3LW5ldy1uZXc", "new-new-new"):
        assert not [each for each in written if value in each]


def test_a_trace_of_now_is_of_now_and_says_that_nothing_is_there(
    spy: Spy, serve: Serve
) -> None:
    server = serve()
    ended = spy.run("trace", "pods,cm", "--once")
    assert ended.err.count("note: none of these: nothing there\n") == 1
    server.put(config_map(0))
    begun = time.time()
    (traced,) = spy.printed("trace", "cm/web", "--once")
    assert seconds(traced["time"]) >= begun - 1
