"""Whole documents as YAML that is safe to print and reads back exactly."""

from __future__ import annotations

from functools import cache
from typing import Any

from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.render.inert import inert, unsafe


def yaml_lines(document: JSON) -> list[str]:
    """Return *document* as lines of YAML, its members in their own order.

    A document nested too deeply for the YAML library is written as JSON, which is
    YAML too.
    """
    import yaml

    if isinstance(document, dict | list) and not document:
        return [dumps(document).decode()]
    try:
        text = _dump(document, _dumper(True), allow_unicode=True)
    except UnicodeEncodeError:  # half a surrogate pair, which libyaml cannot write
        text = _dump(document, _dumper(False), allow_unicode=False)
    except (RecursionError, yaml.YAMLError):
        text = dumps(document).decode()
    lines = text.removesuffix("\n").split("\n")
    if lines[-1] == "...":  # the end mark behind a lone scalar
        lines.pop()
    return [inert(line) for line in lines]


def json_lines(document: JSON) -> list[str]:
    """Return *document* as lines of indented JSON; on one line if it is very deep."""
    import json

    try:
        text = json.dumps(document, indent=2, ensure_ascii=False)
    except RecursionError:
        text = dumps(document).decode()
    return [inert(line) for line in text.split("\n")]


def _dump(document: JSON, dumper: Any, *, allow_unicode: bool) -> str:
    import yaml

    text: str = yaml.dump(
        document,
        Dumper=dumper,
        sort_keys=False,
        default_flow_style=False,
        allow_unicode=allow_unicode,
        width=1 << 30,
    )
    return text


@cache
def _dumper(fast: bool) -> Any:
    """Return a Dumper: libyaml's where it is built in and *fast*, else Python's."""
    import yaml

    base = getattr(yaml, "CSafeDumper", yaml.SafeDumper) if fast else yaml.SafeDumper

    class Dumper(base):  # type: ignore[misc, valid-type]
        def ignore_aliases(self, data: object) -> bool:
            return True

    def string(dumper: Any, text: str) -> Any:
        style = None
        if unsafe(text):
            style = '"'  # the one style in which escapes mean what they say
        elif "\n" in text:
            style = "|"
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, string)
    return Dumper
