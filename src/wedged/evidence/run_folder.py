"""The run folder: write it while the lab runs, read it anywhere. Its format is in the package's docstring."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from wedged.errors import EvidenceError
from wedged.evidence import lines
from wedged.evidence.cell import AbsentProbe, Cell
from wedged.evidence.files import FolderLock, append, evidence_path, read, routes_path, write_whole
from wedged.evidence.record import RunRecord, decode_record, encode_record
from wedged.facts.server import ServerIdentity
from wedged.facts.trial import Observation, Trial

RECORD = "run.json"
RESULTS = "results.jsonl"
WITNESSES = "witnesses.jsonl"


class RunFolder:
    """One run on disk. Adding is safe from many threads and from several processes at once; what a killed
    process leaves behind is still a folder, short by at most the trials that were being written.

    Reading methods look at the disk each time they are called.
    """

    def __init__(self, path: Path, record: RunRecord) -> None:
        """For `create` and `open`."""
        self.path = path
        self.record = record
        self._lock = FolderLock(path)
        self._known: set[tuple[str, str, str, int]] = set()
        self._known_size = 0

    @classmethod
    def create(cls, path: Path, record: RunRecord) -> "RunFolder":
        """Begin a run in `path`, which is made.

        Raises:
            EvidenceError: there is a run already, or the folder can't be made.
        """
        if (path / RECORD).exists():
            raise EvidenceError(f"there is a run in {path.name} already")
        try:
            for folder in (path, path / "figures", path / "notebooks"):
                folder.mkdir(parents=True, exist_ok=True)
            write_whole(path / RECORD, encode_record(record))
        except OSError as error:
            raise EvidenceError(f"the run folder can't be made: {error.strerror}") from None
        return cls(path, record)

    @classmethod
    def open(cls, path: Path) -> "RunFolder":
        """A run that exists.

        Raises:
            EvidenceError: no run folder, or one of a newer schema.
        """
        if not (path / RECORD).is_file():
            raise EvidenceError(f"{path} is not a run folder: it has no {RECORD}")
        return cls(path, decode_record(read(path / RECORD), f"{path.name}/{RECORD}"))

    @property
    def figures(self) -> Path:
        """Where drawn figures go."""
        return self.path / "figures"

    @property
    def notebooks(self) -> Path:
        """Where executed notebooks go."""
        return self.path / "notebooks"

    def add_server(self, identity: ServerIdentity) -> None:
        """Put a server into run.json.

        Raises:
            EvidenceError: the run has met another binary under the same key.
        """
        with self._lock.held():
            # Another process may have added servers since this one read the record.
            current = decode_record(read(self.path / RECORD), f"{self.path.name}/{RECORD}")
            self.record = current.with_server(identity)
            if self.record != current:
                write_whole(self.path / RECORD, encode_record(self.record))

    def add_trial(self, trial: Trial, observations: Iterable[Observation] = ()) -> Trial:
        """Write a trial and its timeline; the trial with its `evidence` filled in ("" without observations).

        Raises:
            EvidenceError: this trial is recorded already, something in it isn't JSON, or the folder can't be
                written.
        """
        timeline = tuple(observations)
        evidence = evidence_path(trial.code, trial.server, trial.arm, trial.n) if timeline else ""
        trial = replace(trial, evidence=evidence)
        data = lines.encode_trial(self.record.id, self.record.started, trial)
        seen = lines.encode_observations(timeline, evidence)
        with self._lock.held():
            if (trial.code, trial.server, trial.arm, trial.n) in self._recorded():
                raise EvidenceError(
                    f"trial {trial.arm}-{trial.n} of {trial.code} on {trial.server} is recorded already"
                )
            # The timeline first: a result never names a file that isn't there.
            if timeline:
                write_whole(self.path / evidence, seen)
            self._known_size = self._append(data)
            self._known.add((trial.code, trial.server, trial.arm, trial.n))
        return trial

    def not_run(self, code: str, server: str, why: str, arm: str = "") -> None:
        """Say that `arm` ("" for the whole class) was not started on `server`, or was broken off, and why."""
        about = (self.record.id, self.record.started, code, server)
        with self._lock.held():
            self._append(lines.encode(lines.NotRunLine(*about, arm, why), "the reason"))

    def absent(self, code: str, server: str, probe: AbsentProbe, arm: str = "") -> None:
        """Record a probe for the feature that `arm` ("" for the whole class) needs."""
        about = (self.record.id, self.record.started, code, server)
        with self._lock.held():
            self._append(lines.encode(lines.AbsentLine(*about, arm, probe), "the probe"))

    def keep_routes(self, server: str, routes: Mapping[str, Iterable[str]]) -> None:
        """Put down the paths of `server`'s API document, each with its methods (lower case)."""
        data = msgspec.json.encode({path: sorted(methods) for path, methods in sorted(routes.items())})
        with self._lock.held():
            write_whole(self.path / routes_path(server), data + b"\n")

    def routes(self, server: str) -> dict[str, tuple[str, ...]]:
        """The paths of `server`'s API document, each with its methods; {} where nobody has read it yet.

        Raises:
            EvidenceError: the file is not what it should be.
        """
        path = self.path / routes_path(server)
        if not path.exists():
            return {}
        try:
            return msgspec.json.decode(read(path), type=dict[str, tuple[str, ...]])
        except msgspec.DecodeError:
            raise EvidenceError(f"{path.name} does not hold the routes of a server") from None

    def cells(self, code: str = "", server: str = "") -> tuple[Cell, ...]:
        """What was recorded, by class and server; "" for all. Sorted by class, then by server key.

        Raises:
            EvidenceError: a finished line is not what it should be.
        """
        return _pick(self._document(RESULTS).cells, code, server)

    def witnesses(self, code: str = "", server: str = "") -> tuple[Cell, ...]:
        """Cells of a merged folder that only bear witness (see the package's docstring)."""
        return _pick(self._document(WITNESSES).cells, code, server)

    def trials(self, code: str = "", server: str = "") -> tuple[Trial, ...]:
        """Every trial, sorted by class, server, arm and number."""
        return tuple(trial for cell in self.cells(code, server) for trial in cell.trials)

    def problems(self) -> tuple[str, ...]:
        """One sentence for each thing that a killed writer left unfinished."""
        return (*self._document(RESULTS).problems, *self._document(WITNESSES).problems)

    def observations(self, trial: Trial) -> tuple[Observation, ...]:
        """The trial's timeline, by time; () where it has none.

        Raises:
            EvidenceError: the file is missing or unreadable, or the trial points elsewhere than to its own.
        """
        if not trial.evidence:
            return ()
        # A folder that was handed to us must not make us read other files.
        if trial.evidence != evidence_path(trial.code, trial.server, trial.arm, trial.n):
            raise EvidenceError(f"trial {trial.arm}-{trial.n} of {trial.code} names a timeline not its own")
        return lines.decode_observations(read(self.path / trial.evidence), trial.evidence)

    def _document(self, name: str) -> lines.Document:
        path = self.path / name
        return lines.decode(read(path) if path.exists() else b"", name)

    def _recorded(self) -> set[tuple[str, str, str, int]]:
        """Which trials are on disk. Read again only where somebody else has written since we did."""
        path = self.path / RESULTS
        size = path.stat().st_size if path.exists() else 0
        if size != self._known_size:
            self._known = {(t.code, t.server, t.arm, t.n) for t in self.trials()}
            self._known_size = size
        return self._known

    def _append(self, data: bytes) -> int:
        """Add lines; the size of the file afterwards."""
        if self.record.merged:
            raise EvidenceError("a merged run folder takes no new results; add them to a run and merge again")
        path = self.path / RESULTS
        cut = append(path, data)
        if cut:
            append(path, lines.encode(lines.TornLine(cut), "the note"))
        return path.stat().st_size


def _pick(cells: tuple[Cell, ...], code: str, server: str) -> tuple[Cell, ...]:
    return tuple(c for c in cells if code in ("", c.code) and server in ("", c.server))
