"""Parses TARGET: kubectl's grammar, and kubespy's form.

    TYPE/NAME [TYPE/NAME…]    TYPE[,TYPE…] [NAME…]    apiVersion Kind [namespace/]name

TYPE is a resource, TYPE.GROUP, TYPE.VERSION.GROUP or a category. `resolve` finds out
which. Nothing here asks a server.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kubectl_spy.errors import UsageError
from kubectl_spy.terms import option, phrase

_DNS_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"


def check_name(name: str) -> None:
    """Raise UsageError if *name* cannot be a segment of a path.

    The API server itself checks selectors.
    https://github.com/kubernetes/apimachinery/blob/v0.36.2/pkg/api/validation/path/name.go
    """
    if name in (".", ".."):
        raise UsageError(f'invalid name "{name}"', "a name may not be . or ..")
    for bad in name:
        if bad in "/%" or not bad.isprintable():
            raise UsageError(
                f"invalid name {name!r}", f"a name may not contain {bad!r}"
            )


def check_namespace(namespace: str) -> None:
    """Check that *namespace* is an RFC 1123 label. Raises UsageError if it is not."""
    if len(namespace) > 63 or not re.fullmatch(_DNS_LABEL, namespace):
        raise UsageError(
            f"invalid namespace {namespace!r}",
            "at most 63 lower-case letters, digits and -, beginning and ending with "
            "a letter or digit",
        )


def escape_field_value(value: str) -> str:
    r"""Quote *value* for a field selector: `a,b=c` as `a\,b\=c`."""
    return re.sub(r"([\\,=])", r"\\\1", value)


_KUBESPY_API_VERSION = "([a-z0-9.-]+/)?v[0-9]"
_API_VERSION = "([a-z0-9.-]+/)?v[0-9][0-9a-z]*"
_EXAMPLES = "for example deploy/nginx, or deploy nginx, or pods -l app=web"


class TargetSpec(NamedTuple):
    """A type, or one object of it, as typed."""

    type: str
    name: str | None = None
    namespace: str | None = None  # only in kubespy's form
    api_version: str | None = None  # Only in kubespy's form. *type* is then a kind.


def parse_targets(
    args: Sequence[str],
    *,
    namespace: str | None = None,
    all_namespaces: bool = False,
    label_selector: str | None = None,
    field_selector: str | None = None,
    optional: bool = False,
) -> tuple[TargetSpec, ...]:
    """Return the targets that *args* name, in order, each once.

    If they are *optional*, there may be none, which means everything. The flags are
    checked, too, because some do not go with a name. Raises UsageError if kubectl would
    refuse this command line, too.
    """
    everything = optional and not args
    if everything and field_selector:
        raise UsageError(
            "--field-selector is for one type: each type has its own fields",
            "name the type, as in pods",
        )
    specs = () if everything else tuple(dict.fromkeys(_parse_words(args)))
    if namespace:
        check_namespace(namespace)
    for selector in (label_selector, field_selector):
        if selector and not selector.isprintable():
            raise UsageError(
                f"invalid selector {selector!r}",
                "it has a character that cannot be printed",
            )
    for spec in specs:
        if spec.name is None:
            continue
        check_name(spec.name)
        if label_selector or field_selector:
            flag = option("-l") if label_selector else "--field-selector"
            raise UsageError(
                f'a name ("{spec.name}") and {flag} cannot be used together',
                "leave one of them out",
            )
        if all_namespaces:
            everywhere = f"-A --field-selector metadata.name={spec.name}"
            raise UsageError(
                "a resource cannot be retrieved by name across all namespaces",
                f"use {option('-n')}" + phrase("at-a-shell", f', or "{everywhere}"'),
            )
        if spec.namespace is not None:
            check_namespace(spec.namespace)
            if namespace and namespace != spec.namespace:
                named = f"{spec.namespace}/{spec.name}"
                raise UsageError(
                    f'{option("-n")} {namespace} contradicts "{named}"',
                    "leave one of them out",
                )
    return specs


def _parse_words(args: Sequence[str]) -> list[TargetSpec]:
    if not args:
        raise UsageError("no target given", _EXAMPLES)
    if "" in args:
        raise UsageError("a target is empty", _EXAMPLES)
    if len(args) == 3 and re.match(_KUBESPY_API_VERSION, args[0]):
        return [_parse_kubespy(*args)]
    if len(args) == 2 and re.fullmatch(_API_VERSION, args[0]) and args[1][0].isupper():
        raise UsageError(
            f'"{args[0]} {args[1]}" names no object',
            f"for example {args[0]} {args[1]} web/nginx",
        )
    with_slash = [arg for arg in args if "/" in arg]
    if with_slash:
        if len(with_slash) < len(args):
            other = next(arg for arg in args if "/" not in arg)
            raise UsageError(
                f'"{with_slash[0]}" and "{other}" mix two forms',
                "write TYPE/NAME for every object, or TYPE NAME…, and choose the "
                f"namespace with {option('-n')}",
            )
        return [_parse_pair(arg) for arg in args]
    types = args[0].split(",")
    if "" in types:
        raise UsageError(f'"{args[0]}" has an empty type', phrase("targets", _EXAMPLES))
    return [TargetSpec(type, name) for type in types for name in args[1:] or (None,)]


def _parse_pair(arg: str) -> TargetSpec:
    type_, _, name = arg.partition("/")
    if not type_ or not name:
        raise UsageError(f'"{arg}" is no TYPE/NAME: a part is empty', _EXAMPLES)
    if "/" in name:
        raise UsageError(
            f'"{arg}" has more than one slash',
            f"write TYPE/NAME and choose the namespace with {option('-n')}",
        )
    if "," in type_:
        raise UsageError(
            f'"{arg}" names several types', "write TYPE/NAME for every object"
        )
    return TargetSpec(type_, name)


def _parse_kubespy(api_version: str, kind: str, name: str) -> TargetSpec:
    if not re.fullmatch(_API_VERSION, api_version):
        raise UsageError(
            f'"{api_version}" is no apiVersion', "for example v1 or apps/v1"
        )
    if not kind.isalnum():
        raise UsageError(f'"{kind}" is no kind', "for example apps/v1 Deployment nginx")
    namespace, slash, bare = name.rpartition("/")
    if not bare or (slash and not namespace):
        raise UsageError(
            f'"{name}" is no [namespace/]name', "for example v1 Pod web/nginx"
        )
    return TargetSpec(kind, bare, namespace or None, api_version)
