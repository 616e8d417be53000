"""W101 on a real server: a call that touches a path outside the project, and nobody to ask.

`cause` and `hold` bring a session into the state and leave it there; `Scenario` measures it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wedged.catalog import by_code
from wedged.diagnose import diagnose
from wedged.errors import LabError
from wedged.evidence import AbsentProbe
from wedged.facts.recovery import Target
from wedged.facts.server import Line
from wedged.facts.trial import Check, ClaimOutcome, Lane, Observation
from wedged.lab import gated
from wedged.lab.absence import look_for
from wedged.lab.bench import Bench, Prompted
from wedged.lab.one_session import look_at
from wedged.lab.probe import Probe, probe
from wedged.lab.scenarios import w101_judgement as judge
from wedged.lab.scenarios.doctor_word import Word
from wedged.lab.scenarios.w101_always import ALWAYS
from wedged.lab.scenarios.w101_cases import CASES, FACTORIAL, run_case, stored
from wedged.lab.scenarios.w101_look_alike_states import ELSEWHERE
from wedged.lab.scenarios.w101_look_alikes import LOOK_ALIKES
from wedged.lab.scenarios.w101_run_command import RUN_COMMAND
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Group, Timing, share_out
from wedged.lab.turns import Call, Script, Turn
from wedged.recover import run_step

CODE = "W101"
FEEDBACK = "Stay inside the project: make the folder there instead."

# Which recovery step each waking arm runs.
CURES = {
    "once": "reply-once",
    "reject": "reply-reject",
    "reject-message": "reply-reject-message",
    "abort": "abort",
}
# Arms that share nothing with the main ones but the class; each is run by its own module.
FURTHER: dict[str, Callable[[Bench, int, Timing], Draft]] = {
    **{case.arm: partial(run_case, case) for case in CASES},
    **LOOK_ALIKES,
    **RUN_COMMAND,
    **ALWAYS,
}
ARMS = ("control", "trigger", "placebo", *CURES, *FURTHER)
_MAIN = ("control", "trigger", "placebo", *CURES, *sorted(FACTORIAL))


@dataclass(frozen=True, slots=True)
class Place:
    """Where one trial happens. `folder` is what its first call makes."""

    name: str
    project: Path
    outside: Path

    def folder(self, external: bool) -> Path:
        """The folder of this trial, outside the project or inside it."""
        return (self.outside if external else self.project) / self.name / "a"


Fault = Callable[[Place], Path]


def external_path(place: Place) -> Path:
    """The fault: the folder lies outside the project."""
    return place.folder(external=True)


def no_fault(place: Place) -> Path:
    """A fault that does nothing: one of the dead-man's three."""
    return place.folder(external=False)


def two_calls(line: Line, name: str, folder: Path) -> tuple[Call, Call]:
    """The report's trigger: two calls in one response, the first of which makes `folder`."""
    return gated.makes(line, folder), gated.shell_call(line, f"echo done-{name}")


def cause(bench: Bench, directory: str, name: str, folder: Path) -> Prompted:
    """Create a session and have the model make the two calls."""
    calls = two_calls(bench.identity.line, name, folder)
    return bench.prompt(Script(name, (Turn(calls=calls),)), directory)


def hold(bench: Bench, directory: str = "", name: str = "held") -> Prompted:
    """Bring a session into the state and leave it there.

    Raises:
        DeadlinePassed: the server did not ask within 20 s.
    """
    directory = directory or bench.project()
    place = Place(name, Path(directory), bench.home.outside)
    prompted = cause(bench, directory, name, external_path(place))
    bench.timeline.wait_for(prompted.session, judge.is_asked, "the server's external_directory ask", 20)
    return prompted


