"""`record --metrics-bind-address`: what Prometheus and the kubelet get to see."""

from __future__ import annotations

import re
import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from kubectl_spy import __version__
from tests.answering import unanswered
from tests.cli.changing import config_map
from tests.cli.command import PATIENCE, Running, Spy
from tests.extras.otel.receiver import receiving
from tests.extras.serve.api_server.server import Serve
from tests.processes import wait_until

PAGE = Path(__file__).parents[2] / "docs" / "at-scale.md"


def page(running: Running, path: str) -> tuple[int, str]:
    """Return the answer of a recorder at *path*."""
    running.wait_for_talk("metrics at ")
    (url,) = re.findall(rb"metrics at (\S+)/metrics, ", running.stderr)
    try:
        with urllib.request.urlopen(url.decode() + path, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def metrics(running: Running) -> dict[str, float]:
    """Return all samples, by name and labels."""
    status, text = page(running, "/metrics")
    assert status == 200
    values = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation and family.type in ("counter", "gauge")
        for name, labels, value, *_ in family.samples:
            inner = ",".join(f"{key}={each}" for key, each in sorted(labels.items()))
            key = f"{name}{{{inner}}}"
            assert key not in values
            values[key.removeprefix("kubectl_spy_").removesuffix("{}")] = value
    return values


def test_metrics_count_what_is_recorded_and_sent(spy: Spy, serve: Serve) -> None:
    server = serve()
    server.put(config_map(0))
    server.put(config_map(0, "other"))
    words = ("cm/web", "cm/other", "po/web", "--metrics-bind-address", "0")
    with receiving() as receiver:
        with spy.running("record", *words, "--otlp", receiver.url) as running:
            server.wait_for_watches(3, PATIENCE)
            for number in (1, 2, 3):
                server.put(config_map(number))
            wait_until(lambda: metrics(running)["changes_total{type=MODIFIED}"] == 3)
            wait_until(lambda: metrics(running)["queue_lines"] == 0)
            seen = metrics(running)
            assert page(running, "/livez") == page(running, "/readyz") == (200, "ok\n")
            assert running.end().code == 0
        lines = receiver.logs()
    assert seen["changes_total{type=ADDED}"] == 0  # the first lists are no changes
    assert seen["objects"] == 2
    assert seen["delivered_lines_total"] == len(lines) - 1  # without END
    sizes = [len(each.body.string_value.encode()) + 1 for _, each in lines]
    assert seen["recorded_bytes_total"] == sum(sizes) - sizes[-1]
    zeros = ("dropped", "rejected")
    assert [seen[f"{each}_lines_total"] for each in zeros] == [0, 0]
    assert seen["queue_bytes"] == seen["delivery_lag_seconds"] == 0
    assert seen[f"build_info{{version={__version__}}}"] == 1
    # One sample for both names.
    for resource in ("configmaps", "pods"):
        labels = f"{{namespace=default,resource={resource}}}"
        assert seen[f"watch_up{labels}"] == 1
        assert seen[f"watch_last_contact_timestamp_seconds{labels}"] > 1.7e9


def test_the_page_lists_all_metrics(spy: Spy, serve: Serve) -> None:
    serve()
    with receiving() as receiver:
        flags = ("--otlp", receiver.url, "--metrics-bind-address", "127.0.0.1:0")
        with spy.running("record", "cm", *flags) as running:
            running.wait_for_talk("watching ")
            wait_until(lambda: page(running, "/readyz")[0] == 200)
            text = page(running, "/metrics")[1]
    served = set(re.findall(r"^# TYPE (kubectl_spy_\S+)", text, re.MULTILINE))
    assert served == set(re.findall(r"^\| `(kubectl_spy_\w+)", PAGE.read_text(), re.M))


def test_an_api_server_that_is_away_is_no_reason_to_restart(
    spy: Spy, serve: Serve
) -> None:
    server = serve()
    with spy.running(
        *("record", "cm", "-f", str(spy.home / "web.spy")),
        *("--metrics-bind-address", "0"),
    ) as running:
        running.wait_for_talk("watching ")
        wait_until(lambda: page(running, "/readyz") == (200, "ok\n"))
        server.__exit__(None, None, None)
        wait_until(lambda: page(running, "/readyz")[0] == 503)
        assert page(running, "/readyz")[1].startswith("configmaps: connection lost: ")
        assert page(running, "/livez") == (200, "ok\n")
        seen = metrics(running)
        assert seen["watch_up{namespace=default,resource=configmaps}"] == 0
        assert seen["reconnects_total"] >= 1


def test_a_collector_that_is_away_shows_as_lag(spy: Spy, serve: Serve) -> None:
    server = serve()
    with (
        unanswered() as port,
        spy.running(
            *("record", "cm", "--otlp", f"http://127.0.0.1:{port}"),
            *("--metrics-bind-address", "0"),
        ) as running,
    ):
        running.wait_for_talk("cannot deliver lines")
        server.put(config_map(1))
        wait_until(lambda: metrics(running)["delivery_lag_seconds"] > 2)
        seen = metrics(running)
        assert seen["delivered_lines_total"] == 0
        assert seen["queue_lines"] >= 4 and seen["queue_bytes"] > 1000
        assert page(running, "/livez") == page(running, "/readyz") == (200, "ok\n")
        with receiving(port=port):
            wait_until(lambda: metrics(running)["queue_lines"] == 0)
            assert metrics(running)["delivered_lines_total"] >= 4
            assert metrics(running)["delivery_lag_seconds"] == 0


@pytest.mark.parametrize("wrong", ["web", ":99999", "1.2.3.4"])
def test_a_bad_address_is_one_line(spy: Spy, serve: Serve, wrong: str) -> None:
    server, file = serve(), spy.home / "web.spy"
    flags = ("-f", str(file), "--metrics-bind-address", wrong)
    ended = spy.run("record", "cm", *flags)
    text = f"error: {wrong!r} is no address; for example 127.0.0.1:8080\n"
    assert (ended.code, ended.err) == (2, text)
    assert not file.exists() and server.requests == []


def test_an_address_in_use_is_one_line(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "web.spy"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        flags = ("-f", str(file), "--metrics-bind-address", f"127.0.0.1:{port}")
        ended = spy.run("record", "cm", *flags)
    assert (ended.code, ended.err) == (
        1,
        f"error: cannot listen on 127.0.0.1:{port}: address already in use; "
        "choose another address\n",
    )
    assert not file.exists() and server.requests == []
