"""A contract of import-linter: how much of the rest an extra may import."""

from __future__ import annotations

from typing import Any

from grimp import ImportGraph
from importlinter.application import output
from importlinter.domain import fields
from importlinter.domain.contract import Contract, ContractCheck


class Budget(Contract):
    """Each extra imports at most so many modules beyond *face* and itself.

    Options: *extras*, a package; *most*, lines as `review 20`; *face*, modules.
    """

    type_name = "budget"

    # import-linter sets these attributes to the values of the options.
    extras: Any = fields.StringField()
    most: Any = fields.ListField(subfield=fields.StringField())
    face: Any = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Return which extras import more than their budget has."""
        extras: str = self.extras
        root = extras.partition(".")[0]
        over: dict[str, list[str]] = {}
        budgets = dict(each.split() for each in self.most)
        names = {each.rpartition(".")[2] for each in graph.find_children(extras)}
        for name in names - budgets.keys():
            over[f"{name} has no budget"] = []
        for name, most in budgets.items():
            package = f"{extras}.{name}"
            inside = {package, *graph.find_descendants(package)}
            imported = {
                each
                for module in inside
                for each in graph.find_modules_directly_imported_by(module)
                if each.split(".")[0] == root
            }
            counted = sorted(imported - inside - self.face - {root})
            if len(counted) > int(most):
                over[f"{name} imports {len(counted)} modules, not {most}"] = counted
        return ContractCheck(kept=not over, metadata={"over": over})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the modules of each extra that imports too many."""
        for what, modules in check.metadata["over"].items():
            output.print_error(what)
            for module in modules:
                output.print(f"    {module}")
