"""The groups of flags, and the types of arguments."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click import Context, Parameter

from kubectl_spy.cli.since import take_times
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.core.times import parse_duration
from kubectl_spy.core.wording import in_brief
from kubectl_spy.doors import part
from kubectl_spy.errors import UsageError
from kubectl_spy.sources.recording.naming import is_recording

if TYPE_CHECKING:
    from kubectl_spy.core.waiting.awaited import Step

    _Type = click.ParamType[Any]
else:  # generic since click 8.4
    _Type = click.ParamType

# Each flag stands in one group, and in each command's help in this order.
GROUPS = {
    "What to show": "--namespace --all-namespaces --selector --at --since --until "
    "--types --only --ignore --by --grep --watch-only --owned --verify",
    "How, and for how long": "--output --file --sort --full --exit-code --logs "
    "--probe --speed --otlp --append --keep --max-size --max-age --once --for "
    "--stop-on --after --address",
}
# These stand on the page of `options`, and in no other help.
COMMON = {
    "Cluster and user": "--kubeconfig --context --cluster --user --server --as "
    "--as-group --as-uid --request-timeout --insecure-skip-tls-verify --cache-dir",
    "What to read, and for how long": "--from --max-read --audit --field-selector "
    "--watch --timeout --record",
    "Secrets": "--show-secrets --redact --mask-key-file",
    "Output": "--color --debug",
    "A recorder in a cluster": "--metrics-bind-address --snapshots --resume",
}
_DOCUMENTS = (".json", ".jsonl", ".yaml", ".yml", ".md", ".txt", ".log", ".gz", ".html")
"""How files end that are no targets. A file deploy/web does not hide a Deployment."""
_LONGEST = 1000 * 3600  # seconds; Windows cannot wait for twice that
_WIDEST = len("-n, --namespace NAME")
_SEE = 'Use "kubectl spy options" for the flags of all commands.'


class KubectlCommand(click.Command):
    """A command whose help groups its flags."""

    def groups(
        self, ctx: Context, titles: dict[str, str] = GROUPS
    ) -> dict[str, list[tuple[str, str]]]:
        """Return names and help of the flags, by the title of their group."""
        records = {each.opts[-1]: each.get_help_record(ctx) for each in self.params}
        groups = {
            title: [record for name in names.split() if (record := records.get(name))]
            for title, names in titles.items()
        }
        return {title: rows for title, rows in groups.items() if rows}

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse *args*. Take the FILE of `--from` as FILE, if that is an argument."""
        if any(each.name == "file" and each.nargs == 1 for each in self.params):
            args = file_first(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Context) -> Any:
        """Run the command. Judge by the user's entries of kinds, too."""
        from kubectl_spy.sources import knowledge_files

        if folders := knowledge_files.folders(os.environ):  # few have any
            from kubectl_spy.knowledge.kinds import use

            use(lambda: knowledge_files.read_all(folders, ctx.obj.say))
        _take_recording(ctx)
        take_times(ctx)
        most = ctx.params.pop("max_read", 0)
        if most and "loki+" in str(ctx.params.values()):
            part("fetch recordings")(ctx.params, most, ctx.obj)
        return super().invoke(ctx)

    def format_options(self, ctx: Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each group of flags."""
        write_groups(self.groups(ctx), formatter)

    def format_epilog(self, ctx: Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, and where the other flags are."""
        super().format_epilog(ctx, formatter)
        formatter.write(f"\n{_SEE}\n")


def command(
    *examples: str, name: str | None = None, cls: type[KubectlCommand] = KubectlCommand
) -> Callable[[Callable[..., None]], KubectlCommand]:
    """Return what makes a command of a function. *examples* stand below its help."""
    epilog = "\n  ".join(("\b\nExamples:", *examples))
    return click.command(name, cls=cls, epilog=epilog)


def write_groups(
    groups: dict[str, list[tuple[str, str]]], formatter: click.HelpFormatter
) -> None:
    """Write a section for each of *groups*, all with the same columns."""
    for title, rows in groups.items():
        with formatter.section(title):
            aligned = [(names.ljust(_WIDEST), said) for names, said in rows]
            formatter.write_dl(aligned, col_max=_WIDEST)


def file_first(args: list[str]) -> list[str]:
    """Return *args* with what `--from` names as the first argument."""
    for at, word in enumerate(args):
        if word == "--":
            break
        if word == "--from" and at + 1 < len(args):
            return [args[at + 1], *args[:at], *args[at + 2 :]]
        if word.startswith("--from="):
            return [word.partition("=")[2], *args[:at], *args[at + 1 :]]
    return args


def _take_recording(ctx: Context) -> None:
    """Take a recording that is the first TARGET as the source.

    Raises UsageError if there is another one, or if a TARGET is another file.
    """
    words: tuple[str, ...] = ctx.params.get("target") or ()
    named = ctx.params.get("source", ctx.params.get("file"))
    files = [*filter(is_recording, words[:1])]
    files += [each for each in words[1:] if Path(each).suffix and is_recording(each)]
    if "source" in ctx.params or named:
        if named is not None and files:
            raise _several(ctx, [named, *files])
        if files and files[0] != words[0]:
            others = [each for each in words if each != files[0]]
            places = " ".join("{}" for _ in words)
            here = f"spy {ctx.info_name} {places}"
            command = kubectl(here, files[0], *others)
            raise UsageError("a recording is the first argument", f"try {command}")
        if len(files) > 1:
            raise _several(ctx, files)
        if files:
            words = words[1:]
            ctx.params |= {"source": files[0], "target": words}
    if other := next((each for each in words if _is_document(each)), None):
        raise UsageError(
            f"{other} is a file, and no recording",
            "a target is TYPE or TYPE/NAME, as in deploy/web",
        )


def _several(ctx: Context, files: list[str]) -> UsageError:
    """Return the error that there are several recordings, and what to type."""
    verify = " --verify" if ctx.params.get("verify") else ""
    remedy = f"for f in *.spy.gz; do kubectl spy {ctx.info_name} $f{verify}; done"
    count, joint = str(len(files)), ", "
    if len(files) == 2:
        count, joint = "two", " and "
        if not verify:
            remedy = kubectl("spy diff {} {}", *files)
    what = f"there are {count} recordings, {in_brief(files, 2, joint)}"
    return UsageError(what, f"try {remedy}")


def _is_document(word: str) -> bool:
    is_file = word.endswith(_DOCUMENTS) and Path(word).is_file()
    return is_file and not is_recording(word)


class Parsed(_Type):
    """A type of arguments. *parse* makes a value of a word, or raises ValueError."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: Parameter | None, ctx: Context | None) -> Any:
        if not isinstance(value, str):
            return value  # a default
        try:
            return self._parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _duration(text: str) -> float:
    bare = re.fullmatch(r"[0-9]+(\.[0-9]+)?", text)
    try:
        seconds = float(text) if bare else parse_duration(text)
    except ValueError:
        wrong = f'"{text}" is no duration; write 30s, 5m or 1h30m'
        raise ValueError(wrong) from None
    if seconds > _LONGEST:
        raise ValueError(f"{_LONGEST // 3600:,} hours are the most")
    return seconds


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = math.nan
    if not 0 <= speed < math.inf:
        raise ValueError(f"{text} is no speed; write 10, or 0.5")
    return speed


def _pointer(text: str) -> tuple[str, ...]:
    from kubectl_spy.core.patch import pointer

    try:
        return pointer.parse(text)
    except ValueError as error:
        raise ValueError(f"{error}; write it as /metadata/labels") from None


def _event_types(text: str) -> frozenset[str]:
    types = frozenset(each.strip().lower() for each in text.split(","))
    if not types <= {"normal", "warning"}:
        raise ValueError(f'"{text}" is no type; write Normal or Warning')
    return types


def _size(text: str) -> int:
    found = re.fullmatch(r"([0-9]+)([kKMG]i?)?B?", text)
    if found is None or not int(found[1]):
        raise ValueError(f'"{text}" is no size; write 500k, 100M or 1Gi')
    unit = found[2] or ""
    power = " kMG".index(unit[:1].replace("K", "k") or " ")
    return int(found[1]) * int((1024 if unit.endswith("i") else 1000) ** power)


def _step(text: str) -> Step:
    from kubectl_spy.core.waiting.awaited import parse_step

    return parse_step(text)


DURATION = Parsed("duration", _duration)
"""Go's durations, as in kubectl: 30s, 5m, 1h30m. A bare number is seconds."""
SPEED = Parsed("speed", _speed)
"""How many times as fast as it was: 0, or a number above it."""
POINTER = Parsed("pointer", _pointer)
"""A JSON Pointer in which `*` matches any one token."""
EVENT_TYPES = Parsed("types", _event_types)
"""Types of Events, separated by commas."""
SIZE = Parsed("size", _size)
"""Kubernetes quantities of bytes: 500k, 100M, 1Gi. A bare number is bytes."""
AWAITED = Parsed("condition", _step)
"""The conditions of `kubectl wait --for`, ready and failed; "|" means any."""
