"""Joining run folders: shards of one campaign, and nights. The rule is in the package's docstring."""

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path

from wedged.errors import EvidenceError
from wedged.evidence import lines
from wedged.evidence.cell import AbsentProbe, Cell, NotRun
from wedged.evidence.files import evidence_path, read, write_whole
from wedged.evidence.merged_record import merged_record
from wedged.evidence.record import encode_record
from wedged.evidence.run_folder import RECORD, RESULTS, WITNESSES, RunFolder
from wedged.facts.trial import Trial

_EXTRAS = ("figures", "notebooks")


@dataclass(slots=True)
class _Gathered:
    """One cell, from all the sources that have something of it. `shown`: some source shows it, so it is not a
    mere witness everywhere. Trials are keyed by arm and number; `timelines` are the files with their
    observations."""

    code: str
    server: str
    run: str
    started: str = ""
    shown: bool = False
    trials: dict[tuple[str, int], Trial] = field(default_factory=dict)
    timelines: dict[tuple[str, int], Path] = field(default_factory=dict)
    not_run: set[NotRun] = field(default_factory=set)
    absent: set[tuple[str, AbsentProbe]] = field(default_factory=set)

    @property
    def age(self) -> tuple[str, str]:
        return (self.started, self.run)

    def add(self, cell: Cell, folder: RunFolder, shown: bool) -> None:
        self.started = max(self.started, cell.started)
        self.shown = self.shown or shown
        self.not_run.update(cell.not_run)
        self.absent.update(cell.absent)
        for trial in cell.trials:
            key, bare = (trial.arm, trial.n), replace(trial, evidence="")
            same = self.trials.setdefault(key, bare) == bare
            if trial.evidence:
                path = folder.path / evidence_path(trial.code, trial.server, trial.arm, trial.n)
                held = self.timelines.setdefault(key, path)
                same = same and (held == path or read(held) == read(path))
            if not same:
                raise EvidenceError(
                    f"trial {trial.arm}-{trial.n} of {cell.code} on {cell.server} is in two sources of run "
                    f"{cell.run}, differently"
                )

    def cell(self, timelines: bool = True) -> Cell:
        """The cell as it is written, in an order that does not depend on the sources'."""
        trials = (
            replace(trial, evidence=evidence_path(trial.code, trial.server, *key))
            if timelines and key in self.timelines
            else trial
            for key, trial in sorted(self.trials.items(), key=lambda item: item[0])
        )
        return Cell(
            self.code,
            self.server,
            self.run,
            self.started,
            tuple(trials),
            tuple(sorted(self.not_run, key=lambda e: (e.arm, e.why))),
            tuple(sorted(self.absent, key=lambda e: (e[0], *astuple(e[1])))),
        )


def merge(sources: Sequence[Path], into: Path) -> RunFolder:
    """Join the run folders `sources` into the new folder `into`. The same sources give the same bytes, in any
    order.

    Raises:
        EvidenceError: no sources, an unreadable one, `into` is not empty, or two sources contradict each
        other
            (one trial, figure or notebook of one run in two versions; two binaries under one server key).
    """
    if not sources:
        raise EvidenceError("there is nothing to merge: name at least one run folder")
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise EvidenceError(f"{into.name} exists already; merging makes a new folder")
    folders = [RunFolder.open(path) for path in sources]
    gathered = _gather(folders)
    winners = _winners(gathered)
    speaking = {(w.code, w.run) for w in winners if w.trials or w.absent}
    losers = [g for g in gathered if not any(g is w for w in winners)]
    witnesses = [g for g in losers if g.trials and (g.code, g.run) in speaking]
    record = merged_record(
        [folder.record for folder in folders],
        shown=[w.cell() for w in winners],
        witnesses=[w.cell(timelines=False) for w in witnesses],
        left_out=[g.cell() for g in losers if g.shown],
    )
    half = into.with_name(f".{into.name}.merging")
    shutil.rmtree(half, ignore_errors=True)
    try:
        write_whole(half / RECORD, encode_record(record))
        write_whole(half / RESULTS, b"".join(lines.encode_cell(w.cell()) for w in winners))
        kept = b"".join(lines.encode_cell(w.cell(timelines=False)) for w in witnesses)
        write_whole(half / WITNESSES, kept)
        for winner in winners:
            for key, path in winner.timelines.items():
                write_whole(half / evidence_path(winner.code, winner.server, *key), read(path))
        for extra in _EXTRAS:
            _copy_newest(folders, extra, half)
        half.replace(into)
    except OSError as error:
        raise EvidenceError(f"the merged folder can't be written: {error.strerror}") from None
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return RunFolder.open(into)


def _gather(folders: Iterable[RunFolder]) -> list[_Gathered]:
    found: dict[tuple[str, str, str], _Gathered] = {}
    for folder in folders:
        for shown, cells in ((True, folder.cells()), (False, folder.witnesses())):
            for cell in cells:
                key = (cell.code, cell.server, cell.run)
                found.setdefault(key, _Gathered(*key)).add(cell, folder, shown)
    return [found[key] for key in sorted(found)]


def _winners(gathered: Iterable[_Gathered]) -> list[_Gathered]:
    """For each class and server, the newest run with a result there, else the newest that says why not."""
    best: dict[tuple[str, str], _Gathered] = {}
    for here in gathered:
        held = best.setdefault((here.code, here.server), here)
        if (bool(here.trials or here.absent), *here.age) > (bool(held.trials or held.absent), *held.age):
            best[here.code, here.server] = here
    return [best[key] for key in sorted(best)]


def _copy_newest(folders: Sequence[RunFolder], extra: str, into: Path) -> None:
    """Figures and notebooks are made per class, from a whole run: the newest run's stays."""
    chosen: dict[Path, tuple[tuple[str, str], Path]] = {}
    for folder in folders:
        age = (folder.record.started, folder.record.id)
        for path in sorted(p for p in (folder.path / extra).rglob("*") if p.is_file()):
            name = path.relative_to(folder.path)
            held = chosen.setdefault(name, (age, path))
            if held[0] == age and held[1] != path and read(held[1]) != read(path):
                raise EvidenceError(f"{name} is in two sources of run {folder.record.id}, differently")
            if age > held[0]:
                chosen[name] = (age, path)
    (into / extra).mkdir()
    for name, (_, path) in chosen.items():
        write_whole(into / name, read(path))
