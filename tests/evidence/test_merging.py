"""Shards join, nights follow each other, and the order of the sources changes nothing."""

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wedged.errors import EvidenceError
from wedged.evidence import AbsentProbe, Cell, LeftOut, NotRun, RunFolder, merge, verdicts
from wedged.facts.trial import ClassState

from .builders import NEW, OLD, W101, arm, healthy
from .folders import record, timeline, tree, write


def _night(cell: Cell, night: int) -> Cell:
    return replace(cell, run=f"night-{night}", started=f"2026-11-{night:02d}T03:00:00Z")


def _not_run(server: str, night: int, why: str = "no network") -> Cell:
    return _night(Cell("W101", server, "", "", not_run=(NotRun("", why),)), night)


def _states(folder: RunFolder) -> dict[str, ClassState]:
    found = verdicts(W101, folder.cells(), witnesses=folder.witnesses())
    return {verdict.server: verdict.state for verdict in found}


def _dates(folder: RunFolder) -> dict[str, str]:
    return {cell.server: cell.started[:10] for cell in folder.cells("W101")}


def test_shards_of_one_campaign_become_one_run(tmp_path: Path) -> None:
    one = write(tmp_path / "1", healthy(OLD))
    two = write(tmp_path / "2", healthy(NEW, "hhh"), cpus=4, sha="bb" * 32)
    folder = merge([one, two], tmp_path / "m")
    assert folder.record.id == "run-a"
    assert [s.key for s in folder.record.servers] == [OLD, NEW]
    assert [o.host["cpus"] for o in folder.record.origins] == [2, 4]
    assert folder.record.left_out == ()
    # The witness of one shard serves the other: they are one run.
    assert _states(folder) == {OLD: ClassState.PRESENT, NEW: ClassState.GONE}
    assert all(len(folder.observations(trial)) == 2 for trial in folder.trials())
    assert folder.witnesses() == ()
    assert folder.problems() == ()


def test_an_arm_of_one_cell_may_come_from_another_shard(tmp_path: Path) -> None:
    base = healthy()
    one = write(tmp_path / "1", replace(base, trials=base.arm("control") + base.arm("placebo")))
    two = write(tmp_path / "2", replace(base, trials=base.arm("trigger")))
    assert _states(merge([one, two], tmp_path / "m")) == {OLD: ClassState.PRESENT}


