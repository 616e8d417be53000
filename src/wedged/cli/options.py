"""Options that several verbs have, each with the same meaning everywhere."""

import click

sample = click.option(
    "--sample",
    type=click.FloatRange(min=0, max=3600),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait between the two looks; 0 looks once.",
)
grace = click.option(
    "--grace",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long an ask may wait before it is a finding.",
)
