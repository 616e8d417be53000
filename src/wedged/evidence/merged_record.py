"""run.json of a merged folder. Pure."""

import hashlib
from collections.abc import Iterable, Sequence

from wedged.evidence.cell import Cell
from wedged.evidence.record import SCHEMA, LeftOut, RunOrigin, RunRecord, encode_record, unite


def merged_record(
    records: Sequence[RunRecord],
    *,
    shown: Sequence[Cell],
    witnesses: Sequence[Cell],
    left_out: Sequence[Cell],
) -> RunRecord:
    """The record for a folder that shows `shown`.

    It has the id of its run where there is only one, else one made of their ids; seed, start, tool and host
    are the newest run's. Only runs that still have a cell are origins, and only servers of shown cells are
    servers.

    Raises:
        EvidenceError: two shown cells rest on different binaries under one server key.
    """
    kept = {cell.run for cell in (*shown, *witnesses)}
    every = _distinct(o for record in records for o in _origins(record))
    # Without a single cell there is still a record to write: that of every source.
    origins = [o for o in every if o.id in kept] or every
    newest = origins[-1]
    ids = sorted({origin.id for origin in origins})
    shown_by = {(cell.run, cell.server) for cell in shown}
    return RunRecord(
        schema=SCHEMA,
        id=ids[0] if len(ids) == 1 else f"merged-{hashlib.sha256(' '.join(ids).encode()).hexdigest()[:12]}",
        seed=newest.seed,
        started=newest.started,
        tool=newest.tool,
        host=newest.host,
        servers=unite(s for o in origins for s in o.servers if (o.id, s.key) in shown_by),
        origins=tuple(origins),
        left_out=tuple(
            LeftOut(
                cell.code,
                cell.server,
                cell.run,
                cell.started,
                "a newer run is shown" if cell.has_result else f"not run: {cell.not_run[0].why}",
            )
            for cell in left_out
        ),
    )


def _origins(record: RunRecord) -> tuple[RunOrigin, ...]:
    if record.origins:
        return record.origins
    return (RunOrigin(record.id, record.seed, record.started, record.tool, record.host, record.servers),)


def _distinct(origins: Iterable[RunOrigin]) -> list[RunOrigin]:
    """Every different origin once, oldest first. Shards of one run from different machines each stay."""
    found = {(o.started, o.id, _bytes(o)): o for o in origins}
    return [found[key] for key in sorted(found)]


def _bytes(origin: RunOrigin) -> bytes:
    return encode_record(RunRecord(SCHEMA, "", 0, "", origins=(origin,)))
