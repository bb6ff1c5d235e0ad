"""`mcp`: recordings in a Loki that the user names, by its name alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import event, pod
from tests.cli.command import Spy
from tests.extras.mcp.asking import Call, Told, ask
from tests.extras.mcp.test_bounds import of_recording
from tests.extras.otel.loki_server import Entry, Loki, entries, now, serving
from tests.extras.otel.otlp_logs import log_records
from tests.recordings import ORIGIN, continue_with, first_list, record

SHOWN = ORIGIN._replace(secrets="shown")


def held(path: Path, name: str = "a", phase: str = "Failed") -> list[Entry]:
    """Record a change of the last minute to *path*. Return it as Loki holds it."""
    at = now() - 60
    changed = event("MODIFIED", pod(name, rv="2", phase=phase), time=at + 1)
    events = [*first_list(pod(name, rv="1"), time=at), changed]
    return entries(log_records(record(path, events)))


def continued(path: Path) -> list[Entry]:
    """Continue the recording with --show-secrets. Return it as Loki holds it."""
    events = first_list(pod("a", rv="3"), time=now() - 30)
    continue_with(path, events, origin=SHOWN)
    return entries(log_records(path.read_bytes().splitlines(keepends=True)))


def asked(spy: Spy, loki: Loki, *calls: Call) -> list[Told]:
    url = loki.url.replace("//", "//us:hidden@")
    told = ask(spy, *calls, flags=(f"prod={url}",))
    assert "hidden" not in str(told)
    return told


def test_a_loki_is_read_by_its_name(spy: Spy) -> None:
    web = {"recording": "prod", "target": "pod/a"}
    with serving(held(spy.home / "a.spy")) as loki:
        listed, contents, changed, shown, differs, both = asked(
            spy,
            loki,
            ("list_recordings", {}),
            ("list_objects", {"recording": "prod"}),
            ("changes", {"recording": "prod", "from": "last-5m"}),
            ("show", {**web, "only": ["/status/phase"]}),
            ("diff", {**web, "from": "last-55s", "to": "last"}),
            ("diff", {"recording": "a.spy", "other": "prod"}),
        )
        assert loki.asked[-1].headers["Authorization"] == "Basic dXM6aGlkZGVu"
    prod, file = listed.text.splitlines()
    assert prod.startswith(f"prod  in {loki.url}  the last hour, or up to 24 hours ")
    assert file.startswith("a.spy  from ")
    note = "note: reading the last hour of prod; choose with from"
    assert contents.text.startswith(f"{note}\n\nprod: 20"), contents
    assert "Pending → Failed" in changed.text
    assert shown.text.endswith("status:\n  phase: Failed")
    assert not differs.failed
    assert "1 object alike, 0 that differ" in both.text


def test_one_of_several_recordings_is_chosen_by_its_beginning(spy: Spy) -> None:
    one, other = held(spy.home / "a.spy"), held(spy.home / "b.spy", "b")
    with serving([*one, *other]) as loki:
        (both,) = asked(spy, loki, ("changes", {"recording": "prod"}))
        assert both.code == "several"
        assert both.text.startswith("error: prod holds 2 recordings: ")
        chosen = both.text.splitlines()[0].rpartition("; name ")[2]
        assert chosen.startswith("prod#")
        found, none = asked(
            spy,
            loki,
            ("changes", {"recording": chosen}),
            ("changes", {"recording": "prod#0000"}),
        )
        loki.entries.clear()
        (empty,) = asked(spy, loki, ("changes", {"recording": "prod"}))
    assert found.text.count("MODIFIED  pod/") == 1
    assert empty.text.splitlines()[0].endswith("(LOKI_ORG_ID) and namespace")
    assert none.failed and "leave out what follows # to see which" in none.text


@pytest.mark.parametrize("lost", ["", "RESUME"])
def test_what_loki_holds_is_refused_if_it_may_hold_secrets(spy: Spy, lost: str) -> None:
    """The lines of a run are not read if the one that begins it is lost."""
    held(spy.home / "a.spy")
    lines = continued(spy.home / "a.spy")
    kept = [each for each in lines if each.labels["kubectl_spy_type"] != lost]
    assert len(kept) == len(lines) - bool(lost)
    why = "has no line " if lost else "was recorded with --show-secrets: "
    with serving(kept) as loki:
        refused = asked(spy, loki, *of_recording("prod"))
        narrow = {"recording": "prod", "target": "pod/a", "namespace": "shop"}
        refused += asked(spy, loki, ("show", narrow))
        refused += asked(spy, loki, ("diff", {"recording": "prod", "other": "prod"}))
    for each in refused:
        assert each.code == "unmasked", each
        assert each.text.startswith(f"error: prod {why}"), each
        assert "Pending" not in each.text and "Failed" not in each.text


def test_a_masked_run_after_a_lost_line_is_read(spy: Spy) -> None:
    held(spy.home / "a.spy")
    events = first_list(pod("a", rv="3", phase="Running"), time=now() - 30)
    continue_with(spy.home / "a.spy", events)
    raw = (spy.home / "a.spy").read_bytes().splitlines(keepends=True)
    lines = entries(log_records(raw))
    (resumed,) = (n for n, each in enumerate(lines) if '"RESUME"' in each.body)
    with serving([*lines[: resumed - 1], *lines[resumed:]]) as loki:
        (told,) = asked(spy, loki, ("changes", {"recording": "prod"}))
    assert told.text.startswith("warning: prod") or told.text.startswith("error: prod")
    assert "is damaged" in told.text and "pod/a" in told.text


def test_a_loki_that_is_away_is_one_line(spy: Spy) -> None:
    with serving([]) as loki:
        pass
    (told,) = asked(spy, loki, ("changes", {"recording": "prod"}))
    assert told.failed
    assert "error: cannot reach prod: connection refused" in told.text


@pytest.mark.parametrize(
    "name",
    ["prod#", "prod#x", "prod#1#2", "prod@evil", "loki+http://127.0.0.1:1", "prod/"],
)
def test_a_tool_names_no_other_loki(spy: Spy, name: str) -> None:
    with serving([]) as loki:
        (told,) = asked(spy, loki, ("changes", {"recording": name}))
        assert not loki.asked
    assert told.text == f"error: there is no recording {name}; call list_recordings"
