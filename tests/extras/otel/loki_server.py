"""A Loki that gives the log records that it holds in pages, with faults."""

from __future__ import annotations

import json
import re
import ssl
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from email.message import Message
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from opentelemetry.sdk._logs import ReadableLogRecord

from tests.answering import Answer, Asked, answering


class Entry(NamedTuple):
    """A line as Loki holds it."""

    time: int
    labels: dict[str, str]
    body: str


class Query(NamedTuple):
    """A request."""

    path: str
    parameters: dict[str, str]
    headers: Message


class Loki:
    """Its *entries*; *faults* are the answers to the first queries for lines."""

    def __init__(self, entries: Sequence[Entry], faults: Sequence[Answer]) -> None:
        self.entries = list(entries)
        self.faults = list(faults)
        self.asked: list[Query] = []
        self.most = 5000  # max_entries_limit_per_query
        self.url = ""

    def pages(self) -> list[Query]:
        """Return the queries for lines."""
        return [each for each in self.asked if each.path.endswith("/query_range")]

    def much(self) -> set[str]:
        """Return the queries that asked for more than a few lines."""
        most = [each for each in self.pages() if int(each.parameters["limit"]) > 100]
        return {each.parameters["query"] for each in most}

    def answer(self, asked: Asked) -> Answer:
        parts = urlsplit(asked.path)
        path = parts.path
        given = {name: each[0] for name, each in parse_qs(parts.query).items()}
        self.asked.append(Query(path, given, asked.headers))
        if path.endswith("/index/stats"):
            held = self._among(given)
            return _success(bytes=sum(len(each.body) for each in held))
        if path.endswith("/query"):
            return _success(resultType="vector", result=self._number(given))
        if self.faults:
            return self.faults.pop(0)
        limit = int(given["limit"])
        if limit > self.most:
            return Answer(400, body=b"max entries limit per query exceeded")
        last = given["direction"] == "backward"
        held = sorted(self._among(given), key=lambda each: each.time, reverse=last)
        streams = [
            {"stream": each.labels, "values": [[str(each.time), each.body]]}
            for each in held[:limit]
        ]
        return _success(resultType="streams", result=streams[::-1])

    def _among(self, given: dict[str, str]) -> list[Entry]:
        """Return the entries in time that match the query."""
        begin, end = (int(given.get(name, 1 << 62)) for name in ("start", "end"))
        begin = 0 if begin == 1 << 62 else begin
        matchers = re.findall(r'(\w+)=~?"([^"]*)"', given["query"])
        return [
            each
            for each in self.entries
            if begin <= each.time < end
            and all(
                re.fullmatch(pattern, each.labels.get(label, ""))
                for label, pattern in matchers
            )
        ]

    def _number(self, given: dict[str, str]) -> list[dict[str, Any]]:
        query, end = given["query"], int(given["time"])
        within = re.search(r"\[(\d+)ms\]", query)  # Loki takes no ns
        assert within is not None
        begin = end - int(within[1]) * 1_000_000
        times = {"start": str(begin + 1), "end": str(end + 1)}
        held = self._among({"query": query.partition("[")[0], **times})
        numbers = [int(each.labels["kubectl_spy_seq"]) for each in held]
        number = sum(numbers) if "sum_over_time" in query else len(numbers)
        return [{"metric": {}, "value": [0, str(number)]}]


def _success(**data: Any) -> Answer:
    return Answer(body=json.dumps({"status": "success", "data": data}).encode())


def entries(records: Sequence[ReadableLogRecord]) -> list[Entry]:
    """Return log records as Loki keeps them."""
    held = []
    for each in records:
        record, given = each.log_record, each.resource.attributes
        labels = {**given, **(record.attributes or {})}
        text = {name.replace(".", "_"): str(value) for name, value in labels.items()}
        held.append(Entry(record.timestamp or 0, text, str(record.body)))
    return held


@contextmanager
def serving(
    held: Sequence[Entry], *faults: Answer, tls: ssl.SSLContext | None = None
) -> Iterator[Loki]:
    """Run a Loki that holds *held* on loopback."""
    loki = Loki(held, faults)
    with answering(loki.answer, tls=tls) as url:
        loki.url = f"loki+{url}"
        yield loki


def now() -> float:
    """Return the time, to the microsecond."""
    return round(time.time(), 6)
