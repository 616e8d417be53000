"""Running the arms of an experiment: overlapping, in shuffled order, each trial with its validity checks."""

import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from wedged.errors import CannotLook, LabError, WedgedError
from wedged.evidence import RunFolder
from wedged.facts.trial import Check, ClaimOutcome, Lane, Observation, Trial
from wedged.lab.bench import Bench, Prompted
from wedged.lab.binary_hash import running_binary_sha256
from wedged.lab.canary import start_canary
from wedged.lab.timeline import since

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Timing:
    """In seconds. `settle_s`: how long an arm may take to reach its state. `watch_s`: how long the trigger's
    state is watched for a move. `bound_s`: within what a cure must move it; the placebo waits as long."""

    settle_s: float = 20.0
    watch_s: float = 2.0
    bound_s: float = 8.0


@dataclass(frozen=True, slots=True)
class Draft:
    """What a scenario's trial hands over: everything except the checks that only the batch can make.

    `also` names further sessions whose observations belong to the trial: a sub-agent's.
    """

    prompted: Prompted
    checks: tuple[Check, ...]
    outcomes: tuple[ClaimOutcome, ...]
    observed_at: float
    also: tuple[str, ...] = ()


class Scenario(Protocol):
    """One failure class, made to happen. `run` performs one trial of one arm and returns its draft."""

    @property
    def code(self) -> str:
        """The failure class."""

    @property
    def arms(self) -> tuple[str, ...]:
        """Every arm, in the order of the page."""

    def plan(self, trials: int) -> dict[str, int]:
        """How many trials each arm gets where a user asks for `trials`."""

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        """One trial: cause, watch, look, judge."""


def run_trials(
    bench: Bench,
    scenario: Scenario,
    plan: Mapping[str, int],
    folder: RunFolder,
    *,
    seed: int,
    overlap: int = 20,
    timing: Timing | None = None,
    progress: Progress | None = None,
) -> tuple[Trial, ...]:
    """Run ``plan[arm]`` trials of each arm on one warmed server and write each into `folder`.

    Sessions overlap, up to `overlap` at a time, in an order shuffled by `seed`, so that neither time nor
    neighbours line up with an arm. n counts sessions on one server: they are repetitions of a
    deterministic policy, not independent samples of servers. A trial that raises is written as invalid.
    """
    timing = timing or Timing()
    directory = bench.project()
    canary = start_canary(bench, directory, timing.settle_s)
    cells = [(arm, n) for arm, count in plan.items() for n in range(1, count + 1)]
    random.Random(seed).shuffle(cells)  # noqa: S311 (a schedule, not a secret)
    drafts: dict[tuple[str, int], Draft | str] = {}
    with ThreadPoolExecutor(max_workers=overlap, thread_name_prefix="trial") as pool:
        before = pool.submit(_same_server, bench, "at the start")
        running = {pool.submit(_attempt, bench, scenario, directory, cell, timing): cell for cell in cells}
        # Two seconds of the server's time, best spent while the last trials only watch.
        document = pool.submit(bench.whole_identity)
        for done in as_completed(running):
            drafts[running[done]] = done.result()
            if progress:
                progress(len(drafts), len(cells))
        # A server that died meanwhile gives no document; the check below says so in every trial.
        with suppress(CannotLook):
            folder.add_server(document.result())
        after = pool.submit(_same_server, bench, "at the end")
        proofs = canary.prove(bench, timing.settle_s)
    shared = (before.result(), *proofs, after.result())
    return tuple(_finish(bench, scenario.code, cell, drafts[cell], shared, folder) for cell in sorted(cells))


def _attempt(
    bench: Bench, scenario: Scenario, directory: str, cell: tuple[str, int], timing: Timing
) -> Draft | str:
    try:
        return scenario.run(bench, directory, *cell, timing)
    except WedgedError as error:
        return str(error)


def _finish(
    bench: Bench,
    code: str,
    cell: tuple[str, int],
    draft: Draft | str,
    shared: Sequence[Check],
    folder: RunFolder,
) -> Trial:
    arm, n = cell
    if isinstance(draft, str):
        failed = Check("the trial ran to its end", False, bench.normaliser.text(draft))
        return folder.add_trial(Trial(code, bench.identity.key, arm, n, (failed, *shared), (), 0.0), ())
    origin = draft.prompted.at
    sessions = (draft.prompted.session, *draft.also)
    seen = since(tuple(o for session in sessions for o in bench.timeline.of(session)), origin)
    checks = (*draft.checks, _scripted_model_asked(seen), _no_gap(bench, origin, draft.observed_at), *shared)
    # One numbering of ids for the whole trial: what is ses_1 in its timeline is ses_1 in its sentences.
    names = bench.normaliser.trial()
    timeline = names.observations(seen)
    trial = Trial(
        code=code,
        server=bench.identity.key,
        arm=arm,
        n=n,
        checks=tuple(Check(c.rule, c.passed, names.text(c.detail)) for c in checks),
        outcomes=tuple(map(names.outcome, draft.outcomes)),
        seconds=round(draft.observed_at - origin, 3),
    )
    return folder.add_trial(trial, timeline)


def _same_server(bench: Bench, when: str) -> Check:
    rule = f"the server is the one that was started, {when}: same process, same binary"
    if not bench.server.alive():
        return Check(rule, False, "the process is gone")
    try:
        digest = running_binary_sha256(bench.server.process.pid)
    except LabError as error:
        return Check(rule, False, str(error))
    expected = bench.identity.binary_sha256
    return Check(rule, digest == expected, "" if digest == expected else "the binary's hash differs")


def _scripted_model_asked(seen: Sequence[Observation]) -> Check:
    asked = any(o.lane is Lane.MODEL and o.kind == "request" and o.data["offers_tools"] for o in seen)
    return Check("the scripted model was the one asked", asked)


def _no_gap(bench: Bench, start: float, end: float) -> Check:
    gaps = [o for o in bench.timeline.of("") if o.lane is Lane.RECORDER]
    # An event that could not be read spoils the trials it fell into, not those that began later.
    open_at_start = [o for o in gaps if o.t <= start and o.kind != "unreadable event"][-1:]
    hit = [o for o in gaps if start < o.t <= end] + [o for o in open_at_start if o.kind != "gap ends"]
    return Check("no gap in the event stream", not hit, "; ".join(o.kind for o in hit))
