"""The tools: what each takes, and the command that answers it.

A tool takes only what is named here. None can write, show a Secret, choose another
cluster or user, or name a file or an address: the user names directories and each Loki.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.mcp.recordings import Place
from kubectl_spy.terms import Terms

MOST_SECONDS = 60  # to watch in one call

Schema = dict[str, JSON]

# Types, or TYPE/NAME, as kubectl takes them. No flag, and no path of a file.
_WORD = "[A-Za-z0-9][A-Za-z0-9.,_-]*(/[A-Za-z0-9][A-Za-z0-9.:_@-]*)?"
_MOMENT = "^[A-Za-z0-9][A-Za-z0-9:.+-]*$"
_TIMES = "15:04:05, last-5m (before the end), first+30s, or RFC 3339"


class Tool(NamedTuple):
    """A tool, and the words of the command that answers it."""

    name: str
    description: str
    properties: Mapping[str, Schema]
    required: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    live: tuple[str, ...] = ()  # more words, without a recording
    positional: tuple[str, ...] = ("target",)  # the properties that are no flags
    logs: bool = False  # whether the command shows logs, without --logs=false

    @property
    def schema(self) -> Schema:
        """The JSON Schema of the arguments."""
        return {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.required),
            "additionalProperties": False,
        }

    @property
    def asks_cluster(self) -> bool:
        """Whether it asks the cluster if no recording is named."""
        return bool(self.command) and "recording" not in self.required


def _text(description: str, pattern: str = "", most: int = 200) -> Schema:
    schema: Schema = {"type": "string", "maxLength": most, "description": description}
    return {**schema, "pattern": pattern} if pattern else schema


def _flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def _output(*choices: str) -> Schema:
    return {"enum": list(choices), "default": choices[0]}


def _pointers(description: str) -> Schema:
    each = _text("As in RFC 6901; * matches one segment.", "^/")
    listed: Schema = {"type": "array", "items": each, "maxItems": 10}
    return {**listed, "description": description}


_TARGET = {
    "target": _text(
        "What to look at, as kubectl names it: deploy/web, pod/web-0, or pods. It is "
        "needed without a recording.",
        f"^{_WORD}( {_WORD})*$",
    )
}
_NAMESPACE = {
    "namespace": _text(
        "By default that of the context, and in recordings any.", "^[a-z0-9-]+$", 63
    )
}
_SELECTOR = {"selector": _text("Labels, as in app=web,tier!=db.")}
_EVERYWHERE = {"all_namespaces": _flag("Look in every namespace of the cluster.")}
_SELECTING = {**_TARGET, **_NAMESPACE, **_SELECTOR}
_RECORDING = {"recording": _text("A recording, as list_recordings names it.")}
_RECORDING_INSTEAD = {
    "recording": _text(
        "A recording, as list_recordings names it. Without it, the cluster is asked."
    )
}
_FROM = {"from": _text(f"In a recording, begin at this time: {_TIMES}.", _MOMENT)}
_TO = {"to": _text("In a recording, end at this time.", _MOMENT)}
_POINT = f"{_TIMES}, or a version: first, last, seq:12, rv:4711"
_AT = {"at": _text(f"In a recording, as it was then: {_POINT}.", _MOMENT)}
_NARROWING = {
    "by": _text("Only changes that this field manager made: kubectl-edit."),
    "grep": _text("Only changes with this regular expression in a pointer or value."),
    "only": _pointers("Only what is at these JSON Pointers: /spec, /status."),
    "ignore": _pointers("Leave out what is at these JSON Pointers."),
}
_CHANGES = {
    **_NARROWING,
    "output": {
        **_output("short", "text", "json"),
        "description": "short is a line for each version; text has the operations.",
    },
}

FLAGS = {
    "all_namespaces": "-A --all-namespaces",
    "at": "--at",
    "by": "--by",
    "from": "--since",
    "grep": "--grep",
    "ignore": "--ignore",
    "namespace": "-n --namespace",
    "only": "--only",
    "output": "-o --output",
    "recording": "--from",
    "seconds": "--timeout",
    "selector": "-l --selector",
    "to": "--until",
    "types": "--types",
}
"""The flags of the properties that are not positional."""

TOOLS = (
    Tool(
        "trace",
        "Why is an object not ready? Shows it and all it owns as a tree, with the "
        "state of each, the cause and a remedy. A Service leads to its Pods. Of a "
        "recording: what happened, and the tree at the end. With at, only the tree as "
        "it was then: begin with at=last.",
        {
            **_SELECTING,
            **_EVERYWHERE,
            **_RECORDING_INSTEAD,
            **_AT,
            "output": _output("text", "json"),
        },
        command=("trace",),
        live=("--once",),
        logs=True,
    ),
    Tool(
        "events",
        "The Events about an object and all it owns, in the order they happened.",
        {
            **_SELECTING,
            **_EVERYWHERE,
            **_RECORDING_INSTEAD,
            **_FROM,
            **_TO,
            "types": {"enum": ["Normal", "Warning"]},
            "output": _output("text", "json"),
        },
        command=("events",),
        live=("--once",),
    ),
    Tool(
        "blame",
        "Who wrote each field of an object last, and when? Prints it as YAML with "
        "comments. Of a recording: also the value before.",
        {
            **_SELECTING,
            **_RECORDING_INSTEAD,
            **_AT,
            "only": _NARROWING["only"],
            "output": _output("text", "json"),
        },
        required=("target",),
        command=("blame",),
    ),
    Tool(
        "watch",
        "What changes in objects of the cluster from now on, for some seconds?",
        {
            **_SELECTING,
            **_EVERYWHERE,
            "seconds": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_SECONDS,
                "default": 10,
                "description": "How long to watch.",
            },
            **_CHANGES,
        },
        required=("target",),
        command=("changes", "--watch-only"),
    ),
    Tool(
        "list_recordings",
        "The recordings that the other tools can read, the newest first.",
        {},
    ),
    Tool(
        "list_objects",
        "What a recording holds: its times, its gaps, and each object with the number "
        "of its changes and who made them.",
        {**_RECORDING, **_SELECTING, **_FROM, **_TO, "output": _output("text", "json")},
        required=("recording",),
        command=("ls",),
        positional=("recording", "target"),
    ),
    Tool(
        "summary",
        "What mattered in a recording: what failed and which change likely did it, "
        "what people changed, what goes back and forth.",
        {**_RECORDING, **_SELECTING, **_FROM, **_TO, "output": _output("text", "json")},
        required=("recording",),
        command=("summary",),
    ),
    Tool(
        "changes",
        "What changed in a recording between two times, and who changed it.",
        {**_RECORDING, **_SELECTING, **_FROM, **_TO, **_CHANGES},
        required=("recording",),
        command=("changes",),
    ),
    Tool(
        "show",
        "An object of a recording as it was at one point, whole.",
        {
            **_RECORDING,
            **_TARGET,
            **_NAMESPACE,
            "at": {**_text(f"{_POINT}.", _MOMENT), "default": "last"},
            "only": _NARROWING["only"],
            "output": _output("yaml", "json"),
        },
        required=("recording", "target"),
        command=("show",),
        positional=("recording", "target"),
    ),
    Tool(
        "diff",
        "What differs between two points of a recording, in target or all objects? Or "
        "between the ends of two recordings: before and after an upgrade, or of two "
        "clusters.",
        {
            **_RECORDING,
            "other": _text("A later recording, in place of from and to."),
            **_TARGET,
            "namespace": _text(
                "By default any. a=b compares a with b on the later side.",
                "^[a-z0-9-]+(=[a-z0-9-]+)?$",
                127,
            ),
            "from": _text(f"The earlier point: {_POINT}.", _MOMENT),
            "to": _text("The later point.", _MOMENT),
            "only": _NARROWING["only"],
            "ignore": _NARROWING["ignore"],
            "output": {
                **_output("text", "wide", "jsonpatch"),
                "description": "wide, of one object, says who made each change, when.",
            },
        },
        required=("recording",),
        command=("diff",),
        positional=("recording", "other", "target", "from", "to"),
    ),
    Tool(
        "more",
        "The next page of a long answer, by the cursor at its end.",
        {
            "cursor": _text(
                "As the last line of a page has it: 3:4000.", "^[0-9]+:[0-9]+$", 30
            )
        },
        required=("cursor",),
    ),
)


def words_of(tool: Tool, arguments: Mapping[str, Any]) -> list[str]:
    """Return the command line that answers *arguments*, which fit the schema.

    `recording` is the path of a file, and `seconds` is always there.
    """
    flags: list[str] = [] if "recording" in arguments else [*tool.live]
    places: list[str] = []
    for name, value in arguments.items():
        if name in tool.positional:
            continue
        flag = FLAGS[name].split()[-1]
        if isinstance(value, bool):
            flags += [flag] if value else []
        elif isinstance(value, list):
            flags += [f"{flag}={each}" for each in value]
        else:
            flags.append(f"{flag}={value}")
    for name in tool.positional:
        value = arguments.get(name, "")
        places += value.split() if name == "target" else [value] if value else []
    return [*tool.command, *flags, "--", *places]


# The words of a tool: what messages of its command call options and recordings.

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
