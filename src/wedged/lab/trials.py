"""Running the arms of an experiment: overlapping, in shuffled order, each trial with its validity checks.

Most arms share one server. Those that reach everybody on it (a restart, a crash, an eviction) form a `Group`
on a server of its own, which does to many sessions at once what would be dear to do to each.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from wedged.errors import CannotLook, WedgedError
from wedged.evidence import AbsentProbe, RunFolder
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.trial import Check, ClaimOutcome, Trial
from wedged.lab import validity
from wedged.lab.bench import Bench, Prompted
from wedged.lab.canary import start_canary
from wedged.lab.timeline import since

Progress = Callable[[int, int], None]
# An arm, and the number of one of its trials.
CellId = tuple[str, int]
T = TypeVar("T")


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


@dataclass(frozen=True, slots=True)
class Group:
    """Arms that are run together on a server of their own, since what they do reaches everybody on it.

    `arms` says how many trials each arm gets. `service`: the server is V2's shared service, not a plain one.
    `run` performs all of `cells` at once (many sessions, one restart) and returns for each its draft, or the
    sentence that says what went wrong. It leaves a server running. `not_on` says of an arm why it is not run
    on a line: for what is no route, so that no probe can show that it is missing.
    """

    name: str
    arms: Mapping[str, int]
    service: bool
    run: Callable[[Bench, Sequence[CellId], Timing], Mapping[CellId, Draft | str]]
    not_on: Mapping[str, Mapping[Line, str]] = field(default_factory=dict)


class Scenario(Protocol):
    """One failure class, made to happen. `run` performs one trial of one arm and returns its draft."""

    @property
    def code(self) -> str:
        """The failure class."""

    @property
    def arms(self) -> tuple[str, ...]:
        """Every arm, in the order of the page."""

    @property
    def main(self) -> tuple[str, ...]:
        """The arms that say whether the class is there, and what no cure can do without.

        Every server of a run gets these; every other one is a further arm.
        """

    def plan(self, trials: int) -> dict[str, int]:
        """How many trials each arm that shares a server gets where a user asks for `trials`."""

    def groups(self, trials: int) -> tuple[Group, ...]:
        """The arms that don't share that server."""

    def absent(self, bench: Bench) -> Mapping[str, AbsentProbe]:
        """The probes for features that not every server has, each under the arm that needs it ("": all do).

        An arm whose probe shows that its feature is missing is not run.
        """

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        """One trial of an arm of `plan`: cause, watch, look, judge."""


