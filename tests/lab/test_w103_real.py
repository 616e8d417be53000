"""W103 on real servers of both dialects and of V1, and the dead-man's test."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from wedged.catalog.w103_decline_as_shutdown import CLASS
from wedged.evidence import RunFolder, new_run, verdicts
from wedged.facts.trial import ClassState, Trial, Verdict
from wedged.lab.campaign import measure
from wedged.lab.keeper import Keeper
from wedged.lab.recorder import DeafRecorder, Recorder
from wedged.lab.scenarios.w103_decline_as_shutdown import Scenario
from wedged.lab.scenarios.w103_turns import no_fault
from wedged.lab.scripted_model import MuteModel, ScriptedModel
from wedged.lab.trials import Timing
from wedged.servers import InstalledServer

pytestmark = pytest.mark.server

SHORT = Timing(settle_s=4, watch_s=1, bound_s=1)
# What the preview shows otherwise needs a server on which it holds, in the same run.
ON_PREVIEW = {"control": 2, "trigger": 2, "like-fork": 2, "restart": 2, "cut-off": 2, "command-line": 2}
NOT_ON_PREVIEW = {
    "W103.mark-stays",
    "W103.resumed-after-restart",
    "W103.ends-as-succeeded",
    "W103.command-line-resumes-it",
}


def run(
    folder: RunFolder,
    server: InstalledServer,
    *,
    scenario: Scenario | None = None,
    plan: Mapping[str, int] | None = None,
    timing: Timing | None = None,
    model: type[ScriptedModel] = ScriptedModel,
    recorder: type[Recorder] = Recorder,
) -> tuple[Trial, ...]:
    with Keeper.start() as keeper:
        return measure(
            scenario or Scenario(),
            [server.spec],
            folder,
            keeper,
            trials=2,
            seed=7,
            plan=plan,
            timing=timing,
            model=model,
            recorder=recorder,
        )


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path / "run", new_run(7, {"made by": "a test"}))


def test_every_claim_on_the_release_and_what_is_otherwise_on_the_preview(
    folder: RunFolder, installed_released: InstalledServer, installed_preview: InstalledServer
) -> None:
    trials = run(folder, installed_released)
    run(folder, installed_preview, plan=ON_PREVIEW)
    preview, released = sorted(verdicts(CLASS, folder.cells("W103")), key=lambda v: v.server)
    assert (preview.state, released.state) == (ClassState.PRESENT, ClassState.PRESENT)
    assert {c.claim: (c.verdict, c.why) for c in released.claims if c.verdict is not Verdict.HOLDS} == {}
    ran = [c for c in preview.claims if c.verdict is not Verdict.NOT_RUN]
    assert {c.claim for c in ran if c.verdict is Verdict.DOES_NOT_HOLD} == NOT_ON_PREVIEW
    assert {c.verdict for c in ran} == {Verdict.HOLDS, Verdict.DOES_NOT_HOLD}
    assert all(folder.observations(trial) for trial in trials)
    text = "".join(p.read_text() for p in folder.path.rglob("*.json*"))
    assert str(Path.home()) not in text
    assert "wedged-v2" not in text  # a home's folder name


def test_v1_has_no_such_record(folder: RunFolder, installed_v1: InstalledServer) -> None:
    assert run(folder, installed_v1, plan={"control": 2, "trigger": 2}) == ()
    (verdict,) = verdicts(CLASS, folder.cells("W103"))
    assert verdict.state is ClassState.ABSENT
    assert {c.verdict for c in verdict.claims} == {Verdict.ABSENT}


@pytest.mark.parametrize("sabotage", ["a mute model", "a deaf recorder", "a fault that does nothing"])
def test_the_dead_mans_three_are_inconclusive(
    folder: RunFolder, installed_released: InstalledServer, sabotage: str
) -> None:
    trials = run(
        folder,
        installed_released,
        scenario=Scenario(fault=no_fault) if sabotage == "a fault that does nothing" else None,
        plan={"control": 2, "trigger": 2},
        timing=SHORT,
        model=MuteModel if sabotage == "a mute model" else ScriptedModel,
        recorder=DeafRecorder if sabotage == "a deaf recorder" else Recorder,
    )
    (verdict,) = verdicts(CLASS, folder.cells("W103"))
    assert not any(t.valid for t in trials if t.arm == "trigger")
    assert verdict.state is ClassState.INCONCLUSIVE, verdict.why
