"""Compare findings.txt with the calls of `fact`, `finding` and `Fact`.

    python -m tools.findings

Each call names codes of the file, and gives each the arguments of its templates: all
that are not within brackets, and no others. Each code of the file is named by a call. A
code has to be readable from the source: a literal, one of a table of constants, or what
a caller passes. Arguments may come from elsewhere, as `**found.groupdict()`: then none
counts as missing, and the rows of tests/core/diagnosis find what is too much.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from kubectl_spy.cli.views.codes import arguments
from kubectl_spy.core.templates import names
from kubectl_spy.findings import Code, codes
from tools.findings.source import Place, Source

PACKAGE = Path(__file__).parents[2] / "kubectl_spy"
STATING = ("fact", "finding", "Fact")
_OF_FINDING = {"code", "about", "verdict", "remedy", "since", "final"}
ANY = {"where"}  # which container: an argument of any finding
_FACT = "kubectl_spy.core.fact"
_DEFINING = (_FACT, "kubectl_spy.core.diagnosis.finding")


class Given(NamedTuple):
    """The arguments that a call gives."""

    surely: frozenset[str] = frozenset()
    perhaps: frozenset[str] = frozenset()  # with those that it gives surely
    more: bool = False  # whether there may be others

    def __or__(self, other: Given) -> Given:
        """Return what both give together."""
        return Given(
            self.surely | other.surely,
            self.perhaps | other.perhaps,
            self.more or other.more,
        )


class Stated(NamedTuple):
    """A call that states a finding, and how it may be."""

    line: str
    code: str | None  # None if that cannot be read
    given: Given


def faults(source: Source, known: Mapping[str, Code]) -> Iterator[str]:
    """Yield what is wrong, a line each."""
    named = set()
    for each in stated(source):
        if each.code is None:
            yield f"{each.line}: which code is it? Write it there, or in a table"
        elif each.code not in known:
            yield f"{each.line}: findings.txt has no {each.code}"
        else:
            named.add(each.code)
            yield from _unlike(each, known[each.code])
    for line, code in compared(source):
        if code not in known:
            yield f"{line}: findings.txt has no {code}"
    for code in known.keys() - named:
        yield f"findings.txt: nothing states {code}"


def _unlike(each: Stated, code: Code) -> Iterator[str]:
    allowed = {*arguments(code), *ANY}
    for name in sorted(each.given.perhaps - allowed):
        yield f"{each.line}: {code.name} has no argument {name}"
    missing = needed(code) - each.given.surely
    for name in () if each.given.more else sorted(missing):
        yield f"{each.line}: {code.name} lacks {name}"


def needed(code: Code) -> set[str]:
    """Return the arguments of *code* that stand outside of brackets."""
    found = set()
    for template in (code.text, code.remedy):
        rest = template
        while (shorter := re.sub(r"\[[^\[\]]*\]", "", rest)) != rest:
            rest = shorter
        found |= {*names(rest)}
    return found


def stated(source: Source) -> Iterator[Stated]:
    """Yield each call that states a finding, for each code that it may have."""
    for call, place in (it for name in STATING for it in source.calls.get(name, ())):
        named = isinstance(call.func, ast.Name) and call.args
        if named and place.module.name not in _DEFINING:
            line = f"{place.module.name}:{call.lineno}"
            yield from _of_call(source, call, place, line)


def _of_call(
    source: Source, call: ast.Call, place: Place, line: str
) -> Iterator[Stated]:
    code = call.args[0]
    if isinstance(code, ast.Attribute) and code.attr == "code":
        return  # a copy of a fact
    places = [place]
    function = place.function
    if (
        isinstance(code, ast.Name)
        and function
        and code.id in {each.arg for each in function.args.args}
    ):
        places = list(source.called(place))
    for each in places:
        given = _arguments(source, call, each)
        for found, _ in source.stands_for(code, each):
            word = found.value if isinstance(found, ast.Constant) else None
            if word != "":  # fact("", …) is for its arguments
                yield Stated(line, word if isinstance(word, str) else None, given)


def _arguments(source: Source, call: ast.Call, place: Place) -> Given:
    """Return the arguments of the finding that a call of `fact` or `finding` has."""
    assert isinstance(call.func, ast.Name)
    if call.func.id == "Fact":
        return _members(source, call.args[1], place) if call.args[1:] else Given()
    given = Given()
    for each in call.keywords:
        if each.arg is None:
            given |= _unpacked(source, each.value, place)
        elif call.func.id == "fact" or each.arg not in _OF_FINDING:
            given |= _named(source, each.arg, each.value, place)
    return given


def _named(source: Source, name: str, value: ast.expr, place: Place) -> Given:
    """Return what `name=value` gives: nothing if the value is None, empty or False."""
    empty = all(
        isinstance(it, ast.Constant) and not it.value and type(it.value) is not int
        for it, _ in source.stands_for(value, place)
    )
    one = frozenset({name})
    return Given(one, frozenset() if empty else one)


def _unpacked(source: Source, node: ast.expr, place: Place) -> Given:
    """Return what `**node` gives."""
    function = place.function
    kwarg = function.args.kwarg if function else None
    if isinstance(node, ast.Name) and kwarg and node.id == kwarg.arg:
        if place.rest is None:
            return Given(more=True)
        given = Given()
        words, there = place.rest
        for each in words:
            if each.arg is None:
                given |= _unpacked(source, each.value, there)
            else:
                given |= _named(source, each.arg, each.value, there)
        return given
    return _members(source, node, place)


def _members(source: Source, node: ast.expr, place: Place) -> Given:
    """Return the keys of a dictionary, as far as they are written somewhere."""
    every = [_keys(source, *each) for each in source.stands_for(node, place)]
    return Given(
        frozenset.intersection(*(each.surely for each in every)),
        frozenset().union(*(each.perhaps for each in every)),
        any(each.more for each in every),
    )


def _keys(source: Source, node: ast.expr, place: Place) -> Given:
    if isinstance(node, ast.Attribute) and node.attr == "args":
        facts = source.stands_for(node.value, place)
        calls = [
            (each, at)
            for each, at in facts
            if isinstance(each, ast.Call)
            and isinstance(each.func, ast.Name)
            and each.func.id in STATING
        ]
        every = [_arguments(source, *each) for each in calls]
        if not every or len(calls) < len(facts):
            return Given(more=True)
        return Given(
            frozenset.intersection(*(each.surely for each in every)),
            frozenset().union(*(each.perhaps for each in every)),
            any(each.more for each in every),
        )
    if not isinstance(node, ast.Dict):
        return Given(more=True)
    given = Given()
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            given |= _members(source, value, place)
            continue
        words = {
            it.value
            for it, _ in source.stands_for(key, place)
            if isinstance(it, ast.Constant) and isinstance(it.value, str)
        }
        surely = frozenset(words) if isinstance(key, ast.Constant) else frozenset()
        given |= Given(surely, frozenset(words), more=not words)
    return given


def compared(source: Source) -> Iterator[tuple[str, str]]:
    """Yield the codes that the `code` of a fact is compared with."""
    for module in source.modules.values():
        if not module.name.startswith("kubectl_spy.core."):
            continue  # errors have codes of their own
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Compare) and (
                isinstance(node.left, ast.Attribute) and node.left.attr == "code"
            ):
                place = Place(module, module.around(node))
                with_ = node.comparators[0]
                many = isinstance(node.ops[0], ast.In | ast.NotIn)
                find = source.each_in if many else source.stands_for
                for it, _ in find(with_, place):
                    if isinstance(it, ast.Constant) and isinstance(it.value, str):
                        yield f"{module.name}:{node.lineno}", it.value


def main() -> None:
    """Print what is wrong, and fail if anything is."""
    files = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): (
            path.read_text(encoding="utf-8")
        )
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    found = list(faults(Source.of(files, *STATING), codes()))
    print("\n".join(found) or "findings.txt is as the source asks")
    if found:
        sys.exit(1)


if __name__ == "__main__":
    main()
