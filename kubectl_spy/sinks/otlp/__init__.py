"""Spans and recordings to an OpenTelemetry collector, over OTLP."""
