"""W103 without a restart: from what was seen in one trial to what it says about each claim. Pure.

Each function looks for the symptom and for the positive witness of its opposite; where it finds neither, the
outcome is unclear.
"""

from collections.abc import Callable
from functools import partial

from wedged.diagnose import Diagnosis
from wedged.facts.finding import FindingStatus
from wedged.facts.opinion import as_values
from wedged.facts.session import PartStatus, Status
from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.outcomes import outcome_of
from wedged.lab.scenarios.w103_scene import Scene, failures
from wedged.lab.scenarios.w103_turns import FEEDBACK

DECLINED = "The user declined this tool call"
DISMISSED = "The user dismissed this question"
STEP = "Step interrupted"
_ORDER = ("session.tool.failed", "session.step.failed", "session.execution.interrupted")

Judge = Callable[[Scene], tuple[ClaimOutcome, ...]]


outcome = partial(outcome_of, "W103")


def said(scene: Scene) -> str:
    """The figures behind an outcome, in one sentence."""
    return (
        f"the turn ended {scene.end or 'without a word'}; {scene.mark}; "
        f"{len(scene.requests())} model requests; history: {', '.join(scene.history)}"
    )


def is_over(scene: Scene) -> bool:
    """An end was announced, and nothing works on the session."""
    return bool(scene.end) and scene.session.status is Status.IDLE


def is_clean(scene: Scene) -> bool:
    """A turn that succeeded and left no mark."""
    return is_over(scene) and scene.end == "succeeded" and not scene.mark.is_set


def is_as_shutdown(scene: Scene) -> bool:
    """A turn that ended as if the server had stopped."""
    return is_over(scene) and scene.end == "interrupted shutdown"


def control(scene: Scene) -> tuple[ClaimOutcome, ...]:
    """Approved: the call runs, the turn succeeds."""
    call = scene.call()
    done = call is not None and call.status is PartStatus.COMPLETED
    return (
        outcome(
            "control-completes",
            is_clean(scene) and done and scene.ran,
            is_over(scene) and not is_clean(scene),
            said(scene),
        ),
    )


def trigger(scene: Scene, made: Diagnosis) -> tuple[ClaimOutcome, ...]:
    """Declined without a word."""
    over, words = is_over(scene), failures(scene.timeline)
    expected = tuple(zip(_ORDER, (DECLINED, STEP, "shutdown"), strict=True))
    idle = any(one.startswith("idle") for one in scene.history)
    asked = len(scene.requests())
    return (
        outcome("recorded-as-shutdown", is_as_shutdown(scene), over, said(scene)),
        outcome(
            "words-in-order",
            over and words == expected,
            over and {event for event, _ in words} >= set(_ORDER[:2]),
            "; ".join(f"{event}: {text}" for event, text in words),
        ),
        outcome("mark-stays", over and scene.mark.is_set, over and not scene.mark.is_set, str(scene.mark)),
        outcome("no-idle-mark", over and not idle, idle, f"history: {', '.join(scene.history)}"),
        outcome(
            "asked-once",
            over and asked == 1 and not scene.ran,
            asked > 1 or scene.ran,
            f"{asked} model requests; the command has {'' if scene.ran else 'not '}run",
            requests=asked,
        ),
        named(scene, made),
    )


def named(scene: Scene, made: Diagnosis) -> ClaimOutcome:
    """Doctor's word about a declined turn."""
    wanted = FindingStatus.LATENT if scene.mark.is_set else FindingStatus.PAST
    found = [f for f in made.findings if f.code == "W103" and f.session == scene.prompted.session]
    unread = "; ".join(gap.what for gap in made.unknown)
    right = [f.status for f in found] == [wanted]
    why = f"{scene.mark}; doctor: {', '.join(f'{f.status} {f.variant}' for f in found) or 'no finding'}"
    why += f"; not read: {unread}" if unread else ""
    ready = is_as_shutdown(scene) and not unread
    codes = [f.code for f in made.findings if f.session == scene.prompted.session]
    opinion = as_values(["W103"], codes) if ready else {}
    return outcome("doctor-names-it", ready and right, ready and not right, why, **opinion)


