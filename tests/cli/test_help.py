"""Every command explains itself, and ends with an example that can be typed."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from kubectl_spy.cli.main import cli
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


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_every_option_is_documented_in_one_sentence(command: str) -> None:
    for parameter in cli.commands[command].params:
        if isinstance(parameter, click.Option):
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
