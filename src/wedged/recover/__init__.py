"""Recovery: from a finding's steps to a plan, and the one runner that carries a step out."""

from wedged.recover.answering import Outcome, answer, refuse_unanswerable
from wedged.recover.plan import Plan, Planned, plans
from wedged.recover.runner import Seen, StepRecord, run_step

__all__ = [
    "Outcome",
    "Plan",
    "Planned",
    "Seen",
    "StepRecord",
    "answer",
    "plans",
    "refuse_unanswerable",
    "run_step",
]
