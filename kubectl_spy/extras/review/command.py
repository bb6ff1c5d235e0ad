"""`kubectl spy review`: look through a recording on the whole screen."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.completing import words
from kubectl_spy.cli.params import KubectlCommand, command, file_first


class _Command(KubectlCommand):
    """Keeps what was typed, for `record`, and tells a recording from targets."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse *args*, and keep them."""
        args = file_first(args)
        ctx.meta["typed"] = tuple(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, with `file` if the target is a recording."""
        from kubectl_spy.sources.recording.naming import is_recording

        named = ctx.params["target"]
        if len(named) == 1 and is_recording(named[0]):
            ctx.params["file"], ctx.params["target"] = named[0], ()
        else:
            ctx.params["file"] = None
        return super().invoke(ctx)


@command(
    "kubectl spy review night.spy",
    "kubectl spy review deploy/web --owned        # what happens now",
    "kubectl spy review pods -A --record now.spy",
    cls=_Command,
)
@click.argument(
    "target", nargs=-1, metavar="[FILE|TARGET...]", shell_complete=words.targets
)
@options.max_read
@options.times
@options.watch
@options.selection
@options.value("--record kept FILE", "Keep the recording in FILE.", words.files)
@options.owned_too
@options.secrets
@options.debug
@options.connection
@click.pass_context
def review(context: click.Context, /, **flags: Any) -> None:
    """How can I look through a recording of any size?

    Show a recording on the whole screen: its objects and their versions, each change,
    and when changes, gaps and damage occurred. All panes share one clock. The key ?
    shows every key.

    FILE may be gzipped; - is standard input. With TARGET in place of FILE, named as in
    kubectl, the command records these objects, and the review follows them: without
    either, everything of the namespace. Flags that select, mask or record objects are
    for TARGET.

    This command needs Textual. krew installs it, too. Elsewhere: pipx inject
    kubectl-spy 'textual>=8,<9'.
    """
    from kubectl_spy.extras.review.launch import review_live, review_recording
    from kubectl_spy.knowledge.kinds import users

    users()  # what is wrong in their files is told before the screen is drawn
    if flags["file"] is not None:
        review_recording(context, flags["file"])
    else:
        review_live(context)
