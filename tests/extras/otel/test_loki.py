"""Recordings in Loki: pages, times, faults, credentials."""

from __future__ import annotations

import gzip
import json
import re
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest
import trustme

from kubectl_spy.core.objects import WatchEvent
from kubectl_spy.core.times import rfc3339, seconds
from tests.answering import Answer
from tests.builders import event, pod
from tests.cli.command import Ended, Spy
from tests.extras.otel.loki_server import Entry, Loki, entries, now, serving
from tests.extras.otel.otlp_logs import log_records
from tests.processes import wait_until
from tests.recordings import continue_with, first_list, killed, record, story
from tests.sources.connection.certificates import server_tls

DAY = ("--since", "2026-11-21T15:04:00Z", "--until", "2026-11-21T15:10:00Z")
"""Holds the story."""

GZIP = {"Content-Encoding": "gzip"}


def held(path: Path, events: Sequence[WatchEvent] | None = None) -> list[Entry]:
    """Return a recording as Loki holds it, and write it to *path*."""
    lines = record(path, story() if events is None else events)
    return entries(log_records(lines))


def verified(spy: Spy, loki: Loki, **environ: str) -> Ended:
    return spy.run("ls", "--verify", loki.url, *DAY, environ=environ)


def test_commands_say_the_same_as_of_a_file(spy: Spy) -> None:
    file = spy.home / "a.spy"
    with serving(held(file)) as loki:
        for command in (
            "ls {} --verify",
            "show {} pod/a -n shop --at 2026-11-21T15:04:06.5Z",
            "show {} pod/a -n shop --at 2026-11-21T15:04:06.5Z -o json",
            "diff {} pod/a -n shop 2026-11-21T15:04:05.5Z 2026-11-21T15:06:00Z",
            "blame {} pod/a -n shop --at 2026-11-21T15:04:30Z",
            "changes {}",
            "ls {} -n shop",
            "changes --from {} pods -n shop -o json",
        ):
            words = command.split()
            times = () if "--at" in words or "diff" in words else DAY
            of_file = () if "--verify" in words else times
            one = spy.run(*(each.format(file) for each in words), *of_file)
            other = spy.run(*(each.format(loki.url) for each in words), *times)
            assert one.code == other.code == 0, other.err
            assert one.out.replace(str(file), "F") == other.out.replace(loki.url, "F")


def test_more_lines_of_one_moment_than_a_page_come_back(spy: Spy) -> None:
    pods = [pod(f"web-{n}", rv=str(n + 1)) for n in range(6000)]
    events = first_list(*pods, time=now() - 5)
    lines = held(spy.home / "a.spy", events)
    begin = min(each.time for each in lines)
    # An older sender gave lines of one moment a thousand times at most.
    same = [each._replace(time=begin + (each.time - begin) % 1000) for each in lines]
    with serving(same) as loki:
        ended = spy.run("ls", "--verify", loki.url)
        assert ended.code == 0, ended.err
        assert "6,000 objects, 0 changes, every one as it was written" in ended.out
        assert len(loki.pages()) > 5


def test_lines_of_one_moment_have_an_order(tmp_path: Path) -> None:
    lines = held(tmp_path / "a.spy", first_list(*map(pod, "abcdef"), time=now()))
    assert len({each.time for each in lines}) == len(lines)
    assert lines == sorted(lines, key=lambda each: each.time)


def test_lines_of_one_nanosecond_beyond_a_page_are_said(spy: Spy) -> None:
    """An older sender gave lines of one moment one time."""
    pods = [pod(f"web-{n}", rv=str(n + 1)) for n in range(3000)]
    lines = held(spy.home / "a.spy", first_list(*pods, time=now() - 5))
    same = [each._replace(time=lines[0].time) for each in lines]
    with serving(same) as loki:
        assert spy.run("ls", "--verify", loki.url).code == 0
        loki.entries += [each._replace(body=f"{n}") for n, each in enumerate(same)]
        ended = spy.run("ls", "--verify", loki.url)
    assert ended.code == 1
    assert "has more than 5,000 lines of one moment; send recordings" in ended.err


def test_a_loki_that_allows_less_is_asked_for_less(spy: Spy) -> None:
    with serving(held(spy.home / "a.spy")) as loki:
        loki.most = 7
        ended = verified(spy, loki)
        assert ended.code == 0, ended.err
        assert {int(each.parameters["limit"]) for each in loki.pages()} >= {7, 125}


