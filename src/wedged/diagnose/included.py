"""The values that a report shows only when asked for them."""

from wedged.diagnose.diagnosis import Diagnosis
from wedged.facts.finding import Finding


def included(diagnosis: Diagnosis, finding: Finding) -> dict[str, str]:
    """The command that the finding's ask gates, by the name ``command``; empty where there is none."""
    if finding.subject.kind != "ask":
        return {}
    ask = next((ask for ask in diagnosis.latest.asks if ask.id == finding.subject.id), None)
    return {"command": ask.command} if ask is not None and ask.command else {}
