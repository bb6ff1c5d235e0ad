"""Spans on their way to a collector, and to a page."""

from __future__ import annotations

import io
import os
import re
import stat
from pathlib import Path

import pytest

from kubectl_spy.core.objects import Selection
from kubectl_spy.extras.spans.view import SpanFormat, SpanOutlets
from kubectl_spy.sinks.terminal import Terminal
from tests import processes
from tests.answering import Answer, unanswered
from tests.builders import ALL_PODS, DEPLOYMENTS, replica, replica_set
from tests.cli.command import LOOK, PATIENCE, Spy
from tests.extras.otel.receiver import attributes, receiving
from tests.extras.serve.api_server.server import Serve
from tests.extras.spans.test_spans import begun, scaled
from tests.recordings import ORIGIN, first_list, record
from tests.spans import ROLLOUT, START


@pytest.fixture
def recording(spy: Spy, serve: Serve, tmp_path: Path) -> str:
    """A recording of a ReplicaSet that is scaled."""
    server = begun(serve)
    file = str(tmp_path / "web.spy")
    with spy.running("spans", "rs/web", "-o", "json", "--record", file) as running:
        server.wait_for_watches(5, PATIENCE)
        scaled(server)
        with spy.running("changes", "pod/web-01") as changes:
            changes.wait_until(
                lambda it: b'"Ready"' in it.stdout or b"ready" in it.stdout
            )
        running.end()
    return file


def test_a_collector_gets_what_json_has(spy: Spy, recording: str) -> None:
    with receiving() as receiver:
        flags = ("--otlp", receiver.url, "-o", "json")
        ended = spy.run("spans", "--from", recording, *flags)
    assert ended.code == 0, ended.err
    told = {(each["traceId"], each["spanId"]) for each in ended.records}
    got = {(span.trace_id.hex(), span.span_id.hex()) for _, span in receiver.spans()}
    assert told == got and told
    words = {
        attributes(span.attributes).get("k8s.change.what")
        for _, span in receiver.spans()
    }
    assert words == {None, "replicas 1 → 2"}
    assert f"sending spans to {receiver.url}" in ended.err


def test_ended_spans_are_sent_at_once_and_others_at_exit(
    spy: Spy, serve: Serve
) -> None:
    server = begun(serve)
    with (
        receiving() as receiver,
        spy.running("spans", "rs/web", "--otlp", receiver.url) as running,
    ):
        server.wait_for_watches(5, PATIENCE)
        scaled(server)
        receiver.wait_for(1)
        ended = running.end()
    assert ended.code == 130
    assert any(name.startswith("ReplicaSet.") for name in receiver.names())


@pytest.mark.parametrize(
    ("end", "code"), [(["--for", "ready"], 0), (LOOK.split(), 124)]
)
def test_a_pipeline_ends_with_all_spans_sent(
    spy: Spy, serve: Serve, end: list[str], code: int
) -> None:
    begun(serve)
    page = spy.home / "page.html"
    with receiving() as receiver:
        flags = ("--otlp", receiver.url, "-o", "html", "-f", str(page), *end)
        ended = spy.run("spans", "rs/web", *flags)
    assert ended.code == code, ended.err
    assert "ReplicaSet.create" in ended.out and "ReplicaSet.create" in page.read_text()
    assert "ReplicaSet.create" in receiver.names()


def test_an_absent_collector_delays_nothing(spy: Spy, recording: str) -> None:
    with unanswered() as port:
        flags = ("--otlp", f"http://127.0.0.1:{port}/?token=secret")
        ended = spy.run("spans", "--from", recording, *flags)
    assert (ended.code, "secret" in ended.err) == (1, False)
    assert "error: " not in ended.err
    assert "ReplicaSet" in ended.out
    assert re.search(r"\d+ spans? ", ended.err.splitlines()[-1])
    assert ended.took < 20


def test_undelivered_spans_keep_other_exit_codes(
    spy: Spy, serve: Serve, recording: str
) -> None:
    begun(serve)
    with receiving(*[Answer(400)] * 9) as refusing:
        flags = ("--otlp", refusing.url)
        ready, over, twice = spy.run_all(
            " ".join(("spans rs/web --for ready", *flags)),
            " ".join(("spans rs/web --for delete --timeout 0", *flags)),
            " ".join(("spans --from", recording, "pod/nope", *flags)),
        )
        with spy.running("spans", "rs/web", *flags) as running:
            running.wait_for_talk("watching")
            refusing.wait_for(0)
            ended = running.end()
    assert (ready.code, over.code, twice.code) == (1, 124, 1)
    assert ended.code == 130
    assert "spans were not delivered to" in ready.err.splitlines()[-1]