@dataclass(frozen=True, slots=True)
class Scenario:
    """The arms of W101. `fault` is what the trigger's path is made by."""

    fault: Fault = external_path
    code: str = CODE
    arms: tuple[str, ...] = ARMS

    @property
    def main(self) -> tuple[str, ...]:
        """The arms that every server of a run gets."""
        return _MAIN

    def plan(self, trials: int) -> dict[str, int]:
        """The factorial, the placebo and the cures get all trials, each further arm a fifth."""
        return share_out(self.arms, _MAIN, trials)

    def groups(self, trials: int) -> tuple[Group, ...]:
        """None: no arm reaches beyond its own session and directory."""
        del trials
        return ()

    def absent(self, bench: Bench) -> Mapping[str, AbsentProbe]:
        """Every server has asks. Only V1 has lists of statuses that hold one directory's sessions alone."""
        if bench.identity.line is Line.V1:
            return {}
        return {ELSEWHERE.arm: look_for(bench, "/session/status")}

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        """One trial of one arm."""
        if arm in FURTHER:
            return FURTHER[arm](bench, n, timing)
        place = Place(f"w101-{arm}-{n}", Path(directory), bench.home.outside)
        wanted = place.folder(external=arm != "control")
        folder = wanted if arm == "control" else self.fault(place)
        prompted = cause(bench, directory, place.name, folder)
        if arm == "control":
            bench.timeline.watch(prompted.session, is_over, timing.settle_s)
            seen, outcomes = self._look(bench, prompted, folder, judge.control)
        else:
            self._settle(bench, prompted, timing)
            if arm in CURES:
                seen, outcomes = self._cure(bench, prompted, folder, arm, timing)
            else:
                trigger = arm == "trigger"
                self._watch(bench, prompted, timing.watch_s if trigger else timing.bound_s)
                judged = judge.trigger if trigger else judge.placebo
                seen, outcomes = self._look(bench, prompted, folder, judged)
        checks = (
            stored(seen.part(prompted.script.call_id(0, 0)), gated.makes(bench.identity.line, wanted)),
            _fault_counted(bench, prompted, seen, 0 if arm == "control" else 1, place),
        )
        return Draft(prompted, checks, outcomes, bench.timeline.now())

    def _settle(self, bench: Bench, prompted: Prompted, timing: Timing) -> None:
        """Until the server asks, or the turn is over without asking."""
        bench.timeline.watch(prompted.session, lambda o: judge.is_asked(o) or is_over(o), timing.settle_s)

    def _watch(self, bench: Bench, prompted: Prompted, seconds: float) -> Observation | None:
        """Until the turn is over, at most `seconds` from now; nothing is sent."""
        return bench.timeline.watch(prompted.session, is_over, seconds, after=prompted.at)

    def _look(
        self,
        bench: Bench,
        prompted: Prompted,
        folder: Path,
        judged: Callable[[judge.Scene], tuple[ClaimOutcome, ...]],
    ) -> tuple[Probe, tuple[ClaimOutcome, ...]]:
        seen = probe(bench, prompted, about_asks=judged is not judge.control)
        made = folder.exists()
        bench.timeline.add(Lane.FILE, "folder made" if made else "folder missing", prompted.session)
        said = _doctor(bench, prompted) if judged in (judge.control, judge.trigger) else None
        return seen, judged(judge.Scene(prompted, seen, made, bench.timeline.of(prompted.session), said))

    def _cure(
        self, bench: Bench, prompted: Prompted, folder: Path, arm: str, timing: Timing
    ) -> tuple[Probe, tuple[ClaimOutcome, ...]]:
        before = probe(bench, prompted)
        if len(before.asks) != 1:
            raise LabError(f"{len(before.asks)} asks of this session are listed; the cure needs exactly one")
        failure_class = by_code(CODE)
        step = next(s for s in failure_class.recovery if s.id == CURES[arm])
        message = FEEDBACK if arm == "reject-message" else ""
        target = Target(prompted.session, prompted.directory, before.asks[0].id, message)
        acted = bench.timeline.now()
        with bench.timeline.call(prompted.session, step.id):
            run_step(step, target, bench.connection.reader, bench.connection.actor, allow_approval=True)
        over = bench.timeline.watch(prompted.session, is_over, timing.bound_s, after=acted)
        # A turn that goes on asks the model within milliseconds. Silence is watched for a second.
        if over and arm in ("reject", "abort"):
            bench.timeline.watch(
                prompted.session, lambda o: o.lane is Lane.MODEL and o.kind == "request", 1.0, after=over.t
            )
        healed_s = None if over is None else over.t - acted
        cure = judge.Cure(arm, acted, healed_s, before.asks[0].id, message)
        return self._look(bench, prompted, folder, lambda scene: judge.cure(scene, cure))


def _doctor(bench: Bench, prompted: Prompted) -> Word:
    """What doctor says of the session, with no grace given to an ask."""
    return Word.of(diagnose(look_at(bench, prompted.session, sample_s=0), 0), prompted.session)


def _fault_counted(bench: Bench, prompted: Prompted, seen: Probe, expected: int, place: Place) -> Check:
    """How many stored calls really touch the folder outside, and that they came before the look."""
    rule = f"the fault happened {'once' if expected else 'never'}, before the observation"
    touching = [p for p in seen.session.parts if str(place.folder(external=True)) in str(p.input)]
    first = bench.timeline.find(prompted.session, lambda o: o.lane is Lane.PART)
    in_time = not expected or (first is not None and first.t <= seen.t)
    return Check(rule, len(touching) == expected and in_time, f"{len(touching)} calls outside the project")
