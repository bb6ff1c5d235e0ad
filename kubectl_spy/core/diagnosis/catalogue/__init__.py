"""Every fact that a diagnosis may state: docs/findings.md is made from it."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.catalogue.code import Code as Code
from kubectl_spy.core.diagnosis.catalogue.code import Verdict as Verdict

TABLES: tuple[tuple[str, tuple[Code, ...]], ...] = (
    ("Transitional", (Code("Text", "{text}"), Code("Failed", "[{summary}|{phase}]"))),
)
"""The codes by what they are about."""

CODES = {code.name: code for _, table in TABLES for code in table}


def code_of(name: str) -> Code:
    """Return what the catalogue says of the code *name*. Raise KeyError if nothing."""
    return CODES[name]
