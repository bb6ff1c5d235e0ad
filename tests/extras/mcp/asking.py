"""Ask `kubectl spy mcp` as an assistant does: with the SDK's client, over stdio."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

import anyio
from mcp import Client, StdioServerParameters

from tests.cli.command import MODULE, PATIENCE, Spy
from tests.processes import leashed

Mode = Literal["auto", "legacy"]
Call = tuple[str, dict[str, Any]]
_CURSOR = re.compile(r'\n… .* more: call more with "(.+)"$')


class Told(NamedTuple):
    """The result of a call."""

    text: str
    failed: bool
    records: list[Any] | None
    code: str = ""


@asynccontextmanager
async def connected(
    spy: Spy, *flags: str, cwd: Path | None = None, mode: Mode = "auto"
) -> AsyncIterator[Client]:
    """Give a client of a server with *flags*, in the home of *spy*."""
    command, *words = leashed([*MODULE, "mcp", *flags])
    server = StdioServerParameters(
        command=command, args=words, env=spy.environ, cwd=cwd or spy.home
    )
    async with Client(server, mode=mode) as client:
        yield client


async def told(client: Client, name: str, arguments: dict[str, Any]) -> Told:
    """Return what the tool *name* answers."""
    result = await client.call_tool(name, arguments)
    (content,) = result.content
    assert content.type == "text"
    more = result.structured_content or {}
    told = content.text, result.is_error, more.get("records"), more.get("code", "")
    assert bool(told[-1]) == result.is_error and told[-1] != "bug"
    return Told(*told)


async def all_pages(client: Client, name: str, arguments: dict[str, Any]) -> list[str]:
    """Return the pages of an answer."""
    pages = [(await told(client, name, arguments)).text]
    while found := _CURSOR.search(pages[-1]):
        pages[-1] = pages[-1][: found.start()]
        pages.append((await told(client, "more", {"cursor": found[1]})).text)
    return pages


def ask(spy: Spy, *calls: Call, flags: tuple[str, ...] = ()) -> list[Told]:
    """Return what one server with *flags* answers to *calls*, one after the other."""

    async def asked() -> list[Told]:
        with anyio.fail_after(PATIENCE):
            async with connected(spy, *flags) as client:
                return [await told(client, *call) for call in calls]

    return anyio.run(asked)
