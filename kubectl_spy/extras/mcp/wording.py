"""The words of a tool: what messages of its command call options and recordings."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_spy.extras.mcp.recordings import Place
from kubectl_spy.extras.mcp.tools import FLAGS, Tool
from kubectl_spy.terms import Terms

A_TARGET = "for example deploy/web, or pods"
PHRASES = {
    "absent": "check the name and the namespace",
    "at-a-shell": "",
    "see-contents": "see what it holds with list_objects",
    "see-events": "call events",
    "see-versions": "see its versions with changes",
    "targets": A_TARGET,
}
"""What a client of mcp does instead of what a person at a shell does, by code."""


def terms_of(tool: Tool, places: Sequence[Place]) -> Terms:
    """Return the words of *tool* for the recordings at *places*."""
    names = (each for each in tool.properties if each in FLAGS)
    return Terms(
        {flag: name for name in names for flag in FLAGS[name].split()},
        dict(sorted(((each.printed, each.name) for each in places), reverse=True)),
        PHRASES,
    )
