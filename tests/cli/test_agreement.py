"""Outputs agree: on how many objects there are, and on what a time means."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.command import Spy
from tests.core.summary import judge

INCIDENTS = Path(judge.__file__).with_name("incidents")
FILE = str(INCIDENTS / "two-causes.spy.gz")
COUNTS = re.compile(r"[0-9]+ objects, [0-9]+ changes")


@pytest.mark.parametrize("name", ["two-causes", "deployment-deleted", "cron-command"])
def test_all_commands_count_alike(spy: Spy, name: str) -> None:
    file = str(INCIDENTS / f"{name}.spy.gz")
    printed = [
        spy.run(*words, file).out
        for words in (["ls"], ["ls", "--verify"], ["summary"], ["export", "-o", "html"])
    ]
    counts = {each[0] for each in map(COUNTS.findall, printed)}
    assert len(counts) == 1


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/St_Johns"])
def test_a_printed_time_means_the_same_as_an_input(spy: Spy, zone: str) -> None:
    """Of a page, which is in UTC, of a list, and of a summary, with what it says."""
    here = {"TZ": zone}
    page = spy.run("export", FILE, "-o", "html", environ=here).out
    of_page = re.findall(r"<time[^>]*>(09:10:29\.770Z)</time>", page)
    listed = spy.run("ls", FILE, environ=here).out
    (of_list,) = re.findall(r"(\S+)  deployment.apps/api", listed)
    began = re.findall(r": (\S+ \S+) to", spy.run("summary", FILE, environ=here).out)
    assert of_page and began
    whole = spy.run("ls", FILE, "-o", "json").out
    assert spy.run("ls", FILE, "-o", "json", "--since", began[0]).out == whole
    others = {
        spy.run("ls", FILE, "-o", "json", "--since", each, environ=here).out
        for each in (of_page[0], of_list)
    }
    assert len(others) == 1 and others != {whole}


@pytest.mark.parametrize(
    "time",
    ["09:10:29.770Z", "09:10:29.77 UTC", "18:10:29.77+09:00", "05:40:29.77-03:30"],
)
def test_a_time_of_day_may_have_an_offset(spy: Spy, time: str) -> None:
    words = ("ls", FILE, "-o", "json", "--since")
    utc = spy.run(*words, "2026-11-23T09:10:29.77Z").out
    assert spy.run(*words, time, environ={"TZ": "Asia/Tokyo"}).out == utc


@pytest.mark.parametrize("command", ["trace", "events"])
def test_one_namespace_is_not_printed_also_beside_objects_of_the_cluster(
    spy: Spy, command: str
) -> None:
    printed = spy.run(command, str(INCIDENTS / "node-dies.spy.gz")).out
    assert "pod/web-96f7d7646" in printed and "(in node-dies)" not in printed
