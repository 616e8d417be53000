"""``wedged lab``: real servers on purpose in a bad state; each of its verbs is a module of its own."""

import click

from wedged.cli.verbs import Verbs


class LabVerbs(Verbs):
    """The lab's verbs, in the order of its help page."""

    verbs = ("run", "hold", "matrix", "bisect", "expect")
    prefix = "lab_"


@click.command(cls=LabVerbs)
def command() -> None:
    """Run failure classes on real servers, or hold one in such a state. Needs the extra `lab`."""
