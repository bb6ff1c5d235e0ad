"""Checks names, which become part of a URL's path, and quotes field values.

The API server checks selectors, and its message says what is wrong.
https://github.com/kubernetes/apimachinery/blob/v0.36.2/pkg/api/validation/path/name.go
"""

from __future__ import annotations

import re

from kubectl_spy.errors import UsageError

_DNS_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"


def check_name(name: str) -> None:
    """Raise UsageError if *name* cannot be a segment of a path."""
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
    r"""Quote *value* for a field selector.

    >>> escape_field_value("a,b=c")
    'a\\,b\\=c'
    """
    return re.sub(r"([\\,=])", r"\\\1", value)
