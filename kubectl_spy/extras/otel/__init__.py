"""Spans and recordings to and from OpenTelemetry: OTLP, its files, and Loki."""
