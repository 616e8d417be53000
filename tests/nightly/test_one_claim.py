"""None of the trials showed it: that says something only beside a server that is known to show it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from wedged.cli import main
from wedged.evidence import RunFolder
from wedged.facts.server import Line, ServerIdentity, ServerSpec
from wedged.facts.trial import Check, ClaimOutcome, Outcome, Trial
from wedged.nightly.expectations import write_expectations

from .folders import CODE
from .lines import HOLDS, line

CLAIM = f"{CODE}.stays-listed"
FIXED, BROKEN, BUILD = "v1@1.19.0", "v1@1.18.34", "cmd:./opencode"
Out = pytest.CaptureFixture[str]


class NoKeeper:
    """Nothing is started."""

    @classmethod
    def start(cls) -> "NoKeeper":
        return cls()

    def __enter__(self) -> "NoKeeper":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture(autouse=True)
def measured(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The servers that were measured, with how many trials: only `BROKEN` shows the claim."""
    told: list[tuple[str, int]] = []

    def measure(
        _scenario: object,
        specs: Sequence[ServerSpec],
        folder: RunFolder,
        _keeper: object,
        *,
        plan: Mapping[str, int],
        **_: Any,
    ) -> None:
        (spec,) = specs
        key = FIXED if str(spec) == BUILD else str(spec)
        told.append((key, plan["trigger"]))
        folder.add_server(ServerIdentity(Line.V1, key.removeprefix("v1@"), "aa" * 32))
        for arm, count in plan.items():
            claim = CLAIM if arm == "trigger" else f"{CODE}.control-answered"
            shows = arm == "control" or key == BROKEN
            outcome = ClaimOutcome(claim, Outcome.SYMPTOM if shows else Outcome.HEALED, "seen")
            for n in range(1, count + 1):
                folder.add_trial(Trial(CODE, key, arm, n, (Check("it ran", True),), (outcome,), 1.0))

    monkeypatch.setattr("wedged.nightly.one_claim.measure", measure)
    monkeypatch.setattr("wedged.nightly.one_claim.Keeper", NoKeeper)
    return told


def run(file: Path, *words: str) -> int:
    """``wedged lab run W104`` on the build, with this file of expectations."""
    return main(["lab", "run", CODE, "--server", BUILD, "--trials", "2", "--expectations", str(file), *words])


def test_without_a_server_beside_it_nothing_follows(
    tmp_path: Path, measured: list[tuple[str, int]], capsys: Out
) -> None:
    assert run(tmp_path / "none") == 3
    assert run(tmp_path / "none", "--expect", "gone") == 125
    assert "name one with --beside" in capsys.readouterr().err
    assert measured == [(FIXED, 2), (FIXED, 2)]


def test_beside_a_known_bad_server_it_is_gone(tmp_path: Path, measured: list[tuple[str, int]]) -> None:
    assert run(tmp_path / "none", "--expect", "gone", "--beside", BROKEN) == 0
    assert run(tmp_path / "none", "--expect", "present", "--beside", BROKEN) == 1
    assert measured[:2] == [(FIXED, 2), (BROKEN, 2)]


def test_the_file_names_the_server_and_the_trials(
    tmp_path: Path, measured: list[tuple[str, int]], capsys: Out
) -> None:
    file = tmp_path / "expectations.json"
    write_expectations(
        file, [line(HOLDS, 3, 3, server, CLAIM) for server in (BROKEN, "v1@1.2.27", "v2@2.0.15")]
    )
    assert run(file, "--expect", "gone") == 0
    # Three: after 3 of 3, two healed trials would be too few. And the newest one of the same line.
    assert measured == [(FIXED, 3), (BROKEN, 3)]
    assert f"{CLAIM} on {FIXED}: does-not-hold 0/3 · gone, as expected" in capsys.readouterr().out
