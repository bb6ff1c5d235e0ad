"""Answers calls of tools with commands, and gives what they print in pages.

Each command runs in a process of its own. So a call can be cancelled at any moment, and
has a time and a size that it cannot exceed.
"""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from subprocess import DEVNULL
from typing import Any, NamedTuple

import anyio
import anyio.to_thread
from anyio.abc import ByteReceiveStream, Process
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from kubectl_spy.cli.run.this_program import this_program
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError, TimedOut, UsageError
from kubectl_spy.extras.mcp.recordings import Place, Recordings
from kubectl_spy.extras.mcp.tools import A_TARGET, TOOLS, Tool, terms_of, words_of
from kubectl_spy.render.inert import inert
from kubectl_spy.terms import Terms

# A command for each call.

_LONGEST_ANSWER = 1_000_000  # bytes of an answer
_LONGEST_SAID = 20_000  # bytes on standard error
_AT_ONCE = 4  # processes
_PATIENCE = 2.0  # seconds for a process to end


@dataclass
class Answer:
    """What a command printed. *code* is None if it took too long.

    *said* are the lines of standard error, after the code of an error or "".
    """

    code: int | None = None
    text: str = ""
    said: list[tuple[str, str]] = field(default_factory=list)
    cut: bool = False  # whether it printed more


class Calls:
    """Starts commands in *directory*, which is empty: no word can name a file in it."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._environ = _environ(os.environ)
        self._turn = anyio.Semaphore(_AT_ONCE)
        self._running: set[Process] = set()

    async def run(self, words: Sequence[str], limit: float, terms: Terms) -> Answer:
        """Run our program with the arguments *words*, for at most *limit* seconds.

        Its messages use *terms*. If this is cancelled, the program is ended.
        """
        async with self._turn:
            process = await anyio.open_process(
                [*this_program(), "__tool", json.dumps(terms._asdict()), *words],
                stdin=DEVNULL,
                cwd=self._directory,
                env=self._environ,
            )
            self._running.add(process)
            try:
                return await _read(process, limit)
            finally:
                with anyio.CancelScope(shield=True):
                    await _stop(process)
                self._running.discard(process)

    def stop(self) -> None:
        """End all commands, without waiting for it."""
        for process in self._running:
            if process.returncode is None:
                process.terminate()


async def _read(process: Process, limit: float) -> Answer:
    answer = Answer()

    async def read_text() -> None:
        raw, answer.cut = await _start_of(process.stdout, _LONGEST_ANSWER)
        answer.text = raw.decode("utf-8", "replace")
        if answer.cut:
            group.cancel_scope.cancel()

    async def read_notes() -> None:
        raw, _ = await _start_of(process.stderr, _LONGEST_SAID)
        answer.said = list(map(_message, raw.decode("utf-8", "replace").splitlines()))

    with anyio.move_on_after(limit):
        async with anyio.create_task_group() as group:
            group.start_soon(read_text)
            group.start_soon(read_notes)
        answer.code = 0 if answer.cut else await process.wait()
    return answer


def _message(line: str) -> tuple[str, str]:
    try:
        code, text = json.loads(line)
    except (TypeError, ValueError):  # of Python itself, or cut off
        return "", line
    return code, text


async def _start_of(stream: ByteReceiveStream | None, most: int) -> tuple[bytes, bool]:
    """Return at most *most* bytes of *stream*, and whether there are more."""
    read = b""
    assert stream is not None
    async for chunk in stream:
        read += chunk
        if len(read) > most:
            return read[:most], True
    return read, False


async def _stop(process: Process) -> None:
    if process.returncode is None:
        process.terminate()
        with anyio.move_on_after(_PATIENCE):
            await process.wait()
    if process.returncode is None:
        process.kill()
    await process.aclose()


def _environ(environ: Mapping[str, str]) -> dict[str, str]:
    """Return *environ* for another directory. Its paths may be relative."""
    changed = {"PYTHONUTF8": "1"}
    for name in ("KUBECONFIG", "KUBECTL_SPY_KNOWLEDGE"):
        paths = filter(None, environ.get(name, "").split(os.pathsep))
        absolute = os.pathsep.join(str(Path(each).absolute()) for each in paths)
        changed |= {name: absolute} if absolute else {}
    return {**environ, **changed}


# Long answers, a page at a time.

_LINES = 60
_CHARACTERS = 4_000
_KEPT = 16  # answers


class Pages:
    """The last answers that were longer than a page."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, str] = OrderedDict()
        self._made = 0

    def first(self, text: str) -> str:
        """Return the first page of *text*, and how to see the next one."""
        self._made += 1
        self._kept[self._made] = text
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return self._page(self._made, 0)

    def more(self, cursor: str) -> str:
        """Return the page at *cursor*. Raises SpyError if it is not kept any more."""
        number, start = map(int, cursor.split(":"))
        if start >= len(self._kept.get(number, "")):
            what = f"there is no page {cursor}"
            raise SpyError(what, "call the tool again", code="not-found")
        return self._page(number, start)

    def _page(self, number: int, start: int) -> str:
        text = self._kept[number]
        page = text[start : start + _CHARACTERS]
        lines = page.split("\n", _LINES)
        if len(lines) > _LINES:
            page = page[: len(page) - len(lines[-1])]
        elif start + len(page) < len(text):
            whole = page.rfind("\n") + 1
            page = page[:whole] if whole > _CHARACTERS // 2 else page
        end = start + len(page)
        if end == len(text):
            return page
        shown = page.removesuffix("\n")
        left = many(text.count("\n", end) + 1, "line")
        return f'{shown}\n… {left} more: call more with "{number}:{end}"'


