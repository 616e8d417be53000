"""A comparison as one JSON document, schema 1; readers ignore what they don't know. Pure."""

from wedged.nightly.comparing import CHANGES, DOUBTS, Comparison, Difference, Kind
from wedged.nightly.expectations import Expected, Seen

SCHEMA = 1


def document(comparison: Comparison) -> dict[str, object]:
    """``{"schema", "exit_code", "counts": {kind: n}, "changes": […], "doubts": […]}``.

    A change or doubt has ``kind``, ``class``, ``claim``, ``server``, ``why``, and both sides as ``before``
    and ``now``, null where there is none.
    """
    return {
        "schema": SCHEMA,
        "exit_code": comparison.exit_code,
        "counts": {kind.value: len(comparison.of(kind)) for kind in Kind if comparison.of(kind)},
        "changes": [_difference(one) for one in comparison.of(*CHANGES)],
        "doubts": [_difference(one) for one in comparison.of(*DOUBTS)],
    }


def _difference(one: Difference) -> dict[str, object]:
    return {
        "kind": one.kind.value,
        "class": one.claim.partition(".")[0],
        "claim": one.claim,
        "server": one.server,
        "why": one.why,
        "before": _side(one.expected),
        "now": _side(one.seen),
    }


def _side(side: Expected | Seen | None) -> dict[str, object] | None:
    if side is None:
        return None
    fields: dict[str, object] = {
        "verdict": side.verdict.value,
        "server": side.server,
        "k": side.k,
        "n": side.n,
        "run": side.run,
        "started": side.started,
    }
    return fields | ({"evidence": side.evidence} if isinstance(side, Seen) else {})