def question(scene: Scene) -> tuple[ClaimOutcome, ...]:
    """A question, dismissed."""
    texts = [text for _, text in failures(scene.timeline)]
    alike = is_as_shutdown(scene) and texts == [DISMISSED, STEP, "shutdown"]
    why = f"{said(scene)}; {'; '.join(texts)}"
    return (outcome("question-recorded-as-shutdown", alike, is_over(scene) and not alike, why),)


def with_message(scene: Scene) -> tuple[ClaimOutcome, ...]:
    """Declined with a message."""
    told = [str(o.data["new_text"]) for o in scene.requests()[1:]]
    went_on = is_clean(scene) and len(told) == 1
    passed_on = any(FEEDBACK in text for text in told)
    return (
        outcome("message-goes-on", went_on, is_over(scene) and not went_on, said(scene)),
        outcome(
            "message-is-not-passed-on",
            bool(told) and not passed_on,
            passed_on,
            f"the model is told: {' / '.join(told) or 'nothing'}",
        ),
    )


def interrupted(scene: Scene) -> tuple[ClaimOutcome, ...]:
    """Interrupted in place of declined."""
    by_user = is_over(scene) and scene.end == "interrupted user" and not scene.mark.is_set
    replied = [o for o in scene.timeline if o.kind == "permission.replied"]
    told = f"{len(replied)} permission.replied events"
    return (
        outcome("interrupt-is-deliberate", by_user, is_over(scene) and not by_user, said(scene)),
        outcome("interrupt-publishes-no-reply", is_over(scene) and not replied, bool(replied), told),
    )


def answered(scene: Scene) -> tuple[ClaimOutcome, ...]:
    """A question, answered."""
    return (
        outcome("answer-completes", is_clean(scene), is_over(scene) and not is_clean(scene), said(scene)),
    )


def two_asks(scene: Scene) -> tuple[ClaimOutcome, ...]:
    """Two asks, one of them declined."""
    errors = [p.error for number in (0, 1) if (p := scene.call(number))]
    both = is_over(scene) and errors == [DECLINED, DECLINED]
    why = f"{said(scene)}; the calls say: {', '.join(errors) or 'nothing'}"
    return (outcome("one-decline-declines-all", both, is_over(scene) and not both, why),)


def background(declined: bool, interrupted_too: bool, ready: bool) -> tuple[ClaimOutcome, ...]:
    """Whether the background shell of a declined turn and that of an interrupted one still run."""
    words = ("gone", "runs")
    return (
        outcome(
            "background-shell-runs-on",
            ready and declined and interrupted_too,
            ready and not (declined and interrupted_too),
            f"after the decline it {words[declined]}, after the interrupt it {words[interrupted_too]}",
        ),
    )


def sub_agent(child: Scene, parent: Scene) -> tuple[ClaimOutcome, ...]:
    """A sub-agent's ask, declined."""
    told = [str(o.data["new_text"]) for o in parent.requests()[1:]]
    cancelled = any("ubagent cancelled" in text for text in told)
    as_shutdown = is_as_shutdown(child) and is_clean(parent) and cancelled
    over = is_over(child) and is_over(parent)
    why = f"the sub-agent's turn ended {child.end}, {child.mark}; the parent's {parent.end}; it was told: "
    return (
        outcome("sub-agent-recorded-as-shutdown", as_shutdown, over, why + (" / ".join(told) or "nothing")),
    )


def not_reported(claim: str, state: str, made: Diagnosis, session: str) -> tuple[ClaimOutcome, ...]:
    """Symptom: in the state, and no W103 of doctor's. Its opposite: in the state, and one.

    `state` is the witness in words, "" where the session was not in it. A look that left something unread
    shows nothing.
    """
    of_it = [f for f in made.findings if f.session == session]
    found = any(f.code == "W103" for f in of_it)
    unread = "; ".join(gap.what for gap in made.unknown)
    considered = "; ".join(c.why_not for c in made.considered if c.session == session and c.code == "W103")
    why = f"{state or 'not in the state'}; doctor: {', '.join(f.code for f in of_it) or 'no finding'}"
    why += f"; dismissed: {considered}" if considered else ""
    why += f"; not read: {unread}" if unread else ""
    ready = bool(state) and not unread
    opinion = as_values([], [f.code for f in of_it]) if ready else {}
    return (outcome(claim, ready and not found, ready and found, why, **opinion),)
