"""``wedged doctor``: what is stuck on a server, why, and the lines that end it."""

import click

from wedged.cli import options
from wedged.cli.screen import paint, progress, screen_width, show
from wedged.cli.target import reach

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
@options.sample
@options.grace
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
    """Look at an OpenCode server, or at what one has left behind, and say what is stuck, and until what.

    TARGET is an address, a database file, a session's export, a bundle, or the folder of a run; a file is
    told by its content. Without one it is the local server, and where none answers its database. Looks twice
    at a server, so that work is told from waiting; sends only GET. A file is never changed, and names
    candidates with the question that decides. A password is read from OPENCODE_SERVER_PASSWORD or
    OPENCODE_PASSWORD, for a local V2 service from its service.json.

    Exit codes: 0 nothing found and all of it read, 1 findings, 2 usage, 3 could not look.
    """
    from wedged.cli.file_target import Kind, file_target, kind_of
    from wedged.cli.looking import Reach, look_at
    from wedged.diagnose import diagnose, inquire, report_json, report_text, restrict
    from wedged.facts.finding import FindingStatus

    if session_id and ask_id:
        raise click.UsageError("--session and --ask ask different questions; give one of them")
    file = file_target(url)
    if file is not None and kind_of(file) is Kind.RUN:
        from wedged.cli.run_target import run_report

        if session_id or ask_id:
            raise click.UsageError("a run holds verdicts, no sessions; --session and --ask ask a server")
        report, code = run_report(file, as_json=as_json)
        click.echo(report)
        return code
    named = (session_id,) if session_id else ()
    with progress(f"looking at {url or 'the local server'}"):
        seen = look_at(url, Reach(sample, timeout, directories, named, every_directory))
    # Whoever asks about one ask wants to know now, not after the grace.
    diagnosis = diagnose(seen.window, 0.0 if ask_id else grace, request=seen.request)
    if session_id:
        diagnosis = restrict(diagnosis, session_id)
    if ask_id:
        diagnosis = inquire(diagnosis, ask_id)
    if as_json:
        report = report_json(
            diagnosis, kind=seen.kind, show_all=show_all, include=include, secrets=seen.secrets
        )
        click.echo(report)
    else:
        text = report_text(
            diagnosis,
            show_all=show_all,
            include=include,
            login=seen.login,
            secrets=seen.secrets,
            width=screen_width(),
            paint=paint(),
        )
        show(text)
    return diagnosis.exit_code_for(FindingStatus(fail_on))
