"""The conformance sheet: every rule's word on one client, as text and as JSON. Pure."""

import json
from dataclasses import dataclass

from wedged.facts.redaction import redact_value
from wedged.lab.conformance.ask_rules import ASK_RULES
from wedged.lab.conformance.exchange import Exchange
from wedged.lab.conformance.judgement import Judgement, Record, Rule, Scene, Verdict
from wedged.lab.conformance.reply_rules import REPLY_RULES
from wedged.lab.conformance.work_rules import WORK_RULES

RULES: tuple[Rule, ...] = tuple(sorted((*ASK_RULES, *REPLY_RULES, *WORK_RULES), key=lambda rule: rule.id))

_SCHEMA = 1
# Worst first.
_ORDER = (Verdict.BROKEN, Verdict.KEPT, Verdict.NOT_EXERCISED)


@dataclass(frozen=True, slots=True)
class Sheet:
    """All judgements of one client, worst first. `server` is the server's key, as ``v1@1.17.18``;
    `seconds` is how long the client was observed."""

    code: str
    server: str
    requests: int
    seconds: float
    judgements: tuple[Judgement, ...]

    def of(self, verdict: Verdict) -> tuple[str, ...]:
        """The ids of the rules with that verdict."""
        return tuple(one.rule.id for one in self.judgements if one.verdict is verdict)

    @property
    def broken(self) -> tuple[str, ...]:
        """The ids of the rules that the client broke."""
        return self.of(Verdict.BROKEN)

    @property
    def kept(self) -> tuple[str, ...]:
        """The ids of the rules that the client kept where it could have broken them."""
        return self.of(Verdict.KEPT)


def judge(scene: Scene, record: Record, *, server: str, over: float) -> Sheet:
    """Every rule's judgement of the record. `over` is when the observation ended, on the record's clock,
    which starts with the observation."""
    ordered: tuple[Exchange, ...] = tuple(sorted(record, key=lambda one: (one.t, one.number)))
    made = [Judgement(rule, *rule.judge(scene, ordered, over)) for rule in RULES]
    made.sort(key=lambda one: _ORDER.index(one.verdict))
    return Sheet(scene.code, server, len(ordered), over, tuple(made))


def sheet_json(sheet: Sheet) -> str:
    """The sheet as one line of JSON, schema 1."""
    tree = {
        "schema": _SCHEMA,
        "class": sheet.code,
        "server": sheet.server,
        "requests": sheet.requests,
        "seconds": round(sheet.seconds, 2),
        "rules": [
            {
                "id": one.rule.id,
                "class": one.rule.code,
                "verdict": one.verdict.value,
                "sentence": one.rule.sentence,
                "evidence": list(one.evidence),
            }
            for one in sheet.judgements
        ],
    }
    return json.dumps(redact_value(tree))


def sheet_text(sheet: Sheet) -> str:
    """The sheet for a person: what was broken with its evidence, what was kept, what nothing speaks for."""
    counts = ", ".join(f"{len(sheet.of(verdict))} {verdict.value}" for verdict in _ORDER)
    over = f"{sheet.requests} requests in {sheet.seconds:.1f} s"
    out = [f"CONFORMANCE  {sheet.server} held in {sheet.code}, {over}", counts, ""]
    for one in sheet.judgements:
        mark = one.verdict.value.upper() if one.verdict is Verdict.BROKEN else one.verdict.value
        if one.verdict is Verdict.NOT_EXERCISED:
            out.append(f"{mark:<13}  {one.rule.id}: {one.evidence[0]}")
            continue
        out.append(f"{mark:<13}  {one.rule.id}")
        out.append(f"{'':<15}{one.rule.sentence}")
        out += [f"{'':<17}{line}" for line in one.evidence]
    return "\n".join(out) + "\n"
