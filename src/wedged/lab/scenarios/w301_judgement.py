"""W301: from what was seen in one trial to what it says about each claim. Pure.

Each function looks for the symptom and for the positive witness of its opposite; where it finds neither, the
outcome is unclear.
"""

from dataclasses import dataclass
from functools import partial

from wedged.diagnose import Diagnosis
from wedged.facts.opinion import as_values
from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.outcomes import outcome_of
from wedged.lab.scenarios.w301_sight import RUNNING, Sight
from wedged.roster import Roster

outcome = partial(outcome_of, "W301")


@dataclass(frozen=True, slots=True)
class Rosters:
    """What each kind of client has in its roster for one session: counts, and the shells of the right one."""

    naive: int
    right: int
    shells: tuple[str, ...] = ()

    @classmethod
    def of(cls, session: str, naive: Roster, right: Roster) -> "Rosters":
        """The parts that are about this session and its sub-agents."""
        mine = right.of(session)
        return cls(len(naive.of(session)), len(mine), tuple(e.id for e in mine if e in right.shells))


def state(look: Sight, name: str = "") -> str:
    """What of a shell was seen, in words."""
    name = name or look.name
    listed = look.shell(name)
    session = f"session {look.session.status}" if look.session else "session not there"
    process = "runs" if look.runs(name) else "runs elsewhere" if look.survives(name) else "gone"
    return f"{session}, shell {f'listed as {listed.status}' if listed else 'not listed'}, process {process}"


def idle(look: Sight) -> bool:
    """The server says that the session's turn is over."""
    return look.session is not None and look.session.status is Status.IDLE


def up(look: Sight, name: str = "") -> bool:
    """The shell runs: listed as running, its process below the server."""
    name = name or look.name
    listed = look.shell(name)
    return listed is not None and listed.status == RUNNING and look.runs(name)


def gone(look: Sight, name: str = "") -> bool:
    """The shell has ended: no list names it, and no process of it is left."""
    name = name or look.name
    return look.shell(name) is None and not look.survives(name)


def _call_done(look: Sight, call_id: str) -> bool:
    part = look.part(call_id)
    return part is not None and part.status is PartStatus.COMPLETED


def control(look: Sight, call_id: str, over_s: float | None) -> tuple[ClaimOutcome, ...]:
    """A foreground shell: with the turn everything is over."""
    over = idle(look) and _call_done(look, call_id) and over_s is not None
    return (outcome("control-settles", over and gone(look), over and up(look), state(look), seconds=over_s),)


@dataclass(frozen=True, slots=True)
class Beside:
    """What was seen beside the trigger's shell at the same time.

    `waited_s` is how long the server's own wait for the session took to answer, None where it did not within
    the bound. `made` is doctor's diagnosis, `blockers` are the ids of the shells that `wedged ready` names.
    """

    rosters: Rosters
    waited_s: float | None
    made: Diagnosis
    blockers: tuple[str, ...]


def trigger(look: Sight, call_id: str, watched_s: float, beside: Beside) -> tuple[ClaimOutcome, ...]:
    """A background shell, its turn over."""
    runs, over, done = up(look), idle(look), _call_done(look, call_id)
    listed = look.shell(look.name)
    owned = listed is not None and look.session is not None and listed.session_id == look.session.id
    shell_id = listed.id if listed else ""
    codes = sorted({finding.code for finding in beside.made.findings})
    found = [f for f in beside.made.findings if f.code == "W301" and f.subject.id == shell_id]
    rosters, part = beside.rosters, look.part(call_id)
    moved = part is not None and "moved to the background" in part.output
    said = state(look)
    # A server that kept its turn open until the shell has ended would have mended it.
    kept_open = look.session is not None and look.session.works and runs and not done
    return (
        outcome("runs-on", runs and over and done, gone(look) or kept_open, said, watched_s=watched_s),
        outcome("call-is-completed", runs and done and moved, runs and part is not None and not done, said),
        outcome("no-list-of-sessions-shows-it", runs and over, runs and not over, said),
        outcome(
            "listed-with-its-owner",
            runs and owned and listed is not None and listed.pid is not None,
            runs and not owned,
            said,
        ),
        outcome("no-further-turn", runs and look.turns == 2, look.turns > 2, f"{said}, {look.turns} turns"),
        outcome(
            "wait-answers",
            runs and beside.waited_s is not None,
            runs and beside.waited_s is None,
            f"answered after {beside.waited_s} s" if beside.waited_s is not None else "no answer in time",
        ),
        outcome(
            "naive-roster-misses-it",
            runs and rosters.naive == 0,
            runs and rosters.naive > 0,
            f"naive roster: {rosters.naive} pending",
        ),
        outcome(
            "right-roster-has-it",
            runs and shell_id in rosters.shells,
            runs and shell_id not in rosters.shells,
            f"right roster: {rosters.right} pending",
        ),
        outcome(
            "ready-says-no",
            runs and shell_id in beside.blockers,
            runs and shell_id not in beside.blockers,
            f"{len(beside.blockers)} shells named",
        ),
        outcome(
            "doctor-notices-it",
            runs and len(found) == 1 and codes == ["W301"],
            runs and codes != ["W301"],
            ", ".join(f"{f.code} {f.variant}: {f.status}, {f.confidence}" for f in beside.made.findings)
            or "no finding",
            **(as_values(["W301"], codes) if runs and over else {}),
        ),
    )


