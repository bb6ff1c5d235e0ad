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
from kubectl_spy.cli.run.this_program import plugin_name
from kubectl_spy.errors import SpyError, Terminated, TimedOut, UsageError
from kubectl_spy.sinks.terminal import StdoutClosed, Terminal, open_terminal
from kubectl_spy.terms import Terms, use

DONE, BUG, INTERRUPTED, CLOSED = 0, 3, 130, 141
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
        terminal.say(str(over), over.code)
        return over.exit_code
    except SpyError as error:
        terminal.say(f"error: {error}", error.code)
        return error.exit_code
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.UsageError as error:
        from kubectl_spy.cli.mistakes import usage

        terminal.say(usage(error, cli.commands, program_name()), UsageError.code)
        return error.exit_code
    except click.ClickException as error:
        terminal.say(f"error: {error.format_message()}", SpyError.code)
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
        for line in _bug(bug, _culprit(argv), debug="--debug" in argv):
            terminal.say(line, "bug")
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
    """Return the program's name in help texts: `kubectl spy` if kubectl runs it."""
    plugin = plugin_name()
    if plugin is None:
        return "python -m kubectl_spy"
    return f"kubectl {plugin.replace('_', '-')}"


def _culprit(argv: Sequence[str]) -> str:
    """Return whose bug it is: that of the package which brought the command, if any."""
    from kubectl_spy.cli import brought

    ours = list(cli.commands)
    if argv and argv[0] not in ours and argv[0] in brought.brought():
        return f"the package {brought.package_of(argv[0])}"
    return "kubectl-spy"


def _bug(bug: Exception, whose: str, *, debug: bool) -> list[str]:
    if debug:
        import traceback

        return "".join(traceback.format_exception(bug)).rstrip().splitlines()
    what = f"{type(bug).__name__}: {bug}"[:300]
    return [
        f"error: this is a bug in {whose}: {what}; "
        "please report it, with what --debug prints"
    ]