@pytest.mark.parametrize("nowhere", ["", " "])
def test_an_empty_collector_is_a_usage_error(
    spy: Spy, recording: str, nowhere: str
) -> None:
    """As $COLLECTOR is that nobody has set: what the environment names is another."""
    with receiving() as receiver:
        set_ = {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url}
        words = ("spans", "--from", recording, "--otlp")
        wrong, right = (spy.run(*words, url, environ=set_) for url in (nowhere, "env"))
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err == (
        "error: --otlp names no collector; "
        "give a URL, or env for the one that OTEL_EXPORTER_OTLP_* name\n"
    )
    assert right.code == 0 and receiver.spans()


def test_disabled_telemetry_sends_nothing(spy: Spy, recording: str) -> None:
    off = {"OTEL_SDK_DISABLED": "True"}
    with receiving() as receiver:
        words = ("spans", "--from", recording, "--otlp", receiver.url)
        ended = spy.run(*words, environ=off)
        assert receiver.requests == []
    assert ended.code == 0 and "ReplicaSet" in ended.out
    assert "OTEL_SDK_DISABLED is true: no spans are sent" in ended.err.splitlines()


def test_a_second_ctrl_c_leaves_the_collector(spy: Spy, recording: str) -> None:
    with receiving(Answer(delay=60)) as silent:
        words = ("spans", "--from", recording, "--otlp", silent.url)
        with spy.running(*words) as running:
            silent.wait_for(1)  # now it waits for that alone
            ended = running.end()
    assert ended.code == 130 and "ReplicaSet" in ended.out
    assert ended.took < 5
    assert "spans were not delivered to" in ended.err.splitlines()[-1]


def test_pages_are_readable_by_the_owner_only(spy: Spy, recording: str) -> None:
    page = spy.home / "rollout.html"
    ended = spy.run("spans", "--from", recording, "-o", "html", "-f", str(page))
    assert ended.code == 0, ended.err
    assert ended.err.splitlines()[-1] == f"wrote {page}"
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    text = page.read_text()
    assert "Content-Security-Policy" in text and "web-01" in text
    assert "<title>ReplicaSet web · kubectl spy spans</title>" in text


@pytest.mark.parametrize("output", ["text", "json"])
def test_incomplete_lists_write_no_page(spy: Spy, serve: Serve, output: str) -> None:
    """Pods and Events are there, and what they belong to does not answer."""
    server = begun(serve)
    server.refuse("/apis/apps/v1/namespaces/default/replicasets", 500)
    page = spy.home / "page.html"
    with receiving() as receiver:
        flags = ("-o", output, "--otlp", receiver.url, "-o", "html", "-f", str(page))
        with spy.running("spans", "rs/web", *flags) as running:
            server.wait_for_watches(4, PATIENCE)
            ended = running.end()
        assert receiver.requests == []
    assert (ended.code, ended.out, page.exists()) == (130, "", False)
    note = "nothing was written: not all lists were read yet"
    assert ended.err.splitlines()[-1] == note


def test_once_needs_all_recorded_lists(spy: Spy) -> None:
    """The Pods are there, and the list of Deployments was not complete."""
    file, page = spy.home / "half.spy", spy.home / "page.html"
    late = Selection(resource=DEPLOYMENTS, namespace="shop", asked=False)
    origin = ORIGIN._replace(owned=True)
    web = replica(0, True)
    web["metadata"] |= {"uid": "uid-0", "resourceVersion": "1"}
    record(file, first_list(web), selections=(ALL_PODS, late), origin=origin)
    flags = ("spans", "--from", str(file), "--once")
    bars = spy.run(*flags)
    assert (bars.code, "web-00" in bars.out) == (1, True), bars.err
    assert "half.spy holds no list of deployments.apps" in bars.err
    ended = spy.run(*flags, "-o", "html", "-f", str(page))
    assert (ended.code, ended.out, page.exists()) == (1, bars.out, False)
    assert "nothing was written: not all lists were read yet" in ended.err


