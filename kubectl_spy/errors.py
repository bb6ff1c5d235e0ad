"""Everything that can go wrong in a way a person can act on, with its exit code.

Library exceptions become one of these in `sources` and `sinks`; the boundary prints
them as one line, what happened and then what to do, and never a traceback.
"""

from __future__ import annotations

from kubectl_spy.terms import option


class SpyError(Exception):
    """An expected failure: *message* says what happened, *remedy* what to do.

    *code* names what happened for a program, if the class is not enough.
    """

    exit_code = 1
    code = "failed"

    def __init_subclass__(cls, code: str = "") -> None:
        cls.code = code or cls.code

    def __init__(self, message: str, remedy: str = "", *, code: str = "") -> None:
        super().__init__(message)
        self.code = code or self.code
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}; {self.remedy}" if self.remedy else self.message


class Terminated(BaseException):
    """SIGTERM arrived, or SIGHUP: the terminal is gone. *number* is the signal's."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class UsageError(SpyError, code="usage"):
    """The command line cannot mean anything."""

    exit_code = 2


class TimedOut(SpyError, code="timed-out"):
    """The time that --timeout gave is over; *state* tells what was waited for."""

    exit_code = 124

    def __init__(self, state: str = "") -> None:
        super().__init__(f"the time given with {option('--timeout')} is over", state)


class Overdue(SpyError, code="overdue"):
    """Lists that --once needs do not come; *message* says how long it waited."""

    def __init__(self, message: str) -> None:
        super().__init__(message, f"give them longer with {option('--timeout')}")


class WaitFailed(SpyError):
    """What --for waits for cannot come any more."""


class NotServed(SpyError, code="not-served"):
    """The API server has no such resource type."""


class ConnectionFailed(SpyError, code="no-connection"):
    """The API server could not be reached, or its certificate not be trusted."""


class RequestRefused(SpyError, code="refused"):
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


class Unauthenticated(RequestRefused, code="unauthenticated"):
    """The API server did not accept the credentials (401)."""


class Forbidden(RequestRefused, code="forbidden"):
    """The API server refused the request for this user (403)."""
