"""`python -m kubectl_spy`, and the `kubectl-spy` that kubectl finds on PATH."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line and end the process with its exit code."""
    # Importing makes objects by the hundred thousand, none of them garbage; looking
    # for some takes a tenth of the time to the first line. The pipeline turns the
    # collector on again.
    gc.disable()
    try:
        from kubectl_spy.cli.boundary import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while importing
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
