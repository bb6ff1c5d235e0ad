"""Reads a recording with every command, in this process, and notes what each says."""

from __future__ import annotations

import io
import logging
import re
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from math import inf
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import click

from kubectl_spy.cli.main import cli
from kubectl_spy.core.jsontext import loads
from kubectl_spy.errors import SpyError
from kubectl_spy.extras.review.folds import Fold, SpansView, TreeView
from kubectl_spy.extras.review.pages import Pages
from kubectl_spy.extras.review.panes import ObjectsPane, VersionsPane
from kubectl_spy.extras.review.session import Session
from kubectl_spy.extras.serve.api_server.api import Api
from kubectl_spy.extras.serve.api_server.discovery import Discovery, discovery_documents
from kubectl_spy.extras.serve.api_server.exchange import Answer, Request
from kubectl_spy.extras.serve.recorded import Logs, RecordedCluster
from kubectl_spy.render.inert import inert
from kubectl_spy.render.palette import PLAIN
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.recording import Recording

PATIENCE = 20  # seconds for one command
_TABLE = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}

ALL = [
    *("ls FILE --verify", "ls FILE", "ls FILE -o json", "changes FILE"),
    *(f"changes --from FILE -o {each}" for each in ("short", "json", "yaml")),
    *("changes --from FILE -o jsonpatch", "changes --from FILE --full"),
    *("status --from FILE", "summary FILE", "summary FILE -o json --full"),
    *("blame --from FILE", "blame --from FILE -o json", "spans --from FILE -o json"),
    *("trace --from FILE", "trace --from FILE -o json", "events --from FILE"),
    *("events --from FILE -o json", "spans --from FILE", "export FILE -o html"),
    *("export FILE -o otlp-json", "diff FILE FILE"),
]
"""These read everything."""
ONE = [
    *(
        "show FILE OBJECT",
        "show FILE OBJECT --at first -o json",
        "diff FILE OBJECT first last",
    ),
    *("show FILE OBJECT --at last-5m", "diff FILE OBJECT first last -o semantic"),
    *("trace OBJECT --from FILE --at last-1m", "blame OBJECT --from FILE"),
    *("trace OBJECT --from FILE", "spans OBJECT --from FILE -o html -f OUT"),
    *("diff FILE OBJECT first+1s last -o yaml", "status OBJECT --from FILE --at last"),
]
"""These read what is needed for one object."""


class Said(NamedTuple):
    """What a command printed, and how it ended."""

    words: str
    code: int
    out: str
    err: str
    bug: str = ""  # where it failed, or ""


class Hang(BaseException):
    """A command takes too long."""


