"""What `kubectl spy demo` runs: real commands, one after the other."""

from __future__ import annotations

import shlex
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from kubectl_spy.cli.commands.changes import changes
from kubectl_spy.cli.commands.events import events
from kubectl_spy.cli.commands.status import status
from kubectl_spy.cli.commands.summary import summary
from kubectl_spy.cli.commands.trace import trace
from kubectl_spy.extras.serve.demo.server import ApiServer, demo_server
from kubectl_spy.extras.spans.command import spans
from kubectl_spy.sinks.terminal import StdoutClosed, Terminal
from kubectl_spy.sources.watching.clock import UNSEEN

_LONGEST_PAUSE = 8.0  # seconds, as recorded: real rollouts have boring minutes
_COMMANDS = {
    "status": status,
    "changes": changes,
    "trace": trace,
    "events": events,
    "spans": spans,
    "summary": summary,
}


@dataclass(frozen=True, slots=True)
class _Step:
    """One command, what it is about, and the recording it looks at."""

    remark: str
    recording: str
    command: str
    collections: int = 1  # watched by the command; the recording waits for all of them
    over: bool = False  # whether it was played before the command began


_STEPS = (
    _Step(
        "A Deployment of three boots, gets a new image, loses a Pod and is scaled to "
        "five.\n# First what is there, then every change of its status: when, by whom, "
        "what.",
        "deploy-rollout",
        "status deploy/nginx",
    ),
    _Step(
        "A container that exits with 3, again and again.",
        "pod-crashloop",
        "status pod/crasher -n pod-crashloop",
    ),
    _Step(
        "The same rollout as a tree: the Deployment and all that belongs to it.",
        "deploy-rollout",
        "trace deploy/nginx -n deploy-rollout",
        collections=6,
    ),
    _Step(
        "Why does it not start? What is wrong, and what to do about it.",
        "pod-bad-image",
        "trace pod/nginx -n pod-bad-image",
        collections=4,
    ),
    _Step(
        "What was reported of a Job and its Pods, in the order in which it happened.",
        "workloads",
        "events job/failing -n workloads",
        collections=4,
    ),
    _Step(
        "Where the time went: what came of each change, and what it waited for.",
        "pod-boot",
        "spans pod/nginx -n pod-boot",
        collections=3,
    ),
    _Step(
        "Whole objects, several types at once. Values of Secrets are masked; that they "
        "change is seen.",
        "secret-config",
        "changes secrets,configmaps -n secret-config",
        collections=2,
    ),
    _Step(
        "One name, three Pods: never a patch across two objects. And for programs.",
        "recreate",
        "changes pod/same -n recreate --only /status/phase -o json",
    ),
    _Step(
        "Nobody was watching. What happened in the last hour? The API server knows.",
        "deploy-rollout",
        "summary deploy/nginx -n deploy-rollout --since 1h",
        over=True,
    ),
)

_NEXT = """\
# That was the recording. On a cluster of your own:
#   kubectl spy status deploy/NAME                 how a status changes
#   kubectl spy trace deploy/NAME                  all of it, and why it does not work
#   kubectl spy changes pods -l app=NAME           how whole objects change
#   kubectl spy status deploy/NAME --since 1h      the hour before you looked
#   kubectl spy changes all -A --watch-only        everything that happens
#   kubectl spy changes cm/NAME -o jsonpatch       RFC 6902 patches, for programs
#   kubectl spy --help                             the rest
"""


class _TourTerminal(Terminal):
    """A terminal whose reader goes away when the recording is over."""

    def __init__(self, stdout: TextIO, stderr: TextIO, server: ApiServer) -> None:
        super().__init__(stdout, stderr)
        self._server = server
        self.over = False

    def on_closed(self, call: Callable[[], None]) -> None:
        """Call *call* at the end of the recording, or of the real reader."""
        super().on_closed(call)

        def wait() -> None:
            with suppress(TimeoutError):
                self._server.wait_until_played(600)
                # What was played last is still on its way through the socket.
                self._server.drop_watches()
                threading.Event().wait(0.3)
                self.over = True
                call()

        threading.Thread(target=wait, name="recording", daemon=True).start()


def play_tour(terminal: Terminal, *, speed: float, color: str) -> None:
    """Run every step. Only the commands print to standard output.

    Raises StdoutClosed if nobody reads any more.
    """
    terminal.say(
        "A Kubernetes API server in this program plays what was recorded from a real "
        "one.\nNothing leaves this machine, and no cluster is touched."
    )
    with tempfile.TemporaryDirectory(prefix="kubectl-spy-demo-") as directory:
        for step in _STEPS:
            terminal.write(f"\n# {step.remark}\n$ kubectl spy {step.command}\n")
            _run(step, Path(directory), speed=speed, color=color)
    terminal.write(f"\n{_NEXT}")


def _run(step: _Step, directory: Path, *, speed: float, color: str) -> None:
    with demo_server(
        [step.recording],
        speed=0 if step.over else speed,
        longest_pause=_LONGEST_PAUSE,
        watches_before_play=step.collections,
        ended=time.time() if step.over else None,
    ) as server:
        if step.over:
            server.play()
        kubeconfig = server.write_kubeconfig(directory / "kubeconfig")
        name, *words = shlex.split(step.command)
        words += ["--kubeconfig", str(kubeconfig), "--cache-dir", str(directory)]
        words += ["--color", color]
        command = _COMMANDS[name]
        terminal = Terminal(sys.stdout, sys.stderr)
        if not step.over:
            terminal = _TourTerminal(sys.stdout, sys.stderr, server)
        try:
            with command.make_context(name, words, obj=terminal) as context:
                command.invoke(context)
        except StdoutClosed:
            if not getattr(terminal, "over", False):
                raise


def serve_recordings(terminal: Terminal, *, speed: float) -> None:
    """Serve every recording until Ctrl-C, and say how to look at them."""
    from kubectl_spy.extras.serve.demo.recordings import recording_names

    with (
        tempfile.TemporaryDirectory(prefix="kubectl-spy-demo-") as directory,
        demo_server(
            recording_names(), speed=speed or 1.0, longest_pause=_LONGEST_PAUSE
        ) as server,
    ):
        path = server.write_kubeconfig(
            Path(directory) / "kubeconfig", namespace="deploy-rollout"
        )
        terminal.write(f"export KUBECONFIG={shlex.quote(str(path))}\n")
        terminal.say(
            f"Serving {server.url} until Ctrl-C. In another terminal, with that "
            "variable set:\n"
            "  kubectl spy status deploy/nginx\n"
            "  kubectl spy changes pods -A\n"
            "Each namespace is a recording, and plays from its first watch: "
            f"{', '.join(sorted(server.namespaces))}"
        )
        while True:
            time.sleep(UNSEEN)
