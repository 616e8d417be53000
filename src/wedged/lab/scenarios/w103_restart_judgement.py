"""W103 over a restart: which turns were resumed, and which were not. Pure.

That nothing was resumed is never told by silence alone: the server answered a turn of its own afterwards, and
no mark was left that anything could still be resumed by.
"""

from collections.abc import Collection
from dataclasses import dataclass

from wedged.diagnose import Diagnosis
from wedged.facts.finding import FindingStatus
from wedged.facts.session import Status
from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.w103_judgement import DECLINED, outcome
from wedged.lab.scenarios.w103_scene import RESTART_WORDS, Scene, end_of
from wedged.lab.timeline import is_over

_CUT_OFF = ("Tool execution interrupted", "Interaction cancelled because the location shut down")
_RESUMED_HISTORY = ("user", "assistant error", "restart message", "assistant stop", "idle succeeded")


@dataclass(frozen=True, slots=True)
class Restarted:
    """One session before the server ended and after the next one had settled.

    `since` is when the next one was started, `answered` whether it answered a turn of its own. `again` counts
    the session's requests after a second restart. `marked` says whether the declined turn had its mark before
    anything else was done to it, `cured_s` how long a cure took to clear that, None where it cleared none.
    """

    before: Scene
    after: Scene
    since: float
    answered: bool
    again: int = 0
    marked: bool = True
    cured_s: float | None = None

    @property
    def requests(self) -> int:
        """How often the model was asked for this session since."""
        return len(self.after.requests(self.since))

    @property
    def last_words(self) -> str:
        """The end of what the model was last told."""
        told = self.after.requests(self.since)
        return str(told[-1].data["new_text"]).strip().rpartition("\n")[2] if told else ""

    @property
    def resumed_s(self) -> float | None:
        """Seconds from the start of the server's process to the first request, None without one."""
        told = self.after.requests(self.since)
        return round(told[0].t - self.since, 3) if told else None

    @property
    def quiet(self) -> bool:
        """Nothing was resumed, and nothing can be any more."""
        idle = self.after.session.status is Status.IDLE
        return self.answered and not self.requests and not self.after.mark.is_set and idle

    @property
    def said(self) -> str:
        """The figures behind an outcome, in one sentence."""
        told = f", told at last: {self.last_words}" if self.requests else ""
        return (
            f"before: {self.before.end or 'no end'}, {self.before.mark}; "
            f"after: {self.requests} model requests{told}; {self.after.mark}; "
            f"history: {', '.join(self.after.history)}"
        )


def resumed(claim: str, one: Restarted) -> ClaimOutcome:
    """The turn is resumed, and told that the server restarted."""
    told, seconds = one.last_words.startswith(RESTART_WORDS), one.resumed_s
    why = one.said if seconds is None else f"asked {seconds:.1f} s after the start; {one.said}"
    return outcome(claim, told, one.quiet, why, requests=one.requests, resumed_s=seconds)


def not_resumed(claim: str, one: Restarted) -> ClaimOutcome:
    """The turn is not resumed."""
    return outcome(claim, one.quiet, bool(one.requests), one.said, requests=one.requests)


def cleared(claim: str, one: Restarted) -> ClaimOutcome:
    """A cure cleared the mark. Where there was none, there was nothing to clear."""
    why = one.said if one.marked else f"no mark was set, so there was none to clear; {one.said}"
    never = not one.marked and one.quiet
    return outcome(
        claim,
        one.marked and one.cured_s is not None and one.quiet,
        bool(one.requests) or never,
        why,
        requests=one.requests,
        healed_s=one.cured_s,
    )


def restart(one: Restarted, in_file: ClaimOutcome) -> tuple[ClaimOutcome, ...]:
    """The trigger over two restarts."""
    told = bool(one.requests)
    whole = one.after.history == _RESUMED_HISTORY and not one.after.mark.is_set
    return (
        resumed("resumed-after-restart", one),
        outcome("ends-as-succeeded", told and whole, one.quiet or (told and not whole), one.said),
        in_file,
        outcome(
            "resumed-only-once",
            one.answered and not one.again,
            bool(one.again),
            f"{one.again} model requests after the second restart",
        ),
    )


def in_file(before: Scene, made: Diagnosis | str, expected: Collection[str]) -> ClaimOutcome:
    """Doctor's word about the stopped server's file. `expected` are the sessions it may call latent."""
    if isinstance(made, str):
        return outcome("file-shows-the-mark", False, False, f"the file was not read: {made}")
    session = before.prompted.session
    wanted = FindingStatus.LATENT if before.mark.is_set else FindingStatus.PAST
    found = [f.status for f in made.findings if f.code == "W103" and f.session == session]
    latent = {f.session for f in made.findings if f.code == "W103" and f.status is FindingStatus.LATENT}
    wrong = len(latent - set(expected))
    right = found == [wanted] and not wrong
    why = f"{before.mark}; of the file: {', '.join(found) or 'no finding'}; {wrong} other turns called latent"
    return outcome("file-shows-the-mark", right, not right, why)


def cut_off(one: Restarted) -> tuple[ClaimOutcome, ...]:
    """A turn that was at work when the server was told to end."""
    call = one.after.call()
    error = call.error if call else ""
    heard = [end_of(o) for o in one.after.timeline if is_over(o) and o.t < one.since]
    why = f"its call says: {error or 'nothing'}; clients heard: {', '.join(heard) or 'nothing'}"
    asked = bool(one.requests)
    other = heard or error == DECLINED
    return (
        outcome("cut-off-resumed", asked, one.quiet, one.said, requests=one.requests),
        outcome("cut-off-in-other-words", error in _CUT_OFF and not heard, bool(other), why),
    )


def late_interrupt(one: Restarted) -> tuple[ClaimOutcome, ...]:
    """Declined, then interrupted, then the restart."""
    stays = one.before.mark.is_set and bool(one.requests)
    return (outcome("late-interrupt-changes-nothing", stays, one.quiet, one.said, requests=one.requests),)


def plain(one: Restarted) -> tuple[ClaimOutcome, ...]:
    """A restart of a plain server: the session is as it was."""
    same = one.after.mark == one.before.mark and one.after.history == one.before.history
    still = one.answered and not one.requests and same and one.after.session.status is Status.IDLE
    return (outcome("plain-resumes-nothing", still, bool(one.requests), one.said, requests=one.requests),)


def command_line(one: Restarted, started: bool, ended: str) -> tuple[ClaimOutcome, ...]:
    """A command-line call while no server runs. `started`: it started the shared service, which answers."""
    told = one.last_words.startswith(RESTART_WORDS)
    service = "and started the shared service" if started else "and started no service"
    why = f"{ended} {service}; {one.said}"
    return (
        outcome(
            "command-line-resumes-it", started and told, started and one.quiet, why, requests=one.requests
        ),
    )


def is_cut_off(scene: Scene) -> str:
    """The witness that a real shutdown cut the turn off, in words; "" without it."""
    call = scene.call()
    cut = call is not None and call.error in _CUT_OFF and scene.session.status is Status.IDLE
    return f"cut off by a shutdown ({call.error}), {scene.mark}" if call and cut else ""
