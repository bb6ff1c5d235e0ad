"""What OpenTelemetry's exporters read and write beside what they are told to."""

from __future__ import annotations

import logging
import os

from kubectl_spy.errors import UsageError
from kubectl_spy.render.inert import inert


def silence(*names: str) -> None:
    """Keep what the loggers with *names* have to say from the terminal.

    They log headers that they cannot parse, and addresses with all they hold.
    """
    for name in names:
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False


def check_certificates() -> None:
    """Look now for what would fail with each request.

    Raises:
        UsageError: a certificate that the environment names is not there.
    """
    for end in ("CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"):
        for start in ("OTEL_EXPORTER_OTLP_TRACES", "OTEL_EXPORTER_OTLP"):
            name = f"{start}_{end}"
            if path := os.environ.get(name):
                if not os.access(path, os.R_OK):
                    raise UsageError(
                        f"{name} names a file that cannot be read: {inert(path)}",
                        "correct or unset it",
                    )
                break
