"""`events`: what was reported of an object and all under it, in one order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Item
from kubectl_spy.core.objects import Selection
from tests.builders import ALL_PODS, PODS, event, obj, replica, replica_set
from tests.builders import pod as plain_pod
from tests.builders import reported as any_event
from tests.cli.command import PATIENCE, Spy
from tests.cli.test_trace import wait_until_listed
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.recordings import ORIGIN, START, first_list, record, recorder_to


def reported(
    reason: str,
    second: int,
    about: str = "uid-web",
    kind: str = "ReplicaSet",
    **more: Any,
) -> dict[str, Any]:
    name = f"web.{reason.lower()}"
    subject = {"kind": kind, "namespace": "default", "uid": about}
    usual: Any = {
        "message": f"it is {reason}",
        "kind": "Normal",
        "first": f"2026-11-21T15:04:{second:02}Z",
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "source": {"component": "a-controller"},
    }
    subject["name"] = "web" if kind == "ReplicaSet" else "web-00"
    return any_event(reason, about=subject, **{**usual, **more})


def told(serve: Serve) -> ApiServer:
    """Return a server with a ReplicaSet, a Pod of it, a stranger, and their Events."""
    server = serve()
    server.put(replica_set(1, 1))
    server.put(replica(0, True))
    server.put(reported("Started", 9, "uid-0", "Pod"))
    server.put(reported("Created", 5))
    server.put(reported("Failed", 7, "uid-0", "Pod", type="Warning", count=3))
    server.put(reported("Strange", 6, "uid-of-another", "Pod"))
    return server


def reasons(out: str) -> list[str]:
    return [json.loads(line)["reason"] for line in out.splitlines()]


def test_present_events_come_in_order_of_time(spy: Spy, serve: Serve) -> None:
    told(serve)
    ended = spy.run("events", "rs/web", "--once")
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "2026-11-21",
        "15:04:05      Normal   replicaset/web  Created (a-controller): it is Created",
        "15:04:07      Warning  pod/web-00      Failed x3 (a-controller): it is Failed",
        "15:04:09      Normal   pod/web-00      Started (a-controller): it is Started",
    ]


def routing(kind: str, **spec: Any) -> dict[str, Any]:
    return obj(kind, "front", "default", uid=f"uid-{kind}", spec=spec, status={})


def test_the_events_of_pods_that_are_selected_come_live_and_recorded(
    spy: Spy, serve: Serve
) -> None:
    server = told(serve)
    labels = {"app": "web"}
    labelled = replica(0, True)
    labelled["metadata"] |= {"labels": labels, "ownerReferences": []}
    server.put(labelled)
    server.put(routing("Service", selector=labels))
    backend = {"service": {"name": "front", "port": {"number": 80}}}
    server.put(routing("Ingress", defaultBackend=backend))
    budget = {"selector": {"matchLabels": labels}, "minAvailable": 1}
    server.put(routing("PodDisruptionBudget", **budget))
    for kind in ("svc", "ing", "pdb"):
        file = str(spy.home / f"{kind}.spy")
        live = spy.run(
            *("events", f"{kind}/front", "--once", "-o", "json", "--record", file)
        )
        recorded = spy.run("events", "--from", file, f"{kind}/front", "-o", "json")
        assert reasons(live.out) == ["Failed", "Started"], (kind, live.err)
        assert recorded.out == live.out, kind


@pytest.mark.parametrize("version", ["apps/v1", ""])
def test_events_without_a_uid_are_told_live_and_recorded(
    spy: Spy, serve: Serve, version: str
) -> None:
    server = told(serve)
    synced = reported("Synced", 10)
    synced["involvedObject"] |= {"apiVersion": version, "uid": ""}
    del synced["firstTimestamp"], synced["lastTimestamp"]  # it is of now
    server.put(synced)
    file = str(spy.home / "web.spy")
    with spy.running("record", "rs/web", "--owned", "-f", file) as running:
        wait_until_listed(Path(file), 5)
        running.end()
    for source in (("rs/web", "--once"), ("--from", file, "rs/web")):
        ended = spy.run("events", *source)
        assert "replicaset/web  Synced (a-controller)" in ended.out
        ended = spy.run("spans", *source, "-o", "json")
        assert '"name":"ReplicaSet.Synced"' in ended.out


def test_a_lack_of_events_is_reported(spy: Spy, serve: Serve) -> None:
    told(serve)
    ended = spy.run("events", "rs/web", "--once", "--since", "1s")
    assert (ended.code, ended.out) == (0, "")
    assert "note: no such Events; an API server keeps them for an hour" in ended.err
    file = recorded(spy.home / "web.spy", 0, there=True)
    assert "note: no Events were recorded" in spy.run("events", "--from", file).err


def test_events_about_others_are_no_lack_of_events(spy: Spy) -> None:
    story = [
        *first_list(plain_pod(rv="1"), plain_pod("x", rv="2"), time=START),
        *first_list(*reports_of_web(5), time=START, selection=EVENTS),
    ]
    owned = ORIGIN._replace(owned=True)
    record(spy.home / "it.spy", story, selections=(ALL_PODS, EVENTS), origin=owned)

    def said(*words: str) -> str:
        ended = spy.run("events", str(spy.home / "it.spy"), *words)
        assert (ended.code, ended.out) == (0, "")
        return ended.err.splitlines()[-1]

    assert said("pod/x") == "note: none about pod/x (5 about others)"
    none = "note: none such about pod x (5 of any type about others)"
    assert said("pod", "x", "--types", "Warning") == none


def test_long_texts_are_cut_and_whole_in_json(spy: Spy, serve: Serve) -> None:
    server = told(serve)
    server.put(reported("Long", 20, message="x" * 500_000))
    text = spy.run("events", "rs/web", "--once").out.splitlines()
    assert text[-1].endswith(f" {'x' * 1_000}… (499,000 more characters)")
    whole = spy.run("events", "rs/web", "--once", "-o", "json").out.splitlines()
    assert len(json.loads(whole[-1])["message"]) == 500_000


def test_new_and_repeated_events_are_printed(spy: Spy, serve: Serve) -> None:
    server = told(serve)
    with spy.running("events", "rs/web", "-o", "json") as running:
        running.wait_for_lines(3)
        server.wait_for_watches(5, PATIENCE)
        server.put(reported("Killing", 20, "uid-0", "Pod"))
        running.wait_for_lines(4)
        server.put(reported("Killing", 20, "uid-0", "Pod", count=2))
        running.wait_for_lines(5)
        server.delete(reported("Created", 5))
        server.put(reported("Strange", 30, "uid-of-another", "Pod"))
        server.put(reported("Last", 40))
        running.wait_for_lines(6)
        ended = running.end()
    assert ended.code == 130
    told_of = reasons(ended.out)
    assert told_of == ["Created", "Failed", "Started", "Killing", "Killing", "Last"]
    lines = ended.records
    assert [line["count"] for line in lines[3:5]] == [1, 2]
    assert lines[1]["about"] == {
        "kind": "Pod",
        "namespace": "default",
        "name": "web-00",
        "uid": "uid-0",
    }


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (("--types", "Warning"), ["Failed"]),
        (("--types", "normal,warning"), ["Created", "Failed", "Started"]),
        (("--since", "1s"), []),
        (("--since", "900h"), ["Created", "Failed", "Started"]),
    ],
)
def test_events_can_be_selected(
    spy: Spy, serve: Serve, flags: tuple[str, ...], expected: list[str]
) -> None:
    told(serve)
    ended = spy.run("events", "rs/web", "--once", "-o", "json", *flags)
    assert ended.code == 0
    assert reasons(ended.out) == expected


@pytest.mark.parametrize("flags", [(), ("-o", "json")])
def test_recorded_events_print_as_live_ones(
    spy: Spy, serve: Serve, flags: tuple[str, ...]
) -> None:
    server = told(serve)
    file = str(spy.home / "web.spy")
    with spy.running("events", "rs/web", "--record", file, *flags) as running:
        running.wait_until(lambda it: b"Started" in it.stdout)
        server.wait_for_watches(5, PATIENCE)
        server.put(reported("Killing", 20, "uid-0", "Pod"))
        running.wait_until(lambda it: b"Killing" in it.stdout)
        live = running.end()
    replayed = spy.run("events", "--from", file, *flags)
    assert replayed.code == 0, replayed.err
    assert replayed.out == live.out
    one = spy.run("events", "pod/web-00", "--from", file, *flags)
    assert "Killing" in one.out and "Created" not in one.out


def arrived(path: Path, items: list[Item]) -> str:
    """Return a recording of Deployments and what they own: *items* in that order."""
    asked = {
        each: each._replace(asked=each.resource.gvk.kind == "Deployment")
        for each in (item.selection for item in items)
    }
    owned = ORIGIN._replace(owned=True)
    streams = tuple(asked.values())
    recorder = recorder_to(path, History(), selections=streams, origin=owned)
    for item in items:
        recorder.observe(item._replace(selection=asked[item.selection]))
    recorder.end("done")
    return str(path)


EVENTS = Selection(
    resource=PODS._replace(
        gvk=PODS.gvk._replace(kind="Event"), plural="events", singular="event"
    ),
    namespace="shop",
    asked=False,
)


def reports_of_web(count: int) -> list[dict[str, Any]]:
    return [
        reported("R", 5, metadata=_named(f"web.{at:05}", at + 2), message=f"m{at}")
        for at in range(count)
    ]


def recorded(path: Path, events: int, *, there: bool) -> str:
    """Return a recording of so many Events about one Pod.

    All of it is *there* at the start, or the Pod comes after the last of them.
    """
    reports = reports_of_web(events)
    pods = [plain_pod(rv="1")] if there else []
    story = [
        *first_list(*pods, time=START),
        *first_list(*reports, time=START, selection=EVENTS),
    ]
    if not there:
        story.append(event("ADDED", plain_pod(rv="1"), time=START + 100))
    owned = ORIGIN._replace(owned=True)
    record(path, story, selections=(ALL_PODS, EVENTS), origin=owned)
    return str(path)


def _named(name: str, version: int) -> dict[str, Any]:
    return {
        "name": name,
        "namespace": "shop",
        "uid": f"uid-{name}",
        "resourceVersion": str(version),
    }


def test_missing_lists_come_before_missing_events(spy: Spy) -> None:
    owned = ORIGIN._replace(owned=True)
    story = first_list(plain_pod(rv="1"), time=START)
    record(spy.home / "it.spy", story, selections=(ALL_PODS, EVENTS), origin=owned)
    said = spy.run("events", "--from", str(spy.home / "it.spy")).err.splitlines()
    assert said[-2:] == [
        "note: not listed yet: events; what is shown lacks them",
        "note: no Events were recorded; not known: events not listed",
    ]


def test_dropped_events_are_reported(spy: Spy) -> None:
    file = recorded(spy.home / "web.spy", 10_002, there=False)
    ended = spy.run("events", "--from", file, "-o", "json")
    assert len(ended.out.splitlines()) == 10_000
    assert "note: 2 Events missing: dropped before it was known" in ended.err


def test_events_that_may_not_be_listed_are_an_error(spy: Spy, serve: Serve) -> None:
    server = told(serve)
    server.refuse("/api/v1/namespaces/default/events", 403)
    ended = spy.run("events", "rs/web", "--once")
    assert ended.code == 1
    assert "error: may not list events in namespace default" in ended.err


def test_other_forbidden_lists_are_skipped(spy: Spy, serve: Serve) -> None:
    server = told(serve)
    server.refuse("/api/v1/namespaces/default/pods", 403)
    ended = spy.run("events", "rs/web", "--once", "-o", "json")
    assert ended.code == 0
    assert reasons(ended.out) == ["Created"]
    assert "note: may not list pods in namespace default: going on without" in ended.err
