"""Restarts on real servers: what a group's trials are worth when the server ended as meant, and when not."""

import os
import signal
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from wedged.errors import LabError
from wedged.evidence import AbsentProbe, RunFolder, new_run
from wedged.facts.trial import Check, ClaimOutcome, Outcome, Trial
from wedged.lab.absence import look_for
from wedged.lab.bench import Bench, open_bench, shell
from wedged.lab.campaign import measure
from wedged.lab.incarnation import How
from wedged.lab.keeper import Keeper
from wedged.lab.recorder import DeafRecorder
from wedged.lab.trials import CellId, Draft, Group, Timing, overlapping, run_group
from wedged.lab.turns import Call, Script, Turn
from wedged.lab.validity import ended_as_meant
from wedged.servers import InstalledServer
from wedged.waiting import wait_for, wait_until

pytestmark = pytest.mark.server

# Not on every server: V2 alone has it.
FEATURE = "/api/shell"


@dataclass(frozen=True)
class Restarting:
    """Two sessions run a shell each, and the server is restarted once under both of them."""

    how: How
    service: bool = False
    needs_feature: bool = False
    code: str = "W999"
    arms: tuple[str, ...] = ("restart",)
    main: tuple[str, ...] = ("restart",)

    def plan(self, trials: int) -> dict[str, int]:
        return {}

    def groups(self, trials: int) -> tuple[Group, ...]:
        return (Group("restart", {"restart": trials}, self.service, self.restart),)

    def absent(self, bench: Bench) -> Mapping[str, AbsentProbe]:
        return {"": look_for(bench, FEATURE)} if self.needs_feature else {}

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        raise AssertionError("no arm shares a server")

    def restart(self, bench: Bench, cells: Sequence[CellId], timing: Timing) -> Mapping[CellId, Draft | str]:
        def cause(cell: CellId) -> Draft:
            call = Call(bench.shell_tool, shell("sleep 300"))
            prompted = bench.prompt(Script(f"restart-{cell[1]}", (Turn(calls=(call,)),)), bench.project())
            bench.timeline.wait_for(prompted.session, lambda o: o.kind == "running", "the shell to run", 30)
            return Draft(prompted, (Check("it ran", True),), (), 0.0)

        running = overlapping(cells, cause)
        # A server calls a call "running" a little before its shell is there: on a busy machine it could be
        # killed in between, and nothing would outlive it.
        wait_for(
            lambda: sum(p.name == "sleep" for p in bench.server.family()) == len(cells),
            "a shell for each of them",
            10,
        )
        past = bench.restart(self.how)
        server = past.incarnation.server
        if self.how == "SIGTERM":
            # What was told to end may need a moment for it on a busy machine.
            wait_until(lambda: not server.family(), 5)
        left = [p.name for p in server.family()]

        def look(draft: Draft | str) -> Draft | str:
            if isinstance(draft, str):
                return draft
            seen = bench.connection.reader.session(draft.prompted.session, bench.project())
            outcome = ClaimOutcome("c", Outcome.SYMPTOM, f"{seen.parts[0].status}; {', '.join(left)}")
            return Draft(draft.prompted, draft.checks, (outcome,), bench.timeline.now())

        return {cell: look(draft) for cell, draft in running.items()}


def run(
    tmp_path: Path, scenario: Restarting, installed: InstalledServer
) -> tuple[RunFolder, tuple[Trial, ...]]:
    folder = RunFolder.create(tmp_path / "run", new_run(7, {"made by": "a test"}))
    with Keeper.start() as keeper:
        trials = measure(scenario, [installed.spec], folder, keeper, trials=2, seed=7)
    return folder, trials


def wrong(trial: Trial) -> list[Check]:
    return [check for check in trial.checks if not check.passed]


