"""Everything that can go wrong in a way a person can act on.

    SpyError                exit 1   the cluster, a file or an awaited condition said no
    ├── UsageError          exit 2   the command line cannot mean anything
    ├── ConnectionFailed    exit 1   no answer from the API server, or no trust in it
    ├── Unauthenticated     exit 1   the server does not know who we are (401)
    ├── Forbidden           exit 1   the server knows and refuses (403)
    └── NotServed           exit 1   the server has no such resource type

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


class UsageError(SpyError):
    """The command line cannot mean anything."""

    exit_code = 2


class ConnectionFailed(SpyError):
    """The API server could not be reached, or its certificate not be trusted."""


class Unauthenticated(SpyError):
    """The API server did not accept the credentials (HTTP 401)."""


class Forbidden(SpyError):
    """The API server refused the request for this user (HTTP 403)."""


class NotServed(SpyError):
    """The API server serves no such resource type."""
