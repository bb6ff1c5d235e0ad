"""`kubectl spy mcp`: tools for assistants and editors."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.completing import words
from kubectl_spy.cli.params import DURATION, command
from kubectl_spy.sinks.terminal import Terminal, is_terminal
from kubectl_spy.sources.recording.naming import LOKI

_HOW = "get it with pipx inject kubectl-spy 'mcp>=2.1,<3', or with pip install"
_MODULES = ("mcp", "mcp_types", "anyio", "jsonschema")
_PATHS = ("kubeconfig", "cache_dir")


@command(
    "kubectl spy mcp --context staging",
    "kubectl spy mcp ~/recordings",
    "kubectl spy mcp prod=loki+https://logs.example.com",
)
@click.argument(
    "recordings",
    nargs=-1,
    metavar="[DIR|NAME=URL]...",
    shell_complete=words.directories,
)
@options.logs
@options.value(
    "--timeout TIME",
    "Stop after this time: 30s, 5m.",
    type=DURATION,
    default="1m",
)
@options.debug
@options.connection
@click.pass_context
def mcp(context: click.Context, /, **flags: Any) -> None:
    """How can my assistant or editor use kubectl spy?

    Serve tools of the Model Context Protocol on standard input and output: trace,
    events, blame and watch on the cluster, and summary, changes, show and diff of
    recordings. The tools only read. Values of Secrets are always masked.

    The tools read recordings in each DIR, by default the current one. NAME=URL is a
    Loki, which they call NAME: prod=loki+https://HOST.

    The flags choose the cluster and the user. No tool can choose another. The tools may
    look in every namespace that this user may read. Each answer takes at most
    --timeout, by default 1m.

    This command needs the mcp package: pipx inject kubectl-spy 'mcp>=2.1,<3'.
    """
    from kubectl_spy.errors import SpyError

    terminal: Terminal = context.obj
    try:
        from kubectl_spy.extras.mcp.recordings import Recordings
        from kubectl_spy.extras.mcp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _MODULES:
            raise
        message = "mcp needs the mcp package, which is not installed"
        raise SpyError(message, _HOW) from None
    if is_terminal(sys.stdin):
        terminal.say("waiting for a client on standard input; Ctrl-C ends")
    named = flags["recordings"]
    lokis = [each for each in named if _is_loki(each)]
    serve(
        Recordings([each for each in named if each not in lokis] or ["."], lokis),
        list(_connection(context)),
        limit=flags["timeout"],
        logs=flags["logs"] is True,
    )


def _is_loki(word: str) -> bool:
    """Return whether *word* is to be NAME=URL. It may hold a password."""
    return ("=" in word or LOKI in word) and not Path(word).is_dir()


def _connection(context: click.Context) -> Iterator[str]:
    """Yield the flags of the connection. Paths are absolute."""
    own = ("recordings", "logs", "timeout", "debug")
    for each in context.command.params:
        value = context.params.get(each.name or "")
        if each.name in own or not value:
            continue
        for one in value if isinstance(value, tuple) else [value]:
            one = Path(one).absolute() if each.name in _PATHS else one
            yield each.opts[-1] if one is True else f"{each.opts[-1]}={one}"
