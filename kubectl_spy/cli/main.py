"""The command group `kubectl spy`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from pathlib import Path
from typing import cast

import click

from kubectl_spy import __version__
from kubectl_spy.doors import COMMANDS
from kubectl_spy.sources.recording.naming import is_recording

_EPILOG = """\b
Examples:
  kubectl spy summary                      what fails here, and why
  kubectl spy trace deploy/nginx           why it does not work
  kubectl spy status deploy/nginx          how its status changes
  kubectl spy record pods -A -f night.spy  write it down, to look at it later
  kubectl spy demo                         all of it, without a cluster
"""
_SECTIONS = {
    "Watch a cluster, or read it from a recording": "status changes trace record "
    "events spans blame summary",
    "Look into a recording": "review ls show diff serve export",
    "More": "demo mcp",
}
_OTHERS = ("help", "options", "completion", "version")
_NAMES = (*(name for names in _SECTIONS.values() for name in names.split()), *_OTHERS)
_SELECTING = ("-n", "--namespace", "-A", "--all-namespaces")
# strconv.ParseBool
_TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE = frozenset({"0", "f", "F", "false", "FALSE", "False"})


class _Commands(Mapping[str, click.Command]):
    """The commands by their names. Each is imported when it is asked for."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in _NAMES:
            from kubectl_spy.cli import brought

            return brought.command(name)
        place = f"cli.commands.{name}"
        if extra := COMMANDS.get(name):
            place = f"extras.{extra}.command"
        module = import_module(f"kubectl_spy.{place}")
        taken = name in ("help", "options")  # by Python, and by a module
        command: click.Command = getattr(module, f"{name}_" if taken else name)
        return command

    def __contains__(self, name: object) -> bool:
        if name in _NAMES or str(name).startswith("-"):
            return name in _NAMES
        from kubectl_spy.cli import brought

        return name in brought.brought()

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


class SpyGroup(click.Group):
    """The commands, in sections, and kubectl's ways to write flags."""

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write a section for each group of commands, all with the same columns."""
        for title, names in _SECTIONS.items():
            with formatter.section(title):
                commands = ((name, self.commands[name]) for name in names.split())
                rows = [(f"{n:10}", c.get_short_help_str(80)) for n, c in commands]
                formatter.write_dl(rows)
        formatter.write(f"\nAlso: {', '.join(_OTHERS)}.\n")
        from kubectl_spy.cli import brought

        if others := sorted(set(brought.brought()) - set(_NAMES)):
            formatter.write(f"Of other packages: {', '.join(others)}.\n")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse *args*. Flags may stand before the command: move them behind it."""
        if args[2:3] == ["diff"] and all(Path(each).is_dir() for each in args[:2]):
            args = [*args[2:], *args[:2]]  # kubectl diff names its directories first
        if args and not args[0].startswith("-"):
            args = _with_command(args)
        first = args[0] if args else ""
        known_first = [self.commands[first]] if first in self.commands else None
        commands = known_first or self.commands.values()
        params = [each for c in commands for each in c.params]
        options = {o.opts[-1]: o for o in params if isinstance(o, click.Option)}
        flags = {name for o in options.values() if o.is_flag for name in o.opts}
        args = list(_without_truth_values(args, flags))
        args = ["--logs=true" if each == "--logs" else each for each in args]
        if args and args[0].startswith("-"):
            args = _with_command(self._command_first(ctx, args, options))
        return super().parse_args(ctx, args)

    def _command_first(
        self, ctx: click.Context, args: list[str], options: Mapping[str, click.Option]
    ) -> list[str]:
        """Return *args* with the flags before the command behind it.

        -f and --timeout, say, are flags of some commands only.
        """
        rest: list[str] = []
        ours = [each for each in args if each in _NAMES]
        for name in (*(ours or filter(self.commands.__contains__, args)), ""):
            own = self.commands[name].params if name else []
            of_it = {o.opts[-1]: o for o in own if isinstance(o, click.Option)}
            params = [*self.params, *{**options, **of_it}.values()]
            known = click.Command("", params=params)
            _, rest, _ = known.make_parser(ctx).parse_args(list(args))
            if rest[:1] == [name]:
                break
        at = len(args) - len(rest)
        return [*rest[:1], *args[:at], *rest[1:]]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that *args* name, and the rest, or raise UsageError."""
        word = args[0]
        if word in self.commands or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from kubectl_spy.cli.mistakes import no_command

        raise no_command(args, self.commands, ctx.command_path)


def _with_command(args: list[str]) -> list[str]:
    """Return *args* with `summary`, which a recording or namespace alone asks."""
    if not args or args[0] in _NAMES:
        return args
    alone = args[0] in _SELECTING or is_recording(args[0])
    return ["summary", *args] if alone else args


def _without_truth_values(args: list[str], flags: set[str]) -> Iterator[str]:
    """Yield *args*, but `-A` for `-A=true`, and nothing for `-A=false`."""
    ended = False
    for arg in args:
        ended = ended or arg == "--"
        name, equals, value = arg.partition("=")
        if ended or not equals or name not in flags or value not in _TRUE | _FALSE:
            yield arg
        elif value in _TRUE:
            yield name


@click.group(
    cls=SpyGroup,
    commands=cast(MutableMapping[str, click.Command], _Commands()),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EPILOG,
)
@click.version_option(__version__, "-V", "--version", message="kubectl-spy %(version)s")
def cli() -> None:
    """See how Kubernetes objects change, and why they do not work.

    Nothing in the cluster is changed. A command that watches runs until Ctrl-C, or
    until one of its flags ends it.
    """