def test_only_one_namespace_and_one_object_are_asked_for(spy: Spy) -> None:
    moments = [pod(f"web-{n}", rv=str(n + 1), namespace=f"n{n}") for n in range(9)]
    events = first_list(*moments, time=now() - 5)
    with serving(held(spy.home / "a.spy", events)) as loki:
        ended = spy.run("show", loki.url, "pod/web-3", "-n", "n3", "-o", "json")
        assert json.loads(ended.out)["metadata"]["name"] == "web-3", ended.err
        query = '{service_name="kubectl-spy", k8s_namespace_name=~"(n3)?"}'
        first, *_ = loki.pages()
        assert first.parameters["query"] == f'{query} | k8s_object_name=~"(web-3)?"'
        loki.asked.clear()
        spy.run("changes", "--from", loki.url, "pods", "-n", "n3")
        assert loki.much() == {query}


def test_one_object_is_read_with_little_after_a_recorder_was_killed(spy: Spy) -> None:
    file = spy.home / "a.spy"
    pods = [pod(f"web-{n}", rv=str(n + 1)) for n in range(300)]
    record(file, first_list(*pods, time=now() - 5))
    when = now() + 0.5  # after the RESUME, which has the time of this test
    continue_with(file, first_list(*pods, time=when))
    lines = killed(file.read_bytes().splitlines(keepends=True), after=302)
    words = ("pod/web-3", "-n", "shop", "--at", rfc3339(when + 0.1))
    wait_until(lambda: now() > when + 0.1)
    with serving(entries(log_records(lines))) as loki:
        ended = spy.run("show", loki.url, *words)
        assert (ended.code, ended.err) == (0, "")
        assert all("k8s_object_name" in each for each in loki.much())
        loki.asked.clear()
        ended = spy.run("ls", loki.url, "-n", "shop", "--since", "last-1m")
        assert ended.code == 0 and "damaged" not in ended.err
        assert all("k8s_namespace_name" in each for each in loki.much())
        del loki.entries[200]  # of the first run: no matter
        assert spy.run("show", loki.url, *words).err == ""
        del loki.entries[-5]
        ended = spy.run("show", loki.url, *words)
    assert "pod/web-3 may have changed before that point: nothing is known" in ended.err


def test_lost_lines_are_looked_for_in_halves(spy: Spy) -> None:
    begin = now() - 600
    changes = [
        event("MODIFIED", pod("busy", rv=str(n), labels={"n": str(n)}), time=begin + n)
        for n in range(2, 500)
    ]
    quiet = event("MODIFIED", pod("web", rv="500", labels={"n": "1"}), time=begin + 501)
    events = [*first_list(pod("busy", rv="1"), pod("web"), time=begin), *changes, quiet]
    lines = held(spy.home / "a.spy", events)
    lost = next(n for n, each in enumerate(lines) if '"seq":200,' in each.body)
    words = ("pod/web", "-n", "shop", "--at")
    with serving(lines[:lost] + lines[lost + 3 :]) as loki:
        ended = spy.run("show", loki.url, *words, rfc3339(begin + 400))
        told = re.search(r"nothing is known from (\S+) (\S+) to (.+)", ended.err)
        assert told is not None, ended.err
        day, *clocks = told.groups()
        since, until = (
            seconds(f"{day} {each}"[-23:].replace(" ", "T") + "Z") - begin
            for each in clocks
        )
        assert 190 < since < until < since + 5
        assert all("k8s_object_name" in each for each in loki.much())
        after = spy.run("show", loki.url, *words, rfc3339(begin + 502))
    assert (after.code, after.err) == (0, "")


@pytest.mark.parametrize("lost", [5, 6])
def test_a_lost_line_is_named_also_where_only_a_part_is_read(
    spy: Spy, lost: int
) -> None:
    moments = [pod(f"web-{n}", rv=str(n + 1), namespace=f"n{n}") for n in range(9)]
    lines = held(spy.home / "a.spy", first_list(*moments, time=now() - 5))
    del lines[lost]
    with serving(lines) as loki:
        ended = spy.run("ls", loki.url, "-n", "n1")
    assert ended.code == 1
    assert f"line {lost + 2} is damaged: 1 line missing before it" in ended.err


def test_lines_before_the_first_header_are_used_or_said_to_be_missing(
    spy: Spy,
) -> None:
    lines = held(spy.home / "a.spy")
    with serving(lines[4:]) as loki:
        ended = verified(spy, loki)
    assert ended.code == 1
    assert "but no HEADER, without which they cannot be read; begin ear" in ended.err


