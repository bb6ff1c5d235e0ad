"""Spans to an OpenTelemetry collector, over OTLP."""
