"""Which arms a campaign gives to which server. No server is started: each attempt to is written down."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from wedged.errors import LabError
from wedged.evidence import AbsentProbe, RunFolder, new_run
from wedged.facts.server import ServerSpec
from wedged.lab import campaign
from wedged.lab.bench import Bench
from wedged.lab.keeper import Keeper
from wedged.lab.scenarios import scenario
from wedged.lab.trials import Draft, Group, Timing, share_out
from wedged.servers import InstalledServer
from wedged.servers.installed_server import line_of

OLD, NEW, PREVIEW, V2, OWN = (
    ServerSpec.parse(s)
    for s in ("v1@1.17.18", "v1@1.18.34", "v2@0.0.0-next-16350", "v2@2.0.15", "cmd:opencode serve")
)


@dataclass(frozen=True)
class ThreeArms:
    code: str = "W999"
    arms: tuple[str, ...] = ("trigger", "look-alike", "crash")
    main: tuple[str, ...] = ("trigger",)

    def plan(self, trials: int) -> dict[str, int]:
        return share_out(("trigger", "look-alike"), self.main, trials)

    def groups(self, trials: int) -> tuple[Group, ...]:
        return (Group("crash", {"crash": trials}, False, lambda _bench, _cells, _timing: {}),)

    def absent(self, bench: Bench) -> Mapping[str, AbsentProbe]:
        return {}

    def run(self, bench: Bench, directory: str, arm: str, n: int, timing: Timing) -> Draft:
        raise NotImplementedError


def attempts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, keeper: Keeper, *, everywhere: bool
) -> dict[tuple[str, str], str]:
    """Why each arm was not run on each server: "attempted" for those that a server was wanted for."""

    def no_bench(*_: object, **__: object) -> None:
        raise LabError("attempted")

    def found(spec: ServerSpec) -> InstalledServer:
        return InstalledServer(spec, ("opencode",), spec.value, "", line_of(spec))

    monkeypatch.setattr(campaign, "resolve", lambda spec: spec)
    monkeypatch.setattr(campaign, "install", found)
    monkeypatch.setattr(campaign, "open_bench", no_bench)
    folder = RunFolder.create(tmp_path / "run", new_run(7, {"made by": "a test"}))
    specs = (OLD, PREVIEW, V2, NEW, OWN, NEW)
    campaign.measure(ThreeArms(), specs, folder, keeper, trials=2, seed=7, everywhere=everywhere)
    return {(cell.server, one.arm): one.why for cell in folder.cells("W999") for one in cell.not_run}


def test_every_arm_everywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, keeper: Keeper) -> None:
    seen = attempts(monkeypatch, tmp_path, keeper, everywhere=True)
    assert set(seen.values()) == {"attempted"}
    assert len(seen) == 5 * 3


def test_further_arms_on_the_last_v1_and_the_last_v2_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, keeper: Keeper
) -> None:
    seen = attempts(monkeypatch, tmp_path, keeper, everywhere=False)
    assert len(seen) == 5 * 3
    left = {key: why for key, why in seen.items() if why != "attempted"}
    # A build of one's own stands for itself.
    assert set(left) == {(str(spec), arm) for spec in (OLD, PREVIEW) for arm in ("look-alike", "crash")}
    assert "on v1@1.18.34 only" in left[str(OLD), "crash"]
    assert "on v2@2.0.15 only" in left[str(PREVIEW), "crash"]


def test_what_a_cure_rests_on_is_no_further_arm() -> None:
    assert {"delete-part", "settle-part", "trigger"}.isdisjoint(campaign._further(scenario("W201")))
    assert {"screen", "fork"} <= campaign._further(scenario("W201"))


def test_main_arms_get_all_trials_and_further_ones_a_part_but_two_at_least() -> None:
    assert share_out(("a", "b"), ("a",), 10) == {"a": 10, "b": 2}
    assert share_out(("a", "b"), ("a",), 30, part=3) == {"a": 30, "b": 10}
    assert share_out(("a", "b"), ("a",), 1) == {"a": 1, "b": 2}
