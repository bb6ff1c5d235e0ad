"""Every command explains itself on one screen, and ends with examples."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from kubectl_spy.cli.main import cli
from kubectl_spy.cli.params import COMMON, GROUPS
from tests.cli.command import Spy

COMMANDS = ["", *sorted(cli.commands)]
MOST_FLAGS, MOST_OWN, MOST_LISTED, MOST_LINES = 60, 14, 17, 45
COMMON_FLAGS = " ".join(COMMON.values()).split()
SEE = '\nUse "kubectl spy options" for the flags of all commands.\n'


def options(command: str) -> list[click.Option]:
    params = cli.commands[command].params
    return [each for each in params if isinstance(each, click.Option)]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_and_ends_with_examples(spy: Spy, command: str) -> None:
    ended = spy.run(*command.split(), "--help")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.rstrip().splitlines()
    assert max(map(len, lines)) <= 100
    text, examples = ended.out.split("  Examples:\n")
    assert text.startswith(f"Usage: python -m kubectl_spy {command}".rstrip())
    assert not command or examples.endswith(SEE)
    for example in examples.removesuffix(SEE).splitlines():
        words = shlex.split(example.partition("   #")[0])
        assert words[:2] == ["kubectl", "spy"], example
        assert words[2] in cli.commands
        assert not command or words[2] == command or command == "options"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_at_most_45_lines_of_80_columns(spy: Spy, command: str) -> None:
    ended = spy.run(*command.split(), "--help", environ={"COLUMNS": "80"})
    lines = ended.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= MOST_LINES


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_a_command_has_at_most_14_flags_of_its_own(command: str) -> None:
    own = [each.opts[-1] for each in options(command)]
    assert len([each for each in own if each not in COMMON_FLAGS]) <= MOST_OWN


def test_all_commands_together_have_at_most_60_flags() -> None:
    """Hidden ones, `--no-` ones, `--version` and `--help` count, too."""
    names = {
        name
        for command in cli.commands
        for each in options(command)
        for name in (each.opts[-1], *each.secondary_opts)
    }
    assert len(names | {"--version", "--help"}) <= MOST_FLAGS


def test_at_most_17_commands_are_listed_the_usual_ones_first(spy: Spy) -> None:
    listed = re.findall(r"^  (\w+)  +[A-Z].*\?$", spy.run("--help").out, re.MULTILINE)
    assert len(listed) <= MOST_LISTED
    assert listed[:4] == ["status", "changes", "trace", "record"]
    assert f"\nAlso: {', '.join(c for c in cli.commands if c not in listed)}.\n" in (
        spy.run("--help").out
    )


def test_common_flags_stand_on_the_page_of_options_and_nowhere_else(spy: Spy) -> None:
    page = spy.run("options").out
    assert set(COMMON_FLAGS) <= set(page.split())
    for command in cli.commands:
        own = re.split(r"(?m)^\S.*:$", spy.run(command, "--help").out, maxsplit=1)[-1]
        rows = re.findall(r"^  (?:-\w, )?(--[\w-]+)", own, re.MULTILINE)
        assert not set(rows) & set(COMMON_FLAGS), command


def test_version_and_help_are_commands_too(spy: Spy) -> None:
    assert spy.run("version").out == spy.run("--version").out
    assert spy.run("help").out == spy.run("--help").out
    for command in ("trace", "help"):
        assert spy.run("help", command).out == spy.run(command, "--help").out


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_help_begins_with_a_question_and_groups_flags(spy: Spy, command: str) -> None:
    lines = spy.run(command, "--help", environ={"COLUMNS": "80"}).out.splitlines()
    assert re.fullmatch(r"  [A-Z].*\?", lines[2])
    titles = [line for line in lines if re.fullmatch(r"\S.*:", line)]
    assert titles == [f"{title}:" for title in GROUPS if f"{title}:" in titles]


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_every_option_has_a_group_and_is_documented(command: str) -> None:
    groups = [*GROUPS.values(), *COMMON.values()]
    names = [name for group in groups for name in group.split()]
    for option in options(command):
        assert names.count(option.opts[-1]) == 1
        assert option.help and option.help.endswith("."), option.name


def test_watch_is_taken_where_one_watches(spy: Spy) -> None:
    watching = [
        "status",
        "changes",
        "trace",
        "record",
        "events",
        "spans",
        "summary",
        "review",
    ]
    for command in cli.commands:
        takes = "--watch" in [each.opts[-1] for each in options(command)]
        assert takes == (command in watching), command


@pytest.mark.parametrize("command", ["status", "changes"])
def test_every_example_of_following_is_understood(spy: Spy, command: str) -> None:
    """Without a cluster or a file it gets as far as looking for it: no usage."""
    text = spy.run(command, "--help").out.removesuffix(SEE)
    examples = text.split("  Examples:\n")[1].splitlines()
    lines = [example.split("|")[0].split(maxsplit=2)[2] for example in examples]
    for line, ended in zip(lines, spy.run_all(*lines), strict=True):
        assert ended.code == 1, line
        assert "no kubeconfig: looked for " in ended.err or "cannot read" in ended.err