def share_out(arms: Iterable[str], main: Iterable[str], trials: int, part: int = 5) -> dict[str, int]:
    """How many trials each of `arms` gets: a main one all, a further one a fifth (or `part`), two at least.

    What a further arm does is decided by the same code every time; what it costs is seconds of a core.
    """
    all_of_them = frozenset(main)
    return {arm: trials if arm in all_of_them else max(2, trials // part) for arm in arms}


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
    cells = shuffled(plan, seed)
    drafts: dict[CellId, Draft | str] = {}

    def work(cell: CellId) -> Draft:
        return scenario.run(bench, directory, *cell, timing)

    with ThreadPoolExecutor(max_workers=overlap, thread_name_prefix="trial") as pool:
        before = pool.submit(validity.same_server, bench, "at the start")
        running = {pool.submit(_attempt, work, cell): cell for cell in cells}
        # Two seconds of the server's time, best spent while the last trials only watch.
        document = pool.submit(complete_identity, bench, folder)
        for done in as_completed(running):
            drafts[running[done]] = done.result()
            if progress:
                progress(len(drafts), len(cells))
        # A server that died meanwhile gives no document; the check below says so in every trial.
        with suppress(CannotLook):
            folder.add_server(document.result())
        after = pool.submit(validity.same_server, bench, "at the end")
        proofs = canary.prove(bench, timing.settle_s)
    provider = validity.only_the_scripted_provider(bench, directory)
    shared = (before.result(), *proofs, provider, after.result())
    return _finish_all(bench, scenario.code, cells, drafts, shared, folder)


def run_group(
    bench: Bench,
    code: str,
    group: Group,
    folder: RunFolder,
    *,
    seed: int,
    timing: Timing | None = None,
) -> tuple[Trial, ...]:
    """Run all trials of `group` on `bench`, a server of its own, and write each into `folder`.

    Checked as in `run_trials`, with two differences: the server may have ended and started, as long as each
    end was one that the group made; and the canary is set up after the trials, on the server of that time.
    """
    timing = timing or Timing()
    directory = bench.project()
    cells = shuffled(group.arms, seed)
    before = validity.same_server(bench, "at the start")
    try:
        bench.warm_up(directory, timing.settle_s)
        drafts: Mapping[CellId, Draft | str] = group.run(bench, cells, timing)
        proofs = start_canary(bench, directory, timing.settle_s).prove(bench, timing.settle_s)
    except WedgedError as error:
        drafts = dict.fromkeys(cells, str(error))
        proofs = ()
    with suppress(CannotLook):
        folder.add_server(complete_identity(bench, folder))
    shared = (
        before,
        validity.ended_as_meant(bench),
        *proofs,
        validity.only_the_scripted_provider(bench, directory),
        validity.same_server(bench, "at the end"),
    )
    return _finish_all(bench, code, cells, drafts, shared, folder)


def complete_identity(bench: Bench, folder: RunFolder) -> ServerIdentity:
    """The server's identity with the hash of its API document: the run's own word where it met this very
    binary before. One binary serves one document, and a cold V1 needs two seconds of a core to write it.
    """
    known = folder.record.server(bench.identity.key)
    same = known is not None and known.binary_sha256 == bench.identity.binary_sha256
    return known if known and same and known.openapi_sha256 else bench.whole_identity()


def shuffled(plan: Mapping[str, int], seed: int) -> list[CellId]:
    """The cells of a plan in an order that lines up with nothing, the same for the same seed."""
    cells = [(arm, n) for arm, count in plan.items() for n in range(1, count + 1)]
    random.Random(seed).shuffle(cells)  # noqa: S311 (a schedule, not a secret)
    return cells


def overlapping(
    cells: Iterable[CellId], work: Callable[[CellId], T], *, overlap: int = 20
) -> dict[CellId, T | str]:
    """Do `work` for each cell, up to `overlap` at a time; for one that raised, the error's sentence."""
    with ThreadPoolExecutor(max_workers=overlap, thread_name_prefix="cell") as pool:
        running = {cell: pool.submit(_attempt, work, cell) for cell in cells}
        return {cell: done.result() for cell, done in running.items()}


def _attempt(work: Callable[[CellId], T], cell: CellId) -> T | str:
    try:
        return work(cell)
    except WedgedError as error:
        return str(error)


def _finish_all(
    bench: Bench,
    code: str,
    cells: Iterable[CellId],
    drafts: Mapping[CellId, Draft | str],
    shared: Sequence[Check],
    folder: RunFolder,
) -> tuple[Trial, ...]:
    lost = "the group said nothing of this trial"
    return tuple(_finish(bench, code, cell, drafts.get(cell, lost), shared, folder) for cell in sorted(cells))


def _finish(
    bench: Bench, code: str, cell: CellId, draft: Draft | str, shared: Sequence[Check], folder: RunFolder
) -> Trial:
    arm, n = cell
    if isinstance(draft, str):
        failed = Check("the trial ran to its end", False, bench.normaliser.text(draft))
        return folder.add_trial(Trial(code, bench.identity.key, arm, n, (failed, *shared), (), 0.0), ())
    origin = draft.prompted.at
    sessions = (draft.prompted.session, *draft.also)
    own = tuple(o for session in sessions for o in bench.timeline.of(session))
    done = validity.done_to_the_server(bench, draft.prompted.session, origin, draft.observed_at)
    seen = since((*own, *done), origin)
    checks = (
        *draft.checks,
        validity.scripted_model_asked(seen),
        validity.no_gap(bench, origin, draft.observed_at),
        *shared,
    )
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
