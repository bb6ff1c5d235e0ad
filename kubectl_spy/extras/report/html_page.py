"""An HTML page, which needs nothing but a browser.

It holds text that anyone in the cluster may have written, and pages opened from a disk
may do more than others. So it loads nothing, and its Content-Security-Policy has the
hashes of all that it runs.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from functools import cache
from importlib import resources

from kubectl_spy.render.inert import inert


def page_of(name: str, *, title: str, body: str) -> str:
    """Return the page with *body*, which is HTML, and the style and script of *name*.

    *title* is text.
    """
    style = _part("colours.css") + _part(f"{name}.css")
    script = _part(f"{name}.js")
    return filled(
        "shell.html",
        title=escaped(title),
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        body=body,
    )


def filled(name: str, **contents: str) -> str:
    """Return the template *name* with *contents*, which are HTML.

    In one pass: the contents may hold a placeholder, too.
    """
    return re.sub(r"\{\{([a-z_]+)\}\}", lambda found: contents[found[1]], _part(name))


def escaped(text: str) -> str:
    """Return *text* as HTML, for an element or a quoted attribute."""
    return html.escape(inert(text))


def _hash(text: str) -> str:
    """Return the hash that lets *text* run: https://www.w3.org/TR/CSP3/#source-lists"""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


@cache
def _part(name: str) -> str:
    part = resources.files("kubectl_spy.extras.report") / "pages" / name
    return part.read_text(encoding="utf-8")
