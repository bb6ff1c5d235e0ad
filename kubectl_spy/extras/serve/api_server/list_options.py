"""The parameters of lists and watches, and what may go together.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/apimachinery/pkg/apis/meta/internalversion/validation/validation.go
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.exchange import (
    DIGITS,
    Refused,
    failure,
    is_true,
    parse_number,
)

_MATCH = "resourceVersionMatch"
_EXACT, _NOT_OLDER = "Exact", "NotOlderThan"
_WITH_CONTINUE = f"{_MATCH} is forbidden when continue is provided"


@dataclass(frozen=True, slots=True)
class ListOptions:
    """What a list or a watch asks for, but for its selectors."""

    limit: int
    token: str  # the continue token
    version: str  # the resourceVersion, as it was given
    match: str
    send_initial: bool | None  # None: it was not said
    bookmarks: bool
    timeout: int  # seconds; 0 without one

    @property
    def exact(self) -> bool:
        """Whether a list is to be as it was at the resourceVersion.

        Without a match, a limit means so.
        """
        if self.match == "" and self.version not in ("", "0") and not self.token:
            return self.limit > 0
        return self.match == _EXACT

    @property
    def revision(self) -> int:
        """The resourceVersion as a number, 0 without one. Raises Refused."""
        return parse_revision(self.version, "invalid resource version: ")


def list_options(query: Mapping[str, str], *, watches: bool) -> ListOptions:
    """Return the options in *query*. Raises Refused if they are invalid."""
    send = query.get("sendInitialEvents")
    options = ListOptions(
        limit=parse_number(query.get("limit", "")),
        token=query.get("continue", ""),
        version=query.get("resourceVersion", ""),
        match=query.get(_MATCH, ""),
        send_initial=None if send is None else is_true(send),
        bookmarks=is_true(query.get("allowWatchBookmarks")),
        timeout=parse_number(query.get("timeoutSeconds", "")),
    )
    causes = _of_watch(options) if watches else _of_list(options)
    if causes:
        raise _invalid(causes)
    return options


def parse_revision(version: str, prefix: str = "", status: int = 400) -> int:
    """Return a resourceVersion as a number, 0 without one, or raise Refused."""
    is_number = version.isascii() and version.isdecimal()
    if version and not (is_number and len(version) <= DIGITS):
        why = "value out of range" if is_number else "invalid syntax"
        message = (
            f'{prefix}resourceVersion: Invalid value: "{version}": strconv.ParseUint:'
            f' parsing "{version}": {why}'
        )
        raise failure(status, "BadRequest" if status == 400 else "", message)
    return int(version or 0)


def _of_list(options: ListOptions) -> list[JSON]:
    causes = []
    if options.match:
        if not options.version:
            reason = f"{_MATCH} is forbidden unless resourceVersion is provided"
            causes.append(_forbidden(_MATCH, reason))
        if options.token:
            causes.append(_forbidden(_MATCH, _WITH_CONTINUE))
        if options.match not in (_EXACT, _NOT_OLDER):
            causes.append(_unsupported(options.match, _EXACT, _NOT_OLDER, ""))
        if options.match == _EXACT and options.version == "0":
            reason = f'{_MATCH} "exact" is forbidden for resourceVersion "0"'
            causes.append(_forbidden(_MATCH, reason))
    if options.send_initial is not None:
        reason = "sendInitialEvents is forbidden for list"
        causes.append(_forbidden("sendInitialEvents", reason))
    return causes


def _of_watch(options: ListOptions) -> list[JSON]:
    causes = []
    sends = options.send_initial is not None
    if sends and options.match != _NOT_OLDER:
        reason = f"sendInitialEvents requires setting {_MATCH} to {_NOT_OLDER}"
        causes.append(_forbidden(_MATCH, reason))
    if options.match:
        if not sends:
            reason = (
                f"{_MATCH} is forbidden for watch unless sendInitialEvents is provided"
            )
            causes.append(_forbidden(_MATCH, reason))
        if options.match != _NOT_OLDER:
            causes.append(_unsupported(options.match, _NOT_OLDER))
        if options.token:
            causes.append(_forbidden(_MATCH, _WITH_CONTINUE))
    return causes


def _forbidden(field: str, reason: str) -> JSON:
    message = f"Forbidden: {reason}"
    return {"reason": "FieldValueForbidden", "message": message, "field": field}


def _unsupported(value: str, *supported: str) -> JSON:
    known = ", ".join(f'"{each}"' for each in supported)
    message = f'Unsupported value: "{value}": supported values: {known}'
    return {"reason": "FieldValueNotSupported", "message": message, "field": _MATCH}


def _invalid(causes: list[JSON]) -> Refused:
    said = [f"{each['field']}: {each['message']}" for each in causes]
    what = said[0] if len(said) == 1 else f"[{', '.join(said)}]"
    details = {"group": "meta.k8s.io", "kind": "ListOptions", "causes": causes}
    message = f'ListOptions.meta.k8s.io "" is invalid: {what}'
    return failure(422, "Invalid", message, details)