def stays(claim: str, look: Sight, name: str = "", *, watched_s: float | None = None) -> ClaimOutcome:
    """The shell runs on, whatever was done to the session."""
    values = {} if watched_s is None else {"watched_s": watched_s}
    return outcome(claim, up(look, name), gone(look, name), state(look, name), **values)


def ends(claim: str, look: Sight, name: str = "", *, healed_s: float | None = None) -> ClaimOutcome:
    """What was done ended the shell."""
    return outcome(claim, gone(look, name), up(look, name), state(look, name), healed_s=healed_s)


def end_shell(look: Sight, told: str, healed_s: float | None) -> tuple[ClaimOutcome, ...]:
    """DELETE of the shell. `told` is what the model was told next, "" where it was not asked."""
    ended = ends("end-shell-ends-it", look, healed_s=healed_s)
    woken = 'state="error"' in told and look.name in told
    return (
        ended,
        outcome(
            "ending-it-wakes-the-session",
            gone(look) and woken,
            gone(look) and not told,
            f"the model was told: {_quoted(told)}",
        ),
    )


def told_of_end(claim: str, look: Sight, told: str, *words: str) -> tuple[ClaimOutcome, ...]:
    """The shell ended by itself or by its timeout, and the model was told in these words."""
    said = look.name in told and all(word in told for word in words)
    why = f"{state(look)}; the model was told: {_quoted(told)}"
    return (outcome(claim, gone(look) and said, gone(look) and not told, why),)


@dataclass(frozen=True, slots=True)
class Killed:
    """A shell that a signal ended from outside: what the model was told within the bound; and, where it was
    still listed then and its entry was deleted, the look and the words after that."""

    told: str
    after: Sight | None = None
    told_after: str = ""


def killed(look: Sight, seen: Killed) -> tuple[ClaimOutcome, ...]:
    """Nothing runs. What does the server say?"""
    listed = look.shell(look.name)
    dead = not look.survives(look.name)
    ghost = dead and listed is not None and listed.status == RUNNING and not seen.told
    told = dead and look.name in seen.told
    honest = told and any(word in seen.told for word in ('"error"', '"killed"', '"cancelled"', "signal"))
    fine = told and 'state="completed"' in seen.told and not honest
    why = f"{state(look)}; the model was told: {_quoted(seen.told)}"
    after = seen.after
    freed = after is not None and gone(after) and 'state="error"' in seen.told_after
    return (
        outcome("killed-looks-fine", ghost or fine, honest, why),
        outcome("killed-stays-listed", ghost, told and listed is None, why),
        outcome(
            "ending-a-ghost-tells",
            ghost and freed,
            told and listed is None,
            f"after the DELETE: {state(after)}; {_quoted(seen.told_after)}" if after else why,
        ),
    )


def deleted(look: Sight, after: Sight, woken: bool) -> tuple[ClaimOutcome, ...]:
    """The session was deleted (`look`), then its shell was ended (`after`)."""
    left = look.session is None and up(look)
    return (
        outcome("deleting-the-session-leaves-it", left, look.session is None and gone(look), state(look)),
        outcome(
            "ending-an-ownerless-shell-wakes-nobody",
            left and gone(after) and not woken,
            left and gone(after) and woken,
            f"{state(after)}, {'a' if woken else 'no'} further request to the model",
        ),
    )


def _quoted(words: str) -> str:
    return f"“{' '.join(words.split())[:160]}”" if words else "nothing"
