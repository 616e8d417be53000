"""W201, W203, W002 and W001 on real servers, and the dead-man's test of the crash."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from wedged.catalog import by_code
from wedged.evidence import ClassVerdict, RunFolder, new_run, verdicts
from wedged.facts.opinion import opinions
from wedged.facts.trial import ClassState, Trial, Verdict
from wedged.lab.campaign import measure
from wedged.lab.keeper import Keeper
from wedged.lab.recorder import DeafRecorder, Recorder
from wedged.lab.scenarios import scenario
from wedged.lab.scenarios.w201_crash import no_fault
from wedged.lab.scenarios.w201_hard_crash import Scenario as HardCrash
from wedged.lab.scripted_model import MuteModel, ScriptedModel
from wedged.lab.trials import Scenario, Timing
from wedged.servers import InstalledServer

pytestmark = pytest.mark.server

ONLY_BASICS = {"control": 2, "trigger": 2}
# With a second restart and a second server in it, and each line's own cure.
MAIN = ("control", "trigger", "placebo", "settle-part", "prompt", "doctor", "sigterm", "like-two-servers")
SHORT = Timing(settle_s=4, watch_s=1, bound_s=1)
# The bound is how long a placebo waits; nothing that is tested here needs as long as the guide's.
QUICK = Timing(bound_s=3)


def run(
    tmp_path: Path,
    of: Scenario,
    installed: InstalledServer,
    arms: Mapping[str, int],
    *,
    timing: Timing = QUICK,
    model: type[ScriptedModel] = ScriptedModel,
    recorder: type[Recorder] = Recorder,
) -> tuple[ClassVerdict, tuple[Trial, ...], RunFolder]:
    folder = RunFolder.create(tmp_path / "run", new_run(7, {"made by": "a test"}))
    with Keeper.start() as keeper:
        trials = measure(
            of,
            [installed.spec],
            folder,
            keeper,
            trials=2,
            seed=7,
            plan=arms,
            timing=timing,
            model=model,
            recorder=recorder,
        )
    (verdict,) = verdicts(by_code(of.code), folder.cells(of.code))
    return verdict, trials, folder


def odd_ones(verdict: ClassVerdict, arms: Mapping[str, int]) -> dict[str, str]:
    """The claims of these arms that do not hold, each with its reason."""
    of = by_code(verdict.code)
    return {
        c.claim.partition(".")[2]: c.why
        for c in verdict.claims
        if of.claim(c.claim).arm in arms and c.verdict not in (Verdict.HOLDS, Verdict.ABSENT)
    }


def test_a_crash_of_v1(tmp_path: Path, installed_v1: InstalledServer) -> None:
    arms = dict.fromkeys(MAIN, 2)
    verdict, trials, folder = run(tmp_path, HardCrash(), installed_v1, {**arms, "service": 2})
    assert verdict.state is ClassState.PRESENT
    service = verdict.claim("W201.service-settles-it")
    assert (service.verdict, service.why.partition(":")[0]) == (
        Verdict.NOT_RUN,
        "V1 has no shared service",
    )
    # A prompt ends nothing on V1, and SIGTERM is a crash there, too.
    odd = odd_ones(verdict, arms)
    assert set(odd) == {
        "prompt-ends-it",
        "prompt-survives",
        "sigterm-settles",
        "sigterm-ends-the-command",
    }, odd
    assert all("0 of 2" in why for why in odd.values())
    assert all(trial.valid for trial in trials)
    assert all(folder.observations(trial) for trial in trials)
    assert all(one.right for one in opinions(trials))


def test_a_crash_of_the_release_and_of_its_service(
    tmp_path: Path, installed_released: InstalledServer
) -> None:
    arms = dict.fromkeys((*MAIN, "service", "service-limit", "sigint", "terminal-killed"), 2)
    verdict, trials, _ = run(tmp_path, HardCrash(), installed_released, arms)
    assert verdict.state is ClassState.PRESENT
    assert odd_ones(verdict, arms) == {}
    absent = {c.claim for c in verdict.claims if c.verdict is Verdict.ABSENT}
    assert "W201.settle-part-ends-it" in absent
    assert all(trial.valid for trial in trials)
    assert all(one.right for one in opinions(trials))


@pytest.mark.parametrize("sabotage", ["a mute model", "a deaf recorder", "a fault that does nothing"])
def test_the_dead_mans_three_are_inconclusive(
    tmp_path: Path, installed_released: InstalledServer, sabotage: str
) -> None:
    verdict, trials, _ = run(
        tmp_path,
        HardCrash(fault=no_fault) if sabotage == "a fault that does nothing" else HardCrash(),
        installed_released,
        ONLY_BASICS,
        timing=SHORT,
        model=MuteModel if sabotage == "a mute model" else ScriptedModel,
        recorder=DeafRecorder if sabotage == "a deaf recorder" else Recorder,
    )
    assert not any(t.valid for t in trials if t.arm == "trigger")
    assert verdict.state is ClassState.INCONCLUSIVE, verdict.why


# Each with the arms that make most of a difference, on the line that has most of them.
NEIGHBOURS = {
    "W203": ("control", "trigger", "doctor", "end-process", "kill-shell", "like-own-command"),
    "W002": (
        "control",
        "trigger",
        "doctor",
        "settle-here",
        "delete-message-here",
        "abort-there",
        "like-crashed",
    ),
    "W001": ("control", "trigger", "doctor", "own-directory", "wrong-cure", "like-own-directory"),
}


@pytest.mark.parametrize("code", NEIGHBOURS)
def test_what_is_left_of_a_crash_and_what_looks_like_one(
    tmp_path: Path, installed_v1: InstalledServer, code: str
) -> None:
    arms = dict.fromkeys(NEIGHBOURS[code], 2)
    verdict, trials, _ = run(tmp_path, scenario(code), installed_v1, arms)
    assert verdict.state is ClassState.PRESENT, verdict.why
    assert odd_ones(verdict, arms) == {}
    assert all(trial.valid for trial in trials)
    assert all(one.right for one in opinions(trials))


def test_on_v2_no_list_of_statuses_hides_a_directory(
    tmp_path: Path, installed_released: InstalledServer
) -> None:
    verdict, trials, _ = run(tmp_path, scenario("W001"), installed_released, ONLY_BASICS)
    assert verdict.state is ClassState.INCONCLUSIVE
    assert "no known-bad server in this run; 0 of 2" in verdict.why
    assert all(trial.valid for trial in trials)
