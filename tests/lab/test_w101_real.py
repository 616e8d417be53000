"""W101 on a real server, and the dead-man's test: a blind, mute or toothless lab must not say anything."""

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
from wedged.lab.scenarios.w101_ungated_external_ask import Scenario, no_fault
from wedged.lab.scripted_model import MuteModel, ScriptedModel
from wedged.lab.trials import Timing
from wedged.servers import InstalledServer

pytestmark = pytest.mark.server

ONLY_BASICS = {"control": 2, "trigger": 2}
# The dead-man's trials wait for something that never comes; they need not wait as long as real ones.
SHORT = Timing(settle_s=4, watch_s=1, bound_s=1)


def run(
    tmp_path: Path,
    scenario: Scenario,
    spec: ServerSpec,
    *,
    plan: Mapping[str, int] | None = None,
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


def test_every_claim_holds_and_every_trial_left_its_timeline(
    tmp_path: Path, installed_v1: InstalledServer
) -> None:
    folder, trials = run(tmp_path, Scenario(), installed_v1.spec)
    (verdict,) = verdicts(by_code("W101"), folder.cells("W101"))
    assert verdict.state is ClassState.PRESENT
    assert {c.claim: (c.verdict, c.why) for c in verdict.claims if c.verdict is not Verdict.HOLDS} == {}
    assert len(trials) == sum(Scenario().plan(2).values())
    assert all(folder.observations(trial) for trial in trials)
    identity = folder.record.servers[0]
    assert identity.binary_sha256 == installed_v1.sha256


# What V2 does otherwise: shells go where they want, a decline's words are lost, no ask is left over.
OTHERWISE_ON_V2 = {
    "W101.shell-outside-stays-busy",
    "W101.not-in-session-list",
    "W101.reject-message-is-read",
    "W101.abort-leaves-ask",
    "W101.run-exits-0",
}
ON_V2 = (
    *("control", "trigger", "placebo", "once", "reject", "reject-message", "abort", "shell-outside"),
    *("question", "sub-agent", "like-plugin", "like-answered", "like-other-directory", "run"),
)


@pytest.mark.parametrize("server", ["installed_preview", "installed_released"])
def test_on_v2_a_file_tool_waits_and_what_differs_is_seen_to_differ(
    tmp_path: Path, server: str, request: pytest.FixtureRequest
) -> None:
    installed = request.getfixturevalue(server)
    folder, trials = run(tmp_path, Scenario(), installed.spec, plan=dict.fromkeys(ON_V2, 2))
    (verdict,) = verdicts(by_code("W101"), folder.cells("W101"))
    wrong = [(t.arm, c.rule, c.detail) for t in trials for c in t.checks if not c.passed]
    assert wrong == []
    counted = {c.claim: (c.k, c.n) for c in verdict.claims if c.n}
    assert {claim for claim, (k, n) in counted.items() if k < n} == OTHERWISE_ON_V2
    assert {counts for claim, counts in counted.items() if claim in OTHERWISE_ON_V2} == {(0, 2)}
    assert verdict.state is ClassState.PRESENT
    # A list that holds one directory's statuses alone is V1's.
    assert verdict.claim("W101.not-other-directory").verdict is Verdict.ABSENT


def test_no_secret_path_or_port_is_in_the_run_folder(tmp_path: Path, installed_v1: InstalledServer) -> None:
    plan = {"control": 1, "trigger": 1}
    folder, _ = run(tmp_path, Scenario(), installed_v1.spec, plan=plan)
    text = "".join(p.read_text() for p in folder.path.rglob("*.json*"))
    assert "/outside/w101-trigger-1" in text
    assert "wedged-v1-" not in text  # a home's folder name
    assert str(Path.home()) not in text
    assert "server password" not in text


@pytest.mark.parametrize("sabotage", ["a mute model", "a deaf recorder", "a fault that does nothing"])
def test_the_dead_mans_three_are_inconclusive(
    tmp_path: Path, installed_v1: InstalledServer, sabotage: str
) -> None:
    folder, trials = run(
        tmp_path,
        Scenario(fault=no_fault) if sabotage == "a fault that does nothing" else Scenario(),
        installed_v1.spec,
        plan=ONLY_BASICS,
        timing=SHORT,
        model=MuteModel if sabotage == "a mute model" else ScriptedModel,
        recorder=DeafRecorder if sabotage == "a deaf recorder" else Recorder,
    )
    found = verdicts(by_code("W101"), folder.cells("W101"))
    assert not any(t.valid for t in trials if t.arm == "trigger")
    assert [v.state for v in found] in ([ClassState.INCONCLUSIVE], [ClassState.NOT_RUN])
    assert found[0].state is ClassState.INCONCLUSIVE, found[0].why
