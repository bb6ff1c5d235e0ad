"""What a command line that failed may have meant: words of other programs, and typos.

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

MEANT = {
    "record -o": "-f FILE, and --timeout 10s",
    "record --for": "--stop-on COND, or --timeout 10s, and -f FILE",
    "--duration": "--timeout 10s",
    "--show-managed-fields": "blame, or kubectl get -o yaml --show-managed-fields",
    "--time": "--at TIME, or --since and --until",
    "--oneline": "-o short",
    "--wide": "-o wide",
}
"""What flags of other programs, or of other commands, may be meant for."""
_NEEDLESS = {"--follow": "it goes on until Ctrl-C"}
_READS = ("-f", "--file", "--filename")
"""Flags of other programs for a file to read. Here it comes first, without a flag."""
_NAMESPACE = ("-n", "--namespace")
_INSTEAD = {
    **dict.fromkeys(("list", "watch"), "changes"),
    **dict.fromkeys(("describe", "tree", "why"), "trace"),
    "get": "changes",
}
"""The commands that show what these, of kubectl or wished for, would."""


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
        of_it = f"{context.command.name} {flag}" if context else ""
        if meant_for := MEANT.get(of_it, MEANT.get(flag, "")):
            return f"error: there is no flag {flag} here; did you mean {meant_for}?"
        if flag in _NEEDLESS:
            return f"error: there is no flag {flag}: {_NEEDLESS[flag]}"
        if flag in _READS:
            here = f"{command} FILE" if context else "kubectl spy COMMAND FILE"
            return f"error: a recording comes first, without {flag}: {here} TARGET"
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
    if word in ("log", "logs"):
        return UsageError(
            "kubectl spy prints no logs by themselves",
            "those of what failed stand in kubectl spy trace, all in kubectl logs",
        )
    remedy = did_you_mean(word, {each: each for each in commands})
    at = next((n for n, each in enumerate(args) if each in _NAMESPACE), len(args))
    space = next(iter(args[at + 1 :]), None)
    rest = [*args[1:at], *args[at + 2 :]]
    words = [*takewhile(lambda each: not each.startswith("-"), rest)]
    files = [each for each in rest if is_recording(each)][:1]
    targets = [each for each in words if each not in files]
    if word in _INSTEAD or (files and not remedy):
        meant = _INSTEAD.get(word, "changes")
        if meant == "trace" and not targets:
            meant = "summary"
        if word == "get" and files:
            meant = "show"
        targets = targets if word in _INSTEAD else [word, *targets]
        here = " ".join(["spy", meant, *["{}"] * len([*files, *targets])])
        remedy = f"try {kubectl(here, *files, *targets, namespace=space)}"
    elif "/" in word:
        remedy = f"name a command first: {kubectl('spy trace {}', word)}"
    return UsageError(
        f'there is no command "{word}"', remedy or f'try "{program} help"'
    )
