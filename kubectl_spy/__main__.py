"""`python -m kubectl_spy`, and the `kubectl-spy` that kubectl finds on PATH."""

# Ctrl-C ends the process until our handler is installed. Python's handler prints a
# traceback, or its exception is lost in a callback. This import reads no file.
import _signal  # type: ignore[import-not-found]

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import gc
import sys


def main() -> None:
    """Run the command line and end the process with its exit code."""
    _end_with(sys.argv[1:])


def complete() -> None:
    """Be `kubectl_complete-spy`, which kubectl asks when somebody presses Tab."""
    _end_with(["__complete", *sys.argv[1:]])


def _end_with(argv: list[str]) -> None:
    from kubectl_spy.cli.run.signals import Ending

    ending = Ending()
    ending.install()
    # Importing makes objects by the hundred thousand, none of them garbage; looking
    # for some takes a tenth of the time to the first line. The pipeline turns the
    # collector on again.
    gc.disable()
    from kubectl_spy.cli.boundary import run

    try:
        code = run(argv, ending)
    except BaseException:
        if not ending.by:
            raise
        code = 128 + ending.by  # again, while the first one was told
    gc.freeze()  # nothing is left to collect: the process ends
    sys.exit(code)


if __name__ == "__main__":
    main()
