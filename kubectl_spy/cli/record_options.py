"""The flags of `record`."""

from __future__ import annotations

from kubectl_spy.cli import options
from kubectl_spy.cli.completing import words
from kubectl_spy.cli.options import F
from kubectl_spy.cli.params import Duration, Size


def recorded(command: F) -> F:
    """Add the flags that choose the file to record to, and its segments."""
    return options.stacked(
        command,
        options.value(
            "-f --file record FILE",
            "The recording. By default CONTEXT_NAMESPACE_TIME.spy.",
            words.files,
        ),
        options.otlp("--otlp lines_to URL", "Send the recording"),
        options.value(
            "--snapshots TIME",
            "With --otlp: send all objects whole at this interval, by default 1h.",
            type=Duration(),
        ),
        options.value(
            "--resume FILE",
            "With --otlp and without -f: note in FILE what was delivered, and continue "
            "from there.",
            words.files,
        ),
        options.value(
            "--metrics-bind-address ADDRESS",
            "Serve /metrics for Prometheus, /livez and /readyz at this address: "
            "127.0.0.1:8080, or :8080 for all addresses.",
        ),
        options.owned_too,
        options.since,
        options.switch("--append", "Continue FILE if it exists."),
        options.value(
            "--max-size SIZE",
            "Begin a new segment at this size: 100M, 1Gi.",
            type=Size(),
        ),
        options.value(
            "--max-age TIME",
            "Begin a new segment after this time: 1h.",
            type=Duration(),
        ),
        options.value(
            "--keep TIME",
            "Keep only the last part, at least this long: 30m.",
            type=Duration(),
        ),
        options.secrets,
        options.redact,
        options.value(
            "--mask-key-file FILE",
            "Use the 32 bytes in FILE as the masking key, to compare tags of several "
            "runs.",
            words.files,
        ),
        options.awaited_by("--stop-on", "any target meets it"),
        options.value(
            "--after TIME",
            "With --stop-on: go on for this long, by default 1m.",
            type=Duration(),
        ),
        options.timeout,
        options.watch,
        options.debug,
    )
