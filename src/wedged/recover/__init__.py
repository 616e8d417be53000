"""Recovery: from a class's steps to a plan, and the one runner that carries a step out."""

from wedged.recover.answering import Outcome, answer, refuse_unanswerable
from wedged.recover.plan import Planned, plan
from wedged.recover.runner import Seen, StepRecord, run_step

__all__ = ["Outcome", "Planned", "Seen", "StepRecord", "answer", "plan", "refuse_unanswerable", "run_step"]
