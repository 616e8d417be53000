"""The runner looks again before it acts, and refuses when the state has moved."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from wedged.catalog import by_code
from wedged.client import Decision
from wedged.client.v1.requests import request
from wedged.errors import Refused
from wedged.facts.ask import Ask, AskKind
from wedged.facts.process import Shell
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.recover import Seen, plan, run_step

PART = ToolPart("prt", "call", "msg", "ses_1", "bash", PartStatus.RUNNING, {})
WEDGED = SessionFacts("ses_1", "/d", Status.BUSY, parts=(PART,), message_count=2)
IDLE = replace(WEDGED, status=Status.IDLE, parts=(replace(PART, status=PartStatus.ERROR),))
ASK = Ask("per_1", AskKind.PERMISSION, "ses_1", "external_directory", (), "call", "msg", "/d")
TARGET = Target("ses_1", "/d", "per_1", "no")
ONLY_V2 = (Action.END_SHELL, Action.PROMPT)
STEPS = {step.id: step for step in by_code("W101").recovery}


@dataclass
class World:
    """Both halves of a client over one session; whatever is sent settles it."""

    state: SessionFacts = WEDGED
    pending: tuple[Ask, ...] = (ASK,)
    sent: list[Request] = field(default_factory=list)
    line: Line = Line.V1

    def listing_routes(self, directory: str = "") -> tuple[str, ...]:
        return ()

    def identity(self) -> ServerIdentity:
        return ServerIdentity(Line.V1, "1.0.0")

    def openapi_sha256(self) -> str:
        return ""

    def directory(self) -> str:
        return "/d"

    def statuses(self, directory: str = "") -> dict[str, Status]:
        return {}

    def sessions(self, directory: str = "", limit: int = 1000) -> tuple[SessionFacts, ...]:
        return ()

    def session(self, session_id: str, directory: str = "") -> SessionFacts:
        return self.state

    def has_unfinished(self, session_id: str) -> bool:
        return False

    def children(self, session_id: str, directory: str = "") -> tuple[SessionFacts, ...]:
        return ()

    def asks(self, directory: str = "") -> tuple[Ask, ...]:
        return self.pending

    def session_asks(self, session_id: str, directory: str = "") -> tuple[Ask, ...]:
        return ()

    def shells(self, directory: str = "") -> tuple[Shell, ...]:
        return ()

    def create_session(self, directory: str = "", title: str = "") -> str:
        raise NotImplementedError

    def prompt(self, session_id: str, text: str, directory: str = "") -> None:
        raise NotImplementedError

    def reply(
        self, ask_id: str, decision: Decision, *, session_id: str, directory: str = "", message: str = ""
    ) -> None:
        raise NotImplementedError

    def answer(
        self, ask_id: str, answers: Sequence[Sequence[str]], *, session_id: str, directory: str = ""
    ) -> None:
        raise NotImplementedError

    def abort(self, session_id: str, directory: str = "") -> None:
        raise NotImplementedError

    def request(self, action: Action, target: Target) -> Request:
        return request(action, target)

    def send(self, request: Request) -> object:
        self.sent.append(request)
        self.state, self.pending = IDLE, ()
        return True


@pytest.mark.parametrize("step_id", ["reply-reject", "reply-reject-message", "abort"])
def test_a_step_is_recorded_with_before_and_after(step_id: str) -> None:
    world = World()
    record = run_step(STEPS[step_id], TARGET, world, world)
    assert world.sent == [record.request]
    assert record.before == Seen(Status.BUSY, ("call",), ("per_1",))
    assert record.after == Seen(Status.IDLE, (), ())
    assert record.answer is True


def test_an_approval_needs_leave() -> None:
    world = World()
    with pytest.raises(Refused, match="approves a command"):
        run_step(STEPS["reply-once"], TARGET, world, world)
    assert world.sent == []
    run_step(STEPS["reply-once"], TARGET, world, world, allow_approval=True)
    assert [sent.body for sent in world.sent] == [{"reply": "once"}]


@pytest.mark.parametrize(
    ("world", "step_id", "why"),
    [
        (World(pending=()), "reply-reject", "per_1 is not pending in /d"),
        (World(pending=(replace(ASK, session_id="ses_2"),)), "reply-reject", "is not pending"),
        (World(state=IDLE), "reply-reject", "leftover"),
        (World(state=replace(WEDGED, parts=IDLE.parts)), "reply-reject", "no longer waits"),
        (World(state=IDLE), "abort", "no turn to end"),
    ],
)
def test_a_state_that_moved_is_left_alone(world: World, step_id: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        run_step(STEPS[step_id], TARGET, world, world)
    assert world.sent == []


def test_a_plan_has_the_steps_that_the_dialect_can_do() -> None:
    planned = plan(by_code("W101"), TARGET, request)
    assert [one.step.id for one in planned] == list(STEPS)
    assert all(one.target == TARGET for one in planned)
    without_ask = plan(by_code("W101"), Target("ses_1", ""), request)
    assert [one.step.id for one in without_ask] == ["abort"]


@pytest.mark.parametrize("action", [a for a in Action if a not in ONLY_V2])
def test_every_action_of_v1_has_a_request(action: Action) -> None:
    assert request(action, TARGET).method == "POST"


@pytest.mark.parametrize("action", ONLY_V2)
def test_v1_refuses_by_name_what_only_v2_has(action: Action) -> None:
    with pytest.raises(Refused, match=action.value):
        request(action, TARGET)
