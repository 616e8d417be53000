"""results.jsonl: its lines, and how they make cells again. Pure: bytes in, bytes out."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from math import isfinite

import msgspec

from wedged.errors import EvidenceError
from wedged.evidence.cell import AbsentProbe, Cell, NotRun
from wedged.facts.trial import Check, ClaimOutcome, Observation, Outcome, Trial


class _Line(msgspec.Struct, frozen=True, tag_field="kind"):
    """What every line has: the run that wrote it and when that run began, the class, the server."""

    run: str
    started: str
    code: str
    server: str


class TrialLine(_Line, frozen=True, tag="trial"):
    """One trial; `outcomes` is how many outcome lines follow it."""

    arm: str
    n: int
    valid: bool
    outcomes: int
    seconds: float
    checks: tuple[Check, ...]
    evidence: str = ""


class OutcomeLine(_Line, frozen=True, tag="outcome"):
    """One claim in one trial."""

    arm: str
    n: int
    claim: str
    outcome: Outcome
    valid: bool
    why: str
    values: dict[str, object]


class NotRunLine(_Line, frozen=True, tag="not-run"):
    """An arm, or the whole class, that was not run."""

    arm: str
    why: str


class AbsentLine(_Line, frozen=True, tag="absent"):
    """A probe for a feature."""

    arm: str
    probe: AbsentProbe


class TornLine(msgspec.Struct, frozen=True, tag_field="kind", tag="torn"):
    """`bytes` of an unfinished line were cut here."""

    bytes: int


Line = TrialLine | OutcomeLine | NotRunLine | AbsentLine | TornLine
_KINDS: dict[str, type[Line]] = {
    "trial": TrialLine,
    "outcome": OutcomeLine,
    "not-run": NotRunLine,
    "absent": AbsentLine,
    "torn": TornLine,
}


class _Head(msgspec.Struct):
    kind: str


@dataclass(slots=True)
class Document:
    """A whole results.jsonl. `problems`: one sentence for each thing that a killed writer left unfinished."""

    cells: tuple[Cell, ...]
    problems: tuple[str, ...]


@dataclass(slots=True)
class _Draft:
    started: str
    trials: dict[tuple[str, int], Trial] = dataclass_field(default_factory=dict)
    not_run: dict[NotRun, None] = dataclass_field(default_factory=dict)
    absent: dict[tuple[str, AbsentProbe], None] = dataclass_field(default_factory=dict)


def encode(value: object, what: str) -> bytes:
    """`value` as one line of JSON.

    Raises:
        EvidenceError: it holds something that JSON can't.
    """
    try:
        return _ENCODER.encode(value) + b"\n"
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise EvidenceError(f"{what} can't be written as JSON: {error}") from None


def encode_cell(cell: Cell) -> bytes:
    """Every line of `cell`: trials by arm and number, each with its outcomes, then what was not run."""
    about = (cell.run, cell.started, cell.code, cell.server)
    trials = sorted(cell.trials, key=lambda t: (t.arm, t.n))
    chunks = [encode_trial(cell.run, cell.started, trial) for trial in trials]
    chunks += [encode(NotRunLine(*about, e.arm, e.why), "a reason") for e in cell.not_run]
    chunks += [encode(AbsentLine(*about, arm, probe), "a probe") for arm, probe in cell.absent]
    return b"".join(chunks)


def encode_trial(run: str, started: str, trial: Trial) -> bytes:
    """The trial's line and its outcomes' lines, to be written in one go.

    Raises:
        EvidenceError: something in it isn't JSON, or its length is not a number.
    """
    what = f"trial {trial.arm}-{trial.n} of {trial.code} on {trial.server}"
    if not isfinite(trial.seconds):
        raise EvidenceError(f"{what} can't be written: its length is not a number")
    about = (run, started, trial.code, trial.server, trial.arm, trial.n)
    head = TrialLine(
        *about,
        valid=trial.valid,
        outcomes=len(trial.outcomes),
        seconds=trial.seconds,
        checks=trial.checks,
        evidence=trial.evidence,
    )
    outcomes = (
        OutcomeLine(*about, claim=o.claim, outcome=o.outcome, valid=trial.valid, why=o.why, values=o.values)
        for o in trial.outcomes
    )
    return b"".join(encode(line, what) for line in (head, *outcomes))


def encode_observations(observations: tuple[Observation, ...], what: str) -> bytes:
    """A timeline file: one observation a line, by time.

    Raises:
        EvidenceError: something in it isn't JSON, or a time is not a number.
    """
    if not all(isfinite(o.t) for o in observations):
        raise EvidenceError(f"{what} can't be written: a time in it is not a number")
    return b"".join(encode(o, what) for o in sorted(observations, key=lambda o: o.t))


def decode_observations(data: bytes, where: str) -> tuple[Observation, ...]:
    """A timeline file's observations.

    Raises:
        EvidenceError: not one observation a line.
    """
    try:
        return tuple(_OBSERVATION.decode(line) for line in data.split(b"\n") if line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EvidenceError(f"{where} is not a timeline: {error}") from None


def decode(data: bytes, where: str) -> Document:
    """A whole results.jsonl; `where` names the file in errors. Cells are sorted by class, server and run.

    Raises:
        EvidenceError: a finished line is not what it should be, or one trial is recorded twice, differently.
    """
    problems: list[str] = []
    drafts: dict[tuple[str, str, str], _Draft] = {}
    numbered = list(_lines(data, where, problems.append))
    place = 0
    while place < len(numbered):
        number, line = numbered[place]
        place += 1
        if isinstance(line, TornLine):
            problems.append(f"{where} line {number}: {line.bytes} bytes of an unfinished line were cut here")
        elif isinstance(line, OutcomeLine):
            problems.append(f"{where} line {number}: an outcome without its trial is left out")
        else:
            draft = drafts.setdefault((line.code, line.server, line.run), _Draft(line.started))
            if isinstance(line, NotRunLine):
                draft.not_run[NotRun(line.arm, line.why)] = None
            elif isinstance(line, AbsentLine):
                draft.absent[line.arm, line.probe] = None
            else:
                following = (held for _, held in numbered[place : place + line.outcomes])
                outcomes = tuple(_own(following, line))
                place += len(outcomes)
                if len(outcomes) < line.outcomes:
                    problems.append(
                        f"{where} line {number}: trial {line.arm}-{line.n} of {line.code} on {line.server} "
                        "was not written to its end and is left out"
                    )
                else:
                    _keep(draft, line, outcomes, where)
    cells = (
        Cell(code, server, run, d.started, tuple(_sorted(d.trials)), tuple(d.not_run), tuple(d.absent))
        for (code, server, run), d in sorted(drafts.items())
    )
    return Document(tuple(c for c in cells if c.has_result or c.not_run), tuple(problems))


def _lines(data: bytes, where: str, report: Callable[[str], None]) -> Iterator[tuple[int, Line]]:
    whole, _, tail = data.rpartition(b"\n")
    if tail:
        report(f"{where}: the last line is unfinished ({len(tail)} bytes) and is left out")
    for number, raw in enumerate(whole.split(b"\n") if whole else (), 1):
        try:
            kind = _KINDS.get(_HEAD.decode(raw).kind)
            if kind is not None:
                yield number, _DECODERS[kind].decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise EvidenceError(f"{where} line {number} is not a result: {error}") from None


def _own(following: Iterable[Line], trial: TrialLine) -> Iterator[OutcomeLine]:
    """The outcome lines directly after `trial` that are its own."""
    key = (trial.run, trial.code, trial.server, trial.arm, trial.n)
    for line in following:
        if not isinstance(line, OutcomeLine) or (line.run, line.code, line.server, line.arm, line.n) != key:
            return
        yield line


def _keep(draft: _Draft, line: TrialLine, outcomes: tuple[OutcomeLine, ...], where: str) -> None:
    trial = Trial(
        code=line.code,
        server=line.server,
        arm=line.arm,
        n=line.n,
        checks=line.checks,
        outcomes=tuple(ClaimOutcome(o.claim, o.outcome, o.why, o.values) for o in outcomes),
        seconds=line.seconds,
        evidence=line.evidence,
    )
    held = draft.trials.setdefault((trial.arm, trial.n), trial)
    if held != trial:
        raise EvidenceError(
            f"{where} has trial {trial.arm}-{trial.n} of {trial.code} on {trial.server} twice, differently"
        )


def _sorted(trials: dict[tuple[str, int], Trial]) -> Iterator[Trial]:
    return (trials[key] for key in sorted(trials))


_ENCODER = msgspec.json.Encoder(order="deterministic")
_HEAD = msgspec.json.Decoder(_Head)
_OBSERVATION = msgspec.json.Decoder(Observation)
_DECODERS: dict[type[Line], msgspec.json.Decoder[Line]] = {
    kind: msgspec.json.Decoder(kind) for kind in _KINDS.values()
}
