"""Shipped entries on objects of any shape: none raises, and the cost is linear."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.counting import bytecodes
from kubectl_spy.core.readiness.entries import by_entry
from kubectl_spy.core.readiness.readiness import readiness
from kubectl_spy.knowledge.form import Kind
from kubectl_spy.knowledge.kinds import every
from kubectl_spy.knowledge.paths import EACH, Path
from kubectl_spy.knowledge.references import made_by, named_by
from tests.json_documents import hostile_json
from tools.knowledge.__main__ import GENERATED, generated

ENTRIES = list(every())
junk = hostile_json("type", "status", "reason", "message", "name", "kind", "True")
conditions = st.lists(
    st.fixed_dictionaries({}, optional={"type": junk, "status": junk, "reason": junk})
    | junk,
    max_size=3,
)


def paths_of(entry: Kind) -> list[Path]:
    """Return all paths at which *entry* looks."""
    tests = [test for rule in entry.health for test in rule.tests]
    texts = [it for rule in entry.health for it in (rule.says, rule.remedy) if it]
    references = (*(entry.references or ()), *entry.makes)
    return [
        *(test.path for test in tests if test.path),
        *(path for text in texts for path in text.paths),
        *(each.path for each in references),
        *(each.namespace for each in references if each.namespace),
    ]


def put(obj: dict[str, Any], path: Path, value: Any) -> None:
    """Put *value* where *path* leads to in *obj*, unless something is in the way."""
    here: Any = obj
    for step, after in zip(path, (*path[1:], None), strict=True):
        inner = value if after is None else [] if after == EACH else {}
        if step == EACH and isinstance(here, list):
            here.append(inner)
            here = here[-1]
        elif step != EACH and isinstance(here, dict):
            here = here.setdefault(step, inner)
        else:
            return


def judge(obj: Any, group: str, kind: str, entry: Kind) -> None:
    by_entry(obj, entry)
    readiness(obj | {"apiVersion": f"{group}/v1", "kind": kind})
    named_by(obj, group, entry)
    list(made_by(obj, entry))


@given(value=junk, status=junk, conditions=conditions)
def test_no_entry_raises_whatever_an_object_holds(
    value: Any, status: Any, conditions: Any
) -> None:
    for group, kind, entry in ENTRIES:
        judge({"metadata": value, "spec": value, "status": status}, group, kind, entry)
        obj: dict[str, Any] = {"status": {"conditions": conditions}}
        for path in paths_of(entry):
            put(obj, path, value)
        judge(obj, group, kind, entry)


def test_twice_the_object_costs_twice_as_much_at_most() -> None:
    def cost(size: int) -> int:
        held = [{"type": f"T{number}", "status": "False"} for number in range(size)]
        parts = [{"conditions": held[:3], "name": "a"} for _ in range(size)]
        total = 0
        for group, kind, entry in ENTRIES:
            obj: dict[str, Any] = {"status": {"conditions": held}}
            for path in paths_of(entry):
                if EACH in path:
                    put(obj, path[: path.index(EACH)], parts)
            total += bytecodes(lambda: judge(obj, group, kind, entry))  # noqa: B023
        return total

    assert cost(60) < 2.2 * cost(30)


def test_the_generated_module_is_as_the_files_say() -> None:
    assert GENERATED.read_text() == generated(), "run python -m tools.knowledge"
