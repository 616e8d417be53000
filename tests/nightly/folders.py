"""Nights for tests: run folders with known trials of one real class, made without a server."""

from pathlib import Path

from wedged.catalog import by_code
from wedged.evidence import SCHEMA, RunFolder, RunRecord
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.trial import Check, ClaimOutcome, Outcome, Trial

CODE = "W104"
OLD, NEW = "v1@1.17.18", "v1@1.18.34"


def night(
    path: Path,
    shows: dict[str, bool | None],
    *,
    run: str = "night-1",
    started: str = "2026-11-28T03:00:00Z",
    trials: int = 3,
    code: str = CODE,
) -> Path:
    """A run folder in which `code`'s claims all show (True), are all healed (False), or whose trials are not
    valid (None), on each server."""
    folder = RunFolder.create(path, RunRecord(SCHEMA, run, 7, started))
    of = by_code(code)
    for server, said in shows.items():
        folder.add_server(ServerIdentity(Line.V1, server.removeprefix("v1@"), "aa" * 32))
        for arm in dict.fromkeys(claim.arm for claim in of.claims):
            for n in range(1, trials + 1):
                outcome = Outcome.SYMPTOM if said else Outcome.HEALED
                outcomes = tuple(
                    ClaimOutcome(claim.id, Outcome.SYMPTOM if claim.control else outcome, "seen")
                    for claim in of.claims
                    if claim.arm == arm
                )
                check = Check("the model was asked", said is not None, "")
                folder.add_trial(Trial(code, server, arm, n, (check,), outcomes, 1.0))
    return path