def test_a_crashed_service_starts_again_and_its_trials_count(
    tmp_path: Path, installed_released: InstalledServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temp))
    folder, trials = run(tmp_path, Restarting("SIGKILL", service=True), installed_released)
    assert [(wrong(t), t.valid) for t in trials] == [([], True)] * 2
    assert "sleep" in trials[0].outcomes[0].why  # what a crash leaves behind
    seen = {o.kind: o.data for o in folder.observations(trials[0])}
    assert seen["server ended"]["signal"] == 9
    assert "sleep" in str(seen["server ended"]["outlived_by"])
    assert seen["restarted"]["service"] is True
    assert seen["stream ends"]
    assert not list(temp.iterdir())
    text = "".join(p.read_text() for p in folder.path.rglob("*.json*"))
    assert str(temp) not in text


def test_a_preview_that_is_told_to_end_takes_its_shells_along(
    tmp_path: Path, installed_preview: InstalledServer
) -> None:
    _, trials = run(tmp_path, Restarting("SIGTERM"), installed_preview)
    assert [(wrong(t), t.valid) for t in trials] == [([], True)] * 2
    assert [t.outcomes[0].why for t in trials] == ["error; "] * 2


def test_a_deaf_recorder_makes_a_groups_trials_invalid_and_loses_none(
    tmp_path: Path, installed_preview: InstalledServer
) -> None:
    folder = RunFolder.create(tmp_path / "run", new_run(7, {"made by": "a test"}))
    short = Timing(settle_s=2, watch_s=1, bound_s=1)
    with Keeper.start() as keeper, open_bench(installed_preview, keeper, recorder=DeafRecorder) as bench:
        (group,) = Restarting("SIGTERM").groups(2)
        trials = run_group(bench, "W999", group, folder, seed=7, timing=short)
    assert [t.valid for t in trials] == [False, False]
    assert folder.trials("W999") == trials


def test_an_end_that_was_not_the_one_that_was_made_is_told(installed_preview: InstalledServer) -> None:
    with Keeper.start() as keeper, open_bench(installed_preview, keeper) as bench:
        assert ended_as_meant(bench).passed
        os.kill(bench.server.process.pid, signal.SIGKILL)
        past = bench.restart("SIGTERM")
        assert not past.as_meant
        assert ended_as_meant(bench).detail == "incarnation 1 did not end by SIGTERM alone"
        with pytest.raises(LabError, match="a second server on one home"):
            bench.start_again()
        bench.end_server("SIGTERM")
        with pytest.raises(LabError, match="ended already"):
            bench.end_server("SIGKILL")


def test_a_feature_that_is_not_there_is_absent_and_runs_nothing(
    tmp_path: Path, installed_v1: InstalledServer
) -> None:
    folder, trials = run(tmp_path, Restarting("SIGTERM", needs_feature=True), installed_v1)
    assert trials == ()
    (cell,) = folder.cells("W999")
    ((arm, probe),) = cell.absent
    # A V1 answers any unknown path with 200 and its web app: neither 404 nor 405 is to be had there.
    assert (arm, probe) == ("", AbsentProbe(f"GET {FEATURE}", False, 200, True))
    assert probe.shows_absence
    routes = folder.routes(str(installed_v1.spec))
    assert FEATURE not in routes
    assert "post" in routes["/session"]


def test_routes_that_a_run_has_read_are_not_asked_for_again(
    tmp_path: Path, installed_v1: InstalledServer
) -> None:
    folder = RunFolder.create(tmp_path / "run", new_run(7, {"made by": "a test"}))
    folder.keep_routes(str(installed_v1.spec), {FEATURE: ("get",)})
    with Keeper.start() as keeper:
        measure(
            Restarting("SIGTERM", needs_feature=True), [installed_v1.spec], folder, keeper, trials=2, seed=7
        )
    (cell,) = folder.cells("W999")
    # By its own document V1 has no such route, as the test above shows: these are the words that were kept.
    assert not cell.absent
    assert len(cell.trials) == 2
