"""``wedged doctor RUN``: a published run folder says again what its pages say, with no server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wedged.errors import CannotLook

if TYPE_CHECKING:
    from wedged.diagnose.document import VerdictDocument
    from wedged.evidence import ClassVerdict, Replayed, RunRecord


def run_report(path: Path, *, as_json: bool) -> tuple[str, int]:
    """The report of a run folder without its line end, and the exit code: 3 where something stayed open.

    Raises:
        EvidenceError: its results are unreadable.
        CannotLook: what judges trials is not installed.
    """
    from wedged.catalog import CLASSES
    from wedged.evidence import RunFolder, replay
    from wedged.facts.plain_text import plain
    from wedged.facts.redaction import redact

    folder = RunFolder.open(path)
    try:
        made = replay(folder, CLASSES)
    except ModuleNotFoundError as error:
        raise CannotLook(f"trials are judged with {error.name}: pip install 'wedged[lab]'") from None
    if as_json:
        return _json(path, made), 3 if made.unknown else 0
    absent = sorted({one.code for one in CLASSES} - {one.code for one in made.verdicts})
    rows = _text(path, folder.record, made, absent)
    return "\n".join(plain(redact(row)) for row in rows), 3 if made.unknown else 0


def _documents(verdicts: tuple[ClassVerdict, ...]) -> list[VerdictDocument]:
    from wedged.catalog import by_code
    from wedged.diagnose.document import VerdictDocument
    from wedged.guide.verdict_table import state_word

    made = []
    for one in verdicts:
        of = by_code(one.code)
        defining = one.claim(of.defining.id)
        same = [other for other in verdicts if other.code == one.code]
        made.append(
            VerdictDocument(
                code=one.code,
                slug=of.slug,
                server=one.server,
                state=one.state.value,
                words=state_word(one, same),
                claim=defining.claim,
                k=defining.k,
                n=defining.n,
                why=one.why,
                run=one.run,
                started=one.started,
            )
        )
    return made


def _text(path: Path, record: RunRecord, made: Replayed, absent: list[str]) -> list[str]:
    said = _documents(made.verdicts)
    rows = [f"{path}  run {record.id} of {record.started}, {len(record.servers)} servers"]
    width = max((len(one.server) for one in said), default=0)
    for code in dict.fromkeys(one.code for one in said):
        mine = [one for one in said if one.code == code]
        rows += ["", f"{code} {mine[0].slug}"]
        for one in mine:
            counts = f" {one.k}/{one.n}" if one.n else ""
            # An absent feature's reason begins with the very words.
            why = "" if one.state in ("present", "gone") else f": {one.why.removeprefix(f'{one.words}: ')}"
            rows.append(f"  {one.server:<{width}}  {one.words}{counts}{why}")
    if absent:
        rows += ["", f"Not in this run: {', '.join(absent)}"]
    if made.unknown:
        rows += ["", "NOT KNOWN", *(f"  - {gap.what}: {gap.why}" for gap in made.unknown)]
    counts = f"{made.trials} trials and {made.timelines} of their timelines read"
    return [*rows, "", f"Checked: {counts}, the verdicts made of them anew; no server was asked"]


def _json(path: Path, made: Replayed) -> str:
    import time

    from wedged.catalog import CLASSES
    from wedged.diagnose import document as doc

    reads = (f"{made.trials} trials read", f"{made.timelines} timelines read")
    document = doc.DoctorDocument(
        schema=doc.SCHEMA,
        target=doc.TargetDocument("run", str(path)),
        server=doc.ServerDocument("", ""),
        findings=(),
        unknown=tuple(doc.UnknownDocument(gap.what, gap.why) for gap in made.unknown),
        checked=doc.CheckedDocument(
            taken=doc.moment(time.time_ns() // 1_000_000),
            codes=tuple(one.code for one in CLASSES),
            scopes=(doc.ScopeDocument(str(path), reads),),
            sessions=0,
            asks=0,
            considered=(),
        ),
        verdicts=tuple(_documents(made.verdicts)),
    )
    return doc.encode(document)
