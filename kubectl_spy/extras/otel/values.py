"""Values as OTLP has them, and the scope of all that we send."""

from __future__ import annotations

from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from kubectl_spy import __version__
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON

SCOPE = InstrumentationScope("kubectl-spy", __version__)


def otlp_value(value: JSON) -> bool | int | float | str:
    """Return *value* as an OTLP value; its integers have 64 bits."""
    match value:
        case bool() | float():
            return value
        case int():
            return value if -(1 << 63) <= value < 1 << 63 else str(value)
        case str():
            return utf8(value)
        case _:
            return utf8(dumps(value).decode())


_LATEST = 1 << 63  # of 64 bits, with some room


def utf8(text: str) -> str:
    """Return *text* with lone surrogates escaped: UTF-8 has none."""
    return text.encode("utf-8", "backslashreplace").decode()


def nanoseconds(time: float) -> int:
    """Return *time* to the microsecond, the precision of such a float.

    OTLP has 64 bits for it: later times than 2262 are cut.
    """
    return min(round(time * 1_000_000) * 1000, _LATEST)
