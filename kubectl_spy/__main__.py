"""`python -m kubectl_spy`, and the `kubectl-spy` that kubectl finds on PATH."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and end the process with its exit code."""
    from kubectl_spy.cli.boundary import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
