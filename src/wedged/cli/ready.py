"""``wedged ready``: may I restart this server?"""

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from wedged.cli.screen import screen_width
from wedged.cli.target import target

if TYPE_CHECKING:
    from wedged.client import Connection
    from wedged.diagnose.readiness import Readiness
    from wedged.facts.snapshot import Snapshot, Window

_REQUEST_S = 10.0
_WAIT_S = 3600.0
_EVERY_S = 1.0
_REMIND_S = 60.0


@click.command()
@click.argument("url", metavar="[URL]", required=False)
@click.option("--wait", "waits", is_flag=True, help="Wait until it is ready; says on stderr for what.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=None,
    metavar="SECONDS",
    help="Give up after this long: --wait after 3600 unless told, a single request after 10.",
)
@click.option(
    "--expect",
    multiple=True,
    metavar="TEXT",
    help="A process whose command line holds TEXT always runs below this server (an MCP or language "
    "server) and blocks nothing; may be repeated.",
)
@click.option(
    "--lists-only",
    is_flag=True,
    help="By the server's own lists alone: for a server on another machine, whose processes can't be seen.",
)
@click.option(
    "--directory",
    "directories",
    multiple=True,
    metavar="DIR",
    help="Ask this directory too; may be repeated. A V1 server loads the project there.",
)
@click.option(
    "--all-directories",
    "every_directory",
    is_flag=True,
    help="Ask the directory of every session. A V1 server loads each of those projects.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (schema 1) and nothing else.")
def command(
    url: str | None,
    waits: bool,
    timeout: float | None,
    expect: tuple[str, ...],
    lists_only: bool,
    directories: tuple[str, ...],
    every_directory: bool,
    as_json: bool,
) -> int:
    """Say whether the OpenCode server at URL may be restarted: what a restart would end.

    Running shells, background ones and those of sub-agents included; active turns; pending asks; and
    processes below the server that none of its lists explains. Sends only GET. A password is read from
    OPENCODE_SERVER_PASSWORD or OPENCODE_PASSWORD, for a local V2 service from its service.json.

    Exit codes: 0 ready, 1 not safe, 2 usage, 3 could not look, or not everything could be seen.
    """
    from wedged.diagnose.readiness_document import readiness_json
    from wedged.diagnose.readiness_text import readiness_text

    if "" in expect:
        raise click.UsageError("--expect needs a piece of a command line; an empty one is in every one")
    where = target(url)
    request_s = min(timeout or _REQUEST_S, _REQUEST_S) if waits else timeout or _REQUEST_S
    with where.connect(request_s) as connection:
        look = _looking(connection, directories, every_directory, expect, lists_only)
        waited = None
        said, window = look(None)
        if waits:
            there = connection.reader.statuses
            said, window, waited = _wait(there, look, said, window, timeout or _WAIT_S)
    between = None
    if window.earlier is not None:
        between = (window.latest.taken_ms - window.earlier.taken_ms) / 1000
    secrets = (where.password,)
    if as_json:
        click.echo(readiness_json(said, seconds_between=between, waited_s=waited, secrets=secrets))
    else:
        text = readiness_text(said, width=screen_width(), seconds_between=between, secrets=secrets)
        click.echo(text, nl=False)
    return said.exit_code


def _looking(
    connection: "Connection",
    directories: tuple[str, ...],
    every_directory: bool,
    expect: tuple[str, ...],
    lists_only: bool,
) -> Callable[["Snapshot | None"], "tuple[Readiness, Window]"]:
    from wedged.diagnose.readiness_looks import decide
    from wedged.observe.processes import server_tree
    from wedged.observe.work import look_for_work
    from wedged.waiting import pause

    def take(peek: "Snapshot | None") -> "Snapshot":
        return look_for_work(
            connection.reader,
            scopes=directories,
            every_directory=every_directory,
            peek=peek,
            tree=None if lists_only else lambda: server_tree(connection.url),
            source=connection.url,
        )

    def decided(after: "Snapshot | None") -> "tuple[Readiness, Window]":
        return decide(take, pause, after=after, expect=expect, lists_only=lists_only)

    return decided


def _wait(
    there: Callable[[], object],
    look: Callable[["Snapshot | None"], "tuple[Readiness, Window]"],
    said: "Readiness",
    window: "Window",
    seconds: float,
) -> "tuple[Readiness, Window, float]":
    """Look again and again until waiting changes nothing any more, or `seconds` have gone by.

    `there` asks the server for anything: one that does not answer in time is asked again, and at the deadline
    that is the error; one that is gone is an error at once. A look alone would make gaps of both.
    """
    from wedged.diagnose.readiness_text import progress_line, waited_for
    from wedged.errors import CannotLook, NoAnswerInTime, ServerSaidNo
    from wedged.waiting import wait_until

    began = time.monotonic()
    last = (said, window)
    failed: CannotLook | None = None
    told, told_at = "", began

    def tell(state: str) -> None:
        nonlocal told, told_at
        now = time.monotonic()
        if state != told or now - told_at >= _REMIND_S:
            told, told_at = state, now
            print(f"wedged: {progress_line(state, now - began)}", file=sys.stderr, flush=True)

    def over() -> bool:
        nonlocal last, failed
        try:
            there()
            last, failed = look(last[1].latest), None
        except (NoAnswerInTime, ServerSaidNo) as error:
            failed = error
            tell(str(error))
            return False
        tell(waited_for(last[0]))
        return last[0].final

    tell(waited_for(said))
    if not said.final:
        wait_until(over, seconds, every=_EVERY_S)
    if failed is not None:
        raise failed
    return *last, time.monotonic() - began
