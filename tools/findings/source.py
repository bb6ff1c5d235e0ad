"""What a name in the source may stand for, as far as that is written there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property

Function = ast.FunctionDef | ast.AsyncFunctionDef
Bound = tuple[ast.expr, tuple[int, ...]]
"""An expression, and the part of it: indexes, or -1 for each element."""
_DEEPEST = 25  # steps from a name to what it stands for
_WRAPPERS = {"tuple", "list", "set", "frozenset", "sorted", "reversed", "iter"}


@dataclass(frozen=True, eq=False)
class Module:
    """A module, and what its functions and classes are within."""

    name: str
    tree: ast.Module

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node that each node is in."""
        return {
            inner: outer
            for outer in ast.walk(self.tree)
            for inner in ast.iter_child_nodes(outer)
        }

    @cached_property
    def imported(self) -> dict[str, tuple[str, str]]:
        """The module and the name there, of each name that is imported."""
        return {
            each.asname or each.name: (node.module, each.name)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for each in node.names
        }

    @cached_property
    def functions(self) -> dict[str, Function]:
        """The functions by name."""
        every = (node for node in ast.walk(self.tree) if isinstance(node, Function))
        return {each.name: each for each in every}

    def around(self, node: ast.AST) -> Function | None:
        """Return the innermost function around *node*."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, Function):
                return node
        return None

    def is_method(self, function: Function) -> bool:
        return isinstance(self.parents.get(function), ast.ClassDef)


@dataclass(frozen=True, eq=False)
class Place:
    """Where an expression stands, and what one caller passed to the function there."""

    module: Module
    function: Function | None
    passed: Mapping[str, tuple[ast.expr, Place]] = field(default_factory=dict)
    rest: tuple[tuple[ast.keyword, ...], Place] | None = None
    """What the caller passed as `**args`."""


Written = tuple[ast.expr, Place]


@dataclass
class Source:
    """The modules of a package."""

    modules: dict[str, Module]
    opaque: frozenset[str]
    """The functions whose calls stand for themselves."""

    @classmethod
    def of(cls, files: Mapping[str, str], *opaque: str) -> Source:
        """Return the source of modules by their names."""
        modules = {name: Module(name, ast.parse(it)) for name, it in files.items()}
        return cls(modules, frozenset(opaque))

    @cached_property
    def calls(self) -> dict[str, list[tuple[ast.Call, Place]]]:
        """All calls, by the last name of what is called."""
        found: dict[str, list[tuple[ast.Call, Place]]] = {}
        for module in self.modules.values():
            for node in ast.walk(module.tree):
                called = node.func if isinstance(node, ast.Call) else None
                if isinstance(called, ast.Name | ast.Attribute):
                    assert isinstance(node, ast.Call)
                    name = called.id if isinstance(called, ast.Name) else called.attr
                    place = Place(module, module.around(node))
                    found.setdefault(name, []).append((node, place))
        return found

    def called(self, place: Place) -> Iterator[Place]:
        """Yield *place* once for each call of its function, with what is passed."""
        function, module = place.function, place.module
        assert function is not None
        method = module.is_method(function)
        for call, there in self.calls.get(function.name, ()):
            name = call.func
            if isinstance(name, ast.Name):
                at = there.module.imported.get(name.id, (there.module.name, name.id))
                same = at == (module.name, function.name) and not method
            else:
                same = method
            if same:
                yield _bound(call, there, place, method=method)

    def stands_for(self, node: ast.expr, place: Place, deep: int = 0) -> list[Written]:
        """Return what *node* may be: displays, constants, and what is not known."""
        if deep > _DEEPEST:
            return [(node, place)]
        if isinstance(node, ast.Name):
            found = list(self._named(node.id, place, deep + 1))
            return found or [(node, place)]
        inner: list[ast.expr] = []
        if isinstance(node, ast.IfExp):
            inner = [node.body, node.orelse]
        elif isinstance(node, ast.BoolOp):
            inner = node.values
        elif isinstance(node, ast.NamedExpr):
            inner = [node.value]
        elif isinstance(node, ast.Subscript):
            return self._part(node.value, _index(node.slice), place, deep + 1)
        elif isinstance(node, ast.Call):
            return self._returned(node, place, deep + 1)
        if not inner:
            return [(node, place)]
        return [it for each in inner for it in self.stands_for(each, place, deep + 1)]

    def each_in(self, node: ast.expr, place: Place, deep: int = 0) -> list[Written]:
        """Return the elements of what *node* stands for."""
        found: list[Written] = []
        for it, there in self.stands_for(node, place, deep):
            name = it.func if isinstance(it, ast.Call) else None
            if isinstance(it, ast.Tuple | ast.List | ast.Set):
                found += [(each, there) for each in it.elts]
            elif isinstance(it, ast.Dict):
                found += [(each, there) for each in it.keys if each is not None]
            elif isinstance(it, ast.GeneratorExp | ast.ListComp | ast.SetComp):
                found.append((it.elt, there))
            elif isinstance(name, ast.Name) and name.id in _WRAPPERS:
                assert isinstance(it, ast.Call)
                found += self.each_in(it.args[0], there, deep + 1)
            elif isinstance(name, ast.Attribute) and name.attr == "items":
                for held, at in self.stands_for(name.value, there, deep + 1):
                    if isinstance(held, ast.Dict):
                        pairs = zip(held.keys, held.values, strict=True)
                        found += [
                            (ast.Tuple([key, each], ast.Load()), at)
                            for key, each in pairs
                            if key is not None
                        ]
            else:
                found.append((ast.Starred(it, ast.Load()), there))
        return found

    def _part(
        self, node: ast.expr, index: int | None, place: Place, deep: int
    ) -> list[Written]:
        """Return the element *index* of a tuple, or any value of a dictionary."""
        found: list[Written] = []
        for it, there in self.stands_for(node, place, deep):
            if isinstance(it, ast.Dict):
                for each in it.values:
                    found += self.stands_for(each, there, deep + 1)
            elif isinstance(it, ast.Tuple) and index is not None:
                if index < len(it.elts):
                    found += self.stands_for(it.elts[index], there, deep + 1)
            else:
                found.append((it, there))
        return found

    def _named(self, name: str, place: Place, deep: int) -> Iterator[Written]:
        if name in place.passed:
            yield from self.stands_for(*place.passed[name], deep)
            return
        function: ast.AST | None = place.function
        while function is not None:
            bound = _bindings(function).get(name, ())
            for value, path in bound:
                yield from self._along(value, path, place, deep)
            if isinstance(function, Function) and name in _parameters(function):
                inside = Place(place.module, function)
                for each in self.called(inside):
                    if name in each.passed:
                        yield from self.stands_for(*each.passed[name], deep)
                return
            if bound:
                return
            function = place.module.around(function)
        module = place.module
        if name in module.imported:
            of, name = module.imported[name]
            if of not in self.modules:
                return
            module = self.modules[of]
        for value, path in _bindings(module.tree).get(name, ()):
            yield from self._along(value, path, Place(module, None), deep)

    def _along(
        self, value: ast.expr, path: tuple[int, ...], place: Place, deep: int
    ) -> list[Written]:
        """Return what *value* stands for at *path*: indexes, or -1 for each element."""
        if not path:
            return self.stands_for(value, place, deep)
        if path[0] >= 0:
            parts = self._part(value, path[0], place, deep)
        else:
            parts = self.each_in(value, place, deep)
        return [
            it for each, at in parts for it in self._along(each, path[1:], at, deep + 1)
        ]

    def _returned(self, call: ast.Call, place: Place, deep: int) -> list[Written]:
        """Return what a function of the package returns; else the call itself."""
        name = call.func
        if isinstance(name, ast.Attribute) and name.attr == "get" and call.args[1:]:
            known = self._part(name.value, None, place, deep)
            return known + self.stands_for(call.args[1], place, deep)
        if not isinstance(name, ast.Name):
            return [(call, place)]
        of, known_as = place.module.imported.get(name.id, (place.module.name, name.id))
        module = self.modules.get(of)
        function = module.functions.get(known_as) if module else None
        if module is None or function is None or known_as in self.opaque:
            return [(call, place)]
        inside = _bound(call, place, Place(module, function))
        return [
            it
            for each in ast.walk(function)
            if isinstance(each, ast.Return) and each.value
            if module.around(each) is function
            for it in self.stands_for(each.value, inside, deep + 1)
        ]


def _parameters(function: Function) -> list[str]:
    given = function.args
    return [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _bound(call: ast.Call, at: Place, place: Place, *, method: bool = False) -> Place:
    """Return *place* with what the *call* at another place passes to its function."""
    function = place.function
    assert function is not None
    names = _parameters(function)[method:]
    given = function.args
    defaults = [
        *zip(reversed(given.args), reversed(given.defaults), strict=False),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    here = Place(place.module, None)
    passed = {each.arg: (value, here) for each, value in defaults if value}
    passed |= {name: (each, at) for name, each in zip(names, call.args, strict=False)}
    passed |= {
        each.arg: (each.value, at) for each in call.keywords if each.arg in names
    }
    rest = tuple(each for each in call.keywords if each.arg not in names)
    return Place(place.module, function, passed, (rest, at) if given.kwarg else None)


def _index(node: ast.expr) -> int | None:
    held = node.value if isinstance(node, ast.Constant) else None
    return held if isinstance(held, int) and not isinstance(held, bool) else None


@cache
def _bindings(scope: ast.AST) -> dict[str, list[Bound]]:
    """Return what *scope* binds to each name: expressions, and the part of each."""
    found: dict[str, list[Bound]] = {}
    for node in _own(scope):
        pairs: list[tuple[ast.expr, ast.expr, tuple[int, ...]]] = []
        if isinstance(node, ast.Assign):
            pairs = [(each, node.value, ()) for each in node.targets]
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value:
            pairs = [(node.target, node.value, ())]
        elif isinstance(node, ast.For | ast.comprehension):
            pairs = [(node.target, node.iter, (-1,))]
        for target, value, path in pairs:
            for name, at in _targets(target):
                found.setdefault(name, []).append((value, (*path, *at)))
    return found


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of *scope*, without those of functions and classes in it."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, Function | ast.ClassDef):
            yield from _own(node)


def _targets(target: ast.expr) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the names in the *target* of an assignment, and where each stands."""
    if isinstance(target, ast.Name):
        yield target.id, ()
    elif isinstance(target, ast.Tuple):
        for place, each in enumerate(target.elts):
            for name, at in _targets(each):
                yield name, (place, *at)
