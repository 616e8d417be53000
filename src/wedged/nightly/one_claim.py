"""One claim on one server, with a server beside it that is known to have it, where that is needed."""

from collections.abc import Callable
from pathlib import Path

from wedged.errors import EvidenceError
from wedged.evidence import RunFolder, new_run
from wedged.facts.server import ServerSpec
from wedged.facts.trial import Verdict
from wedged.lab.campaign import measure
from wedged.lab.keeper import Keeper
from wedged.lab.scenarios import scenario
from wedged.nightly.expectations import Seen
from wedged.nightly.judged import seen_in
from wedged.nightly.measuring import Experiment, lacks_witness, on

Announce = Callable[[str], None]
# Which server to put beside what was seen; None: no such server is known.
Beside = Callable[[Seen], ServerSpec | None]

GONE = (Verdict.DOES_NOT_HOLD, Verdict.ABSENT)
PRESENT = (Verdict.HOLDS, Verdict.FLAKY)


def ask(
    asked: Experiment, spec: ServerSpec, place: Path, beside: Beside, *, seed: int, announce: Announce
) -> Seen:
    """Measure the claim on `spec` into the new run folder `place`, and say what came out.

    Where every trial was healed, `beside` is asked for a server that shows the claim, and that one is
    measured into the same folder: only then does "none of the trials showed it" say something.

    Raises:
        EvidenceError: the folder exists, or can't be written.
        LabError: the keeper did not start.
    """
    from importlib.metadata import version

    folder = RunFolder.create(place, new_run(seed, {"wedged": version("wedged")}))
    with Keeper.start() as keeper:

        def trials_on(server: ServerSpec) -> None:
            measure(
                scenario(asked.failure_class.code),
                [server],
                folder,
                keeper,
                trials=asked.trials,
                seed=seed,
                plan=asked.plan,
                announce=announce,
            )

        trials_on(spec)
        said = _claim_in(folder, asked)
        if len(said) != 1:
            raise EvidenceError(f"the run says {len(said)} things of {spec}")
        seen = said[0]
        if not lacks_witness(seen):
            return seen
        if witness := beside(seen):
            announce(
                f"{asked.claim.id}: none of {seen.n} trials showed it; measured on {witness} for comparison"
            )
            trials_on(witness)
            return on(_claim_in(folder, asked), seen.server) or seen
    announce(f"{asked.claim.id}: no server is known to show it; name one with --beside")
    return seen


def _claim_in(folder: RunFolder, asked: Experiment) -> tuple[Seen, ...]:
    return tuple(one for one in seen_in(folder, [asked.failure_class]) if one.claim == asked.claim.id)


def expected_so(expect: str, verdict: Verdict) -> bool | None:
    """Whether `verdict` is what ``gone`` or ``present`` says; None where it says neither."""
    if verdict in GONE:
        return expect == "gone"
    return expect == "present" if verdict in PRESENT else None