def test_the_same_trial_twice_must_be_the_same(tmp_path: Path) -> None:
    one, same = write(tmp_path / "1", healthy()), write(tmp_path / "2", healthy())
    assert len(merge([one, same], tmp_path / "m").trials()) == 9
    other_line = write(tmp_path / "3", healthy(trigger="ssh"))
    with pytest.raises(
        EvidenceError, match=r"trial trigger-3 of W101 on v1@1\.17\.18 is in two sources of run run-a"
    ):
        merge([one, other_line], tmp_path / "n")
    other_timeline = write(tmp_path / "4", healthy(), word="y")
    with pytest.raises(EvidenceError, match="differently"):
        merge([one, other_timeline], tmp_path / "n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["1", "2", "3", "4", "m"]


def test_the_newest_run_wins_a_cell_whole(tmp_path: Path) -> None:
    old = write(tmp_path / "1", _night(healthy(trigger="ssss"), 1))
    new = write(tmp_path / "2", _night(healthy(trigger="hhh"), 2))
    folder = merge([old, new], tmp_path / "m")
    assert _dates(folder) == {OLD: "2026-11-02"}
    # No trial of the older night fills up the newer one's.
    assert len(folder.trials()) == 9
    assert folder.record.left_out == (
        LeftOut("W101", OLD, "night-1", "2026-11-01T03:00:00Z", "a newer run is shown"),
    )
    assert [origin.id for origin in folder.record.origins] == ["night-2"]


@pytest.mark.parametrize("lost", ["absent from the night", "not run"])
def test_a_lost_shard_hides_nobodys_page(tmp_path: Path, lost: str) -> None:
    first = write(tmp_path / "1", _night(healthy(OLD), 1), _night(healthy(NEW, "hhh"), 1))
    second = [_night(healthy(OLD), 2)] + ([_not_run(NEW, 2)] if lost == "not run" else [])
    folder = merge([first, write(tmp_path / "2", *second)], tmp_path / "m")
    # The last good evidence stays, with its date, and still has its known-bad witness of that night.
    assert _dates(folder) == {OLD: "2026-11-02", NEW: "2026-11-01"}
    assert _states(folder) == {OLD: ClassState.PRESENT, NEW: ClassState.GONE}
    why = {(entry.server, entry.run): entry.why for entry in folder.record.left_out}
    assert why[OLD, "night-1"] == "a newer run is shown"
    assert why.get((NEW, "night-2")) == ("not run: no network" if lost == "not run" else None)


def test_the_witness_outlives_many_lost_nights(tmp_path: Path) -> None:
    folder = merge(
        [write(tmp_path / "1", _night(healthy(OLD), 1), _night(healthy(NEW, "hhh"), 1))], tmp_path / "m1"
    )
    for night in (2, 3, 4):
        tonight = write(tmp_path / f"n{night}", _night(healthy(OLD), night), _not_run(NEW, night))
        folder = merge([folder.path, tonight], tmp_path / f"m{night}")
        assert _states(folder) == {OLD: ClassState.PRESENT, NEW: ClassState.GONE}
        assert _dates(folder) == {OLD: f"2026-11-0{night}", NEW: "2026-11-01"}
        # Only the night that still speaks keeps its witness: the folder does not grow with the nights.
        assert [cell.run for cell in folder.witnesses()] == ["night-1"]
        assert [origin.id for origin in folder.record.origins] == ["night-1", f"night-{night}"]
        assert all(trial.evidence == "" for cell in folder.witnesses() for trial in cell.trials)
    back = write(tmp_path / "n5", _night(healthy(OLD), 5), _night(healthy(NEW, "hhh"), 5))
    folder = merge([folder.path, back], tmp_path / "m5")
    assert folder.witnesses() == ()
    assert [origin.id for origin in folder.record.origins] == ["night-5"]


def test_a_reason_is_shown_only_where_there_is_nothing_better(tmp_path: Path) -> None:
    first = write(tmp_path / "1", _not_run(OLD, 1, "no network"))
    second = write(tmp_path / "2", _not_run(OLD, 2, "npm is missing"))
    folder = merge([first, second], tmp_path / "m")
    assert verdicts(W101, folder.cells())[0].why == "npm is missing"
    assert [entry.why for entry in folder.record.left_out] == ["not run: no network"]


def test_an_absence_is_a_result(tmp_path: Path) -> None:
    probe = AbsentProbe("POST /global/dispose", False, 404)
    absent = write(tmp_path / "1", _night(Cell("W101", OLD, "", "", absent=(("", probe),)), 1))
    folder = merge([absent, write(tmp_path / "2", _not_run(OLD, 2))], tmp_path / "m")
    assert _states(folder) == {OLD: ClassState.ABSENT}


def test_two_binaries_under_one_key_contradict_each_other(tmp_path: Path) -> None:
    one = write(tmp_path / "1", _night(healthy(), 1))
    other = _night(healthy(), 2)
    other = replace(other, code="W102", trials=tuple(replace(t, code="W102") for t in other.trials))
    two = write(tmp_path / "2", other, sha="bb" * 32)
    with pytest.raises(EvidenceError, match=r"two different servers call themselves v1@1\.17\.18"):
        merge([one, two], tmp_path / "m")
    # A build that has been replaced everywhere is no contradiction.
    three = write(tmp_path / "3", _night(healthy(), 3), sha="bb" * 32)
    assert len(merge([one, three], tmp_path / "m").record.servers) == 1


def test_figures_and_notebooks_come_from_the_newest_run(tmp_path: Path) -> None:
    one = write(tmp_path / "1", _night(healthy(), 1))
    two = write(tmp_path / "2", _night(healthy(), 2))
    (one / "figures" / "W101.svg").write_text("old")
    (one / "notebooks" / "deep").mkdir()
    (one / "notebooks" / "deep" / "W102.ipynb").write_text("only")
    (two / "figures" / "W101.svg").write_text("new")
    for name, sources in (("m", [one, two]), ("n", [two, one])):
        folder = merge(sources, tmp_path / name)
        assert (folder.figures / "W101.svg").read_text() == "new"
        assert (folder.notebooks / "deep" / "W102.ipynb").read_text() == "only"
    shard = write(tmp_path / "3", _night(healthy(NEW), 2))
    (shard / "figures" / "W101.svg").write_text("other")
    with pytest.raises(
        EvidenceError, match=r"figures/W101\.svg is in two sources of run night-2, differently"
    ):
        merge([two, shard], tmp_path / "o")


def test_a_merged_folder_takes_no_trials_and_merges_again(tmp_path: Path) -> None:
    folder = merge([write(tmp_path / "1", healthy())], tmp_path / "m")
    with pytest.raises(EvidenceError, match="takes no new results"):
        folder.add_trial(replace(arm("trigger", "s")[0], n=99))
    again = merge([folder.path], tmp_path / "mm")
    assert tree(again.path) == tree(folder.path)


@pytest.mark.parametrize("kind", ["none", "not a run", "full"])
def test_what_cannot_be_merged_is_one_line_and_leaves_nothing(tmp_path: Path, kind: str) -> None:
    source = write(tmp_path / "1", healthy())
    into = tmp_path / "m"
    sources = {"none": [], "not a run": [source, tmp_path], "full": [source]}[kind]
    if kind == "full":
        into.mkdir()
        (into / "mine").write_text("kept")
    with pytest.raises(EvidenceError) as error:
        merge(sources, into)
    assert "\n" not in str(error.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == (["1", "m"] if kind == "full" else ["1"])


def test_a_missing_timeline_stops_the_merge(tmp_path: Path) -> None:
    source = write(tmp_path / "1", healthy())
    next((source / "evidence").rglob("*.jsonl")).unlink()
    with pytest.raises(EvidenceError, match="can't be read"):
        merge([source], tmp_path / "m")
    assert [p.name for p in tmp_path.iterdir()] == ["1"]


def test_a_torn_shard_gives_what_it_has(tmp_path: Path) -> None:
    source = write(tmp_path / "1", healthy())
    results = source / "results.jsonl"
    results.write_bytes(results.read_bytes()[:-20])
    assert len(merge([source], tmp_path / "m").trials()) == 8


def test_an_empty_run_merges(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "1", record())
    folder = merge([tmp_path / "1"], tmp_path / "m")
    assert (folder.record.id, folder.cells(), folder.record.merged) == ("run-a", (), True)


def test_what_an_earlier_killed_merge_left_is_cleared(tmp_path: Path) -> None:
    (tmp_path / ".m.merging").mkdir()
    (tmp_path / ".m.merging" / "half").write_text("x")
    folder = merge([write(tmp_path / "1", healthy())], tmp_path / "m")
    assert "half" not in tree(folder.path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["1", "m"]


def test_any_order_gives_the_same_bytes(tmp_path: Path) -> None:
    shared = merge(
        [write(tmp_path / "0", _night(healthy(OLD), 1), _night(healthy(NEW, "hhh"), 1))], tmp_path / "old"
    )
    sources = [
        shared.path,
        tmp_path / "0",
        write(tmp_path / "1", _night(healthy(OLD), 2)),
        write(tmp_path / "2", _night(healthy("v1@1.3.2", "shs"), 2), _not_run(NEW, 2), cpus=8),
        write(tmp_path / "3", _not_run(OLD, 3)),
    ]
    trees = [tree(merge(order, tmp_path / f"m{i}").path) for i, order in enumerate(permutations(sources))]
    assert len(trees) == 120
    assert all(found == trees[0] for found in trees)
    assert "witnesses.jsonl" in trees[0]


CELLS = st.lists(
    st.tuples(
        st.sampled_from(["v1@1.0", "v1@1.1", "v1@1.2"]),
        st.integers(1, 4),
        st.sampled_from(["sss", "hhh", "shs", "ss!", None]),
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda c: (c[0], c[1]),
)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(CELLS, st.randoms(use_true_random=False))
def test_merging_keeps_the_newest_result_of_each_server(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[str, int, str | None]], random: object
) -> None:
    """One source a cell, in any order: the newest with trials is shown, and says what it said that night."""
    tmp = tmp_path_factory.mktemp("merge")
    cells = [
        _not_run(server, night) if letters is None else _night(healthy(server, letters), night)
        for server, night, letters in drawn
    ]
    by_night = {night: [c for c in cells if c.run == f"night-{night}"] for night in range(1, 5)}
    alone = {
        (verdict.server, verdict.run): verdict
        for night in by_night.values()
        for verdict in verdicts(W101, night)
    }
    paths = [write(tmp / str(i), cell) for i, cell in enumerate(cells)]
    random.shuffle(paths)  # type: ignore[attr-defined]
    folder = merge(paths, tmp / "m")
    found = verdicts(W101, folder.cells(), witnesses=folder.witnesses())
    assert {v.server for v in found} == {c.server for c in cells}
    for verdict in found:
        nights = [(c.has_result, c.started, c.run) for c in cells if c.server == verdict.server]
        assert verdict.run == max(nights)[2]
        assert verdict == alone[verdict.server, verdict.run]


def test_a_witness_copy_does_not_contradict_its_original(tmp_path: Path) -> None:
    first = write(tmp_path / "1", _night(healthy(OLD), 1), _night(healthy(NEW, "hhh"), 1))
    merged = merge([first, write(tmp_path / "2", _night(healthy(OLD), 2))], tmp_path / "m").path
    folder = merge([merged, first], tmp_path / "n")
    assert tree(folder.path).keys() == tree(merged).keys()
    assert len(folder.observations(folder.trials("W101", NEW)[0])) == len(timeline())
