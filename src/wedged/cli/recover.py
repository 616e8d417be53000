"""``wedged recover``: the ordered steps that bring one session back, and with --apply the taking of them."""

import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from wedged.cli import options
from wedged.cli.screen import paint, progress, screen_width, show
from wedged.cli.target import reach, target

if TYPE_CHECKING:
    from wedged.cli.target import Target
    from wedged.client import Connection
    from wedged.diagnose.page import Page
    from wedged.recover.plan import Planned


@click.command()
@click.argument("url", metavar="[URL]", required=False)
@click.option("--session", required=True, metavar="ID", help="The session that is stuck.")
@click.option("--code", default="", metavar="CODE", help="Only this failure class, where several are found.")
@click.option(
    "--subject",
    "--ask",
    "subject",
    default="",
    metavar="ID",
    help="Only the finding about this ask, call, shell or process, where one class is found several times.",
)
@click.option("--apply", "applies", is_flag=True, help="Take the steps, in order, until the session is well.")
@click.option("--step", default="", metavar="ID", help="With --apply: take this step and no other.")
@click.option("--yes", is_flag=True, help="With --apply: do not ask before a step that loses something.")
@click.option("--remote", is_flag=True, help="With --apply: the server may be on another machine.")
@click.option(
    "--settle",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="With --apply: how long to wait for the effect of a step.",
)
@options.sample
@options.grace
@reach
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (schema 1) and nothing else.")
def command(
    url: str | None,
    session: str,
    code: str,
    subject: str,
    applies: bool,
    step: str,
    yes: bool,
    remote: bool,
    settle: float,
    sample: float,
    grace: float,
    directories: tuple[str, ...],
    every_directory: bool,
    timeout: float,
    as_json: bool,
) -> int:
    """Show how to bring a stuck session of the OpenCode server at URL back: the steps of what doctor finds in
    it, in order, with its real ids, each as a line for wedged, for curl and for Python.

    With --apply, take them: look again before each, refuse where something alive could be hit, see whether
    it worked, and stop when the session is well. A step that loses something is confirmed first. An ask is
    never approved (`wedged answer` does that, for a person), and no database is ever written.

    Exit codes: 0 well, or nothing to recover; 1 there are steps, a step was refused, or the session is not
    well after all of them; 2 usage; 3 could not look.

    \b
    Examples:
    wedged recover --session ses_1234
    wedged recover http://127.0.0.1:4096 --session ses_1234 --code W201 --apply
    """
    if not applies and (step or yes or remote):
        raise click.UsageError("--step, --yes and --remote go with --apply")
    from wedged.catalog import by_code
    from wedged.diagnose.page import Page
    from wedged.errors import Refused
    from wedged.recover.applying import Means, Which, apply
    from wedged.recover.document import recover_json
    from wedged.recover.inner_servers import ready
    from wedged.recover.lines import Place
    from wedged.recover.looking import Looking
    from wedged.recover.plan import plans
    from wedged.recover.report_text import applied_text, steps_text

    which = Which(session, by_code(code).code if code else "", subject, step)
    where = target(url)
    afar = _afar(where.url)
    if applies and afar and not remote:
        raise Refused(
            f"{where.url} is not on this machine: who else has its data open can't be seen from here. "
            "Run it there, or give --remote"
        )
    page = Page(screen_width(), (where.password,), paint())
    place = Place(where.url, where.login, afar, (where.password,))
    with _connect(where, timeout, applies) as connection:
        looking = Looking(connection, session, grace)
        with progress(f"looking at {where.url}"):
            diagnosis = looking.twice(sample, directories, every_directory=every_directory)
        found = plans(diagnosis, session, which.code, subject)
        applied = None
        if applies and found:

            def agree(code: str, planned: "Planned") -> bool:
                return _agree(page, code, planned, yes=yes, quiet=as_json)

            actor = connection.actor
            means = Means(connection.reader, actor, looking.again, agree, ready, progress, settle)
            applied = apply(diagnosis, which, means)
            diagnosis = applied.after
    if as_json:
        click.echo(recover_json(diagnosis, session, found, place, applied))
    elif applied is None:
        show(steps_text(page, diagnosis, session, found, place))
    else:
        show(applied_text(page, applied, place))
    if applied is None:
        return 1 if found else 3 if diagnosis.unknown else 0
    applied.raise_refusal()
    return applied.exit_code


def _connect(where: "Target", timeout: float, applies: bool) -> "Connection":
    """Raises what `Target.connect` does; where something is to be done, an unknown dialect is a refusal."""
    from wedged.errors import Refused, UnknownDialect

    try:
        return where.connect(timeout)
    except UnknownDialect as error:
        if not applies:
            raise
        raise Refused(
            f"{error}. Nothing is sent in a dialect that is not known: use the server's own client"
        ) from None


def _afar(url: str) -> bool:
    from wedged.observe.processes import on_this_machine

    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False  # whoever connects says what is wrong with it
    return bool(host) and not on_this_machine(host)


def _agree(page: "Page", code: str, planned: "Planned", *, yes: bool, quiet: bool) -> bool:
    """Show the step, and have a person agree to it where it costs something. `quiet` keeps stdout clean."""
    from wedged.errors import Refused
    from wedged.recover.report_text import before_text
    from wedged.recover.safety import costs

    step = planned.step
    if not (quiet and yes):
        click.echo(before_text(page, code, planned), nl=False, err=quiet)
    if yes or not costs(step):
        return True
    if not sys.stdin.isatty():
        raise Refused(f"{step.id} loses something, and nobody is at a terminal to agree to it; --yes does")
    return click.confirm("Take this step?", err=quiet)
