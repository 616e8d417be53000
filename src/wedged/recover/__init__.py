"""Recovery: from a class's steps to a plan, and the one runner that carries a step out."""

from wedged.recover.plan import Planned, plan
from wedged.recover.runner import Seen, StepRecord, run_step

__all__ = ["Planned", "Seen", "StepRecord", "plan", "run_step"]
