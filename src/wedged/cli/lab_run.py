"""``wedged lab run``: one claim on one server, now."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from wedged.cli.lab_options import expectations_file
from wedged.cli.lab_options import seed as seed_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wedged.nightly.expectations import Seen

_SCHEMA = 1
_UNSURE = 3
# git bisect's word for "this one can't be judged"; 3 would be taken for a bad commit.
_SKIP = 125


@click.command()
@click.argument("what", metavar="CODE|CLAIM")
@click.option(
    "--server", required=True, metavar="SPEC", help="v1@1.17.18, v2@2.0.15, path:FILE, cmd:COMMAND."
)
@click.option(
    "--trials", type=click.IntRange(2, 200), default=3, show_default=True, help="Trials an arm, at least."
)
@click.option(
    "--expect", type=click.Choice(["gone", "present"]), help="Judge it, with git bisect's exit codes."
)
@click.option("--beside", metavar="SPEC", help="A server that has it, to prove that the trial can see it.")
@click.option("--out", type=click.Path(path_type=Path), help="A new run folder for the evidence.")
@seed_option
@expectations_file
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of a line.")
def command(
    what: str,
    server: str,
    trials: int,
    expect: str | None,
    beside: str | None,
    out: Path | None,
    seed: int,
    file: Path,
    as_json: bool,
) -> int:
    """Measure one failure class (its defining claim), or one claim such as W103.resumed-after-restart, on one
    server.

    Where no trial shows it, a server that is known to have it is measured beside it: without that, "gone"
    could be a trial that sees nothing.

    Exit codes: 0 the verdict is clear, 3 it is not. With --expect, fit for `git bisect run`: 0 as expected,
    1 not, 125 not to be judged (inconclusive, or the server did not build or start).
    """
    from wedged.errors import UsageError, WedgedError

    def measured() -> int:
        from wedged.facts.server import ServerSpec
        from wedged.nightly.expectations import read_expectations
        from wedged.nightly.measuring import experiment, known_bad
        from wedged.nightly.one_claim import ask

        expected = read_expectations(file)
        asked = experiment(what, trials, expected.values() if expect == "gone" else ())
        spec = ServerSpec.parse(server)
        named = ServerSpec.parse(beside) if beside else None
        with _folder(out) as place:
            seen = ask(
                asked,
                spec,
                place,
                lambda one: named or known_bad(expected, asked.claim.id, one),
                seed=seed,
                announce=_say,
            )
        return _answer(seen, asked.claim.sentence, expect, as_json)

    if expect is None:
        return measured()
    try:
        return measured()
    except UsageError:
        raise
    except WedgedError as error:
        # Whatever keeps us from a verdict, the commit is not to blame.
        _say(f"can't be judged: {error}")
    except Exception as error:  # git bisect would take an internal error's 3 for "bad"
        _say(f"can't be judged: internal error: {type(error).__name__}: {error}")
    return _SKIP


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    """Where the evidence goes: the folder named, else one that is gone afterwards."""
    if out is not None:
        yield out
        return
    with TemporaryDirectory(prefix="wedged-run-") as place:
        yield Path(place) / "run"


def _answer(seen: Seen, sentence: str, expect: str | None, as_json: bool) -> int:
    from wedged.facts.plain_text import plain
    from wedged.nightly.expectations import UNKNOWN
    from wedged.nightly.one_claim import expected_so

    as_wanted = expected_so(expect, seen.verdict) if expect else None
    if expect is None:
        code = _UNSURE if seen.verdict in UNKNOWN else 0
    else:
        code = _SKIP if as_wanted is None else int(not as_wanted)
    if as_json:
        document = {
            "schema": _SCHEMA,
            "claim": seen.claim,
            "server": seen.server,
            "verdict": seen.verdict.value,
            "k": seen.k,
            "n": seen.n,
            "why": seen.why,
            "expect": expect,
            "as_expected": as_wanted,
        }
        print(json.dumps(document))
        return code
    judged = {None: "", True: f" · {expect}, as expected", False: f" · expected {expect}"}[as_wanted]
    print(plain(f"{seen.claim} on {seen.server}: {seen.verdict} {seen.k}/{seen.n}{judged}"))
    print(plain(f"  {sentence}"))
    print(plain(f"  {seen.why}"))
    return code


def _say(sentence: str) -> None:
    from wedged.facts.plain_text import plain

    print(plain(sentence), file=sys.stderr, flush=True)
