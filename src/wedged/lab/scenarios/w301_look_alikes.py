"""What resembles W301 and is not it: each brought about on a real server, and doctor pointed at it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wedged.diagnose import Diagnosis, diagnose
from wedged.facts.opinion import as_values
from wedged.facts.process import Shell
from wedged.facts.session import SessionFacts, Status
from wedged.facts.snapshot import Snapshot
from wedged.facts.trial import ClaimOutcome
from wedged.lab.bench import Bench
from wedged.lab.one_session import OneSession
from wedged.lab.scenarios.w301_arms import Run, draft, faults, settled
from wedged.lab.scenarios.w301_judgement import outcome
from wedged.lab.scenarios.w301_sight import carries
from wedged.lab.scenarios.w301_states import LONG, Stage, background, begin, foreground
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Script, Turn
from wedged.observe import look_twice, server_tree


class Few(OneSession):
    """As `OneSession`, for a session and its neighbours: what doctor sees where a shell is another's."""

    def __init__(self, bench: Bench, sessions: Sequence[str]) -> None:
        super().__init__(bench.connection.reader, sessions[0])
        self._few = frozenset(sessions)

    def statuses(self, directory: str = "") -> dict[str, Status]:
        """Those of the few."""
        found = self._reader.statuses(directory)
        return {key: status for key, status in found.items() if key in self._few}

    def sessions(self, directory: str = "", limit: int = 1000) -> tuple[SessionFacts, ...]:
        """Those of the few."""
        return tuple(s for s in self._reader.sessions(directory, limit) if s.id in self._few)

    def shells(self, directory: str = "") -> tuple[Shell, ...]:
        """Those of the few."""
        return tuple(s for s in self._reader.shells(directory) if s.session_id in self._few)


@dataclass(frozen=True, slots=True)
class Seen:
    """Doctor's look at a trial and what it made of it. `state` says in words what the trial itself saw of
    the state ("" where it was not in it)."""

    look: Snapshot
    made: Diagnosis
    state: str


def seen_by_doctor(stage: Stage, state: Callable[[Snapshot], str], *others: Stage) -> Seen:
    """One look at the sessions of these stages, as if they were alone on the server."""
    bench = stage.bench
    reader = Few(bench, [stage.session, *(other.session for other in others)])
    window = look_twice(
        reader,
        sample_s=0,
        scopes=[one.prompted.directory for one in (stage, *others)],
        tree=lambda: server_tree(bench.server.url),
        source=bench.server.url,
    )
    made = diagnose(window, request=bench.connection.actor.request)
    return Seen(window.latest, made, state(window.latest))


def judged(claim: str, session: str, seen: Seen) -> tuple[ClaimOutcome, ...]:
    """Symptom: in the state, and doctor has no finding about this session. Its opposite: a finding."""
    mine = [finding for finding in seen.made.findings if finding.session == session]
    found = ", ".join(f"{finding.code} {finding.variant}" for finding in mine)
    unread = "; ".join(gap.what for gap in seen.made.unknown)
    why = f"{seen.state or 'not in the state'}; doctor: {found or 'no finding'}"
    why += f"; not read: {unread}" if unread else ""
    there = bool(seen.state)
    opinion = as_values([], [finding.code for finding in mine]) if there and not unread else {}
    return (outcome(claim, there and not mine and not unread, there and bool(mine), why, **opinion),)


def _works(session: str, look: Snapshot) -> bool:
    known = look.session(session)
    return known is not None and known.works


def _idle(session: str, look: Snapshot) -> bool:
    known = look.session(session)
    return known is not None and known.status is Status.IDLE


def _listed(name: str, look: Snapshot) -> bool:
    return any(carries(name, shell.command) for shell in look.shells)


