"""On a terminal: colours, unless they are not wanted."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping

import pytest

from tests.cli.command import PATIENCE, Spy
from tests.extras.serve.api_server.server import Serve

pty = pytest.importorskip("pty", reason="pseudo-terminals are POSIX's")


def printed_on_a_terminal(
    spy: Spy, serve: Serve, *flags: str, environ: Mapping[str, str] | None = None
) -> str:
    """Return what the status of the Pod of pod-boot looks like, until it fails."""
    serve("pod-boot")
    ours, theirs = pty.openpty()
    with spy.start(
        *("status", "pod/nginx", *flags),
        environ=environ,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        printed = b""
        end = time.monotonic() + PATIENCE
        while b"DELETED" not in printed and time.monotonic() < end:
            printed += os.read(ours, 1 << 16)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
    os.close(ours)
    return printed.decode()


def test_a_terminal_gets_colours(spy: Spy, serve: Serve) -> None:
    printed = printed_on_a_terminal(spy, serve)
    assert "\x1b[33mMODIFIED\x1b[0m" in printed
    assert "\x1b[36m/status/phase\x1b[0m" in printed
    talk = printed.splitlines()[0]
    assert talk.startswith("watching pod/nginx") and "\x1b" not in talk


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_gets_none_when_the_environment_says_so(
    spy: Spy, serve: Serve, environ: dict[str, str]
) -> None:
    printed = printed_on_a_terminal(spy, serve, environ=environ)
    assert "MODIFIED" in printed and "\x1b" not in printed


def test_the_flag_has_the_last_word(spy: Spy, serve: Serve) -> None:
    coloured = {"NO_COLOR": "1", "TERM": "dumb"}
    always = printed_on_a_terminal(spy, serve, "--color", "always", environ=coloured)
    assert "\x1b[33mMODIFIED" in always
    assert "\x1b" not in printed_on_a_terminal(spy, serve, "--color", "never")


def test_an_empty_no_color_is_none(spy: Spy, serve: Serve) -> None:
    assert "\x1b[" in printed_on_a_terminal(spy, serve, environ={"NO_COLOR": ""})


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_characters_fit_the_encoding(spy: Spy, serve: Serve, encoding: str) -> None:
    environ = {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding, "NO_COLOR": "1"}
    printed = printed_on_a_terminal(spy, serve, environ=environ)
    arrow = "→" if encoding == "utf-8" else "->"
    assert f'"Pending" {arrow} "Running"' in printed
