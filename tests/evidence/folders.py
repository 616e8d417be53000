"""Run folders for tests."""

from pathlib import Path

from wedged.evidence import SCHEMA, Cell, RunFolder, RunRecord
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.trial import Lane, Observation

STARTED = "2026-11-29T12:00:00Z"


def record(run: str = "run-a", started: str = STARTED, cpus: int = 2) -> RunRecord:
    """A record without chance in it."""
    return RunRecord(SCHEMA, run, 7, started, {"wedged": "0.1.0"}, {"os": "Linux", "cpus": cpus})


def identity(version: str = "1.17.18", sha: str = "aa" * 32) -> ServerIdentity:
    """A V1 server."""
    return ServerIdentity(Line.V1, version, binary_sha256=sha)


def timeline(word: str = "x") -> tuple[Observation, ...]:
    """Two observations, the later one first."""
    return (
        Observation(1.25, Lane.ASK, "permission.asked", "ses_1", {"id": "per_1", "patterns": [word]}),
        Observation(0.0, Lane.CLIENT, "prompt", "ses_1"),
    )


def write(path: Path, *cells: Cell, cpus: int = 2, word: str = "x", sha: str = "aa" * 32) -> Path:
    """A run folder with these cells, which must be of one run."""
    run = cells[0].run if cells else "run-a"
    started = cells[0].started if cells else STARTED
    folder = RunFolder.create(path, record(run, started, cpus))
    for cell in cells:
        if cell.trials:
            folder.add_server(identity(cell.server.removeprefix("v1@"), sha))
        for trial in cell.trials:
            folder.add_trial(trial, timeline(word))
        for entry in cell.not_run:
            folder.not_run(cell.code, cell.server, entry.why, entry.arm)
        for arm, probe in cell.absent:
            folder.absent(cell.code, cell.server, probe, arm)
    return path


def tree(path: Path) -> dict[str, bytes]:
    """Every file below `path` with its bytes; the lock has no content."""
    return {
        str(p.relative_to(path)): p.read_bytes()
        for p in sorted(path.rglob("*"))
        if p.is_file() and p.name != ".lock"
    }
