"""What a client sent to a held server, recorded and judged: one rule a mistake, each tied to a class."""

from wedged.lab.conformance.exchange import Exchange
from wedged.lab.conformance.judgement import Judgement, Rule, Scene, Verdict
from wedged.lab.conformance.proxy import RecordingProxy
from wedged.lab.conformance.sheet import RULES, Sheet, judge, sheet_json, sheet_text

__all__ = [
    "RULES",
    "Exchange",
    "Judgement",
    "RecordingProxy",
    "Rule",
    "Scene",
    "Sheet",
    "Verdict",
    "judge",
    "sheet_json",
    "sheet_text",
]