_PLACES = ("recording", "other")
_TIMES = ("at", "from", "to")
_LONGEST_NAME = 255  # bytes of a file's name, of all file systems in use
_LONGEST_VALUE = 200  # characters of an argument in a message
_MOST_NOTES = 12
_MOST_RECORDS = 16_000  # characters of JSON that is also structured content
_GRACE = 5.0  # seconds after which a command that does not end by itself is ended
_WITH_POINTS = "give from and to, or a second recording as other"
_NO_POINTS = "leave out from and to"
_BY_NAME = {tool.name: tool for tool in TOOLS}


class Reply(NamedTuple):
    """The text of an answer, all its records if it is short JSON, and why it failed."""

    text: str
    records: list[Any] | None = None
    code: str = ""


Report = Callable[[float, float | None, str], Awaitable[None]]
"""Tells the client how far a call is: seconds, out of how many, and of what."""


class Answering:
    """Answers with commands on the cluster that the flags *connection* choose.

    Each may take *limit* seconds, and shows logs only with *logs*.
    """

    def __init__(
        self,
        calls: Calls,
        recordings: Recordings,
        connection: Sequence[str],
        *,
        limit: float,
        logs: bool,
    ) -> None:
        self._calls = calls
        self._recordings = recordings
        self._connection = connection
        self._limit = limit
        self._logs = logs
        self._pages = Pages()

    async def answer(
        self, name: str, arguments: Mapping[str, Any], report: Report
    ) -> Reply:
        """Return the reply to a call of the tool *name*. Raises SpyError.

        *report* is called each second while its command runs.
        """
        tool = _BY_NAME.get(name)
        if tool is None:
            known = ", ".join(_BY_NAME)
            raise UsageError(f"there is no tool {name}", f"known: {known}")
        _check(tool, arguments)
        if name == "more":
            return Reply(self._pages.more(arguments["cursor"]))
        if name == "list_recordings":
            listed = await anyio.to_thread.run_sync(self._recordings.listed)
            return Reply(self._pages.first(listed))
        given = dict(arguments)
        for each, schema in tool.properties.items():
            if "default" in schema:
                given.setdefault(each, schema["default"])
        limit = self._limit + given.get("seconds", 0) + _GRACE
        places = [await self._place(given, each) for each in _PLACES if each in given]
        words = self._words(tool, given)
        async with anyio.create_task_group() as group:
            group.start_soon(_tell, report, name, given.get("seconds"))
            answer = await self._calls.run(words, limit, terms_of(tool, places))
            group.cancel_scope.cancel()
        if answer.code is None:
            raise SpyError(
                f"there was no answer within {self._limit:g}s",
                "ask for less: one object, or a shorter time",
                code=TimedOut.code,
            )
        return self._reply(answer, watched="seconds" in tool.properties)

    async def _place(self, given: dict[str, Any], each: str) -> Place:
        """Put an argument for the command in the place of the recording *each*."""
        place = await anyio.to_thread.run_sync(self._recordings.place, given[each])
        given[each] = place.argument
        return place

    def _words(self, tool: Tool, given: Mapping[str, Any]) -> list[str]:
        more = list[str]()
        if "recording" not in given:
            if "target" not in given:
                raise UsageError("without a recording, target is needed", A_TARGET)
            for at in _TIMES:
                if at in given:
                    raise UsageError(f"{at} is for recordings", "name a recording, too")
            more += self._connection
            if "seconds" not in given:
                more.append(f"--timeout={self._limit:g}")
        if tool.logs and not self._logs:
            more.append("--logs=false")
        command, *words = words_of(tool, given)
        return [command, *more, *words]

    def _reply(self, answer: Answer, *, watched: bool) -> Reply:
        ended = (0, TimedOut.exit_code) if watched else (0,)
        failed = answer.code not in ended
        said = [each for each in answer.said if failed or each[0] != TimedOut.code]
        notes = _notes(said)
        if failed and not notes:
            notes = [f"the command ended with the code {answer.code}"]
        code = next((code for code, _ in said if code), SpyError.code)
        if answer.cut:
            notes.append(f"only the first {len(answer.text):,} characters are here")
        records = None if failed else _records(answer.text)
        body = answer.text.rstrip("\n") or ("" if failed else "nothing to show")
        text = "\n\n".join(filter(None, ("\n".join(notes), body)))
        return Reply(self._pages.first(text), records, code if failed else "")


