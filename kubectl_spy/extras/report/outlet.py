"""Write an exported document to a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path

from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.private_files import check_private, replacing
from kubectl_spy.sinks.terminal import Terminal


@contextmanager
def writing_to(
    name: str | None, recording: str, terminal: Terminal
) -> Iterator[Terminal]:
    """Give a terminal whose standard output is the file *name*, if there is a name.

    The file is there as a whole or not at all. Of a damaged recording it has what could
    be read. Raises SpyError if it cannot be written, or is the *recording* itself.
    """
    if name is None or name == "-":
        yield terminal
        return
    if os.path.realpath(name) == os.path.realpath(recording):
        raise UsageError("-f and the recording name the same file", "choose another")
    path, damage = Path(name), None
    check_private(path)
    try:
        with replacing(path) as raw:
            text = TextIOWrapper(raw, encoding="utf-8", newline="")
            outlet = Terminal(text, sys.stderr)
            outlet.stdout_name = name
            try:
                yield outlet
            except SpyError as error:
                if error.code != "damaged":
                    raise
                damage = error
            finally:
                text.detach()
    except OSError as error:
        raise SpyError(f"cannot write {name}: {error.strerror or error}") from None
    terminal.say(f"wrote {name}")
    if damage is not None:
        raise damage
