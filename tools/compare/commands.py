"""The command lines that are asked of each recording.

`review`, `serve` and `mcp` are not among them: they answer keys and requests. Golden
pictures, tools/conformance and the tests of `mcp` have these.
"""

from __future__ import annotations

from collections.abc import Iterator

_WHOLE = (
    "ls FILE",
    "ls FILE -o json",
    "ls FILE --verify",
    "changes FILE",
    "changes FILE --full",
    "changes FILE -o short",
    "changes FILE -o json",
    "changes FILE -o yaml",
    "status FILE --color always",
    "summary FILE",
    "summary FILE --full --color always",
    "summary FILE -o json --full",
    "trace FILE",
    "trace FILE -o lines",
    "trace FILE -o json",
    "events FILE",
    "events FILE -o json",
    "blame FILE -o json",
    "spans FILE",
    "spans FILE -o json",
    "export FILE -o html -f -",
    "export FILE -o otlp-json -f -",
    "diff FILE FILE",
)
_OBJECT = (
    "changes FILE OBJECT -o jsonpatch",
    "changes FILE OBJECT --only /status",
    "summary FILE OBJECT",
    "trace FILE OBJECT --color always",
    "trace FILE OBJECT -o json",
    "trace FILE OBJECT --at last-2s",
    "events FILE OBJECT",
    "blame FILE OBJECT",
    "spans FILE OBJECT",
    "show FILE OBJECT",
    "show FILE OBJECT --at first -o json",
    "diff FILE OBJECT first last",
    "diff FILE OBJECT first last -o wide",
    "diff FILE OBJECT first last -o semantic",
    "diff FILE OBJECT first last -o yaml",
    "status FILE OBJECT --for ready",
)
LISTED = ["ls", "FILE", "-o", "json"]
"""The command line whose answer names the objects."""


def command_lines(objects: list[list[str]]) -> Iterator[list[str]]:
    """Yield the words of each command line; FILE stands for the recording.

    *objects* holds the words that name an object, as `pod/web-0 -n shop`.
    """
    for each in _WHOLE:
        yield each.split()
    for words in objects:
        for each in _OBJECT:
            line: list[str] = []
            for word in each.split():
                line += words if word == "OBJECT" else [word]
            yield line
