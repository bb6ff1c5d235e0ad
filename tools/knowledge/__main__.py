"""Write kubectl_spy/knowledge/generated.py from the YAML files beside it.

    python -m tools.knowledge            write it
    python -m tools.knowledge --check    exit with 1 if it is not as the files say

An import of PyYAML takes 17 ms, and one of this module less than one. It holds JSON
texts, so only the groups that are asked for are parsed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from kubectl_spy.knowledge.form import Kind
from kubectl_spy.knowledge.kinds import kinds_in
from kubectl_spy.knowledge.problem import BadEntry
from kubectl_spy.sources.yaml_file import read_yaml

FOLDER = Path(__file__).parents[2] / "kubectl_spy" / "knowledge"
GENERATED = FOLDER / "generated.py"
_TOP = '''"""Made by `python -m tools.knowledge` from the YAML files: do not edit.

GROUPS has the JSON text of each API group; MAKERS which kinds make objects of a kind.
"""

'''


def generated() -> str:
    """Return the content of the module.

    Raises SystemExit if a file is not as the form asks.
    """
    groups: dict[str, str] = {}
    entries: dict[tuple[str, str], Kind] = {}
    for file in sorted(FOLDER.glob("*.yaml")):
        data = read_yaml(file, missing_ok=False)
        of = data["group"]
        for group in of if isinstance(of, list) else [of]:
            data["group"] = group
            groups[group] = json.dumps(data)
            try:
                entries |= kinds_in(data, file.name)
            except BadEntry as bad:
                raise SystemExit(f"{file.name}: {bad}") from None
    texts = "".join(f"    {group!r}: {text!r},\n" for group, text in groups.items())
    made = "".join(f"    {kind!r}: {by!r},\n" for kind, by in _makers(entries).items())
    return f"{_TOP}GROUPS = {{\n{texts}}}\nMAKERS = {{\n{made}}}\n"


def _makers(
    entries: dict[tuple[str, str], Kind],
) -> dict[tuple[str, str], tuple[tuple[str, str], ...]]:
    """Return which kinds make objects of a kind."""
    makers: dict[tuple[str, str], dict[tuple[str, str], None]] = {}
    for kind, entry in entries.items():
        for made in entry.makes if "*" not in "".join(kind) else ():
            makers.setdefault((made.group, made.kind), {})[kind] = None
    return {kind: tuple(by) for kind, by in makers.items()}


def main() -> None:
    """Write the module, or compare it."""
    text = generated()
    if sys.argv[1:] != ["--check"]:
        GENERATED.write_text(text, encoding="utf-8")
    elif GENERATED.read_text(encoding="utf-8") != text:
        raise SystemExit(
            f"{GENERATED.name} is not what the YAML says: run python -m tools.knowledge"
        )


if __name__ == "__main__":
    main()
