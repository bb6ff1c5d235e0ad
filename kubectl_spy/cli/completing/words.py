"""Completes arguments and options: functions for `shell_complete` of click.

Clusters and recordings are imported only when they are needed, because every command
declares its parameters and few runs complete any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from click import Context, Parameter

from kubectl_spy.sources.recording.naming import is_recording

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from kubectl_spy.cli.completing.offers import Known, Look

_PATIENCE = 2.0  # seconds to wait, unless --request-timeout is given

Items: TypeAlias = "list[CompletionItem]"
Completes = Callable[[Context, Parameter, str], Items]


def _one_of(words: dict[str, str]) -> Completes:
    """Return a function that offers *words*, with what each is."""

    def offer(context: Context, parameter: Parameter, typed: str) -> Items:
        return _items(each for each in words.items() if each[0].startswith(typed))

    return offer


def _by_the_shell(kind: str) -> Completes:
    """Return a function that lets the shell complete: a `file`, or a `dir`."""
    return lambda context, parameter, typed: [_item(typed, type=kind)]


files, directories = _by_the_shell("file"), _by_the_shell("dir")
event_types = _one_of({"Normal": "", "Warning": ""})
awaited = _one_of(
    {
        "ready": "the object is what its spec asks for",
        "failed": "the object cannot become ready",
        "create": "the object exists",
        "delete": "the object is deleted",
        "condition=": "a condition in its status, as in kubectl wait",
        "jsonpath=": "a value in the object, as in kubectl wait",
    }
)
points = _one_of(
    {
        "first": "the first state",
        "last": "the last state",
        "seq:": "a line of the recording",
        "rv:": "a resourceVersion",
        "last-": "so long before the end: last-5m",
        "first+": "so long after the beginning: first+30s",
    }
)


def targets(context: Context, parameter: Parameter, typed: str) -> Items:
    """Offer types, TYPE/NAME and names: of the cluster, or of the recording.

    First offer recordings, if one may be named.
    """
    from kubectl_spy.cli.completing.offers import offer_targets, recordings_at

    flags = _flags(context)
    words = flags.get(parameter.name or "") or ()
    may_be_file = "source" in flags or "FILE" in (parameter.metavar or "")
    found: list[str] = []
    if may_be_file and not words and not flags.get("source"):
        if is_recording(typed):
            return recordings(context, parameter, typed)
        found = recordings_at(typed)
    offered = offer_targets(_look(flags), words, typed, flags.get("namespace"))
    return _items((path, "") for path in found) + _items(offered)


def targets_or_points(context: Context, parameter: Parameter, typed: str) -> Items:
    """Offer the arguments of `diff` after the recording: targets and points."""
    offered = points(context, parameter, typed)
    if context.params.get(parameter.name or ""):
        return offered
    return targets(context, parameter, typed) + offered


def namespaces(context: Context, parameter: Parameter, typed: str) -> Items:
    """Offer the namespaces of the cluster, or of the recording."""
    from kubectl_spy.cli.completing.offers import offer_namespaces

    return _items(offer_namespaces(_look(_flags(context)), typed))


def of_kubeconfig(section: str) -> Completes:
    """Return a function that offers the names in a *section* of the kubeconfig."""

    def offer(context: Context, parameter: Parameter, typed: str) -> Items:
        from kubectl_spy.cli.completing.cluster import names_in_kubeconfig

        names = names_in_kubeconfig(context.params.get("kubeconfig"), section)
        return _items((name, "") for name in names if name.startswith(typed))

    return offer


def recordings(context: Context, parameter: Parameter, typed: str) -> Items:
    """Offer recordings and directories, or any file if there is no recording."""
    from kubectl_spy.cli.completing.offers import recordings_at

    found = recordings_at(typed)
    return _items((path, "") for path in found) or files(context, parameter, typed)


def _flags(context: Context) -> dict[str, Any]:
    """Return the parsed parameters. While an option is typed, FILE is in `args`.

    A recording that is the first TARGET is the source.
    """
    flags = dict(context.params)
    if "file" in flags and context.args:
        flags["file"] = flags["file"] or context.args[0]
    words = flags.get("target") or context.args
    if "source" in flags and not flags["source"] and words and is_recording(words[0]):
        flags["source"], *flags["target"] = words
    return flags


def _look(flags: dict[str, Any]) -> Look:
    """Return where to look up the names that *flags* ask for, and for how long."""
    timeout = flags.get("request_timeout") or _PATIENCE

    def known() -> Known:
        if file := flags.get("source") or flags.get("file"):
            from kubectl_spy.sources.recording.object_filter import RecordedNames

            return RecordedNames(file)
        from kubectl_spy.cli.completing.cluster import InCluster
        from kubectl_spy.sources.connection.access import ConnectionSettings

        names = (each for each in ConnectionSettings._fields if flags.get(each))
        given: dict[str, Any] = {"request_timeout": timeout}
        given |= {name: flags[name] for name in names}
        everywhere = bool(flags.get("all_namespaces"))
        return InCluster(ConnectionSettings(**given), all_namespaces=everywhere)

    return known, timeout


def _items(offered: Iterable[tuple[str, str]]) -> Items:
    return [_item(value, help=said or None) for value, said in offered]


def _item(value: str, **more: Any) -> CompletionItem:
    from click.shell_completion import CompletionItem

    return CompletionItem(value, **more)
