"""`kubectl spy demo`."""

import click


@click.command()
def demo() -> None:
    """All of it on recorded real rollouts, without a cluster."""