def test_one_of_several_recordings_is_chosen(spy: Spy) -> None:
    one, other = (held(spy.home / name) for name in ("a.spy", "b.spy"))
    with serving([*one, *other]) as loki:
        both = verified(spy, loki)
        assert both.code == 1 and "holds 2 recordings: " in both.err
        chosen = both.err.rpartition("; name ")[2].strip()
        ended = spy.run("ls", "--verify", chosen, *DAY)
        assert ended.code == 0, ended.err
        asked = f'| kubectl_spy_recording=~"{chosen.rpartition("#")[2]}.*"'
        assert asked in loki.pages()[-1].parameters["query"]
        none = spy.run("ls", "--verify", f"{loki.url}#0000", *DAY)
    assert none.code == 1 and "leave out what follows # to see which" in none.err


def test_without_a_time_the_last_hour_is_read(spy: Spy) -> None:
    at = now()
    events = [
        *first_list(pod("a", rv="1"), time=at - 7000),
        event("MODIFIED", pod("a", rv="2", phase="Running"), time=at - 60),
    ]
    with serving(held(spy.home / "a.spy", events)) as loki:
        ended = spy.run("changes", "--from", loki.url, "pods", "-o", "json")
        assert ended.code == 0, ended.err
        said = f"note: reading the last hour of {loki.url}; choose with --since\n"
        assert said in ended.err
        (shown,) = map(json.loads, ended.out.splitlines())
        assert shown["resourceVersion"] == "2"
        whole = spy.run("ls", "--verify", loki.url, "--since", "last-5m")
        assert "reading the last hour" not in whole.err
        begin = int(loki.pages()[-1].parameters["start"])
        assert abs(begin / 1e9 - (at - 300 - 3900)) < 60


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--since", "2026-11-01T00:00Z"), "hours are too much to read from Loki"),
        ((*DAY, "--max-read", "1k"), "has more than 1.0 KB from 2026-11-21T13:59Z to"),
        (("--since", "2026-01-01T00:00Z", "--until", "2026-01-01T01:00Z"), "no "),
    ],
)
def test_what_cannot_be_read_is_refused_with_how_to_narrow_it(
    spy: Spy, flags: tuple[str, ...], said: str
) -> None:
    with serving(held(spy.home / "a.spy")) as loki:
        ended = spy.run("ls", "--verify", loki.url, *flags)
    assert ended.code in (1, 2)
    assert said in ended.err and ended.err.count("\n") == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(401), "answers 401; set LOKI_USERNAME and LOKI_PASSWORD, or LOKI_BEAR"),
        (Answer(401, body=b"no org id\n"), "wants a tenant; set LOKI_ORG_ID"),
        (
            Answer(403, body=b"go away"),
            "answers 403: go away; these credentials",
        ),
        (
            Answer(404, body=b"404 page not found"),
            "answers 404: 404 page not found; ",
        ),
        (
            Answer(400, body=b"parse\x1b[2J error"),
            "answers 400: parse\\u001b[2J error; is th",
        ),
        (
            Answer(body=b"<html>sign in"),
            "answers 200: no JSON of Loki; is this a Loki?",
        ),
        (Answer(body=b"[" * 5000), "answers 200: no JSON of Loki; is this a Loki?"),
        (Answer(body=b'{"status":"success"}'), "gives no logs; is this a Loki?"),
        (
            Answer(400, GZIP, gzip.compress(b"parse error")),
            "answers 400: parse error; is this a Loki?",
        ),
        (Answer(302, {"Location": "http://u:pw@x/"}), "redirects to http://x/; "),
        (Answer(302, {"Location": "http://[x/"}), "redirects; name the place"),
    ],
)
def test_a_fault_is_one_line_with_what_to_do(
    spy: Spy, answer: Answer, said: str
) -> None:
    with serving(held(spy.home / "a.spy"), answer) as loki:
        ended = verified(spy, loki)
        assert len(loki.pages()) == 1
    assert ended.code == 1
    assert f"error: {loki.url} {said}" in ended.err
    assert ended.err.count("\n") == 1


def test_a_bomb_is_too_much_and_asked_for_in_smaller_pages(spy: Spy) -> None:
    bomb = Answer(200, GZIP, gzip.compress(b" " * (65 << 20)))
    with serving(held(spy.home / "a.spy"), *[bomb] * 9) as loki:
        ended = verified(spy, loki)
        limits = [int(each.parameters["limit"]) for each in loki.pages()]
    assert ended.code == 1 and f"{loki.url} answers with too much" in ended.err
    assert limits == sorted(limits, reverse=True) and limits[-1] < limits[0]


