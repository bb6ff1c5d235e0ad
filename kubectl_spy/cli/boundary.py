"""Turns every outcome of the program into one line and an exit code.

0    done
1    an error of the cluster or of a file, or a condition that cannot be met
2    wrong usage; any error of diff --exit-code
3    a bug in kubectl-spy
124  --timeout
129  the terminal is gone (SIGHUP)
130  Ctrl-C
141  the reader of standard output is gone
143  SIGTERM
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from kubectl_spy.cli.main import cli
from kubectl_spy.cli.run.signals import Ending
from kubectl_spy.core.wording import did_you_mean
from kubectl_spy.errors import SpyError, Terminated, TimedOut, UsageError
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import StdoutClosed, Terminal, open_terminal
from kubectl_spy.terms import Terms, option, phrase, use

DONE, BUG, INTERRUPTED, CLOSED = 0, 3, 130, 141
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
# Windows has no quota. EBADF: standard output was closed before.
_FAILED = {errno.ENOSPC, errno.EFBIG, errno.EIO, errno.EBADF}
_FAILED.add(getattr(errno, "EDQUOT", errno.ENOSPC))


def run(argv: Sequence[str], ending: Ending) -> int:
    """Run *argv*, which has no program name. Return the exit code."""
    terminal = open_terminal()
    try:
        ending.begun = True
        if argv[:1] == ["__complete"]:
            from kubectl_spy.cli.completing.protocol import answer

            terminal.write(answer(cli, argv[1:]))
            return DONE
        if argv[:1] == ["__child"]:  # of review: the file to delete at its end
            from kubectl_spy.cli.run.signals import end_with_input

            end_with_input(Path(argv[1]) if argv[1] else None)
            argv = argv[2:]
        if argv[:1] == ["__tool"]:  # of mcp
            import json

            terminal.codes = True
            use(Terms(**json.loads(argv[1])))
            argv = argv[2:]
        # Without arguments print the help, as kubectl does.
        words = list(argv) or ["--help"]
        with cli.make_context(program_name(), words, obj=terminal) as context:
            cli.invoke(context)
        sys.stdout.flush()
    except TimedOut as over:  # what was asked for, and nobody's mistake
        terminal.say(inert(str(over)), over.code)
        return over.exit_code
    except SpyError as error:
        terminal.say(f"error: {inert(str(error))}", error.code)
        return error.exit_code
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.UsageError as error:
        terminal.say(_usage(error), UsageError.code)
        return error.exit_code
    except click.ClickException as error:
        terminal.say(f"error: {inert(error.format_message())}", SpyError.code)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Terminated as terminated:
        return 128 + terminated.number
    except (StdoutClosed, BrokenPipeError):
        Terminal(sys.stdout, sys.stderr).discard()
        return CLOSED
    except Exception as bug:
        if ending.by and _of_signal(bug):
            return 128 + ending.by
        if isinstance(bug, OSError) and bug.errno in _FAILED and bug.filename is None:
            # Of click, which prints help texts past the terminal; our own writing
            # makes a SpyError of it.
            terminal.discard()
            what = f"error: cannot write to standard output: {bug.strerror}"
            terminal.say(what, SpyError.code)
            return SpyError.exit_code
        terminal.say(_bug(bug, debug="--debug" in argv), "bug")
        return BUG
    finally:
        # What is left is the interpreter's: a second Ctrl-C just ends it.
        ending.uninstall()
    return DONE


def _of_signal(error: Exception) -> bool:
    """Return whether *error* comes from a signal during an import.

    A module in C turns the signal's exception into an ImportError without a cause. A
    class turns it into a RuntimeError.
    """
    signalled = isinstance(error.__cause__, (KeyboardInterrupt, Terminated))
    return isinstance(error, ImportError) or (
        isinstance(error, RuntimeError) and signalled
    )


def program_name() -> str:
    """Return the program's name in help texts: `kubectl spy` if kubectl runs it.

    kubectl finds the plugin `spy-changes` by the file name `kubectl-spy_changes`.
    https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/#names-with-dashes-and-underscores
    """
    called = sys.argv[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    before, _, plugin = called.partition("-")
    if before not in ("kubectl", "kubectl_complete"):
        return "python -m kubectl_spy"
    return f"kubectl {plugin.replace('_', '-')}"


def _usage(error: click.UsageError) -> str:
    if isinstance(error, click.BadParameter) and error.param:
        name = option(flag := error.param.opts[-1])
        error.param_hint = error.param_hint if name == flag else name
    message = inert(" ".join(error.format_message().rstrip(".").split()))
    context = error.ctx
    command = context.command_path if context else program_name()
    if isinstance(error, click.NoSuchOption):
        flag = error.option_name
        if flag in RENAMED:
            return f"error: {flag} is now {RENAMED[flag]}"
        of_it = f"{context.command.name} {flag}" if context else ""
        if meant_for := MEANT.get(of_it, MEANT.get(flag, "")):
            return f"error: there is no flag {flag} here; did you mean {meant_for}?"
        takers = [
            str(each.name)
            for each in cli.commands.values()
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
            message = "; ".join(filter(None, (f"there is no flag {inert(flag)}", near)))
    if message.endswith("?"):
        return f"error: {message}"
    return f"error: {message}" + phrase("at-a-shell", f'; try "{command} --help"')


def _bug(bug: Exception, *, debug: bool) -> str:
    if debug:
        import traceback

        lines = "".join(traceback.format_exception(bug)).rstrip().splitlines()
        return "\n".join(map(inert, lines))
    what = inert(f"{type(bug).__name__}: {bug}")[:300]
    return (
        f"error: this is a bug in kubectl-spy: {what}; "
        "please report it, with what --debug prints"
    )
