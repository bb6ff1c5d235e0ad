"""Spans to an OpenTelemetry collector, over OTLP/HTTP.

`exporter` is what commands use; it imports opentelemetry only when it is made.
"""