@pytest.mark.parametrize(
    "answer",
    [Answer(429, {"Retry-After": "0"}), Answer(500, body=b"oops"), Answer(503)],
)
def test_a_passing_fault_is_tried_again(spy: Spy, answer: Answer) -> None:
    with serving(held(spy.home / "a.spy"), answer, answer) as loki:
        ended = verified(spy, loki)
        assert ended.code == 0, ended.err
        loki.faults += [answer] * 4
        ended = verified(spy, loki)
        assert ended.code == 1 and f"answers {answer.status}" in ended.err


def test_hostile_answers_are_ignored(spy: Spy) -> None:
    lines = held(spy.home / "a.spy")
    hostile = [
        {"stream": [], "values": [["5", "x"]]},
        {"stream": {"kubectl_spy_recording": "x"}, "values": {"1": 2}},
        {"stream": {"kubectl_spy_recording": 5}, "values": [[5, "x"], ["9" * 99, "x"]]},
        {"stream": {"kubectl_spy_recording": "x", "kubectl_spy_seq": "-1"}},
        7,
    ]
    data = {"resultType": "streams", "result": hostile}
    answer = Answer(body=json.dumps({"status": "success", "data": data}).encode())
    with serving(lines, *[answer] * 9) as loki:  # who gets none in time asks again
        ended = verified(spy, loki)
    assert ended.code == 1 and "has no lines of kubectl spy from" in ended.err


def test_a_loki_that_is_not_there_is_said(spy: Spy) -> None:
    with socket.socket() as nobody:  # its port is taken, and nobody listens
        nobody.bind(("127.0.0.1", 0))
        url = f"loki+http://127.0.0.1:{nobody.getsockname()[1]}"
        ended = spy.run("ls", "--verify", url.replace("//", "//me:hidden@"))
    assert f"error: cannot reach {url}: connection refused; check the URL" in ended.err
    assert "hidden" not in ended.err
    for bad in ("loki+http://", "loki+http://h:port", "loki+https://h/?token=hidden"):
        ended = spy.run("ls", "--verify", bad)
        assert (ended.code, ended.out) == (2, "")
        assert "names no Loki; use loki+https://HOST[:PORT][/PATH]" in ended.err
        assert "hidden" not in ended.err


def test_credentials_come_from_the_url_the_environment_or_the_netrc(spy: Spy) -> None:
    netrc = spy.home / "netrc"
    netrc.write_text("machine 127.0.0.1 login n password p\n")
    netrc.chmod(0o600)
    basic = "Basic dXM6cGFzcw=="
    with serving(held(spy.home / "a.spy")) as loki:

        def sent(url: str, **environ: str) -> str | None:
            environ |= {"HTTP_PROXY": "http://127.0.0.1:1", "LOKI_ORG_ID": "team"}
            ended = spy.run("ls", "--verify", url, *DAY, environ=environ)
            assert ended.code == 0, ended.err
            assert "pass" not in ended.out + ended.err
            assert loki.asked[-1].headers["X-Scope-OrgID"] == "team"
            return loki.asked[-1].headers["Authorization"]

        assert sent(loki.url.replace("//", "//us:pass@"), LOKI_USERNAME="x") == basic
        assert sent(loki.url, LOKI_USERNAME="us", LOKI_PASSWORD="pass") == basic
        assert sent(loki.url, LOKI_BEARER_TOKEN="pass") == "Bearer pass"
        assert sent(loki.url, NETRC=str(netrc)) == "Basic bjpw"
        assert sent(loki.url, NETRC="") is None
        bad = verified(spy, loki, LOKI_BEARER_TOKEN="hidden\n")
        assert bad.code == 1 and "check LOKI_*" in bad.err and "hidden" not in bad.err


def test_a_loki_behind_tls_must_be_trusted(spy: Spy) -> None:
    authority = trustme.CA()
    trusted = spy.home / "ca.pem"
    authority.cert_pem.write_to_path(str(trusted))
    with serving(held(spy.home / "a.spy"), tls=server_tls(authority)) as loki:
        ended = verified(spy, loki, REQUESTS_CA_BUNDLE=str(trusted))
        assert ended.code == 0, ended.err
        ended = verified(spy, loki)
    told = f"error: cannot reach {loki.url}: "
    assert ended.code == 1 and ended.err.startswith(told)
    assert "certificate is not trusted" in ended.err
    assert ended.err.endswith("trusted by with SSL_CERT_FILE\n")
    assert ended.err.count("\n") == 1
