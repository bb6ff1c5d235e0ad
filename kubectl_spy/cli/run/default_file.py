"""Names the file of a `record` without -f."""

from __future__ import annotations

import re
from pathlib import Path
from time import localtime, strftime

_OTHERS = re.compile(r"[^A-Za-z0-9.-]+")  # a context may be a whole ARN
_FORMS = ("%Y%m%d-%H%M", "%Y%m%d-%H%M%S")


def default_file(context: str, namespace: str | None) -> str:
    """Return a new name in this directory: `kind-dev_shop_20261126-0312.spy`.

    Several in a minute also have the seconds.
    """
    named = [_OTHERS.sub("-", each).strip("-.") for each in (context, namespace or "")]
    before = "_".join(filter(None, named)) or "recording"
    now = localtime()
    short, long = (f"{before}_{strftime(form, now)}.spy" for form in _FORMS)
    return long if Path(short).exists() else short
