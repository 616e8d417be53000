"""What forbids a step: each refusal says why and what to do instead."""

from dataclasses import replace

import pytest
from tests.diagnose.looks import ask, look, session

from wedged.catalog.w101_variants import ABORT, REJECT, REJECT_MESSAGE
from wedged.client.v1.requests import request
from wedged.diagnose import diagnose
from wedged.errors import Refused
from wedged.facts.finding import Confidence
from wedged.facts.recovery import Action, Step
from wedged.facts.session import PartStatus
from wedged.facts.snapshot import Snapshot, Window
from wedged.recover.plan import Plan, plans
from wedged.recover.safety import costs, pick, refuse_plan, refuse_unsafe

from .stale import OLDER, STALE, YOUNGER, beside, planned


def waiting(*more: str, seen: Snapshot | None = None) -> tuple[Plan, Snapshot]:
    """A waiting session with `more` unfinished calls, and its plan."""
    one = session()
    others = tuple(replace(one.parts[0], id=call, call_id=call) for call in more)
    seen = seen or look((ask(),), (replace(one, parts=one.parts + others),))
    (plan,) = plans(diagnose(Window(seen), request=request), "ses_1")
    return plan, seen


def test_a_sure_finding_alone_on_its_data_is_not_refused() -> None:
    (plan,) = planned(STALE)
    refuse_plan(plan)
    for one in pick(plan, ""):
        refuse_unsafe(one.step, plan.finding, STALE)


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (beside(OLDER), r"W002: nothing is stuck here.*process 20 .*Ask that other server"),
        (replace(STALE, holders=None), r"W201.* is of low confidence.* Rule that out"),
        (beside(complete=False), r"is of low confidence"),
        (replace(STALE, processes=None), r"is of low confidence"),
    ],
)
def test_what_could_be_alive_elsewhere_is_refused_as_a_whole(seen: Snapshot, why: str) -> None:
    (plan,) = planned(seen)
    with pytest.raises(Refused, match=why):
        refuse_plan(plan)


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (beside(YOUNGER), r"opencode \(process 40\) has the server's database open too.*End that first"),
        (beside(complete=False), "a process can't be looked into: run it as a user who may"),
        (replace(STALE, holders=None), "run it on the server's own machine"),
    ],
)
@pytest.mark.parametrize("action", [Action.SETTLE_PART, Action.PROMPT, Action.DELETE_PART, Action.END_SHELL])
def test_nothing_stored_is_changed_while_somebody_else_may_have_it_open(
    seen: Snapshot, why: str, action: Action
) -> None:
    (plan,) = planned(STALE)
    with pytest.raises(Refused, match=why):
        refuse_unsafe(Step("step", action, "", (), "", ""), plan.finding, seen)


def test_an_answer_to_an_ask_does_not_care_who_else_has_the_data_open() -> None:
    plan, seen = waiting()
    for step in (REJECT, REJECT_MESSAGE, ABORT):
        refuse_unsafe(step, plan.finding, seen)


@pytest.mark.parametrize("step", [REJECT, ABORT])
def test_a_turn_with_another_live_call_is_not_ended(step: Step) -> None:
    plan, seen = waiting("call_2")
    with pytest.raises(Refused, match=r"would end the call call_2 \(bash\) too.*wait for that"):
        refuse_unsafe(step, plan.finding, seen)
    refuse_unsafe(REJECT_MESSAGE, plan.finding, seen)


def test_calls_that_ended_or_wait_for_asks_of_their_own_are_not_alive() -> None:
    one = session()
    asked = replace(one.parts[0], id="prt_2", call_id="call_2")
    done = replace(one.parts[0], id="prt_3", call_id="call_3", status=PartStatus.COMPLETED)
    second = replace(ask("per_2"), call_id="call_2")
    seen = look((ask(), second), (replace(one, parts=(*one.parts, asked, done)),))
    found = plans(diagnose(Window(seen), request=request), "ses_1")
    refuse_unsafe(ABORT, found[0].finding, seen)


def test_a_single_step_is_named_by_its_id() -> None:
    plan, _ = waiting()
    (one,) = pick(plan, "abort")
    assert one.step is ABORT
    with pytest.raises(Refused, match=r"no step settle-part here; its steps: reply-reject, "):
        pick(plan, "settle-part")
    with pytest.raises(Refused, match=r"approves a command.*`wedged answer per_\w+ --once`"):
        pick(plan, "reply-once")
    (there,) = planned(beside(OLDER))
    with pytest.raises(Refused, match="abort-there is not done through this server"):
        pick(there, "abort-there")


def test_a_class_with_nothing_but_an_approval() -> None:
    plan, _ = waiting()
    only = Plan(plan.finding, tuple(one for one in plan.steps if one.step.action.approves))
    with pytest.raises(Refused, match=f"`wedged answer {plan.finding.subject.id}`"):
        refuse_plan(only)
    assert plan.finding.confidence is Confidence.HIGH


def test_only_what_reads_or_is_marked_safe_costs_nothing() -> None:
    assert costs(ABORT)
    assert not costs(replace(ABORT, safe_to_automate=True))
    assert not costs(replace(ABORT, action=Action.LIST_ASKS))
