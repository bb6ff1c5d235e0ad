"""Every command explains itself, and ends with an example that can be typed."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from kubectl_spy.cli.main import cli
from kubectl_spy.cli.params import GROUPS
from tests.cli.command import Spy

COMMANDS = ["", *sorted(cli.commands)]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_and_ends_with_examples(spy: Spy, command: str) -> None:
    ended = spy.run(*command.split(), "--help")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.rstrip().splitlines()
    assert max(map(len, lines)) <= 100
    text, examples = ended.out.split("  Examples:\n")
    assert text.startswith(f"Usage: python -m kubectl_spy {command}".rstrip())
    for example in examples.splitlines():
        words = shlex.split(example.partition("   #")[0])
        assert words[:2] == ["kubectl", "spy"], example
        assert words[2] in cli.commands
        assert not command or words[2] == command


def test_version_and_help_are_commands_too(spy: Spy) -> None:
    assert spy.run("version").out == spy.run("--version").out
    assert spy.run("help").out == spy.run("--help").out
    for command in ("trace", "help"):
        assert spy.run("help", command).out == spy.run(command, "--help").out


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_help_begins_with_a_question_and_groups_flags(spy: Spy, command: str) -> None:
    lines = spy.run(command, "--help", environ={"COLUMNS": "80"}).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert re.fullmatch(r"  [A-Z].*\?", lines[2])
    titles = [line for line in lines if re.fullmatch(r"\S.*:", line)]
    assert titles == [f"{title}:" for title in GROUPS if f"{title}:" in titles]


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_every_option_has_a_group_and_is_documented(command: str) -> None:
    for parameter in cli.commands[command].params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            names = [name for group in GROUPS.values() for name in group.split()]
            assert names.count(parameter.opts[-1]) == 1
            assert parameter.help and parameter.help.endswith("."), parameter.name
            assert not re.search(r"\bshell\b.*\n", parameter.help)


@pytest.mark.parametrize("command", ["status", "changes"])
def test_every_example_of_following_is_understood(spy: Spy, command: str) -> None:
    """Without a cluster it gets as far as looking for one, which is not usage."""
    examples = spy.run(command, "--help").out.split("  Examples:\n")[1].splitlines()
    lines = [example.split("|")[0].split(maxsplit=2)[2] for example in examples]
    for line, ended in zip(lines, spy.run_all(*lines), strict=True):
        assert ended.code == 1, line
        assert "no kubeconfig: looked for " in ended.err
