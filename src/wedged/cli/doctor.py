"""``wedged doctor``: what is stuck on a server, why, and the lines that end it."""

import click

from wedged.cli.target import reach, target

_STATUSES = ("stuck", "waiting-on-you", "latent", "notice", "past")


@click.command()
@click.argument("url", metavar="[TARGET]", required=False)
@click.option(
    "--session",
    "session_id",
    default="",
    metavar="ID",
    help="Report on this session and its sub-agents only.",
)
@click.option(
    "--ask",
    "ask_id",
    default="",
    metavar="PER",
    help="What became of this ask (the id in a client's message): live, leftover, gone, another directory's.",
)
@click.option(
    "--sample",
    type=click.FloatRange(min=0, max=3600),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait between the two looks; 0 looks once.",
)
@click.option(
    "--grace",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long an ask may wait before it is a finding.",
)
@click.option(
    "--fail-on",
    type=click.Choice(_STATUSES),
    default="latent",
    show_default=True,
    help="Exit with 1 for findings of this status or a worse one.",
)
@reach
@click.option(
    "--all", "show_all", is_flag=True, help="Also show what was considered and why it was dismissed."
)
@click.option("--include", is_flag=True, help="Also show the commands that wait. They may hold secrets.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (schema 1) and nothing else.")
def command(
    url: str | None,
    session_id: str,
    ask_id: str,
    sample: float,
    grace: float,
    fail_on: str,
    directories: tuple[str, ...],
    every_directory: bool,
    timeout: float,
    show_all: bool,
    include: bool,
    as_json: bool,
) -> int:
    """Look at an OpenCode server, or at its database file, and say what is stuck, and until what.

    TARGET is an address or a file; without one it is the local server, and where none answers its database.
    Looks twice at a server, so that work is told from waiting; sends only GET. A file is never changed, and
    names candidates with the question that decides. A password is read from OPENCODE_SERVER_PASSWORD or
    OPENCODE_PASSWORD, for a local V2 service from its service.json.

    Exit codes: 0 nothing found and all of it read, 1 findings, 2 usage, 3 could not look.
    """
    from wedged.cli.file_target import file_target, instead
    from wedged.diagnose import diagnose, inquire, report_json, report_text, restrict
    from wedged.errors import Unreachable
    from wedged.facts.finding import FindingStatus
    from wedged.facts.snapshot import Window
    from wedged.observe import look_twice, server_tree

    if session_id and ask_id:
        raise click.UsageError("--session and --ask ask different questions; give one of them")
    named = (session_id,) if session_id else ()
    request, login, secrets = None, None, ("",)
    file = file_target(url)
    if file is None:
        where = target(url)
        try:
            with where.connect(timeout) as connection:
                window = look_twice(
                    connection.reader,
                    sample_s=sample,
                    scopes=directories,
                    sessions=named,
                    every_directory=every_directory,
                    tree=lambda: server_tree(connection.url),
                    source=connection.url,
                )
                request = connection.actor.request
            login, secrets = where.login, (where.password,)
        except Unreachable as error:
            file = None if url else instead(error)
            if file is None:
                raise
    if file is not None:
        from wedged.observe.database import look_at_database

        window = Window(look_at_database(file, named))
    # Whoever asks about one ask wants to know now, not after the grace.
    diagnosis = diagnose(window, 0.0 if ask_id else grace, request=request)
    if session_id:
        diagnosis = restrict(diagnosis, session_id)
    if ask_id:
        diagnosis = inquire(diagnosis, ask_id)
    if as_json:
        click.echo(report_json(diagnosis, show_all=show_all, include=include, secrets=secrets))
    else:
        text = report_text(diagnosis, show_all=show_all, include=include, login=login, secrets=secrets)
        click.echo(text, nl=False)
    return diagnosis.exit_code_for(FindingStatus(fail_on))
