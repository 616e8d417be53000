"""W101: from what was seen in one trial to what it says about each claim. Pure.

Each function looks for the symptom and for the positive witness of its opposite; where it finds neither, the
outcome is unclear.
"""

from dataclasses import dataclass
from functools import partial

from wedged.facts.ask import Ask
from wedged.facts.session import PartStatus, Status, ToolPart
from wedged.facts.trial import ClaimOutcome, Lane, Observation
from wedged.lab.bench import Prompted
from wedged.lab.probe import Probe, turns_asked
from wedged.lab.scenarios.doctor_word import Word
from wedged.lab.scenarios.outcomes import outcome_of

# A question is a form on V2.
_ASKED = ("permission.asked", "question.asked", "form.created")


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything a judgement may use: the look, whether the folder was there, the session's timeline, and
    what doctor said of it where it was asked."""

    prompted: Prompted
    probe: Probe
    folder_made: bool
    timeline: tuple[Observation, ...]
    doctor: Word | None = None

    @property
    def gated(self) -> ToolPart | None:
        """The first call: the one whose folder is outside (or inside, in the control)."""
        return self.probe.part(self.prompted.script.call_id(0, 0))

    @property
    def sibling(self) -> ToolPart | None:
        """The second call, which echoes."""
        return self.probe.part(self.prompted.script.call_id(0, 1))

    @property
    def asks(self) -> tuple[Ask, ...]:
        """The pending asks that name the first call."""
        call_id = self.prompted.script.call_id(0, 0)
        return tuple(ask for ask in self.probe.asks if ask.call_id == call_id)

    @property
    def over_s(self) -> float | None:
        """Seconds from the prompt to the end of the turn, where it ended."""
        ended = [o.t for o in self.timeline if o.lane is Lane.STATUS and o.kind == "idle"]
        return round(ended[-1] - self.prompted.at, 3) if ended else None


@dataclass(frozen=True, slots=True)
class Cure:
    """What was done to the session: `healed_s` is None where the turn was not over within the bound."""

    arm: str
    at: float
    healed_s: float | None
    ask_id: str
    message: str


outcome = partial(outcome_of, "W101")


def _status(part: ToolPart | None) -> PartStatus | None:
    return part.status if part else None


def is_turn_over(scene: Scene) -> bool:
    """The turn ended: the server said so, and no call of it is unfinished."""
    return (
        scene.probe.session.status is Status.IDLE
        and scene.over_s is not None
        and bool(scene.probe.session.parts)
        and not scene.probe.session.unfinished
    )


def is_asked(o: Observation) -> bool:
    """The server asks somebody something."""
    return o.lane is Lane.ASK and o.kind in _ASKED


def control(scene: Scene) -> tuple[ClaimOutcome, ...]:
    """Both calls inside the project: the turn ends by itself, the folder is there."""
    done = _status(scene.gated) is PartStatus.COMPLETED and _status(scene.sibling) is PartStatus.COMPLETED
    return (
        *_doctors(scene, "doctor-leaves-control", ()),
        outcome(
            "control-completes",
            is_turn_over(scene) and done and scene.folder_made,
            scene.probe.session.status is Status.BUSY and bool(scene.probe.session.unfinished),
            f"session {scene.probe.session.status}, folder {'made' if scene.folder_made else 'missing'}",
            seconds=scene.over_s,
        ),
    )


def _doctors(scene: Scene, claim: str, expected: tuple[str, ...]) -> tuple[ClaimOutcome, ...]:
    """What doctor made of it, where it was asked: right, wrong, or (something unread) neither."""
    said = scene.doctor
    if said is None:
        return ()
    in_state = _wedged(scene) if expected else is_turn_over(scene)
    right = in_state and said.says(expected)
    # A turn that ended by itself (an older server that does not ask) leaves nothing to be named.
    wrong = in_state and not said.unread and not right
    opposite = wrong or bool(expected and is_turn_over(scene))
    opinion = said.opinion(expected) if in_state else {}
    return (outcome(claim, right, opposite, said.words, **opinion),)


def _wedged(scene: Scene) -> bool:
    """Mechanism and quiet together: what is waited for is known, each other waker is ruled out by name."""
    running = [p for p in scene.probe.session.parts if p.status is PartStatus.RUNNING]
    gated = scene.gated
    return (
        scene.probe.session.status is Status.BUSY
        and gated is not None
        and running == [gated]
        and len(scene.asks) == 1
        and scene.probe.in_flight == 0
        and not scene.probe.processes
        and not scene.probe.children
    )


def trigger(scene: Scene) -> tuple[ClaimOutcome, ...]:
    """One call outside the project, nobody answering."""
    p, over, gated, sibling = scene.probe, is_turn_over(scene), scene.gated, scene.sibling
    running = sum(part.status is PartStatus.RUNNING for part in p.session.parts)
    listed = len(p.asks) == 1 and len(scene.asks) == 1
    waits = _status(gated) is PartStatus.RUNNING
    started = sibling.start_ms if sibling else None
    ended = sibling.end_ms if sibling else None
    took = ended - started if started is not None and ended is not None else None
    watched = round(p.t - scene.prompted.at, 3)
    return (
        *_doctors(scene, "doctor-names-it", ("W101",)),
        outcome(
            "stays-busy",
            _wedged(scene),
            over,
            f"session {p.session.status}, {running} part running, {len(scene.asks)} ask joined by call id, "
            f"{p.in_flight} model requests in flight, {len(p.processes)} processes",
            watched_s=watched,
            running=running,
        ),
        outcome(
            "folder-never-made",
            not scene.folder_made and waits,
            scene.folder_made,
            f"folder {'made' if scene.folder_made else 'missing'}",
        ),
        outcome(
            "sibling-completes",
            _status(sibling) is PartStatus.COMPLETED,
            _status(sibling) is PartStatus.ERROR,
            f"sibling {_status(sibling)} in {took} ms",
            milliseconds=took,
        ),
        outcome(
            "no-further-turn",
            p.turns == 1 and p.in_flight == 0 and waits,
            p.turns > 1,
            f"{p.turns} turn asked of the model, {p.in_flight} in flight",
            turns=p.turns,
        ),
        outcome(
            "no-child-process",
            not p.processes and waits,
            bool(p.processes),
            f"{len(p.processes)} processes of this call below the server",
        ),
        outcome(
            "ask-listed",
            listed,
            over and not p.asks,
            f"{len(p.asks)} asks of this session in the server's list, {len(scene.asks)} joined by call id",
            action=scene.asks[0].action if scene.asks else "",
        ),
        outcome(
            "not-in-session-list",
            listed and not p.session_asks,
            bool(p.session_asks),
            f"{len(p.session_asks)} asks in the session's own list",
        ),
    )


def placebo(scene: Scene) -> tuple[ClaimOutcome, ...]:
    """The same wait as a cure's, with nothing sent."""
    watched = round(scene.probe.t - scene.prompted.at, 3)
    return (
        outcome(
            "placebo-stays",
            _wedged(scene),
            is_turn_over(scene),
            f"session {scene.probe.session.status} after {watched} s",
            watched_s=watched,
        ),
    )