def _foreground(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = begin(bench, directory, name, foreground(name, LONG))
    stage.started(timing.settle_s)

    def state(look: Snapshot) -> str:
        runs = _works(stage.session, look) and _listed(name, look)
        return "session busy, its shell listed" if runs else ""

    seen = seen_by_doctor(stage, state)
    look = stage.look()
    _end(stage)
    return draft(stage, look, judged("not-foreground", stage.session, seen), faults(stage, look, 0))


def _turn_goes_on(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    """The model starts the shell, and then takes its time over the next answer."""
    call = background(name)
    slow = Turn(text="Done.", first_byte_s=60)
    prompted = bench.prompt(Script(name, (Turn(calls=(call,)), slow)), directory)
    stage = Stage(bench, prompted, (call,))
    stage.started(timing.settle_s)
    stage.asked_twice(timing.settle_s)

    def state(look: Snapshot) -> str:
        runs = _works(stage.session, look) and _listed(name, look)
        return "session busy, its background shell listed" if runs else ""

    seen = seen_by_doctor(stage, state)
    look = stage.look()
    _end(stage)
    return draft(stage, look, judged("not-turn-goes-on", stage.session, seen), faults(stage, look))


def _finished(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = begin(bench, directory, name, background(name, "sleep 0.5"))
    stage.must_settle(timing.settle_s)
    told = stage.told_after(stage.prompted.at, timing.settle_s)
    if told:
        stage.settle_after(told.t, timing.settle_s)

    def state(look: Snapshot) -> str:
        ended = _idle(stage.session, look) and not _listed(name, look) and told is not None
        return "session idle, its shell ended and told" if ended else ""

    seen = seen_by_doctor(stage, state)
    look = stage.look()
    return draft(stage, look, judged("not-finished", stage.session, seen), faults(stage, look))


def _idle_session(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = begin(bench, directory, name, words="Nothing to do.")
    stage.must_settle(timing.settle_s)

    def state(look: Snapshot) -> str:
        return "session idle, no shell" if _idle(stage.session, look) and not look.shells else ""

    seen = seen_by_doctor(stage, state)
    look = stage.look()
    return draft(stage, look, judged("not-idle", stage.session, seen), faults(stage, look, 0))


def _neighbour(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = begin(bench, directory, name, words="Nothing to do.")
    other = f"{name}-other"
    neighbour = begin(bench, bench.project("neighbour"), other, background(other))
    stage.must_settle(timing.settle_s)
    settled(neighbour, timing)

    def state(look: Snapshot) -> str:
        there = _idle(stage.session, look) and _listed(other, look)
        return "session idle, the neighbour's shell listed" if there else ""

    seen = seen_by_doctor(stage, state, neighbour)
    found = any(finding.session == neighbour.session for finding in seen.made.findings)
    # A doctor that sees no shell at all would pass otherwise.
    seen = Seen(seen.look, seen.made, f"{seen.state}, and found" if found and seen.state else "")
    look = stage.look()
    return draft(stage, look, judged("not-neighbour", stage.session, seen), faults(stage, look, 0))


def _own_process(bench: Bench, directory: str, name: str, timing: Timing) -> Draft:
    stage = begin(bench, directory, name, words="Nothing to do.")
    own = bench.server.keeper.spawn(
        ("bash", "-c", f"{LONG}; : {name}"),
        env=bench.home.env,
        cwd=Path(directory),
        log=bench.home.logs / f"{name}.log",
    )
    try:
        stage.must_settle(timing.settle_s)

        def state(look: Snapshot) -> str:
            runs = bench.server.keeper.ended(own) is None
            return "session idle, the user's process runs" if runs and _idle(stage.session, look) else ""

        seen = seen_by_doctor(stage, state)
        look = stage.look()
    finally:
        bench.server.keeper.end_tree(own)
    return draft(stage, look, judged("not-own-process", stage.session, seen), faults(stage, look, 0))


def _end(stage: Stage) -> None:
    """What goes on must disturb no other trial."""
    with stage.bench.timeline.call(stage.session, "interrupt"):
        stage.bench.connection.actor.abort(stage.session, stage.prompted.directory)


LOOK_ALIKES: dict[str, Run] = {
    "like-foreground": _foreground,
    "like-turn-goes-on": _turn_goes_on,
    "like-finished": _finished,
    "like-idle": _idle_session,
    "like-neighbour": _neighbour,
    "like-own-process": _own_process,
}
