"""W301 on real servers, where it is absent, and the dead-man's test of it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from wedged.catalog import by_code
from wedged.evidence import RunFolder, new_run, verdicts
from wedged.facts.server import ServerSpec
from wedged.facts.trial import ClassState, Trial, Verdict
from wedged.lab.campaign import measure
from wedged.lab.keeper import Keeper
from wedged.lab.recorder import DeafRecorder, Recorder
from wedged.lab.scenarios.w301_invisible_background_shell import Scenario, no_fault
from wedged.lab.scripted_model import MuteModel, ScriptedModel
from wedged.lab.trials import Timing
from wedged.servers import InstalledServer

pytestmark = pytest.mark.server

ONLY_BASICS = {"control": 2, "trigger": 2}
# With a restart in it: the shared service, killed, is where the most can go wrong.
MAIN = {**ONLY_BASICS, "interrupt": 2, "end-shell": 2, "sub-agent": 2, "service-sigkill": 2}
# The dead-man's trials wait for something that never comes; they need not wait as long as real ones.
SHORT = Timing(settle_s=4, watch_s=1, bound_s=1)


def run(
    tmp_path: Path,
    scenario: Scenario,
    spec: ServerSpec,
    plan: Mapping[str, int] | None,
    *,
    timing: Timing | None = None,
    model: type[ScriptedModel] = ScriptedModel,
    recorder: type[Recorder] = Recorder,
) -> tuple[RunFolder, tuple[Trial, ...]]:
    folder = RunFolder.create(tmp_path / "run", new_run(7, {"made by": "a test"}))
    with Keeper.start() as keeper:
        trials = measure(
            scenario,
            [spec],
            folder,
            keeper,
            trials=2,
            seed=7,
            plan=plan,
            timing=timing,
            model=model,
            recorder=recorder,
        )
    return folder, trials


def test_the_main_claims_hold_on_the_release(tmp_path: Path, installed_released: InstalledServer) -> None:
    folder, trials = run(tmp_path, Scenario(), installed_released.spec, MAIN)
    (verdict,) = verdicts(by_code("W301"), folder.cells("W301"))
    assert verdict.state is ClassState.PRESENT
    arms = {claim.id: claim.arm for claim in by_code("W301").claims}
    others = {
        c.claim: c.why for c in verdict.claims if arms[c.claim] in MAIN and c.verdict is not Verdict.HOLDS
    }
    # It is told there, of a command that runs on.
    assert list(others) == ["W301.service-sigkill-is-not-told"]
    assert "0 of 2" in others.popitem()[1]
    assert len(trials) == sum(MAIN.values())
    assert all(folder.observations(trial) for trial in trials)


def test_a_server_without_shells_shows_it(tmp_path: Path, installed_v1: InstalledServer) -> None:
    folder, trials = run(tmp_path, Scenario(), installed_v1.spec, None)
    assert trials == ()
    (verdict,) = verdicts(by_code("W301"), folder.cells("W301"))
    assert verdict.state is ClassState.ABSENT
    assert {claim.verdict for claim in verdict.claims} == {Verdict.ABSENT}


@pytest.mark.parametrize("sabotage", ["a mute model", "a deaf recorder", "a fault that does nothing"])
def test_the_dead_mans_three_are_inconclusive(
    tmp_path: Path, installed_released: InstalledServer, sabotage: str
) -> None:
    folder, trials = run(
        tmp_path,
        Scenario(fault=no_fault) if sabotage == "a fault that does nothing" else Scenario(),
        installed_released.spec,
        ONLY_BASICS,
        timing=SHORT,
        model=MuteModel if sabotage == "a mute model" else ScriptedModel,
        recorder=DeafRecorder if sabotage == "a deaf recorder" else Recorder,
    )
    (found,) = verdicts(by_code("W301"), folder.cells("W301"))
    assert not any(t.valid for t in trials if t.arm == "trigger")
    assert found.state is ClassState.INCONCLUSIVE, found.why
