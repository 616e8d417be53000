"""A server that dies in the middle of a batch: every trial is written down, and not one of them counts."""

import os
import signal
from pathlib import Path

import pytest

from wedged.catalog import by_code
from wedged.evidence import RunFolder, new_run, verdicts
from wedged.facts.trial import ClassState
from wedged.lab.bench import Bench, open_bench
from wedged.lab.keeper import Keeper
from wedged.lab.scenarios.w101_ungated_external_ask import Scenario
from wedged.lab.trials import Draft, Timing, run_trials
from wedged.servers import InstalledServer

pytestmark = pytest.mark.server


class Killing(Scenario):
    """W101, whose first trial to come ends the server."""

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        if bench.server.alive():
            os.kill(bench.server.process.pid, signal.SIGKILL)
        return super().run(bench, directory, arm, n, timing)


def test_its_trials_are_invalid_and_not_lost(tmp_path: Path, installed_v1: InstalledServer) -> None:
    folder = RunFolder.create(tmp_path / "run", new_run(7, {"made by": "a test"}))
    short = Timing(settle_s=2, watch_s=1, bound_s=1)
    plan = {"control": 2, "trigger": 2}
    with Keeper.start() as keeper, open_bench(installed_v1, keeper) as bench:
        # One at a time: the look at the server's own documents then comes after its death.
        run_trials(bench, Killing(), plan, folder, seed=7, overlap=1, timing=short)
    trials = folder.trials("W101")
    assert len(trials) == sum(plan.values())
    assert not any(trial.valid for trial in trials)
    (verdict,) = verdicts(by_code("W101"), folder.cells("W101"))
    assert verdict.state is ClassState.INCONCLUSIVE
