"""``wedged lab``: real servers on purpose in a bad state; each of its verbs is a module of its own."""

import click

from wedged.cli.verbs import Verbs

# What each extra brings: one of these missing is no defect of ours.
_BROUGHT = {
    "lab": ("ipykernel", "matplotlib", "ptyprocess", "pyte", "scipy", "starlette", "uvicorn"),
    "guide": ("jupyter_client", "mkdocs", "material", "nbclient", "nbconvert", "nbformat"),
    "cluster": ("distributed",),
}
_EXTRA_OF = {name: extra for extra, names in _BROUGHT.items() for name in names}


class LabVerbs(Verbs):
    """The lab's verbs, in the order of its help page."""

    verbs = ("run", "hold", "matrix", "bisect", "expect")
    prefix = "lab_"

    def invoke(self, ctx: click.Context) -> object:
        """Run the verb.

        Raises:
            LabError: an extra is not installed.
        """
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            extra = _EXTRA_OF.get((error.name or "").partition(".")[0])
            if extra is None:
                raise
            from wedged.errors import LabError

            raise LabError(f'this needs {error.name}: pip install "wedged[{extra}]"') from error


@click.command(cls=LabVerbs)
def command() -> None:
    """Run failure classes on real servers, or hold one in such a state. Needs the extra `lab`."""
