"""The page's "Not this if": what resembles the class, the test, and what doctor made of it when run. Pure."""

from collections.abc import Sequence

from wedged.evidence import ClassVerdict
from wedged.facts.failure_class import FailureClass, LookAlike
from wedged.facts.markdown_text import own_cell, table_cell
from wedged.facts.trial import Trial, Verdict


def look_alike_table(of: FailureClass, verdicts: Sequence[ClassVerdict], trials: Sequence[Trial]) -> str:
    """The section, "" where the class has no look-alike. k of n counts the trials, over all servers, in which
    the state was really there and doctor reported nothing."""
    if not of.look_alikes:
        return ""
    rows = "\n".join(
        f"| {own_cell(one.looks_like)} | {own_cell(one.test)} | {_doctor(one, verdicts, trials)} |"
        for one in of.look_alikes
    )
    head = "| it looks like | the test | doctor, on a real server |\n|---|---|---|\n"
    return f"## Not this if\n\n{head}{rows}\n"


def _doctor(one: LookAlike, verdicts: Sequence[ClassVerdict], trials: Sequence[Trial]) -> str:
    if not one.claim:
        return "no trial of its own"
    found = [verdict.claim(one.claim) for verdict in verdicts]
    ran = [verdict for verdict in found if verdict.verdict not in (Verdict.NOT_RUN, Verdict.ABSENT)]
    if not ran:
        return "not run"
    words = [f"no finding in {sum(v.k for v in ran)} of {sum(v.n for v in ran)}"]
    if split := _split(one.claim, trials):
        words.append(f"busy split: {split}")
    open_ = [table_cell(v.server) for v in ran if v.verdict is Verdict.INCONCLUSIVE]
    if open_:
        words.append(f"**inconclusive** on {', '.join(open_)}")
    return "<br>".join(words)


def _split(claim: str, trials: Sequence[Trial]) -> str:
    """What doctor said the sessions wait for, each word once."""
    said = [
        str(outcome.values["waiting"])
        for trial in trials
        if trial.valid
        for outcome in trial.outcomes
        if outcome.claim == claim and outcome.values.get("waiting")
    ]
    return ", ".join(f"`{word}`" for word in sorted({table_cell(word, 20) for word in said}))
