"""The grammar of selectors and names, as the API server's own parsers have it.

Checked before any request: a bad selector is an error of the command line, and a name
becomes part of a URL's path.

* labels: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
* fields: k8s.io/apimachinery/pkg/fields
* names: k8s.io/apimachinery/pkg/api/validation/path
"""

from __future__ import annotations

import re
from typing import NoReturn

from kubectl_spy.errors import UsageError

_LABEL_TOKEN = r"\s*(?:(==|!=|[=(),!<>])|([^\s=!<>(),]+))"
_LABEL_NAME = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_DNS_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_FIELD_TERM = r"(?:\\.|[^\\,])*"
_FIELD_OPERATOR = r"!=|==|="


def check_name(name: str) -> None:
    """Refuse a *name* that is no path segment (Kubernetes' path segment name rules).

    Raises:
        UsageError: it is ".", "..", or holds "/", "%" or a control character.
    """
    if name in (".", ".."):
        raise UsageError(f'invalid name "{name}"', "a name may not be . or ..")
    for bad in name:
        if bad in "/%" or not bad.isprintable():
            raise UsageError(
                f"invalid name {name!r}", f"a name may not contain {bad!r}"
            )


def check_namespace(namespace: str) -> None:
    """Refuse a *namespace* that no API server would have (an RFC 1123 label).

    Raises:
        UsageError: with the rule it breaks.
    """
    if len(namespace) > 63 or not re.fullmatch(_DNS_LABEL, namespace):
        raise UsageError(
            f"invalid namespace {namespace!r}",
            "at most 63 lower-case letters, digits and -, beginning and ending with "
            "a letter or digit",
        )


def check_label_selector(text: str) -> None:
    """Refuse a label selector that the API server could not parse.

    Raises:
        UsageError: saying what was found and what was expected.
    """
    tokens = _LabelTokens(text)
    while tokens.next is not None:
        _check_requirement(tokens)
        if tokens.next is None:
            return
        tokens.expect(",", "',' or the end")
        if tokens.next is None:
            tokens.refuse("a label key after ','")


def check_field_selector(text: str) -> None:
    """Refuse a field selector that the API server could not parse.

    Which fields a type knows, only the server can say.

    Raises:
        UsageError: quoting the term that is wrong.
    """
    at = 0
    while at <= len(text):
        match = re.compile(_FIELD_TERM, re.DOTALL).match(text, at)
        term = match.group() if match else ""
        at += len(term) + 1
        if at <= len(text) and text[at - 1] != ",":
            raise _bad_field(text, term, "ends in a single \\")
        if not term:
            continue
        operator = re.search(_FIELD_OPERATOR, term)
        if operator is None:
            raise _bad_field(text, term, "has no =, == or !=")
        if operator.start() == 0:
            raise _bad_field(text, term, "names no field")
        value = term[operator.end() :]
        escaped = {match[1] for match in re.finditer(r"\\(.)", value, re.DOTALL)}
        if not escaped <= set("\\,="):
            raise _bad_field(text, term, "escapes something other than \\ , or =")
        if "=" in re.sub(r"\\.", "", value, flags=re.DOTALL):
            raise _bad_field(text, term, "has a second =; write it as \\=")


def escape_field_value(value: str) -> str:
    r"""Quote *value* for a field selector.

    >>> escape_field_value("a,b=c")
    'a\\,b\\=c'
    """
    return re.sub(r"([\\,=])", r"\\\1", value)


def _bad_field(text: str, term: str, why: str) -> UsageError:
    return UsageError(
        f"invalid field selector {text!r}: {term!r} {why}",
        "for example --field-selector status.phase!=Running",
    )


class _LabelTokens:
    """The words and signs of a label selector, one ahead."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = [
            (match.group(1), match.group(2))
            # Blanks at the end are tried from each of them on, for nothing.
            for match in re.finditer(_LABEL_TOKEN, text.rstrip())
        ]
        self._at = 0

    @property
    def next(self) -> str | None:
        """What comes next; None at the end."""
        if self._at >= len(self._tokens):
            return None
        sign, word = self._tokens[self._at]
        return sign or word

    @property
    def next_is_word(self) -> bool:
        return self._at < len(self._tokens) and bool(self._tokens[self._at][1])

    def take(self) -> str:
        taken = self.next
        self._at += 1
        return taken or ""

    def expect(self, sign: str, expected: str) -> None:
        if self.next_is_word or self.next != sign:
            self.refuse(expected)
        self._at += 1

    def word(self, expected: str) -> str:
        if not self.next_is_word:
            self.refuse(expected)
        return self.take()

    def refuse(self, expected: str) -> NoReturn:
        found = "the end" if self.next is None else repr(self.next)
        raise self.wrong(f"found {found}, expected {expected}")

    def wrong(self, why: str) -> UsageError:
        return UsageError(
            f"invalid label selector {self.text!r}: {why}",
            "for example -l 'app=web,tier notin (db,cache),!canary'",
        )


def _check_requirement(tokens: _LabelTokens) -> None:
    absent = tokens.next == "!"
    if absent:
        tokens.take()
    _check_key(tokens, tokens.word("a label key"))
    if absent or tokens.next in (None, ","):
        return
    operator = tokens.take()
    if operator in ("in", "notin"):
        _check_value_set(tokens)
    elif operator in ("=", "==", "!="):
        if tokens.next not in (None, ","):
            _check_value(tokens, tokens.word("a label value"))
    elif operator in ("<", ">"):
        value = tokens.word("an integer")
        if not re.fullmatch(r"[+-]?[0-9]+", value):
            raise tokens.wrong(f"{operator} needs an integer, not {value!r}")
    else:
        raise tokens.wrong(
            f"found {operator!r}, expected one of in, notin, =, ==, !=, <, >"
        )


def _check_value_set(tokens: _LabelTokens) -> None:
    tokens.expect("(", "'('")
    while tokens.next != ")":
        if tokens.next == ",":
            tokens.take()
            continue
        _check_value(tokens, tokens.word("a label value, ',' or ')'"))
        if tokens.next != ")":
            tokens.expect(",", "',' or ')'")
    tokens.take()


def _check_key(tokens: _LabelTokens, key: str) -> None:
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > 253 or not re.fullmatch(_SUBDOMAIN, prefix)):
        raise tokens.wrong(f"the prefix of {key!r} is no DNS name")
    if len(name) > 63 or not re.fullmatch(_LABEL_NAME, name):
        raise tokens.wrong(f"{key!r} is no label key")


def _check_value(tokens: _LabelTokens, value: str) -> None:
    if len(value) > 63 or not re.fullmatch(_LABEL_NAME, value):
        raise tokens.wrong(f"{value!r} is no label value")
