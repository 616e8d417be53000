"""What an `opencode run` says about its claims: the symptom, its opposite, and neither."""

from dataclasses import replace

import pytest

from wedged.facts.ask import Ask, AskKind
from wedged.facts.session import PartStatus, Status, ToolPart
from wedged.facts.trial import Outcome
from wedged.lab.keeper import Ended
from wedged.lab.scenarios.w101_run_judgement import Judge, Ran, hangs, rejects, runs_it

EXITED, FAILED = Ended(0, None), Ended(1, None)


def part(status: PartStatus) -> ToolPart:
    return ToolPart(
        id="prt_1",
        call_id="call_1",
        message_id="msg_1",
        session_id="ses_1",
        tool="bash",
        status=status,
        input={},
        output="",
        error="",
        start_ms=None,
        end_ms=None,
    )


ASK = Ask("per_1", AskKind.PERMISSION, "ses_2", "external_directory", (), "call_2", "msg_2", "/project")
REJECTED = Ran(
    seconds=4.0,
    ended=EXITED,
    printed="! permission requested: external_directory (/outside/*); auto-rejecting",
    part=part(PartStatus.ERROR),
    folder_made=False,
    turns=1,
    in_flight=0,
    replies=("reject",),
)
RAN = replace(
    REJECTED,
    printed="Done.",
    part=part(PartStatus.COMPLETED),
    folder_made=True,
    turns=2,
    replies=("once",),
)
HANGS = replace(
    REJECTED,
    ended=None,
    printed="sub General Agent",
    part=part(PartStatus.RUNNING),
    status=Status.BUSY,
    asks=(ASK,),
    replies=(),
)


def said(judged: Judge, ran: Ran) -> list[Outcome]:
    return [outcome.outcome for outcome in judged(ran)]


@pytest.mark.parametrize(
    ("ran", "expected"),
    [
        (REJECTED, [Outcome.SYMPTOM, Outcome.SYMPTOM]),
        (replace(REJECTED, ended=FAILED), [Outcome.SYMPTOM, Outcome.HEALED]),
        (HANGS, [Outcome.HEALED, Outcome.UNCLEAR]),
        # Perhaps nobody was asked.
        (RAN, [Outcome.UNCLEAR, Outcome.UNCLEAR]),
        # It ended and the call failed, but for a reason that was not seen.
        (replace(REJECTED, printed=""), [Outcome.UNCLEAR, Outcome.UNCLEAR]),
        (replace(REJECTED, turns=2), [Outcome.UNCLEAR, Outcome.UNCLEAR]),
    ],
)
def test_rejecting(ran: Ran, expected: list[Outcome]) -> None:
    assert said(rejects("a", and_exits_0="b"), ran) == expected


def test_what_the_server_was_told_counts_where_there_is_a_server_to_ask() -> None:
    unheard = replace(REJECTED, replies=())
    assert said(rejects("a"), unheard) == [Outcome.SYMPTOM]
    assert said(rejects("a", seen_by_server=True), unheard) == [Outcome.UNCLEAR]
    assert said(runs_it("a", seen_by_server=True), RAN) == [Outcome.SYMPTOM]
    assert said(runs_it("a", seen_by_server=True), replace(RAN, replies=("always",))) == [Outcome.UNCLEAR]


@pytest.mark.parametrize(
    ("ran", "expected"),
    [
        (RAN, Outcome.SYMPTOM),
        (REJECTED, Outcome.HEALED),
        (HANGS, Outcome.HEALED),
        (replace(RAN, ended=None), Outcome.UNCLEAR),
        (replace(RAN, ended=FAILED), Outcome.UNCLEAR),
    ],
)
def test_approving(ran: Ran, expected: Outcome) -> None:
    assert said(runs_it("a"), ran) == [expected]


@pytest.mark.parametrize(
    ("ran", "expected"),
    [
        (HANGS, Outcome.SYMPTOM),
        (RAN, Outcome.HEALED),
        (REJECTED, Outcome.HEALED),
        (replace(RAN, replies=()), Outcome.UNCLEAR),
        # Still running, but it need not be the ask that it waits for.
        (replace(HANGS, asks=()), Outcome.UNCLEAR),
        (replace(HANGS, in_flight=1), Outcome.UNCLEAR),
        (replace(HANGS, status=Status.IDLE), Outcome.UNCLEAR),
        (replace(HANGS, printed="! permission requested: external_directory"), Outcome.UNCLEAR),
    ],
)
def test_hanging(ran: Ran, expected: Outcome) -> None:
    assert said(hangs("a"), ran) == [expected]
