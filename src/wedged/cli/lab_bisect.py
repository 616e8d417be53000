"""``wedged lab bisect``: between which two releases a claim changed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wedged.cli.lab_options import seed as seed_option

if TYPE_CHECKING:
    from wedged.nightly.bisect_folder import BisectFolder, Question
    from wedged.nightly.measuring import Experiment

_SCHEMA = 1


@click.command()
@click.argument("claim", metavar="CLAIM|CODE")
@click.option("--good", required=True, metavar="SPEC", help="A release that does not show it.")
@click.option(
    "--bad", required=True, metavar="SPEC", help="A release that shows it; older or newer than the good one."
)
@click.option("--trials", type=click.IntRange(2, 200), default=3, show_default=True, help="Trials a release.")
@click.option(
    "--state",
    type=click.Path(path_type=Path),
    required=True,
    help="A folder for the search; one that is there goes on.",
)
@seed_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document at the end.")
def command(claim: str, good: str, bad: str, trials: int, state: Path, seed: int, as_json: bool) -> int:
    """Find between which two releases CLAIM changed, by binary search over what npm's registry has.

    Both ends are measured first. A release that can't be judged is passed over; the answer then names the
    nearest two that can. What was measured is kept in the folder: called again, the search goes on.

    Exit codes: 0 found, 3 the ends do not differ, or could not be judged.
    """
    from wedged.errors import UsageError
    from wedged.facts.server import ServerSpec
    from wedged.nightly.bisect_folder import BisectFolder, new_question
    from wedged.nightly.measuring import experiment
    from wedged.nightly.registry import published_between

    asked = experiment(claim, trials)
    ends = ServerSpec.parse(good), ServerSpec.parse(bad)
    if ends[0].kind is not ends[1].kind or any(e.floating or e.kind not in ("v1", "v2") for e in ends):
        raise UsageError("--good and --bad are two releases of one kind: v1@VERSION or v2@VERSION")

    def question() -> Question:
        versions = tuple(map(str, published_between(*ends)))
        return new_question(asked.claim.id, str(ends[0]), str(ends[1]), versions, trials, seed)

    def same(held: Question) -> bool:
        return (held.claim, held.good, held.bad, held.trials) == (asked.claim.id, *map(str, ends), trials)

    folder = BisectFolder.open(state, question, same)
    return _search(folder, asked, as_json)


def _search(folder: BisectFolder, asked: Experiment, as_json: bool) -> int:
    from wedged.nightly.one_shard import do_shard

    of, question = asked.failure_class, folder.question
    _say(
        f"{question.claim}: {len(question.versions)} releases, "
        f"from {question.versions[0]} to {question.versions[-1]}"
    )
    while (version := folder.measure_next(of, lambda shard, into: do_shard(shard, into, _say))) is not None:
        search = folder.search(of)
        verdict = folder.claim_verdicts(of).get(version)
        said = f"{verdict.verdict} {verdict.k}/{verdict.n}" if verdict else "nothing came of it"
        _say(f"{version}: {said}; at most {search.steps_left} more")
    search = folder.search(of)
    folder.merged()
    wrong_way = search.bounds is not None and search.shows(question.bad) is False
    if as_json:
        verdicts = {version: verdict.value for version, verdict in search.told.items()}
        pair = [search.versions[place] for place in search.bounds] if search.bounds else None
        document = {
            "schema": _SCHEMA,
            "claim": question.claim,
            "between": pair,
            "sentence": search.sentence,
            "measured": verdicts,
            "releases": len(question.versions),
        }
        print(json.dumps(document))
    else:
        from wedged.facts.plain_text import plain

        print(plain(f"{question.claim}: {search.sentence}"))
        if wrong_way:
            print("(good and bad are the other way round)")
    return 0 if search.bounds else 3


def _say(sentence: str) -> None:
    from wedged.facts.plain_text import plain

    print(plain(sentence), file=sys.stderr, flush=True)
