"""``wedged lab expect``: a run beside what was expected."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wedged.cli.lab_options import expectations_file

if TYPE_CHECKING:
    from wedged.nightly.comparing import Comparison

_SCHEMA = 1


@click.command()
@click.argument("run", type=click.Path(path_type=Path, exists=True, file_okay=False))
@expectations_file
@click.option(
    "--work", type=click.Path(path_type=Path, exists=True), help="The work list: what the run was to cover."
)
@click.option("--whole", is_flag=True, help="Ask for every class and server of the file, too.")
@click.option("--partial", is_flag=True, help="Leave out what the run did not try on the servers it has.")
@click.option("--accept", is_flag=True, help="Write what differs into the file, for review as a diff.")
@click.option(
    "--shapes",
    type=click.Path(path_type=Path, exists=True),
    help="A night's drift.json: a server of a shape that was not reviewed is unknown; --accept reviews it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of the summary.")
def command(
    run: Path,
    file: Path,
    work: Path | None,
    whole: bool,
    partial: bool,
    accept: bool,
    shapes: Path | None,
    as_json: bool,
) -> int:
    """Compare the run folder RUN with the reviewed expectations.

    Exit codes: 0 as expected, 1 something changed (gone, came back, new, flaky now, steady now), 3 nothing
    changed and something is not known (inconclusive, not run, too few trials). --accept exits 0.
    """
    from wedged.catalog import CLASSES
    from wedged.evidence import RunFolder
    from wedged.facts.trial import Verdict
    from wedged.nightly.comparing import accept as accepted
    from wedged.nightly.comparing import compare
    from wedged.nightly.drift import drifted, looked_at
    from wedged.nightly.expectations import read_expectations, read_shapes, write_expectations
    from wedged.nightly.judged import defining_claims, seen_in
    from wedged.nightly.work import decode_work

    expected = read_expectations(file)
    seen = seen_in(RunFolder.open(run), CLASSES)
    looks = looked_at(shapes) if shapes else ()
    asked: frozenset[tuple[str, str]] | None = frozenset((one.code, one.server) for one in seen)
    if work is not None:
        asked = decode_work(work.read_bytes()).asked
    elif whole:
        asked = None
    elif partial:
        seen, asked = tuple(one for one in seen if one.verdict is not Verdict.NOT_RUN), frozenset()
    if accept:
        after = accepted(expected, seen)
        reviewed = {one.server: one for one in (*read_shapes(file), *looks)}
        write_expectations(file, after.values(), reviewed.values())
        changed = sum(expected.get(key) != line for key, line in after.items())
        print(f"{file}: {changed} lines changed of {len(after)}; review the diff", file=sys.stderr)
        return 0
    drift = drifted(looks, read_shapes(file))
    comparison = compare(expected, seen, asked=asked, defining=defining_claims(), drifted=drift)
    show(comparison, as_json)
    return comparison.exit_code


def show(comparison: Comparison, as_json: bool) -> None:
    """Print a comparison: one screen, or one JSON document."""
    from wedged.catalog import CLASSES
    from wedged.nightly.comparison_document import document
    from wedged.nightly.summary import summary

    if as_json:
        print(json.dumps(document(comparison)))
        return
    sentences = {claim.id: claim.sentence for of in CLASSES for claim in of.claims}
    print(summary(comparison, lambda claim: sentences.get(claim, "")), end="")
