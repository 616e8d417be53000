"""``wedged lab hold``: a real server in a bad state, for whoever tests a client against it."""

import math
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from wedged.lab.holding import Held

_LOOK_S = 0.5
_END_S = 5.0


@click.command()
@click.argument("code")
@click.argument("client", nargs=-1, type=click.UNPROCESSED, metavar="[-- CLIENT...]")
@click.option(
    "--server",
    "spec",
    default="",
    metavar="SPEC",
    help="v1@1.17.18, v1@latest, v2@2.0.15, path:FILE or cmd:COMMAND; else one that is known to have it.",
)
@click.option("--port", type=click.IntRange(1, 65535), help="Where it listens; a free port without it.")
@click.option(
    "--observe",
    is_flag=True,
    help="Record what a client sends, and print a conformance sheet of it at the end.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the sheet as one line of JSON.")
def command(
    code: str, client: tuple[str, ...], spec: str, port: int | None, observe: bool, as_json: bool
) -> int:
    """Start a real server, bring it into the state of CODE, and hold it there until Ctrl-C.

    Prints one line of JSON: url, session, directory, the file that the password is in, what is wrong, and how
    a right client shows it. With a CLIENT, that program is run beside it with WEDGED_HELD (the same line) and
    OPENCODE_SERVER_PASSWORD in its environment, observed, and the end of it is the end of the holding.

    \b
    wedged lab hold W301 --server v2@2.0.15
    wedged lab hold W102 --observe -- python my_client.py

    Exit codes: 130 Ctrl-C, 143 SIGTERM; with a CLIENT 0 no rule broken, 1 a rule broken; 2 usage, 3 this
    server can't be brought into the state, it ended, or the CLIENT failed.
    """
    from wedged.errors import LabError, UsageError
    from wedged.lab.holding import held

    if client and shutil.which(client[0]) is None:
        raise UsageError(f"{client[0]} is no program that can be run")
    with held(code, spec, port=port or 0, observe=observe or bool(client), say=_say) as state:
        # Whoever reads the line may end us at once, and is owed the sheet.
        try:
            click.echo(state.json_line())
            sys.stdout.flush()
            failed = _run(client, state) if client else _hold(state)
        finally:
            if observe or client:
                _print_sheet(state, as_json)
        if state.sheet().broken:
            return 1
    if failed:
        raise LabError(f"the client ended with {failed}")
    return 0


def _hold(state: "Held") -> int:
    """Until a signal ends it.

    Raises:
        LabError: the server ended by itself, or the client ended it.
    """
    from wedged.errors import LabError
    from wedged.waiting import wait_until

    _say(f"holding {state.server} in {state.code} at {state.url} until Ctrl-C")
    wait_until(lambda: not state.alive(), math.inf, every=_LOOK_S)
    raise LabError(f"{state.server} has ended: {state.bench.server.words() or 'it said nothing'}")


def _run(client: tuple[str, ...], state: "Held") -> int:
    """The client's exit code. What it prints goes to stderr: stdout has the line and the sheet alone."""
    environment = os.environ | dict(state.environment())
    process = subprocess.Popen(client, env=environment, stdin=subprocess.DEVNULL, stdout=2, stderr=2)
    try:
        return process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _print_sheet(state: "Held", as_json: bool) -> None:
    from wedged.lab.conformance import sheet_json, sheet_text

    sheet = state.sheet()
    click.echo(sheet_json(sheet) if as_json else sheet_text(sheet), nl=as_json)
    sys.stdout.flush()


def _say(sentence: str) -> None:
    from wedged.facts.plain_text import plain

    print(f"wedged: {plain(sentence)}", file=sys.stderr, flush=True)
