"""A maintainer's own build, named by a command: the binary that counts is the one that runs behind it."""

from pathlib import Path

import pytest

from wedged.catalog import by_code
from wedged.evidence import RunFolder, new_run, verdicts
from wedged.facts.server import ServerSpec
from wedged.facts.trial import ClassState
from wedged.lab.campaign import measure
from wedged.lab.keeper import Keeper
from wedged.lab.scenarios.w101_ungated_external_ask import Scenario
from wedged.servers import InstalledServer

pytestmark = pytest.mark.server


def test_a_command_is_measured_like_any_other_server(tmp_path: Path, installed_v1: InstalledServer) -> None:
    folder = RunFolder.create(tmp_path / "run", new_run(7, {"made by": "a test"}))
    (spec,) = ServerSpec.parse_all(f'cmd:"env -u NOTHING {installed_v1.argv[0]}"')
    plan = {"control": 2, "trigger": 2}
    with Keeper.start() as keeper:
        trials = measure(Scenario(), [spec], folder, keeper, trials=2, seed=7, plan=plan)
    failed = {check.rule: check.detail for t in trials for check in t.checks if not check.passed}
    assert failed == {}
    (verdict,) = verdicts(by_code("W101"), folder.cells("W101"))
    assert (verdict.server, verdict.state) == ("v1@1.17.18", ClassState.PRESENT)
    assert folder.record.servers[0].binary_sha256 == installed_v1.sha256
