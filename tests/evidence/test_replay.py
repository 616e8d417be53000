"""A run folder says again what its pages say, and says what it leaves open."""

from dataclasses import replace
from pathlib import Path

import pytest

from wedged.errors import EvidenceError
from wedged.evidence import Cell, NotRun, RunFolder, merge, replay, verdicts
from wedged.facts.trial import ClassState

from .builders import NEW, OLD, W101, cell, healthy
from .folders import write


def test_the_verdicts_are_those_of_the_same_rules(tmp_path: Path) -> None:
    folder = RunFolder.open(write(tmp_path / "run", healthy(), healthy(NEW, trigger="hhh")))
    made = replay(folder, (W101,))
    assert [(one.server, one.state) for one in made.verdicts] == [
        (OLD, ClassState.PRESENT),
        (NEW, ClassState.GONE),
    ]
    assert made.verdicts == verdicts(W101, folder.cells("W101"))
    assert (made.trials, made.timelines, made.unknown) == (18, 18, ())


def test_a_witness_of_a_merged_folder_counts(tmp_path: Path) -> None:
    """A newer run of the bad server took its place; the older one still shows that the trial can see it."""
    later = replace(healthy(run="run-b"), started="2026-11-30T12:00:00Z")
    first = write(tmp_path / "one", healthy(), healthy(NEW, trigger="hhh"))
    second = write(tmp_path / "two", later)
    whole = merge([first, second], tmp_path / "both")
    states = {one.server: one.state for one in replay(whole, (W101,)).verdicts}
    assert states == {OLD: ClassState.PRESENT, NEW: ClassState.GONE}


def test_what_is_open_is_said(tmp_path: Path) -> None:
    alone = cell(NEW, control="sss", trigger="hhh")
    skipped = NotRun("", "the server could not be had")
    not_run = Cell("W101", "v1@1.2.3", "run-a", alone.started, (), (skipped,))
    trials = tuple(replace(one, code="W999") for one in cell(OLD, control="ss").trials)
    strange = Cell("W999", OLD, "run-a", alone.started, trials)
    path = write(tmp_path / "run", alone, not_run, strange)
    made = replay(RunFolder.open(path), (W101,))
    open_ = {gap.what: gap.why for gap in made.unknown}
    assert open_["W101 on v1@1.18.34"].startswith("inconclusive: no known-bad server")
    assert open_["W101 on v1@1.2.3"] == "not-run: the server could not be had"
    assert open_["class W999"] == "it is none of this version's catalogue"


def test_a_timeline_that_is_gone_or_broken_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "run", healthy())
    (path / "evidence" / "W101" / OLD / "trigger-1.jsonl").unlink()
    (path / "evidence" / "W101" / OLD / "trigger-2.jsonl").write_text("{")
    made = replay(RunFolder.open(path), (W101,))
    assert made.timelines == 7
    assert [gap.what for gap in made.unknown] == [
        f"the timeline of trigger-{n} of W101 on {OLD}" for n in (1, 2)
    ]


def test_a_run_that_was_cut_off_and_one_that_holds_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "run", healthy())
    with (path / "results.jsonl").open("a") as file:
        file.write('{"kind":"tri')
    assert [gap.what for gap in replay(RunFolder.open(path), (W101,)).unknown] == ["the end of the run"]
    empty = RunFolder.open(write(tmp_path / "empty"))
    assert replay(empty, (W101,)).unknown[0].why == "the run holds no result"
    (path / "results.jsonl").write_text("nonsense\n")
    with pytest.raises(EvidenceError):
        replay(RunFolder.open(path), (W101,))
