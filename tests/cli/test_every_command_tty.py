"""Every command in a terminal, as a person meets it: it shows its answer, and ends."""

from __future__ import annotations

import gzip
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubectl_spy.cli.main import cli
from tests.cli.command import PATIENCE, Spy
from tests.extras.serve.api_server.server import Serve

pytest.importorskip("pty", reason="pseudo-terminals are POSIX's")
from tests.cli.screen import Screen, on_a_terminal

INCIDENT = Path(__file__).parents[1] / "core/summary/incidents/bad-tag-helm.spy.gz"
CTRL_C = "\x03"
SIZES = [(80, 24), (120, 40), (200, 50)]
CAUSE = "registry.example.com/web:1.3"  # the image that does not exist

RECORDED = {
    "changes": ("FILE deploy/web -o short", CAUSE),
    "status": ("FILE deploy/web -o short", "updated 0→1"),
    "trace": ("FILE --once", CAUSE),
    "events": ("FILE deploy/web", "ImagePullBackOff"),
    "spans": ("FILE deploy/web", "web"),
    "blame": ("FILE deploy/web --only /spec/template", CAUSE),
    "summary": ("FILE", CAUSE),
    "ls": ("FILE deploy", "deployment.apps/web"),
    "show": ("FILE deploy/web --only /spec/template/spec", CAUSE),
    "diff": ("FILE deploy/web first last -o semantic", "/spec/template/spec"),
    "export": ("FILE -o html -f PAGE", "wrote"),
    "help": ("ImageNotFound", "registry"),
    "options": ("", "--kubeconfig"),
    "completion": ("bash", "complete"),
    "version": ("", "kubectl-spy "),
}
"""What is typed, and what is on the screen when it has ended."""
GOING = {
    "review": ("FILE", CAUSE, "q"),
    "serve": ("FILE", "export KUBECONFIG=", CTRL_C),
    "demo": ("serve", "export KUBECONFIG=", CTRL_C),
    "mcp": ("", "waiting for a client on standard input", "\x04"),
    "record": ("-f NEW", "recording to ", CTRL_C),
}
"""What is typed, what the screen shows, and the key that ends it."""


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("incident") / "night.spy"
    path.write_bytes(gzip.decompress(INCIDENT.read_bytes()))
    return path


def words(typed: str, recording: Path) -> Iterator[str]:
    names = {
        "FILE": str(recording),
        "PAGE": str(recording.with_suffix(".html")),
        "NEW": str(recording.with_name(f"{time.monotonic_ns()}.spy")),
    }
    return (names.get(each, each) for each in typed.split())


def unwrapped(screen: Screen) -> str:
    """Return the screen as one line: a terminal may break any text."""
    return "".join("".join(screen.all).split())


def test_every_command_is_tried() -> None:
    assert {*RECORDED, *GOING} == set(cli.commands)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("command", RECORDED)
def test_a_command_shows_its_answer(
    spy: Spy, recording: Path, command: str, size: tuple[int, int]
) -> None:
    typed, answer = RECORDED[command]
    recording.with_suffix(".html").unlink(missing_ok=True)
    columns, rows = size
    with on_a_terminal(
        spy, command, *words(typed, recording), columns=columns, rows=rows
    ) as (screen, process):
        assert process.wait(PATIENCE) == 0, screen.all
        screen.wait_for_end()
    assert "".join(answer.split()) in unwrapped(screen)
    assert "Traceback" not in unwrapped(screen)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("command", GOING)
def test_a_command_goes_on_until_a_key(
    spy: Spy, serve: Serve, recording: Path, command: str, size: tuple[int, int]
) -> None:
    serve("pod-boot")
    typed, answer, key = GOING[command]
    columns, rows = size
    with on_a_terminal(
        spy, command, *words(typed, recording), columns=columns, rows=rows
    ) as (screen, process):
        wanted = "".join(answer.split())
        screen.wait_for(lambda it: wanted in unwrapped(it))
        if key == CTRL_C:
            process.send_signal(signal.SIGINT)
        else:
            screen.type(key)
        assert process.wait(PATIENCE) in (0, 130)
        screen.wait_for_end()
    assert "Traceback" not in unwrapped(screen)
