"""``wedged asks``: every pending ask, with the lines that answer it."""

import click

from wedged.cli.screen import progress, screen_width, show
from wedged.cli.target import reach, target


@click.command()
@click.argument("url", metavar="[URL]", required=False)
@reach
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def command(
    url: str | None, directories: tuple[str, ...], every_directory: bool, timeout: float, as_json: bool
) -> int:
    """List every pending ask of the OpenCode server at URL, sub-agents' too, with its one-line answers.

    Sends only GET. A password is read from OPENCODE_SERVER_PASSWORD or OPENCODE_PASSWORD, for a
    local V2 service from its service.json.

    Exit codes: 0 no turn waits for a person, 1 one does, 2 usage, 3 could not look.
    """
    from wedged.catalog.ask_standing import Standing
    from wedged.diagnose import asks_json, asks_text, pending
    from wedged.observe import look

    where = target(url)
    with progress(f"asking {where.url}"), where.connect(timeout) as connection:
        seen = look(
            connection.reader, scopes=directories, every_directory=every_directory, source=connection.url
        )
        found = pending(seen, connection.actor.request)
    secrets = (where.password,)
    if as_json:
        click.echo(asks_json(found, seen, secrets=secrets))
    else:
        show(asks_text(found, seen, login=where.login, secrets=secrets, width=screen_width()))
    if any(one.seen.standing is Standing.LIVE for one in found):
        return 1
    return 3 if seen.gaps else 0
