"""W102 on a terminal that was told to reload: from what was seen to what that says about each claim. Pure."""

from dataclasses import dataclass

from wedged.facts.ask import Ask
from wedged.facts.session import PartStatus, Status, ToolPart
from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.w102_judgement import NOT_FOUND, facts, outcome, said_of
from wedged.lab.scenarios.w102_stage import Sight


@dataclass(frozen=True, slots=True)
class Screen:
    """A terminal after the signal: the call as it is stored, whether the dialog was `shown`, whether the call
    `ran` once it was allowed there, and whether the dialog was `still_shown` after that."""

    part: ToolPart | None
    shown: bool
    ran: bool
    still_shown: bool


def on_screen(seen: Screen) -> tuple[ClaimOutcome, ...]:
    """A client whose server nobody else can ask."""
    over = seen.part is not None and seen.part.status is PartStatus.ERROR
    ghost = over and seen.shown and seen.still_shown and not seen.ran
    dialog = f"{'shown' if seen.shown else 'not shown'}, then {'shown' if seen.still_shown else 'not shown'}"
    runs = "runs it" if seen.ran else "runs nothing"
    return (
        outcome(
            "sigusr2-leaves-a-ghost",
            ghost,
            seen.ran or (over and not seen.shown),
            f"call {said_of(seen.part)}; its dialog: {dialog}; allowing it {runs}",
            event="its server has no port to ask",
            call=said_of(seen.part),
            listed=f"the dialog is {'still on' if seen.shown else 'off'} the screen",
            reply=f"allowing it {runs}",
        ),
    )


def listening(seen: Sight, ask: Ask, at: float, reply: int, bystander: str) -> tuple[ClaimOutcome, ...]:
    """A client that serves on a port was told to reload at `at`; a reply was then answered `reply`."""
    listed = seen.lists(ask)
    stays = listed and seen.status is Status.BUSY and reply < NOT_FOUND
    why = f"ask {'listed' if listed else 'not listed'}, session {seen.status}, a reply answered {reply}"
    row = facts(seen, ask, at, reply)
    return (outcome("sigusr2-port-leaves-it", stays, not listed, why, **row, bystander=bystander),)
