"""Findings for tests that need a finding, whatever it says."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.remedy import NO_REMEDY, Remedy


def saying(
    about: str, verdict: Verdict, words: str, remedy: Remedy = NO_REMEDY
) -> Finding:
    """Return a finding of which *words* are the text."""
    return Finding("Failed", about, {"summary": words}, verdict, remedy)
