"""What a command line that failed may have meant: words of old, and of other programs.

It is imported when one failed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile

import click

from kubectl_spy.core.remedy import kubectl
from kubectl_spy.core.wording import did_you_mean
from kubectl_spy.errors import UsageError
from kubectl_spy.sources.recording.naming import is_recording
from kubectl_spy.terms import option, phrase

RENAMED = {
    "--external": 'KUBECTL_EXTERNAL_DIFF="kubectl-spy diff"',
    "--html": "-o html [-f FILE], as in -o html -f page.html",
    "--install": "kubectl spy completion bash install",
    "--instant": "what changes FILE does, without --speed",
    "--loki": "kubectl spy mcp NAME=URL",
    "--markdown": "-o markdown",
    "--no-logs": "--logs=false",
    "--play": "--speed 1",
    "--recording": "FILE#ID",
    "--recordings": "kubectl spy mcp DIR",
    "--semantic": "-o semantic",
    "--serve": "kubectl spy demo serve",
    "--show-managed-fields": "kubectl get -o yaml --show-managed-fields, or blame",
    "--who": "-o wide",
    "--otlp-json": "-o otlp-json",
}
MEANT = {
    "record -o": "-f FILE",
    "record --for": "--stop-on COND, or --timeout 10s",
    "--duration": "--timeout 10s",
    "--oneline": "-o short",
    "--wide": "-o wide",
}
"""What flags of other programs, or of other commands, may be meant for."""
_INSTEAD = {**dict.fromkeys(("get", "list", "watch"), "changes"), "describe": "trace"}
"""The commands that show what these of kubectl do."""
_RENAMED = {
    "replay": ("changes", "spy changes {}"),
    "verify": ("ls --verify", "spy ls {} --verify"),
}


def usage(
    error: click.UsageError, commands: Mapping[str, click.Command], program: str
) -> str:
    """Return the message for *error*, in a command line of *program*."""
    if isinstance(error, click.BadParameter) and error.param:
        name = option(flag := error.param.opts[-1])
        error.param_hint = error.param_hint if name == flag else name
    message = " ".join(error.format_message().rstrip(".").split())
    context = error.ctx
    command = context.command_path if context else program
    if isinstance(error, click.NoSuchOption):
        flag = error.option_name
        if flag in RENAMED:
            return f"error: {flag} is now {RENAMED[flag]}"
        of_it = f"{context.command.name} {flag}" if context else ""
        if meant_for := MEANT.get(of_it, MEANT.get(flag, "")):
            return f"error: there is no flag {flag} here; did you mean {meant_for}?"
        takers = [
            str(each.name)
            for each in commands.values()
            if any(flag in parameter.opts for parameter in each.params)
        ]
        known = context.command.params if context else []
        flags = {name: name for each in known for name in each.opts if "--" in name}
        meant = {each: each for each in error.possibilities or ()} or flags
        if flag.startswith("--label"):
            meant = {"--label": "--selector"}
        if takers:
            message = f"{flag} is a flag of {', '.join(takers)}"
        else:
            near = did_you_mean(flag, meant)
            message = "; ".join(filter(None, (f"there is no flag {flag}", near)))
    if message.endswith("?"):
        return f"error: {message}"
    return f"error: {message}" + phrase("at-a-shell", f'; try "{command} --help"')


def no_command(
    args: Sequence[str], commands: Collection[str], program: str
) -> UsageError:
    """Return the error that the first of *args* is none of *commands*."""
    word = args[0]
    if word in _RENAMED:
        file = next(filter(is_recording, args[1:]), "night.spy")
        now, command = _RENAMED[word]
        return UsageError(f"{word} is now {now}: {kubectl(command, file)}")
    if word == "logs":
        return UsageError(
            "kubectl spy prints no logs by themselves",
            "those of what failed stand in kubectl spy trace, all in kubectl logs",
        )
    remedy = did_you_mean(word, {each: each for each in commands})
    words = [*takewhile(lambda each: not each.startswith("-"), args)]
    if word in _INSTEAD and len(words) > 1:
        here = f"spy {_INSTEAD[word]} {' '.join(['{}'] * (len(words) - 1))}"
        remedy = f"try {kubectl(here, *words[1:])}"
    elif "/" in word:
        remedy = f"name a command first: {kubectl('spy trace {}', word)}"
    return UsageError(
        f'there is no command "{word}"', remedy or f'try "{program} help"'
    )
