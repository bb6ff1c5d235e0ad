"""The small faults that a line can have, and a choice of them that stays the same."""

from __future__ import annotations

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
}


class Fault(NamedTuple):
    """A piece of a file, and what stands there instead."""

    file: Path
    function: str
    line: int
    start: int  # in bytes, from the beginning of the file
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        was, becomes = (
            " ".join(each.split())[:60] for each in (self.before, self.after)
        )
        return f"{self.file}:{self.line} {self.function}: {was} → {becomes}"

    def apply(self, root: Path) -> None:
        """Write the fault into the file, below *root*."""
        path = root / self.file
        text = path.read_bytes()
        path.write_bytes(text[: self.start] + self.after.encode() + text[self.end :])


def chosen(root: Path, files: Iterable[Path], count: int, seed: int) -> list[Fault]:
    """Return *count* faults of *files*, below *root*.

    A fault's rank is a hash of its function's name and of the expression. So the same
    faults are chosen wherever a function stands, until its own lines change.
    """
    ranked: list[tuple[bytes, Fault]] = []
    again: Counter[str] = Counter()
    for file in sorted(files):
        for fault in faults_of(root, file):
            what = f"{fault.function} {fault.before} {fault.after}"
            again[what] += 1
            ranked.append((_rank(f"{seed} {what} {again[what]}"), fault))
    ranked.sort(key=lambda each: each[0])
    return [fault for _, fault in ranked[:count]]


def faults_of(root: Path, file: Path) -> Iterator[Fault]:
    """Yield all faults of a file."""
    text = (root / file).read_bytes()
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    for function, node in _expressions(ast.parse(text)):
        for changed in _changes(node):
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            start = lines[node.lineno - 1] + node.col_offset
            end = lines[node.end_lineno - 1] + node.end_col_offset
            after = "pass" if isinstance(changed, ast.Pass) else _written(changed)
            before = text[start:end].decode()
            yield Fault(file, function, node.lineno, start, end, before, after)


def _rank(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _written(node: ast.AST) -> str:
    text = ast.unparse(node)
    return f"({text})" if isinstance(node, ast.expr) else text


def _expressions(
    tree: ast.AST, function: str = ""
) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    """Yield what runs within functions, each with the name of its function."""
    for child in ast.iter_child_nodes(tree):
        name = function
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            name = f"{function}.{child.name}".lstrip(".")
        if isinstance(child, ast.FunctionDef):
            for statement in child.body:
                yield from _within(name, statement)
        elif isinstance(child, ast.ClassDef):
            yield from _expressions(child, name)


def _within(function: str, node: ast.AST) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    if isinstance(node, ast.JoinedStr):
        return  # before Python 3.12 its parts have no places of their own
    if isinstance(node, (ast.expr, ast.stmt)):
        yield function, node
    for child in ast.iter_child_nodes(node):
        yield from _within(function, child)


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what can stand instead of *node*: one thing is different in each."""
    match node:
        case ast.Compare(ops=[only]) if type(only) in _COMPARED:
            yield _with(node, ops=[_COMPARED[type(only)]()])
        case ast.BoolOp(op=ast.And()):
            yield _with(node, op=ast.Or())
        case ast.BoolOp(op=ast.Or()):
            yield _with(node, op=ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.BinOp() if type(node.op) in _COMPUTED:
            yield _with(node, op=_COMPUTED[type(node.op)]())
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.IfExp():
            yield _with(node, body=node.orelse, orelse=node.body)
        case ast.Continue():
            yield ast.Break()
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()


def _with(node: ast.AST, **members: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in members.items():
        setattr(changed, name, value)
    return changed
