"""Facts: codes of findings.txt, with what they are about. No sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubectl_spy.core.objects import JSON


class Fact(NamedTuple):
    """A code of findings.txt, and what it is about: `ExitedWith`, `{"exit": 3}`."""

    code: str
    args: Mapping[str, Arg] = {}

    def as_json(self) -> dict[str, JSON]:
        """Return the fact as a JSON object, with `args` if there are any."""
        shown: dict[str, JSON] = {"code": self.code}
        return shown | ({"args": args_json(self.args)} if self.args else {})

    def all(self) -> Iterator[Fact]:
        """Yield the fact and the facts that explain it, the deepest last."""
        yield self
        for each in self.args.values():
            for inner in each if type(each) is tuple else (each,):
                if isinstance(inner, Fact):
                    yield from inner.all()


Arg = str | int | tuple["str | Fact", ...] | Fact
"""A name, a message, a number, what explains a fact, or a list of these."""


def fact(code: str, **args: Arg | None) -> Fact:
    """Return a fact. Arguments that are None, empty or False are left out."""
    return Fact(code, there(args))


def args_json(args: Mapping[str, Arg]) -> dict[str, JSON]:
    """Return the arguments of a fact as a JSON object."""
    return {name: _arg_json(each) for name, each in args.items()}


def _arg_json(arg: Arg) -> JSON:
    if isinstance(arg, Fact):
        return arg.as_json()
    return [_arg_json(each) for each in arg] if isinstance(arg, tuple) else arg


def there(args: Mapping[str, Arg | None]) -> dict[str, Arg]:
    """Return the arguments that are not None, empty or False; 0 stays."""
    return {name: each for name, each in args.items() if each or type(each) is int}
