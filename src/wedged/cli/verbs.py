"""The verbs in the order of the help page, each loaded when it is asked for."""

from importlib import import_module
from importlib.util import find_spec

import click

from wedged.cli.help_pages import epilog, with_examples

# A verb whose module does not exist yet is left out of the help.
VERBS = (
    "doctor",
    "asks",
    "answer",
    "explain",
    "recover",
    "ready",
    "watch",
    "bundle",
    "lab",
    "servers",
)


class Verbs(click.Group):
    """A group whose commands are modules of this package: those that `verbs` names, each behind `prefix`."""

    verbs: tuple[str, ...] = VERBS
    prefix = ""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click names it
        """The verbs that exist, in the order of `verbs`."""
        return [verb for verb in self.verbs if find_spec(self._module(verb)) is not None]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb's command, or None where there is no such verb."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = import_module(self._module(cmd_name)).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{self._module(cmd_name)}.command is no click command")
        return with_examples(command, f"{self.prefix}{cmd_name}".replace("_", " "))

    def _module(self, verb: str) -> str:
        return f"wedged.cli.{self.prefix}{verb}"


@click.command(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=epilog(""),
)
@click.version_option(package_name="wedged", message="%(prog)s %(version)s")
def wedged() -> None:
    """Recognise, explain and end stuck OpenCode sessions.

    Exit codes: 0 nothing found, 1 findings, 2 usage, 3 could not look.
    """
