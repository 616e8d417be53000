"""W101's look-alikes: was the session in its state when doctor looked, and what did doctor make of it. Pure.

A state is told by a positive witness; where that is missing the outcome is unclear, whatever doctor said.
"""

from collections.abc import Callable
from dataclasses import dataclass

from wedged.diagnose import Diagnosis
from wedged.facts.finding import FindingStatus
from wedged.facts.server import Line
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Snapshot
from wedged.facts.trial import ClaimOutcome, Lane, Observation
from wedged.lab.bench import Prompted
from wedged.lab.probe import in_flight
from wedged.lab.scenarios.doctor_word import Word
from wedged.lab.scenarios.w101_judgement import outcome


@dataclass(frozen=True, slots=True)
class Sight:
    """What a witness may use: the look that doctor judged, the session's timeline until then, and what only
    the trial itself could see.

    `outside` says that witness in words ("" where the trial has none, or did not see it); `lines` are the
    command lines below the server.
    """

    prompted: Prompted
    look: Snapshot
    timeline: tuple[Observation, ...]
    outside: str = ""
    lines: tuple[str, ...] = ()

    @property
    def session(self) -> SessionFacts | None:
        """The session as doctor saw it."""
        return self.look.session(self.prompted.session)

    @property
    def part(self) -> ToolPart | None:
        """The first call."""
        call_id = self.prompted.script.call_id(0, 0)
        session = self.session
        return next((p for p in session.parts if p.call_id == call_id), None) if session else None


# The state in words, "" where the session was not in it.
Witness = Callable[[Sight], str]


def _is(sight: Sight, status: Status) -> bool:
    return sight.session is not None and sight.session.status is status


def _runs(sight: Sight) -> bool:
    part = sight.part
    return _is(sight, Status.BUSY) and part is not None and part.status is PartStatus.RUNNING


def shell_runs(sight: Sight) -> str:
    """The shell's part runs, and so does its process."""
    if not _runs(sight) or not any(sight.prompted.script.name in line for line in sight.lines):
        return ""
    return "session busy, part running, its process below the server"


def call_runs(sight: Sight) -> str:
    """The call's part runs; what it waits for is the trial's own word."""
    return f"session busy, part running, {sight.outside}" if _runs(sight) and sight.outside else ""


def shell_runs_and(sight: Sight) -> str:
    """The shell runs, and the trial's own word."""
    shell = shell_runs(sight)
    return f"{shell}, {sight.outside}" if shell and sight.outside else ""


def _asked(sight: Sight) -> bool:
    """The session works, no call is unfinished, and the model owes an answer."""
    session = sight.session
    if session is None or session.newest is None or session.unfinished:
        return False
    return session.status is Status.BUSY and in_flight(sight.timeline) == 1


def _answer_open(sight: Sight) -> bool:
    newest = sight.session.newest if sight.session else None
    return _asked(sight) and newest is not None and newest.from_model and not newest.complete


def _has_spoken(sight: Sight) -> bool:
    return any(o.lane is Lane.MODEL and o.kind == "first byte" for o in sight.timeline)


def model_drips(sight: Sight) -> str:
    """The model has begun its answer and has not ended it."""
    return (
        "session busy, the answer begun and not ended" if _answer_open(sight) and _has_spoken(sight) else ""
    )


def model_silent(sight: Sight) -> str:
    """The model was asked and has sent nothing. V1 has an empty answer of it already, V2 none yet."""
    newest = sight.session.newest if sight.session else None
    awaited = newest is not None and not (newest.from_model and newest.complete)
    silent = _asked(sight) and awaited and not _has_spoken(sight)
    return "session busy, the model asked and silent" if silent else ""


def retries(sight: Sight) -> str:
    """The server names the time of the next request, which is still to come.

    On V1 the status says retry; V2 has the retry in the message, and says that the session runs.
    """
    retry = sight.session.retry if sight.session else None
    due = retry is not None and retry.next_ms is not None and retry.next_ms > sight.look.taken_ms
    if not (_is(sight, Status.RETRY) or _is(sight, Status.BUSY)) or not due:
        return ""
    failed = [o.data["status"] for o in sight.timeline if o.lane is Lane.MODEL and o.kind == "end"]
    return f"session retries after HTTP {failed[-1]}, the next request due" if failed else ""


def over(sight: Sight) -> str:
    """The turn has ended, its answer complete; what lagged is the trial's own word."""
    newest = sight.session.newest if sight.session else None
    complete = newest is not None and newest.complete and newest.finish == "stop"
    return (
        f"answer complete, {sight.outside}" if complete and _is(sight, Status.IDLE) and sight.outside else ""
    )


def asks(sight: Sight) -> str:
    """One ask is pending for the running call, and the trial's own word says that it was answered."""
    mine = [ask for ask in sight.look.asks if ask.call_id == sight.prompted.script.call_id(0, 0)]
    asked = _runs(sight) and len(mine) == 1 and bool(sight.outside)
    return f"session busy, one ask pending, {sight.outside}" if asked else ""


def _notices(sight: Sight) -> tuple[str, ...]:
    """What doctor ought to give notice of: V1's bare lists hide a session of another directory."""
    own = sight.look.scopes[0].directory if sight.look.scopes else ""
    hidden = sight.look.identity.line is Line.V1 and sight.session and sight.session.directory != own
    return ("W001",) if hidden else ()


def judged(claim: str, sight: Sight, witness: Witness, made: Diagnosis) -> tuple[ClaimOutcome, ...]:
    """Symptom: in the state, and doctor has no finding. Its opposite: in the state, and a finding.

    A notice is none: that another directory's session is in no bare list is W001's to say. A look that left
    something unread shows nothing.
    """
    state = witness(sight)
    waiting = next((a.waiting.value for a in made.activity if a.session == sight.prompted.session), "")
    worse = [f for f in made.findings if f.status is not FindingStatus.NOTICE]
    found = ", ".join(f"{f.code} {f.variant}" for f in worse)
    unread = "; ".join(gap.what for gap in made.unknown)
    status = sight.session.status if sight.session else "missing"
    why = f"{state or f'not in the state (session {status})'}; doctor: {found or 'no finding'}"
    why += f", waits for: {waiting}" if waiting else ""
    why += f"; not read: {unread}" if unread else ""
    quiet = bool(state) and not found and not unread
    word = Word.of(made, sight.prompted.session)
    opinion = word.opinion(_notices(sight)) if state and not unread else {}
    return (outcome(claim, quiet, bool(state) and bool(found), why, waiting=waiting, **opinion),)
