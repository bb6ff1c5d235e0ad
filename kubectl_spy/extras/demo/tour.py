"""What `kubectl spy demo` runs: real commands, one after the other."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from kubectl_spy.cli.main import cli
from kubectl_spy.cli.run.view import palette_of, screen_width
from kubectl_spy.errors import SpyError
from kubectl_spy.extras.serve.api_server.server import ApiServer
from kubectl_spy.extras.serve.server import play_side_by_side
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.watching.clock import UNSEEN

_RECORDINGS = Path(__file__).with_name("recordings")
INCIDENT = _RECORDINGS / "incident.spy.gz"
"""A memory limit was set too low."""
_LONGEST_PAUSE = 8.0  # seconds, as recorded: real rollouts have boring minutes
_COLUMNS, _LINES = 96, 15  # of the page of review


@dataclass(frozen=True, slots=True)
class _Step:
    """One command, and what it is about."""

    remark: str
    command: str
    recording: str = ""  # what the server plays for it; a file needs no server
    collections: int = 1  # watched by the command; the recording waits for all of them
    fails: bool = False


_STEPS = (
    _Step(
        "A Deployment is rolled out: every version of its status, and what it means.",
        "status deploy/nginx -o short --for ready",
        "deploy-rollout",
    ),
    _Step(
        "A Job fails: why, and what to do. A script that waits for it ends here, too.",
        "trace job/failing -n workloads --for ready",
        "workloads",
        collections=4,
        fails=True,
    ),
    _Step(
        "The rollout again, kept in a file. All commands read it later.",
        "record deploy/nginx --owned -f rollout.spy --stop-on ready --after 1s",
        "deploy-rollout",
        collections=6,
    ),
    _Step(
        "A recorded incident: what failed, and which change did it?",
        "summary incident.spy.gz",
    ),
    _Step(
        "Who wrote the memory limit, when, and what was it before?",
        "blame incident.spy.gz deploy/web "
        "--only '/spec/template/spec/containers/*/resources'",
    ),
    _Step(
        "All of it on the whole screen: its first page. Keys lead on from there.",
        "review incident.spy.gz",
    ),
)

_NEXT = """\
# The incident, for commands of your own: {}
# On a cluster:
#   kubectl spy summary            what fails in the namespace, and why
#   kubectl spy trace deploy/NAME  all of it, and why it does not work
#   kubectl spy --help             the rest
"""


def play_tour(terminal: Terminal, *, speed: float, color: str) -> None:
    """Run every step. Raises StdoutClosed if nobody reads any more."""
    terminal.say(
        "A Kubernetes API server in this program plays what was recorded of a real one."
    )
    terminal.say("Nothing leaves this machine, and no cluster is touched.")
    with _directory() as directory:
        shutil.copyfile(INCIDENT, directory / "incident.spy.gz")
        for step in _STEPS:
            terminal.write(f"\n# {step.remark}\n$ kubectl spy {step.command}\n")
            if step.command.startswith("review "):
                _review(terminal, step.command.split()[1], color=color)
            else:
                _run(terminal, step, directory, speed=speed, color=color)
    terminal.write(f"\n{_NEXT.format(shlex.quote(str(INCIDENT)))}")


@contextmanager
def _directory() -> Iterator[Path]:
    """Work in a new directory: the commands name files there as a person would."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="kubectl-spy-demo-") as directory:
        os.chdir(directory)
        try:
            yield Path(directory)
        finally:
            os.chdir(before)  # Windows deletes no directory that somebody is in


def recording_names() -> list[str]:
    """Return the names of the recordings that the server plays, sorted."""
    files = set(_RECORDINGS.glob("*.spy.gz")) - {INCIDENT}
    return sorted(file.name.removesuffix(".spy.gz") for file in files)


def demo_server(
    names: Iterable[str], *, speed: float, watches: int = 1
) -> AbstractContextManager[ApiServer]:
    """Return a server that plays bundled recordings, each from its first watches on."""
    return play_side_by_side(
        [_RECORDINGS / f"{name}.spy.gz" for name in names],
        speed=speed,
        longest_pause=_LONGEST_PAUSE,
        watches=watches,
    )


def _run(
    terminal: Terminal, step: _Step, directory: Path, *, speed: float, color: str
) -> None:
    name, *words = shlex.split(step.command)
    command = cli.commands[name]
    if any("--color" in each.opts for each in command.params):
        words += ["--color", color]
    if not step.recording:
        _invoke(terminal, command, words)
        return
    with demo_server([step.recording], speed=speed, watches=step.collections) as server:
        config = server.write_kubeconfig(directory / "kubeconfig")
        words += ["--kubeconfig", str(config), "--cache-dir", str(directory)]
        try:
            _invoke(terminal, command, words)
        except SpyError as error:
            if not step.fails:
                raise
            terminal.say(f"error: {error}")


def _invoke(terminal: Terminal, command: click.Command, words: list[str]) -> None:
    with command.make_context(command.name, words, obj=terminal) as context:
        command.invoke(context)


def _review(terminal: Terminal, file: str, *, color: str) -> None:
    from kubectl_spy.extras.review.launch import first_page

    columns = min(screen_width() or _COLUMNS, _COLUMNS)
    try:
        terminal.write(first_page(file, palette_of(color), (columns, _LINES)))
    except SpyError as error:  # Textual is not there: the demo goes on
        terminal.say(str(error))


def serve_recordings(terminal: Terminal, *, speed: float) -> None:
    """Serve every recording until Ctrl-C, and say how to look at them."""
    with (
        tempfile.TemporaryDirectory(prefix="kubectl-spy-demo-") as directory,
        demo_server(recording_names(), speed=speed or 1.0) as server,
    ):
        path = server.write_kubeconfig(
            Path(directory) / "kubeconfig", namespace="deploy-rollout"
        )
        terminal.write(f"export KUBECONFIG={shlex.quote(str(path))}\n")
        for line in (
            f"Serving {server.url} until Ctrl-C. In another terminal, with that "
            "variable set:",
            "  kubectl spy status deploy/nginx",
            "  kubectl spy changes pods -A",
            "Each namespace is a recording, and plays from its first watch: "
            f"{', '.join(sorted(server.namespaces))}",
            "Its objects have the times of their recording, so --since finds nothing.",
        ):
            terminal.say(line)
        while True:
            time.sleep(UNSEEN)
