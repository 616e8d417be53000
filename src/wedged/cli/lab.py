"""``wedged lab``: real servers on purpose in a bad state; each of its verbs is a module of its own."""

import click

from wedged.cli.verbs import Verbs

# What the extra brings: one of these missing is no defect of ours.
_EXTRA = frozenset({"matplotlib", "ptyprocess", "pyte", "scipy", "starlette", "uvicorn"})


class LabVerbs(Verbs):
    """The lab's verbs, in the order of its help page."""

    verbs = ("run", "hold", "matrix", "bisect", "expect")
    prefix = "lab_"

    def invoke(self, ctx: click.Context) -> object:
        """Run the verb.

        Raises:
            LabError: the extra `lab` is not installed.
        """
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in _EXTRA:
                raise
            from wedged.errors import LabError

            raise LabError(f'the lab needs {error.name}: pip install "wedged[lab]"') from error


@click.command(cls=LabVerbs)
def command() -> None:
    """Run failure classes on real servers, or hold one in such a state. Needs the extra `lab`."""