def test_a_page_that_was_not_written_is_reported_once(tmp_path: Path) -> None:
    page, talk = tmp_path / "page.html", io.StringIO()
    wanted = SpanFormat(output="json", color="never", once=False, html=str(page))
    outlets = SpanOutlets(wanted, Terminal(io.StringIO(), talk), live=True)
    outlets.report_dropped()
    assert talk.getvalue() == f"{page} was not written\n"
    outlets.close(ROLLOUT, START)
    outlets.report_dropped()
    assert talk.getvalue().splitlines()[1:] == [f"wrote {page}"]


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """A directory with what a page cannot be, or must not replace."""
    places = tmp_path / "places"
    places.mkdir()
    (places / "file").write_text("precious")
    (places / "link").symlink_to(places / "file")
    os.mkfifo(places / "pipe")
    return places


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("{}", "is a directory"),
        ("{}/missing/page.html", "is no directory"),
        ("{}/file/page.html", "is no directory"),
        ("{}/link", "is a symbolic link"),
        ("{}/pipe", "is no file"),
        ("/dev/stdout", "is no file"),
        ("/dev/null", "is no file"),
        ("/proc/page.html", "cannot write a file in /proc: "),
        ("{}/" + "x" * 256, "name too long"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_at_the_start(
    spy: Spy, serve: Serve, places: Path, where: str, why: str
) -> None:
    begun(serve)
    before = sorted(places.iterdir())
    page = where.format(places)
    ended = spy.run("spans", "rs/web", "-o", "html", "-f", page)
    assert (ended.code, ended.out) == (2, ""), ended.err
    (error,) = [line for line in ended.err.splitlines() if "error" in line]
    assert why in error.replace("File name", "name") and "; " in error
    assert "watching" not in ended.err
    assert sorted(places.iterdir()) == before
    assert (places / "file").read_text() == "precious"


def test_a_page_is_printed_without_a_file(spy: Spy, recording: str) -> None:
    page = spy.home / "page.html"
    beside = spy.run("spans", recording, "-o", "html", "-f", str(page))
    assert beside.code == 0 and beside.out == spy.run("spans", recording).out
    for flags in ((), ("-f", "-")):
        ended = spy.run("spans", recording, "-o", "html", *flags)
        assert ended.code == 0 and ended.out.startswith("<!doctype html>")
        assert len(ended.out) == len(page.read_text())
    bare = spy.run("spans", recording, "-f", str(page))
    assert bare.code == 2 and "add -o html" in bare.err


def test_a_page_may_have_the_longest_name(spy: Spy, recording: str) -> None:
    page = spy.home / ("x" * 255)
    assert (
        spy.run("spans", "--from", recording, "-o", "html", "-f", str(page)).code == 0
    )
    assert "web-01" in page.read_text()


@pytest.mark.parametrize("flag", ["--from", "--record"])
def test_a_page_does_not_replace_the_recording(
    spy: Spy, serve: Serve, recording: str, flag: str
) -> None:
    begun(serve)
    (spy.home / "beside").symlink_to(spy.home)
    page = str(spy.home / "beside" / Path(recording).name)
    before = Path(recording).read_bytes()
    target = [] if flag == "--from" else ["rs/web"]
    ended = spy.run("spans", *target, flag, recording, "-o", "html", "-f", page)
    assert (ended.code, ended.out) == (2, "")
    other = {"--from": "the recording"}.get(flag, flag)
    assert f"-f and {other} name the same file" in ended.err
    assert Path(recording).read_bytes() == before


@pytest.mark.parametrize("flags", [(), ("--for", "failed")], ids=["ctrl-c", "for"])
def test_a_page_is_written_elsewhere_if_its_directory_is_gone(
    spy: Spy, serve: Serve, flags: tuple[str, ...]
) -> None:
    """And what failed before that is told as well."""
    server = begun(serve)
    home, other = spy.home / "home", spy.home / "other"
    home.mkdir()
    other.mkdir()
    page = home / "page.html"
    file = spy.home / "web.spy"
    words = (
        "spans",
        "rs/web",
        "-o",
        "html",
        "-f",
        str(page),
        "--record",
        str(file),
        *flags,
    )
    with spy.running(*words, environ={"TMPDIR": str(other)}) as running:
        server.wait_for_watches(5, PATIENCE)
        scaled(server)  # when this is recorded, the lists were read
        processes.wait_until(lambda: b'"MODIFIED"' in file.read_bytes())
        home.rmdir()
        if flags:
            server.delete(replica_set(1, 1))
            ended = running.ended()
        else:
            ended = running.end()
    assert ended.code == 1
    (instead,) = other.iterdir()
    assert stat.S_IMODE(instead.stat().st_mode) == 0o600
    assert "ReplicaSet." in instead.read_text()
    (error,) = [line for line in ended.err.splitlines() if str(page.parent) in line]
    assert error.startswith("error: ") and error.endswith(f"is in {instead} instead")
    assert len([line for line in ended.err.splitlines() if "error: " in line]) == (
        2 if flags else 1
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
def test_a_page_is_written_despite_full_stdout(spy: Spy, recording: str) -> None:
    page = spy.home / "page.html"
    with Path("/dev/full").open("w") as full:
        words = ("spans", "--from", recording, "-o", "html", "-f", str(page))
        ended = spy.run(*words, stdout=full.fileno())
    assert ended.code == 1
    assert "cannot write to standard output" in ended.err
    assert "web-01" in page.read_text()
