"""Fetches recordings from Loki: docs/loki.md.

Lines are log records with labels. They are sorted as those of a collector's file are,
and kept while the command runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from math import ceil, inf
from typing import Any, NamedTuple

from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339, seconds
from kubectl_spy.errors import SpyError
from kubectl_spy.extras.otel.loki_client import LokiClient, TooLarge, TooLate
from kubectl_spy.extras.otel.otlp_file import LineStore, Span
from kubectl_spy.extras.otel.otlp_lines import PART, RECORDING, SEQ, Part, part
from kubectl_spy.render.values import byte_size
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import fetched
from kubectl_spy.terms import option, phrase

# What to ask Loki for.
#
# https://grafana.com/docs/loki/latest/query/log_queries/

LABELS = [name.replace(".", "_") for name in (RECORDING, SEQ, PART)]
"""These attributes of log records, as Loki names them."""
_NAME = re.compile("[A-Za-z0-9_.:-]+")


class Query(NamedTuple):
    """What to read: of one recording and of one namespace, or "" for all."""

    since: float
    until: float
    recording: str = ""
    namespace: str = ""
    object: str = ""  # the name of the one object
    most: int = 1 << 30  # bytes
    strict: bool = False  # whether each run that was before has to be known

    @property
    def logql(self) -> str:
        """The log query."""
        # Lines about the recording itself, and of cluster-wide objects, have none.
        place = self.namespace if _NAME.fullmatch(self.namespace) else ""
        within = f', k8s_namespace_name=~"({place})?"' if place else ""
        query = f'{{service_name="kubectl-spy"{within}}}'
        if re.fullmatch("[0-9a-f]+", self.recording):
            query += f' | {LABELS[0]}=~"{self.recording}.*"'
        if _NAME.fullmatch(self.object):
            # Loki 3.7 takes no "|NAME" for "none, or NAME".
            name = self.object.replace(".", "[.]")
            query += f' | k8s_object_name=~"({name})?"'
        return query


BEFORE = 3900.0  # seconds: whole objects come every hour, with HEADER
_NANO = 1_000_000_000
_FIRST_PAGE = 500  # lines
_MOST_LINES = 5000  # of a page: max_entries_limit_per_query by default
_PAGE = 1 << 20
"""Bytes of a page, about. Loki's parts exchange at most 4 MiB by default, and a query
with a larger answer hangs: grpc_server_max_recv_msg_size."""
_PATIENCE = (15.0, 30.0, 60.0)  # seconds for an answer; each time it is asked for less
_BEYOND = 100  # lines after the end, which show that the recorder lived on
_SOON = 60.0  # seconds after the end in which there are some, usually
_LATER = 1.0  # seconds that a log record may be later than its line
_SHORT = 1.0  # seconds in which lines are read where some are missing
_HEAD = re.compile(
    rb'\{"seq":[0-9]+,"time":"([^"]{27})","type":"([A-Z]+)",'
    rb'(?:"apiVersion":"[^"]*","kind":"([^"]*)",(?:"namespace":"[^"]*",)?"name":)?'
)


def fetch(
    client: LokiClient, query: Query, now: float, told: Callable[[int], None]
) -> tuple[str, float]:
    """Fetch what *query* asks for. Return the recording's name, and when it begins.

    *told* is called with the bytes that were read so far. Raises SpyError with the
    reason, and what to do.
    """
    name = client.name + (f"#{query.recording}" if query.recording else "")
    reader = _Reader(client, query, told)
    if reader.weight() > query.most:
        raise reader.too_much()
    store = LineStore(name)
    begin, end = query.since - BEFORE, query.until + _LATER
    held: tuple[tuple[int, float], ...] = ()
    for page in reader.pages(begin, end):
        store.keep(page)
    if not store.recordings():
        raise SpyError(
            f"{client.name} has no lines of kubectl spy from {_minute(begin)} to "
            f"{_minute(end)}",
            f"choose another time; check the tenant (LOKI_ORG_ID) and {option('-n')}"
            if not query.recording
            else "leave out what follows # to see which there are",
            code="not-found",
        )
    recording = store.chosen(query.recording)
    reader.whole = reader.whole._replace(recording=recording)
    asked = [reader.whole]
    if query.namespace or query.object:
        held = _prove(reader, store, recording, begin)
        asked.append(query)
    for after in (_SOON, BEFORE):
        beyond = [reader.beyond(each, end, min(now, end + after)) for each in asked]
        for page in beyond:
            store.keep(each for each in page if each.recording == recording)
        if numbers := [each.seq for each in beyond[0]]:
            held = (*held, (max(numbers) + 1, inf)) if held else ()
            break
    span = Span(
        since=query.since,
        until=inf if query.object else query.until,
        held=held,
        remedy=f"begin earlier with {option('--since')}",
    )
    fetched[name] = lambda: store.lines(recording, span)
    return name, Recording(name).began


def _prove(
    reader: _Reader, store: LineStore, recording: str, begin: float
) -> tuple[tuple[int, float], ...]:
    """Return which lines of *recording* are held, from *begin* on.

    An object has a version before its last line, so that is where it begins for one,
    unless the query is strict.
    Where lines are missing, those around them are stored.
    """
    query, end = reader.query, reader.query.until + _LATER
    since, until = rfc3339(query.since), rfc3339(end)
    of_object = query.object and not query.strict
    last: dict[str, tuple[str, int]] = {}
    begun: list[str] = []  # when runs began
    for place in store.lines(recording, Span(held=((0, inf),), until=end)):
        found = _HEAD.match(place.raw)
        if found is None:
            continue
        time, kind = found[1].decode(), found[3]
        if found[2] == b"RESUME" and time <= until:
            begun.append(time)
        elif of_object and kind and time <= since:
            last[kind.decode(errors="replace")] = time, place.number
    first = since if of_object else rfc3339(begin)
    start, seq = min(last.values(), default=(first, 0))
    bounds = [start, *(each for each in begun if each > start)]
    held: list[tuple[int, float]] = [(0, seq)]
    times = [*map(seconds, bounds), end]
    reader.query = reader.whole
    for run, next_run in pairwise(times):
        for begins, ends in _ranges(reader, store, run, next_run):
            held.append((max(begins, int(held[-1][1]) + 1), ends))
    reader.query = query
    return tuple(held)


def _ranges(
    reader: _Reader, store: LineStore, begin: float, end: float
) -> Iterator[tuple[int, int]]:
    """Yield the numbers of lines from and to which all are held, of one run.

    They are looked for in halves: what is around missing lines is stored.
    """
    if begin >= end:
        return
    try:
        ends, short = reader.held(begin, end), end - begin <= _SHORT
    except (SpyError, ValueError):
        ends, short = None, True
    if ends is not None:
        # They say from when to when lines are missing.
        store.keep(each for each in ends if each.total == 1)
        if ends:
            yield ends[0].seq, ends[-1].seq
    elif short:
        for page in reader.pages(begin, end):
            store.keep(page)
    else:
        middle = round((begin + end) / 2, 3)
        yield from _ranges(reader, store, begin, middle)
        yield from _ranges(reader, store, middle, end)


class _Reader:
    def __init__(
        self, client: LokiClient, query: Query, told: Callable[[int], None]
    ) -> None:
        self.query = query
        self._client = client
        self._told = told
        self.whole = query._replace(namespace="", object="")
        """The query of all lines."""

    def weight(self) -> int:
        """Return about how many bytes there are to read. Loki does not know always."""
        try:
            found = self._client.get(
                "index/stats",
                _PATIENCE[0],
                query=self.query.logql.partition(" | ")[0],
                start=_nanoseconds(self.query.since - BEFORE),
                end=_nanoseconds(self.query.until),
            )
        except SpyError:
            return 0  # an old Loki; if it is away, the pages will say so
        held = mapping(found).get("bytes")
        return held if type(held) is int else 0

    def held(self, begin: float, end: float) -> list[Part] | None:
        """Return the first and the last line from *begin* up to *end*, or [] for none.

        None if Loki has not each line between them once, also of those that are not
        asked for. Raises SpyError or ValueError if it does not count them.
        """
        recording, seq, cut = LABELS
        lines = f'{self.whole.logql} | {cut}=~"1?"'
        # A range excludes its beginning, includes its end, and is whole milliseconds.
        length = ceil(round((end - begin) * 1000, 3))
        until = _nanoseconds(end)
        since = until - length * 1_000_000
        asked = (
            f"sum by ({recording}) (count_over_time({lines} [{length}ms]))",
            f"sum by ({recording}) "
            f"(sum_over_time({lines} | unwrap {seq} [{length}ms]))",
        )
        # Loki reads all these lines for either number.
        with ThreadPoolExecutor(len(asked)) as threads:
            numbers = [threads.submit(self._sole, each, until - 1) for each in asked]
            ends = [
                *self._outermost(since, until, "forward"),
                *self._outermost(since, until, "backward"),
            ]
            if not ends:
                return []
            count, total = (each.result() for each in numbers)
        first, last = (each.seq for each in ends)
        if count != last - first + 1 or 2 * total != count * (first + last):
            return None
        return ends

    def _sole(self, query: str, at: int) -> float:
        """Return the one number that *query* gives. Raises ValueError or SpyError."""
        data = self._client.get("query", _PATIENCE[-1], query=query, time=at)
        (found,) = mappings(data, "result")
        _, value = list(found.get("value") or ())
        return float(value)

    def _outermost(self, since: int, until: int, direction: str) -> list[Part]:
        """Return the one line, if there is any. Raises SpyError."""
        return self._read(self.whole, since, until, 1, _PATIENCE[-1], direction)[1]

    def beyond(self, query: Query, begin: float, end: float) -> list[Part]:
        """Return some lines from *begin* on: they only show that it goes on."""
        if begin >= end:
            return []
        times = _nanoseconds(begin), _nanoseconds(end)
        with suppress(TooLarge):
            return self._read(query, *times, _BEYOND, _PATIENCE[-1])[1]
        return []

    def pages(self, begin: float, end: float) -> Iterator[list[Part]]:
        """Yield the lines from *begin* up to *end*, in pages."""
        at, last, limit = _nanoseconds(begin), _nanoseconds(end), _FIRST_PAGE
        patience = iter(_PATIENCE)
        wait = next(patience)
        while at < last:
            before = self._client.received
            try:
                times, page = self._read(self.query, at, last, limit, wait)
            except TooLarge as error:
                wait = next(patience, 0.0) if isinstance(error, TooLate) else wait
                if limit == 1 or not wait:
                    raise
                limit = max(1, limit // 4)
                continue
            patience = iter(_PATIENCE)
            wait = next(patience)
            yield page
            if len(times) < limit:
                return
            weight = self._client.received - before
            if max(times) > at:
                limit = min(limit * 2, limit * _PAGE // weight + 1, _MOST_LINES)
                # Others may have the time of the last one.
                at = max(times)
            elif limit < _MOST_LINES:
                limit = min(limit * 2, _MOST_LINES)
            else:
                raise SpyError(
                    f"{self._client.name} has more than {limit:,} lines of one moment",
                    "send recordings with this version of kubectl spy",
                )

    def _read(
        self,
        query: Query,
        begin: int,
        end: int,
        limit: int,
        wait: float,
        direction: str = "forward",
    ) -> tuple[list[int], list[Part]]:
        """Return the first *limit* lines from *begin* on, at most, or the last ones.

        These are the times of all, and those that are of a recording.
        """
        data = self._client.get(
            "query_range",
            wait,
            query=query.logql,
            start=begin,
            end=end,
            limit=limit,
            direction=direction,
        )
        self._told(self._client.received)
        if self._client.received > self.query.most:
            raise self.too_much()
        times: list[int] = []
        parts: list[Part] = []
        if text(data, "resultType") != "streams":
            raise SpyError(f"{self._client.name} gives no logs", "is this a Loki?")
        for stream in mappings(data, "result"):
            labels = mapping(stream, "stream")

            def attribute(name: str, labels: Any = labels) -> JSON:
                return labels.get(name.replace(".", "_"))

            for time, body in _entries(stream.get("values")):
                times.append(time)
                found = part(attribute, body)
                if found is not None:
                    parts.append(found)
        return times, parts

    def too_much(self) -> SpyError:
        """Return the error that more than the allowed bytes would be read."""
        query = self.query
        return SpyError(
            f"{self._client.name} has more than {byte_size(query.most)} from "
            f"{_minute(query.since - BEFORE)} to {_minute(query.until)}",
            f"begin later with {option('--since')}, end earlier with "
            f"{option('--until')}, or choose {option('-n')}"
            + phrase("at-a-shell", ", or allow more with --max-read"),
            code="too-much",
        )


def _entries(values: JSON) -> Iterator[tuple[int, str]]:
    for each in values if isinstance(values, list) else ():
        if isinstance(each, list) and len(each) >= 2:
            time, body = each[:2]
            if isinstance(time, str) and isinstance(body, str) and time.isdecimal():
                yield int(time[:19]), body


def _nanoseconds(time: float) -> int:
    return round(time * 1_000_000) * 1000


def _minute(time: float) -> str:
    return f"{rfc3339(time)[:16]}Z"
