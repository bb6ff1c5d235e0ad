"""Commands that other packages bring, by entry points: docs/development/extending.md.

They are asked for only if a first word is no command of ours, and by `help`: importing
importlib.metadata takes 13 ms.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import click

from kubectl_spy.errors import SpyError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "kubectl_spy.commands"
"""The group of the entry points. Each names a `click.Command`."""


@cache
def brought() -> dict[str, EntryPoint]:
    """Return the entry points of commands, by the names of the commands."""
    from importlib.metadata import entry_points

    return {each.name: each for each in entry_points(group=GROUP)}


def package_of(name: str) -> str:
    """Return the name of the package that brings the command *name*."""
    entry = brought()[name]
    return entry.dist.name if entry.dist else entry.value


def command(name: str) -> click.Command:
    """Return a command that another package brings.

    Raises KeyError if none brings it; SpyError if it cannot be loaded.
    """
    entry, package = brought()[name], package_of(name)
    try:
        found = entry.load()
    except (Exception, SystemExit) as error:  # of somebody else's code
        raise SpyError(
            f"the command {name} of the package {package} cannot be loaded: {error}",
            f"upgrade or uninstall {package}",
        ) from error
    if not isinstance(found, click.Command):
        raise SpyError(
            f"{name} of the package {package} is no command",
            "its entry point has to name a click.Command",
        )
    return found
