"""W102, W104 and W105 on real servers, and the dead-man's test of W102."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from wedged.catalog import by_code
from wedged.evidence import ClassVerdict, RunFolder, new_run, verdicts
from wedged.facts.opinion import opinions
from wedged.facts.server import ServerSpec
from wedged.facts.trial import ClassState, Verdict
from wedged.lab.campaign import measure
from wedged.lab.keeper import Keeper
from wedged.lab.recorder import DeafRecorder, Recorder
from wedged.lab.scenarios import (
    w102_disposal_without_revocation,
    w104_leftover_ask,
    w105_hidden_child_ask,
)
from wedged.lab.scenarios.w102_acts import nothing
from wedged.lab.scripted_model import MuteModel, ScriptedModel
from wedged.lab.trials import Scenario, Timing
from wedged.servers import InstalledServer

pytestmark = pytest.mark.server

# The dead-man's trials wait for something that never comes; they need not wait as long as real ones.
SHORT = Timing(settle_s=3, watch_s=1, bound_s=1)


def run(
    tmp_path: Path,
    scenario: Scenario,
    specs: list[ServerSpec],
    plan: Mapping[str, int],
    *,
    timing: Timing | None = None,
    model: type[ScriptedModel] = ScriptedModel,
    recorder: type[Recorder] = Recorder,
) -> tuple[ClassVerdict, ...]:
    folder = RunFolder.create(tmp_path / "run", new_run(7, {"made by": "a test"}))
    with Keeper.start() as keeper:
        trials = measure(
            scenario,
            specs,
            folder,
            keeper,
            trials=2,
            seed=7,
            plan=plan,
            timing=timing,
            model=model,
            recorder=recorder,
        )
    assert len(trials) == len(specs) * sum(plan.values())
    assert all(opinion.right for opinion in opinions(trials))
    return verdicts(by_code(scenario.code), folder.cells(scenario.code))


def held(verdict: ClassVerdict) -> set[str]:
    return {claim.claim.partition(".")[2] for claim in verdict.claims if claim.verdict is Verdict.HOLDS}


def test_an_eviction_leaves_a_turn_behind_on_the_preview_and_not_on_the_release(
    tmp_path: Path, installed_preview: InstalledServer, installed_released: InstalledServer
) -> None:
    scenario = w102_disposal_without_revocation.Scenario()
    specs = [installed_preview.spec, installed_released.spec]
    plan = {"control": 2, "trigger": 2, "free": 2, "like-waiting": 2}
    preview, released = run(tmp_path, scenario, specs, plan)
    assert (preview.state, released.state) == (ClassState.PRESENT, ClassState.GONE)
    both = {"control-answered", "reply-404", "list-tells", "prompt-after-goes-on", "doctor-names-it"}
    assert held(preview) >= both | {"turn-hangs", "interrupt-frees", "not-waiting"}
    assert held(released) >= both
    assert not held(released) & {"turn-hangs", "interrupt-frees", "part-stays-running", "model-not-told"}


def test_an_approved_leftover_still_writes_on_v1(tmp_path: Path, installed_v1: InstalledServer) -> None:
    plan = {"control": 2, "trigger": 2, "reject": 2, "once": 2, "broken-stream": 2}
    (verdict,) = run(tmp_path, w104_leftover_ask.Scenario(), [installed_v1.spec], plan)
    assert verdict.state is ClassState.PRESENT
    assert held(verdict) >= {
        "never-ran",
        "reject-clears-it",
        "approving-runs-it",
        "asked-after-the-end",
        "doctor-names-it",
    }


def test_a_sub_agents_ask_is_found_through_its_parent(
    tmp_path: Path, installed_released: InstalledServer
) -> None:
    plan = {"control": 2, "trigger": 2, "interrupt": 2, "background": 2}
    (verdict,) = run(tmp_path, w105_hidden_child_ask.Scenario(), [installed_released.spec], plan)
    assert verdict.state is ClassState.PRESENT
    assert held(verdict) >= {"doctor-names-it", "parent-is-told-cancelled", "background-parent-is-idle"}


@pytest.mark.parametrize("sabotage", ["a mute model", "a deaf recorder", "a fault that does nothing"])
def test_the_dead_mans_three_are_inconclusive(
    tmp_path: Path, installed_preview: InstalledServer, sabotage: str
) -> None:
    idle = sabotage == "a fault that does nothing"
    scenario = w102_disposal_without_revocation.Scenario
    (verdict,) = run(
        tmp_path,
        scenario(fault=nothing) if idle else scenario(),
        [installed_preview.spec],
        {"control": 2, "trigger": 2},
        timing=SHORT,
        model=MuteModel if sabotage == "a mute model" else ScriptedModel,
        recorder=DeafRecorder if sabotage == "a deaf recorder" else Recorder,
    )
    # Unharmed, this very server says `present`: see above.
    assert verdict.state is ClassState.INCONCLUSIVE
    assert "invalid" in verdict.why
