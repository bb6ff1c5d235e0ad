"""The flags of `record`: the file to record to, and its segments."""

from __future__ import annotations

from kubectl_spy.cli.completing.words import files
from kubectl_spy.cli.options import (
    awaited_by,
    debug,
    otlp,
    owned_too,
    secrets,
    since,
    switch,
    timeout,
    together,
    value,
    watch,
)
from kubectl_spy.cli.params import DURATION, SIZE

recorded = together(
    value(
        "-f --file record FILE",
        "The recording. By default CONTEXT_NAMESPACE_TIME.spy.",
        files,
    ),
    otlp("--otlp lines_to URL", "Send the recording"),
    value(
        "--snapshots TIME",
        "With --otlp: send all objects whole at this interval, by default 1h.",
        type=DURATION,
    ),
    value(
        "--resume FILE",
        "With --otlp and without -f: note in FILE what was delivered, and continue "
        "from there.",
        files,
    ),
    value(
        "--metrics-bind-address ADDRESS",
        "Serve /metrics for Prometheus, /livez and /readyz at this address: "
        "127.0.0.1:8080, or :8080 for all addresses.",
    ),
    owned_too,
    since,
    switch("--append", "Continue FILE if it exists."),
    value("--max-size SIZE", "Begin a new segment at this size: 100M, 1Gi.", type=SIZE),
    value("--max-age TIME", "Begin a new segment after this time: 1h.", type=DURATION),
    value(
        "--keep TIME",
        "Keep only the last part, at least this long: 30m.",
        type=DURATION,
    ),
    secrets,
    value(
        "--mask-key-file FILE",
        "Use the 32 bytes in FILE as the masking key, to compare tags of several runs.",
        files,
    ),
    awaited_by("--stop-on", "any target meets it"),
    value(
        "--after TIME",
        "With --stop-on: go on for this long, by default 1m.",
        type=DURATION,
    ),
    timeout,
    watch,
    debug,
)
