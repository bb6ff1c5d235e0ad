"""Everything that can go wrong in a way a person can act on, with its exit code.

Library exceptions become one of these in `sources` and `sinks`; the boundary prints
them as one line, what happened and then what to do, and never a traceback.
"""

from __future__ import annotations


class SpyError(Exception):
    """An expected failure: *message* says what happened, *remedy* what to do."""

    exit_code = 1

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}; {self.remedy}" if self.remedy else self.message


class Terminated(BaseException):
    """SIGTERM arrived, or SIGHUP: the terminal is gone. *number* is the signal's."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class UsageError(SpyError):
    """The command line cannot mean anything."""

    exit_code = 2


class TimedOut(SpyError):
    """The time that --timeout gave is over; *state* tells what was waited for."""

    exit_code = 124

    def __init__(self, state: str = "") -> None:
        super().__init__("the time given with --timeout is over", state)


class Overdue(SpyError):
    """Lists that --once needs do not come; *message* says how long it waited."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "give them longer with --timeout")


class WaitFailed(SpyError):
    """What --for waits for cannot come any more."""


class NotServed(SpyError):
    """The API server has no such resource type."""


class ConnectionFailed(SpyError):
    """The API server could not be reached, or its certificate not be trusted."""


class RequestRefused(SpyError):
    """The API server answered with an error status.

    *status* is the HTTP status (or the code of a Status object in a stream), *reason*
    the API's machine-readable reason ("Expired", "Forbidden", ""), *retry_after* the
    seconds the server asked us to wait, if it did.
    """

    def __init__(
        self,
        message: str,
        remedy: str = "",
        *,
        status: int,
        reason: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, remedy)
        self.status = status
        self.reason = reason
        self.retry_after = retry_after


class Unauthenticated(RequestRefused):
    """The API server did not accept the credentials (401)."""


class Forbidden(RequestRefused):
    """The API server refused the request for this user (403)."""
