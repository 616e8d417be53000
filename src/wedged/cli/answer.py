"""``wedged answer``: a person's yes or no to one pending ask."""

import sys
from dataclasses import replace

import click

from wedged.cli.target import reach, target


@click.command()
@click.argument("ask_id", metavar="ASK")
@click.argument("url", metavar="[URL]", required=False)
@click.option("--once", is_flag=True, help="Approve it, this one time. Shows what would run and asks first.")
@click.option("--reject", is_flag=True, help="Reject it, or dismiss a question.")
@click.option("--message", default="", metavar="TEXT", help="With --reject: what the model is told.")
@click.option("--yes", is_flag=True, help="With --reject: do not ask first.")
@reach
def command(
    ask_id: str,
    url: str | None,
    once: bool,
    reject: bool,
    message: str,
    yes: bool,
    directories: tuple[str, ...],
    every_directory: bool,
    timeout: float,
) -> None:
    """Answer the pending ask ASK (per_…, que_… or frm_…) of the OpenCode server at URL.

    Shows what it is about, asks for confirmation, looks again, answers, and says what came of it. Approving
    needs a person at a terminal. There is no `always`: it would open the gate for sessions you have not seen.

    Exit codes: 0 answered, 1 refused, 2 usage, 3 could not look.
    """
    if once == reject:
        raise click.UsageError("give one of --once and --reject")
    if once and (message or yes):
        raise click.UsageError("--message and --yes go with --reject only")
    from wedged.diagnose import about, facts_of, pending, what_became_of
    from wedged.errors import Refused
    from wedged.facts.plain_text import plain
    from wedged.facts.recovery import Action
    from wedged.facts.redaction import redact
    from wedged.observe import look
    from wedged.recover import answer, refuse_unanswerable

    at_a_terminal = sys.stdin.isatty()
    if once and not at_a_terminal:
        raise Refused("an approval needs a person at a terminal who has read the command")
    if not at_a_terminal and not yes:
        raise Refused("nobody is at a terminal to confirm this; --reject takes --yes")
    where = target(url)
    action = Action.REPLY_ONCE if once else Action.REPLY_REJECT_MESSAGE if message else Action.REPLY_REJECT
    with where.connect(timeout) as connection:
        reader = connection.reader
        seen = look(reader, scopes=directories, every_directory=every_directory, source=connection.url)
        became = what_became_of(ask_id, seen)
        ask = refuse_unanswerable(became, action, message)
        (shown,) = [one for one in pending(seen, connection.actor.request) if one.ask.id == ask_id]
        if once:
            shown = replace(shown, about=about(shown.seen))
        if once and not shown.about:
            raise Refused(f"what {ask_id} would run could not be read, so it can't be approved here")
        click.echo(plain(ask_id))
        for name, value in facts_of(shown):
            # Whoever approves has to see the whole of it; elsewhere credentials are taken out.
            text = value if once else redact(value, (where.password,))
            click.echo(f"  {name:<10} {plain(text)}")
        if not yes and not click.confirm("Let it run, this one time?" if once else "Reject it?"):
            raise Refused("nothing was sent")
        outcome = answer(ask, action, message, reader, connection.actor, read_by_a_person=once)
    did = "approved once" if once else "rejected"
    click.echo(plain(redact(f"{did}: {outcome.sentence}", (where.password,))))
