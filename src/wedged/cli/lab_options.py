"""Options that several verbs of ``wedged lab`` share."""

from pathlib import Path

import click

expectations_file = click.option(
    "--expectations",
    "file",
    type=click.Path(path_type=Path),
    default=Path("expectations.json"),
    show_default=True,
    help="The reviewed file of what each claim is expected to be.",
)
seed = click.option("--seed", type=int, default=101, show_default=True, help="Seed of every shuffle.")
