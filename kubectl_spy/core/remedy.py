"""Remedies: what to do, with commands that are safe to paste into a shell.

Names come from a cluster, and may hold shell syntax. So a remedy is a template with a
place for each name, and all names are quoted here.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import lru_cache

_LONGEST = 253
"""Characters of the longest name that Kubernetes allows:
https://kubernetes.io/docs/concepts/overview/working-with-objects/names/"""
_MOST = 20  # the most names in one argument, separated by commas
_NO_NAME = "NAME"  # replaces an argument that cannot be a name


class Remedy(str):
    """What to do: one line, usually a command, or "" if nothing helps."""

    __slots__ = ()


NO_REMEDY = Remedy()
RESUME = """patch {}/{} --type=merge -p '{{"spec":{{"suspend":false}}}}'"""
"""Resumes a Job or a CronJob. The arguments are its kind and name."""


def advice(template: str, *arguments: str) -> Remedy:
    r"""Return *template* with each `{}` replaced by an argument, quoted for a shell.

    A template with arguments has no apostrophe, because that opens a quotation. An
    argument that is a `Remedy` is not quoted again.

    >>> advice("add the key {} to ConfigMap {}", "url", "app; reboot")
    "add the key url to ConfigMap 'app; reboot'"
    >>> advice("start again: {}", kubectl("delete pod {}", "web-0", namespace="shop"))
    'start again: kubectl delete pod web-0 -n shop'
    """
    return Remedy(template.format(*map(_quoted, arguments)))


def instruction(template: str, args: Mapping[str, object]) -> Remedy:
    """Return a *template* of findings.txt with its arguments, quoted for a shell.

    >>> instruction("create {kind} {name}[ in namespace {namespace}]",
    ...     {"kind": "ConfigMap", "name": "app; reboot"})
    "create ConfigMap 'app; reboot'"
    """
    from kubectl_spy.core.templates import fill  # few runs need it

    return Remedy(fill(template, args, _word)) if template else NO_REMEDY


def _word(argument: object) -> str:
    return _quoted(argument if isinstance(argument, str) else str(argument))


@lru_cache(4096, typed=True)  # a diagnosis has most commands of the one before
def kubectl(template: str, *arguments: str, namespace: str | None = None) -> Remedy:
    """Return a kubectl command. *template* and *arguments* are as in `advice`.

    >>> kubectl("logs {} -c {}", "web-0", "app", namespace="shop")
    'kubectl logs web-0 -c app -n shop'
    """
    within = f" -n {_quoted(namespace)}" if namespace else ""
    return Remedy(f"kubectl {advice(template, *arguments)}{within}")


def show_at(file: str, label: str, namespace: str | None, seq: int) -> Remedy:
    """Return the command that shows an object of the recording *file* as of *seq*."""
    return kubectl(
        "spy show {} {} --at {}", file, label, f"seq:{seq}", namespace=namespace
    )


def diff_between(
    file: str, label: str, namespace: str | None, seqs: tuple[int, int]
) -> Remedy:
    """Return the command that compares two versions of an object in *file*."""
    points = (f"seq:{seq}" for seq in sorted(seqs))
    return kubectl("spy diff {} {} {} {}", file, label, *points, namespace=namespace)


def is_command(remedy: Remedy) -> bool:
    """Return whether *remedy* holds a command, which is copied as one line."""
    return "kubectl " in remedy


@lru_cache(4096, typed=True)  # a Remedy equals its text
def _quoted(argument: str) -> str:
    """Return *argument* as one shell word that is not an option."""
    if isinstance(argument, Remedy):
        return argument
    odd = argument.startswith("-") or not argument.isprintable()
    names = argument.split(",", _MOST)
    odd = odd or any(len(name) > _LONGEST for name in names)
    return _NO_NAME if odd else shlex.quote(argument)
