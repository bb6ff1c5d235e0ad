"""Replaces flags and files in a command's messages with the names that a tool uses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from kubectl_spy.extras.mcp.tools import FLAGS, Tool

_SHORT = {"-A": "--all-namespaces", "-l": "--selector", "-n": "--namespace"}
_SHORT |= {"-o": "--output"}
_ARGUMENTS = {flag: name for name, flag in FLAGS.items()}
_FLAG = re.compile(r"""(?<![\w'"-])--?[a-z-]+\b(?!-)""", re.IGNORECASE)
_PHRASES = (
    (
        r"see what it holds with kubectl spy ls .*",
        "see what it holds with list_objects",
    ),
    ("leave out --once to wait for it", "check the name and the namespace"),
    (r"^(error: (\S+) holds .*; )choose one with --recording (\w+)", r"\1name \2#\3"),
    ("leave out --recording", "leave out what follows #"),
    (", or allow more with --max-read", ""),
    (" and --semantic", ""),
    (r', or "-A --field-selector \S+"', ""),
)


class Wording(NamedTuple):
    """Rewords messages for *tool*.

    *recordings* has the name of each recording, by the text that a command prints.
    """

    tool: Tool
    recordings: Mapping[str, str]

    def note(self, line: str) -> str:
        """Return a line of standard error."""
        for known, name in self.recordings.items():
            line = line.replace(known, name)
        for phrase, instead in _PHRASES:
            line = re.sub(phrase, instead, line)
        return "; ".join(
            part if "kubectl " in part else _FLAG.sub(self._argument, part)
            for part in line.split("; ")
        )

    def text(self, text: str) -> str:
        """Return what was printed: lines may begin with the recording."""
        for known, name in self.recordings.items():
            begins = rf"(?m)^(only in )?{re.escape(known)}(?=[:#])"
            instead = name.replace("\\", r"\\")
            text = re.sub(begins, rf"\g<1>{instead}", text)
        return text

    def _argument(self, flag: re.Match[str]) -> str:
        name = _ARGUMENTS.get(_SHORT.get(flag[0], flag[0]), "")
        return name if name in self.tool.properties else flag[0]
