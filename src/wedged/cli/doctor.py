"""``wedged doctor``: what is stuck on a server, why, and the lines that end it."""

import os

import click

_PASSWORDS = ("OPENCODE_SERVER_PASSWORD", "OPENCODE_PASSWORD")


@click.command()
@click.argument("target", metavar="URL")
@click.option(
    "--grace",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long an ask may wait before it is a finding.",
)
@click.option(
    "--session",
    "session_id",
    default="",
    metavar="ID",
    help="Report on this session and its sub-agents only.",
)
@click.option(
    "--directory",
    "directories",
    multiple=True,
    metavar="DIR",
    help="Ask this directory too; may be repeated. A V1 server loads the project there.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long each request may take.",
)
@click.option(
    "--all", "show_all", is_flag=True, help="Also show what was considered and why it was dismissed."
)
@click.option("--include", is_flag=True, help="Also show the commands that wait. They may hold secrets.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (schema 1) and nothing else.")
def command(
    target: str,
    grace: float,
    session_id: str,
    directories: tuple[str, ...],
    timeout: float,
    show_all: bool,
    include: bool,
    as_json: bool,
) -> int:
    """Look at the OpenCode server at URL and say what is stuck, and until what.

    Sends only GET. A password is read from OPENCODE_SERVER_PASSWORD or OPENCODE_PASSWORD.

    Exit codes: 0 nothing found and all of it read, 1 findings, 2 usage, 3 could not look.
    """
    from wedged.client import connect
    from wedged.diagnose import Login, diagnose, report_json, report_text, restrict
    from wedged.facts.snapshot import Window
    from wedged.observe import look

    variable = next((name for name in _PASSWORDS if os.environ.get(name)), "")
    password = os.environ.get(variable, "")
    user = os.environ.get("OPENCODE_SERVER_USERNAME") or "opencode"
    with connect(target, password=password, username=user, timeout=timeout) as connection:
        sessions = (session_id,) if session_id else ()
        seen = look(connection.reader, scopes=directories, sessions=sessions, source=connection.url)
        request = connection.actor.request
    diagnosis = diagnose(Window(seen), grace, request=request)
    if session_id:
        diagnosis = restrict(diagnosis, session_id)
    if as_json:
        click.echo(report_json(diagnosis, show_all=show_all, include=include, secrets=(password,)))
    else:
        login = Login(user, variable) if password else None
        click.echo(
            report_text(diagnosis, show_all=show_all, include=include, login=login, secrets=(password,)),
            nl=False,
        )
    return diagnosis.exit_code
