"""``wedged watch``: a finding when it appears, and when it ends."""

import io
import sys
import time
from contextlib import redirect_stderr
from datetime import datetime
from typing import TYPE_CHECKING

import click

from wedged.cli import options
from wedged.cli.screen import paint, screen_width, show
from wedged.cli.target import Target, local_targets, reach, target

if TYPE_CHECKING:
    from wedged.watching.watch import Change


@click.command()
@click.argument("url", metavar="[URL]", required=False)
@click.option("--session", default="", metavar="ID", help="Watch this session and its sub-agents only.")
@click.option(
    "--interval",
    type=click.FloatRange(min=1, max=3600),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="How often to look when no event gives a reason: events can be missed.",
)
@options.grace
@click.option(
    "--until-finding", is_flag=True, help="Exit with 1 at the first finding that doctor exits 1 for."
)
@click.option(
    "--for",
    "seconds",
    type=click.FloatRange(min=0),
    default=None,
    metavar="SECONDS",
    help="End after this long, with 1 if anything was found.",
)
@reach
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON (schema 1) for each change.")
def command(
    url: str | None,
    session: str,
    interval: float,
    grace: float,
    until_finding: bool,
    seconds: float | None,
    directories: tuple[str, ...],
    every_directory: bool,
    timeout: float,
    as_json: bool,
) -> int:
    """Follow the OpenCode server at URL, and print each finding once when it appears and once when it ends.

    The server's events say when to look, and every look is doctor's. A server that goes away is waited for,
    its password read again; what could not be read ends no finding. Sends only GET. A password is read from
    OPENCODE_SERVER_PASSWORD or OPENCODE_PASSWORD, for a local V2 service from its service.json.

    Exit codes: 130 after Ctrl-C; with --for or --until-finding 0 nothing found, 1 something found, 3 nothing
    found and not all could be looked at; 2 usage, 3 could not look at all.
    """
    from wedged.client import Credentials
    from wedged.watching.bell import DoorBell
    from wedged.watching.pace import Pace
    from wedged.watching.post import Post
    from wedged.watching.watch import Rules, Watch

    printer, bell = Printer(as_json), DoorBell()
    first = target(url)

    def dial() -> Post:
        where = first if printer.where is None else again(first)
        printer.where = where
        who = Credentials(where.password, where.user)
        return Post(where.connect(timeout), who, bell, every_directory)

    rules = Rules(
        Pace(interval, grace),
        directories,
        session,
        until_finding,
        float("inf") if seconds is None else seconds,
    )
    return Watch(dial, bell, printer.tell, rules).run()


def again(first: Target) -> Target:
    """The same server as `first`, its address and its password read again from where they came from.

    Raises:
        Unreachable: it was a registered service, and is not registered any more.
    """
    from wedged.errors import Unreachable

    # Whatever there is to say about them was said at the first time.
    with redirect_stderr(io.StringIO()):
        if first.file is None:
            return target(first.url)
        found = [one for one in local_targets() if one.file == first.file]
    if not found:
        raise Unreachable(f"no service that runs is registered in {first.file}")
    return found[0]


class Printer:
    """Prints each change as it comes. `where` is the server as it was last connected to."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self.where: Target | None = None

    def tell(self, change: "Change") -> None:
        """One change, at once: whoever reads a pipe waits for it."""
        from wedged.diagnose.page import Page
        from wedged.watching.told import change_json, change_rows
        from wedged.watching.watch import Kind

        secrets = (self.where.password,) if self.where else ()
        if self._as_json:
            click.echo(change_json(change, time.time_ns() // 1_000_000, secrets))
        else:
            login = self.where.login if self.where else None
            page = Page(screen_width(), secrets, paint())
            text = "\n".join(change_rows(change, datetime.now().astimezone(), page, login)) + "\n"
            if change.kind in (Kind.WATCHING, Kind.UNREAD):
                click.echo(text, nl=False, err=True)
            else:
                show(text)
        sys.stdout.flush()
