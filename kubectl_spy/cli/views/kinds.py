"""Prints what is known of kinds, and drafts an entry where nothing is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubectl_spy.cli.run.view import screen_width
from kubectl_spy.core.wording import both_ends
from kubectl_spy.errors import Forbidden, SpyError
from kubectl_spy.knowledge.draft import Definition, draft
from kubectl_spy.knowledge.form import Kind
from kubectl_spy.knowledge.kinds import (
    ANY,
    FLUX,
    SHIPPED,
    entries_named,
    entry_for,
    every,
    shipped_data,
)
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.connection.access import ConnectionSettings

_WIDTH = 100  # columns of a list, or those of a terminal that has fewer
_INDENT = "    "
_GROUP = 34  # columns of a group
_OBJECTS = 50  # that a draft looks at
_PAGE = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"

Entry = tuple[tuple[str, str], Kind]


def print_kinds(terminal: Terminal) -> None:
    """Print the groups and kinds of which something is known, the user's first."""
    width = min(_WIDTH, screen_width() or _WIDTH)
    origins: dict[str, dict[str, list[str]]] = {}
    for group, kind, entry in every():
        groups = origins.setdefault(entry.origin, {})
        groups.setdefault(group or "core", []).append(kind)
    for origin, groups in origins.items():
        title = f"from {both_ends(origin, width - 6)}:"
        rows = (
            row for group, kinds in groups.items() for row in _rows(group, kinds, width)
        )
        terminal.write("".join(f"{inert(line)}\n" for line in (title, *rows)))


def _rows(group: str, kinds: list[str], width: int) -> Iterator[str]:
    """Yield the lines of a group: its name, and its kinds beside it."""
    line = f"{_INDENT}{group:{_GROUP}}"
    names = [kind for kind in kinds if kind != ANY]
    if len(names) < len(kinds):
        names.append("others" if names else "all kinds")
    for place, name in enumerate(names):
        word = name if place == len(names) - 1 else f"{name},"
        if len(line) + 1 + len(word) > width:
            yield line
            line = " " * len(f"{_INDENT}{'':{_GROUP}}")
        line += f" {word}"
    yield line


def print_kind(word: str, settings: ConnectionSettings, terminal: Terminal) -> None:
    """Print the entries of the kind *word*, or draft one from what a cluster has.

    Raises SpyError if nothing is known of it and no cluster can be asked.
    """
    found = entries_named(word)
    if not found:
        definition, objects = _asked(word, settings, terminal)
        entry = entry_for(definition.group, definition.kind)
        if entry is None:
            terminal.write("".join(_inert_lines(draft(definition, objects))))
            return
        found = [entry]
    for place, each in enumerate(found):
        text = _printed(*each)
        terminal.write("".join(_inert_lines(f"---\n{text}" if place else text)))


def _inert_lines(text: str) -> Iterator[str]:
    return (f"{inert(line)}\n" for line in text.splitlines())


def _printed(of: tuple[str, str], entry: Kind) -> str:
    """Return an entry in the form of docs/knowledge.md, with its origin."""
    import yaml

    group, kind = of
    if entry.origin == SHIPPED:
        data = shipped_data(group)
    else:
        from kubectl_spy.sources.yaml_file import read_yaml

        data = read_yaml(Path(entry.origin), missing_ok=False)
    if FLUX in data:
        own = [each for each in data[FLUX] if each["kind"] == kind]
        document: Any = {FLUX: own}
    else:
        docs = {"docs": entry.docs} if entry.docs else {}
        content = {key: it for key, it in data["kinds"][kind].items() if key != "docs"}
        document = {"group": group, **docs, "kinds": {kind: content}}
    return f"# from {entry.origin}\n" + yaml.safe_dump(
        document,
        sort_keys=False,
        allow_unicode=True,
        width=88,
        default_flow_style=None,
    )


def _asked(
    word: str, settings: ConnectionSettings, terminal: Terminal
) -> tuple[Definition, list[Any]]:
    """Return the definition of *word* in the cluster, and some of its objects."""
    from kubectl_spy.sources.connection.connect import Connection
    from kubectl_spy.sources.resolution.resolve import resolve
    from kubectl_spy.sources.resolution.target import TargetSpec

    try:
        connection = Connection(settings, os.environ, terminal.say)
        (selection,) = resolve(connection, [TargetSpec(word)]).selections[:1]
    except SpyError as error:
        raise SpyError(
            f"nothing is known of {word}, and nothing can be drafted: {error.message}",
            error.remedy,
        ) from None
    resource = selection.resource
    gvk = resource.gvk
    try:
        crd = connection.get_path(_PAGE + resource.group_resource)
    except SpyError as error:
        crd = None
        terminal.say(f"note: the draft lacks its definition: {error.message}")
    listed: Any = {}
    for namespace in dict.fromkeys((None, selection.namespace)):
        try:
            most = {"limit": str(_OBJECTS)}
            listed = connection.get_path(resource.path(namespace), query=most)
            break
        except Forbidden as error:
            refused = error.message
    else:
        terminal.say(f"note: the draft lacks objects: {refused}")
    items = listed.get("items") if isinstance(listed, dict) else None
    objects = items[:_OBJECTS] if isinstance(items, list) else []
    return Definition(gvk.group, gvk.kind, gvk.version, crd), objects