@contextmanager
def _bounded() -> Iterator[None]:
    def end(number: int, frame: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _bug_of(error: BaseException) -> str:
    """Return what *error* is, and the last places of ours that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [each for each in frames if "/kubectl_spy/" in each.filename][-2:]
    places = " < ".join(f"{Path(e.filename).name}:{e.lineno}" for e in reversed(ours))
    return f"{type(error).__name__} at {places}: {str(error)[:90]}"


def run(words: str, file: Path, name: str = "", namespace: str | None = None) -> Said:
    """Run a command in this process. OBJECT in *words* stands for *name*."""
    # They are strict, as a terminal with a usual locale is.
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    stand = {"FILE": str(file), "OBJECT": name, "OUT": f"{file}.html"}
    argv = [stand.get(word, word) for word in words.split()]
    argv += ["-n", namespace] if namespace else []
    terminal, code, bug = Terminal(out, err), 0, ""
    try:
        with _bounded(), cli.make_context("spy", argv, obj=terminal) as context:
            cli.invoke(context)
    except SpyError as error:
        code = error.exit_code
        terminal.say(f"error: {inert(str(error))}")
    except click.exceptions.Exit as ended:
        code = ended.exit_code
    except click.ClickException as error:
        code = error.exit_code
        terminal.say(f"error: {inert(error.format_message())}")
    except (Hang, Exception) as error:
        code, bug = 3, _bug_of(error)
    return Said(words, code, _text(out), _text(err), bug)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    stream.reconfigure(errors="surrogateescape")
    return stream.read()


class Indexed(NamedTuple):
    """What `review` and `serve` make of a recording."""

    damages: list[str]
    missed: bool  # whether a replay finds more: the index opens no documents
    objects: set[tuple[str, str, str]]
    """The group, kind, namespace and name of each object that is listed."""
    there: int | None  # objects that are served at the end, if that is known
    said: list[Said]


def indexed(file: Path) -> Indexed:
    """Read *file* as `review` and `serve` do, without a terminal or a socket."""
    said: list[Said] = []
    damages: list[str] = []
    objects: set[tuple[str, str, str]] = set()
    there: int | None = None
    missed = False
    try:
        with _bounded(), closing(Index(str(file))) as index:
            index.grow(inf)
            damages = [str(each) for each in index.recording.damages if not each.torn]
            replayed = Recording(str(file))
            for _ in replayed:
                pass
            missed = not {*replayed.damages} <= {*index.recording.damages}
            objects = {
                (each.kind, each.namespace or "", each.name)
                for number, each in enumerate(index.subjects)
                if each.name and index.counts[number]
            }
            said.append(Said("review", 0, "\n".join(_reviewed(index)), ""))
            there, bodies = _served(index)
            said.append(Said("serve", 0, "\n".join(bodies), ""))
    except SpyError as error:
        said.append(Said("review", 1, "", f"error: {inert(str(error))}"))
    except (Hang, Exception) as error:
        said.append(Said("review", 3, "", "", _bug_of(error)))
    return Indexed(damages, missed, objects, there, said)


def _reviewed(index: Index) -> Iterator[str]:
    """Yield what the panes of a review show of each object and each version."""
    session = Session(index)
    while session.grow(inf):
        pass
    pages = Pages(index, PLAIN, lambda: 80)
    panes = ObjectsPane(session, print), VersionsPane(session, pages, print)
    for number in range(min(len(session.objects), 20)):
        yield panes[0].row(number).plain
    trees, bars = (Fold(index, _view(each)) for each in (TreeView, SpansView))
    for subject in session.objects[:20]:
        session.subject = subject
        lines = session.versions(subject)
        for number, line in enumerate(lines[-4:]):
            yield panes[1].row(number).plain
            yield from pages.change(line, full=True)
            yield from pages.document(line)
            yield from pages.difference(lines[0], line)
            yield pages.command(line)
            yield pages.comparison(lines[0], line)
        for fold in (trees, bars):
            page = fold.page(subject, len(index) - 1, inf, width=80, full=True)
            yield from page.lines if not isinstance(page, int) else ()
    for line in range(len(index)):
        yield from pages.notices(line)


def _view(kind: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda scope: kind(scope, palette=PLAIN)


def _served(index: Index) -> tuple[int | None, list[str]]:
    """Return how many objects are served at the end, and the answers of the server."""
    recorded = RecordedCluster(index)
    for line in range(0, len(index), 7):
        recorded.seek(line)
    recorded.seek(len(index) - 1)
    discovery = Discovery(discovery_documents(recorded.resources, {"pods": ["log"]}))
    api = Api(recorded.cluster, discovery, on_watch=lambda *_: None, now=lambda: 1.8e9)
    Logs(index)
    there, bodies = 0, list[str]()
    for path in {each.path(None): None for each in recorded.resources}:
        whole = api.respond(Request("GET", path))
        table = api.respond(Request("GET", path, _TABLE))
        if not (isinstance(whole, Answer) and isinstance(table, Answer)):
            continue
        if whole.status != 200:
            return None, bodies  # no URL leads to a type of that name
        bodies += [each.body.decode() for each in (whole, table)]
        there += len(dict(loads(whole.body)).get("items", ()))
    return there, bodies


class _Logged(logging.Handler):
    """Fails where a library would print a traceback to standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        raise RuntimeError(f"logged: {record.getMessage()}")


@contextmanager
def listening() -> Iterator[None]:
    """Let what a library logs count as a bug."""
    handler = _Logged(logging.WARNING)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


SAFE = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Characters that no output has. The escapes of Python decode bytes to surrogates."""