async def _tell(report: Report, name: str, seconds: int | None) -> None:
    """Report each second, out of *seconds* if it is known how many there are."""
    for passed in count(1):
        await anyio.sleep(1)
        # A call that waits for others ends later.
        total = max(seconds, passed) if seconds else None
        await report(passed, total, f"{name} has run for {passed} s")


def _check(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Raise SpyError if *arguments* do not fit the schema of *tool*."""
    error = best_match(Draft202012Validator(tool.schema).iter_errors(dict(arguments)))
    if error is not None:
        message = error.message
        if error.validator == "pattern":
            message = f"{error.instance!r} is none. {error.schema['description']}"
        elif error.validator == "additionalProperties":
            message += f"; it takes {', '.join(tool.properties)}"
        where = ".".join(map(str, error.absolute_path))
        what = inert(f"{where}: {message}" if where else message)
        what = what if len(what) <= _LONGEST_VALUE else f"{what[:_LONGEST_VALUE]}…"
        raise UsageError(f"bad arguments of {tool.name}: {what}")
    for name, value in arguments.items():
        # No command line has a NUL, and no file system longer names.
        values = value if isinstance(value, list) else [value]
        if any("\0" in each for each in values if isinstance(each, str)):
            raise UsageError(f"bad arguments of {tool.name}: {name} holds a NUL")
        size = len(value.encode(errors="surrogatepass")) if name in _PLACES else 0
        if size > _LONGEST_NAME:
            raise UsageError(f"bad arguments of {tool.name}: {name} is too long")
    of_cluster = "other" not in tool.properties and "recording" not in arguments
    if of_cluster and "from" in arguments:
        raise UsageError("from is a time of a recording", "name a recording, too")
    if "other" in tool.properties:
        points = arguments.keys() & {"from", "to"}
        if "other" in arguments and points:
            raise UsageError("two recordings are compared at their ends", _NO_POINTS)
        if "other" not in arguments and len(points) < 2:
            raise UsageError("one recording is compared at two points", _WITH_POINTS)


def _notes(said: Sequence[tuple[str, str]]) -> list[str]:
    """Return what a command *said*, the error first."""
    errors = [line for code, line in said if code]
    others = [line for code, line in said if not code]
    left = len(others) - _MOST_NOTES
    return [*errors, *others[:_MOST_NOTES], *([f"… {left} more"] if left > 0 else [])]


def _records(text: str) -> list[Any] | None:
    """Return what the lines of *text* are if each is a JSON object, or None."""
    if not text.startswith("{") or len(text) > _MOST_RECORDS:
        return None
    try:
        return [json.loads(line) for line in text.splitlines()]
    except ValueError:
        return None