def cure(scene: Scene, done: Cure) -> tuple[ClaimOutcome, ...]:
    """What the arm's cure did. The opposite of every "ends it" is: still wedged on the same ask."""
    p, over = scene.probe, is_turn_over(scene) and done.healed_s is not None
    stayed = _wedged(scene) and scene.asks[0].id == done.ask_id
    gated = scene.gated
    error = gated.error if gated else ""
    later = [o for o in turns_asked(scene.timeline) if o.t > done.at]
    values = {
        "healed_s": None if done.healed_s is None else round(done.healed_s, 3),
        "later_turns": len(later),
    }
    said = (
        f"part {_status(gated)}, session {p.session.status}, "
        f"further turns: {len(later)}, asks left: {len(p.asks)}"
    )
    failed = _status(gated) is PartStatus.ERROR and not scene.folder_made
    if done.arm == "once":
        ran = _status(gated) is PartStatus.COMPLETED and scene.folder_made and len(later) == 1
        return (outcome("once-runs-it", over and ran, stayed, said, **values),)
    if done.arm == "reject":
        return (
            outcome("reject-ends-it", over and failed and not p.asks, stayed, said, error=error, **values),
            outcome("reject-is-silent-to-model", over and not later, bool(later), said, **values),
        )
    if done.arm == "reject-message":
        told = any(done.message in str(o.data.get("new_text", "")) for o in later)
        went_on = over and failed and len(later) == 1
        return (
            outcome("reject-message-goes-on", went_on, stayed, said, error=error, **values),
            outcome("reject-message-is-read", went_on and told, went_on and not told, said, error=error),
        )
    left = any(ask.id == done.ask_id for ask in p.asks)
    return (
        outcome("abort-ends-it", over and failed, stayed, said, error=error, **values),
        outcome("abort-leaves-ask", over and left, over and not p.asks, said),
    )
