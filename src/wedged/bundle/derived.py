"""What the looks tell without a diagnosis tool: lists, trees and reports for whoever has no wedged. Pure."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence

from wedged.bundle.family import session_tree
from wedged.diagnose import Diagnosis, asks_json, pending, report_json, report_text
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.snapshot import Origin, Window

Requests = Callable[[Action, Target], Request]


def derived(
    diagnosis: Diagnosis, told: Window, sessions: Collection[str], request: Requests | None
) -> dict[str, object]:
    """What can be told from the looks alone, for readers who have no wedged."""
    latest = told.latest
    wanted = {*sessions, *(one.session for one in diagnosis.findings)}
    found: dict[str, object] = {
        "doctor.json": json.loads(report_json(diagnosis, show_all=True)),
        "doctor.txt": report_text(diagnosis, show_all=True),
        "sessions.json": session_tree(latest, wanted | {ask.session_id for ask in latest.asks}),
    }
    if latest.origin is Origin.LIVE:
        found["statuses.json"] = statuses(told)
        if request is not None:
            found["asks.json"] = json.loads(asks_json(pending(latest, request), latest))
    return found


def statuses(window: Window) -> dict[str, object]:
    """Who was not idle in each of the looks, the first one first."""
    looks = [look for look in (window.earlier, window.latest) if look is not None]
    return {
        "looks": [
            {
                "taken_ms": look.taken_ms,
                "not_idle": {one.id: one.status.value for one in look.sessions if one.works},
                "sessions": len(look.sessions),
            }
            for look in looks
        ]
    }


def plugins_of(config: object) -> Sequence[str] | None:
    """The plugins that a config names, in whichever of its layers; None where there is no config."""
    if config is None:
        return None
    found: list[str] = []
    left = [config]
    while left:
        at = left.pop()
        for key, item in at.items() if isinstance(at, Mapping) else ():
            if key in ("plugin", "plugins") and isinstance(item, list):
                found += [one if isinstance(one, str) else json.dumps(one) for one in item]
        left += list(at.values() if isinstance(at, Mapping) else at if isinstance(at, list) else ())
    return list(dict.fromkeys(found))
