"""Write a module for each file of kubectl_spy/knowledge.

    python -m tools.knowledge

An import of PyYAML takes 17 ms, and one of these modules less than one.
"""

from __future__ import annotations

from pathlib import Path

from kubectl_spy.knowledge.form import Kind
from kubectl_spy.knowledge.kinds import kinds_in
from kubectl_spy.knowledge.problem import BadEntry
from kubectl_spy.sources.yaml_file import read_yaml

FOLDER = Path(__file__).parents[2] / "kubectl_spy" / "knowledge"
COMPILED = FOLDER / "compiled"


def modules() -> dict[str, str]:
    """Return the content of each module by the name of its file.

    Raises SystemExit if a file is not as the form asks.
    """
    found, groups = {}, {}
    entries: dict[tuple[str, str], Kind] = {}
    for file in sorted(FOLDER.glob("*.yaml")):
        data = read_yaml(file, missing_ok=False)
        name = file.stem.replace(".", "_").replace("-", "_")
        of = data["group"]
        for group in of if isinstance(of, list) else [of]:
            groups[group] = name
            try:
                entries |= kinds_in({**data, "group": group}, file.name)
            except BadEntry as bad:
                raise SystemExit(f"{file.name}: {bad}") from None
        found[f"{name}.py"] = (
            f'"""Made by `python -m tools.knowledge` from {file.name}."""\n\n'
            f"DATA = {data!r}\n"
        )
    names = "".join(f"    {group!r}: {name!r},\n" for group, name in groups.items())
    found["__init__.py"] = (
        '"""The module of each API group, made by `python -m tools.knowledge`."""\n\n'
        f"GROUPS = {{\n{names}}}\n"
        f"MAKERS = {{\n{_makers(entries)}}}\n"
    )
    return found


def _makers(entries: dict[tuple[str, str], Kind]) -> str:
    """Return the lines that say which kinds make objects of a kind."""
    makers: dict[tuple[str, str], dict[tuple[str, str], None]] = {}
    for kind, entry in entries.items():
        for made in entry.makes if "*" not in "".join(kind) else ():
            makers.setdefault((made.group, made.kind), {})[kind] = None
    return "".join(f"    {kind!r}: {tuple(by)!r},\n" for kind, by in makers.items())


def main() -> None:
    """Write the modules, and remove those whose file is gone."""
    made = modules()
    for left in COMPILED.glob("*.py"):
        if left.name not in made:
            left.unlink()
    for name, content in made.items():
        (COMPILED / name).write_text(content)


if __name__ == "__main__":
    main()
