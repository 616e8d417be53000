"""``wedged lab matrix``: any classes on any servers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wedged.cli.lab_options import expectations_file
from wedged.cli.lab_options import seed as seed_option

if TYPE_CHECKING:
    from wedged.evidence import RunFolder
    from wedged.nightly.spreading import Done


@click.command()
@click.option(
    "--servers", default="", metavar="SPECS", help="Server specs, separated by blanks (default: the list)."
)
@click.option(
    "--classes", default="", metavar="CODES", help="Codes, separated by commas (default: every class)."
)
@click.option(
    "--trials",
    type=click.IntRange(2, 200),
    default=10,
    show_default=True,
    help="Trials asked of the main arms.",
)
@click.option("--defining", is_flag=True, help="Only the arms of the defining claim and its controls.")
@click.option(
    "--jobs",
    type=click.IntRange(0),
    default=0,
    help="Shards at a time (default: what memory and processors allow).",
)
@click.option(
    "--scheduler", metavar="ADDRESS", help="A Dask scheduler to spread over, such as tcp://host:8786."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="A folder for the shards; with some in it, the rest is done.",
)
@seed_option
@expectations_file
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of the summary.")
def command(
    servers: str,
    classes: str,
    trials: int,
    defining: bool,
    jobs: int,
    scheduler: str | None,
    out: Path,
    seed: int,
    file: Path,
    as_json: bool,
) -> int:
    """Run failure classes on servers, merge what came into OUT/run, and compare it with the expectations.

    `latest` is resolved first and recorded as the version it is, so that a new release is a new column.
    Exit codes as `wedged lab expect`.
    """
    from wedged.catalog import CLASSES, by_code
    from wedged.cli.lab_expect import show
    from wedged.evidence import new_run
    from wedged.facts.server import ServerSpec
    from wedged.nightly.campaign_folder import begin, merge_shards
    from wedged.nightly.comparing import compare
    from wedged.nightly.expectations import read_expectations
    from wedged.nightly.judged import defining_claims, seen_in
    from wedged.nightly.spreading import jobs_here, spread
    from wedged.nightly.work import work_list
    from wedged.servers import default_servers, resolve

    expected = read_expectations(file)
    chosen = [by_code(code) for code in classes.split(",") if code.strip()] or list(CLASSES)
    asked = [resolve(spec) for spec in ServerSpec.parse_all(servers) or default_servers()]
    made = work_list(
        new_run(seed, {}).id, chosen, asked, trials=trials, seed=seed, by_server=True, defining=defining
    )
    work = begin(out, made)
    if scheduler:
        from wedged.nightly.cluster import spread_over

        ended = spread_over(work.shards, out / "shards", scheduler)
    else:
        ended = spread(work.shards, out / "shards", jobs_here(jobs), _say)
    for done in ended:
        _tell(done)
    run = merge_shards(out)
    if not as_json:
        _table(run)
    seen = seen_in(run, chosen)
    if defining:  # of the other arms nothing was asked
        wanted = {claim.id for of in chosen for claim in of.claims if claim.defining or claim.control}
        seen = tuple(one for one in seen if one.claim in wanted)
        expected = {key: line for key, line in expected.items() if line.claim in wanted}
    show(comparison := compare(expected, seen, asked=work.asked, defining=defining_claims()), as_json)
    return comparison.exit_code


def _tell(done: Done) -> None:
    _say(done.error or f"{done.shard.id}: done")


def _table(run: RunFolder) -> None:
    from wedged.catalog import CLASSES
    from wedged.evidence import verdicts
    from wedged.facts.plain_text import plain

    cells, witnesses = run.cells(), run.witnesses()
    for of in CLASSES:
        for one in verdicts(of, cells, witnesses=witnesses):
            count = one.claim(of.defining.id)
            print(plain(f"{of.code}  {one.server:24} {one.state:13} {count.k}/{count.n}"))
    print()


def _say(sentence: str) -> None:
    from wedged.facts.plain_text import plain

    print(plain(sentence), file=sys.stderr, flush=True)
