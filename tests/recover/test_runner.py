"""The runner looks again before it acts, and refuses when the state has moved."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from wedged.catalog import by_code
from wedged.client import Decision
from wedged.client.v1.requests import request
from wedged.client.v2.dialect import Dialect
from wedged.client.v2.requests import request as v2_request
from wedged.errors import Refused
from wedged.facts.ask import Ask, AskKind
from wedged.facts.process import Shell
from wedged.facts.recovery import Action, Request, Step, Target
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.recover import Seen, run_step

PART = ToolPart("prt", "call", "msg", "ses_1", "bash", PartStatus.RUNNING, {})
WEDGED = SessionFacts("ses_1", "/d", Status.BUSY, parts=(PART,), message_count=2)
IDLE = replace(WEDGED, status=Status.IDLE, parts=(replace(PART, status=PartStatus.ERROR),))
ASK = Ask("per_1", AskKind.PERMISSION, "ses_1", "external_directory", (), "call", "msg", "/d")
TARGET = Target("ses_1", "/d", "per_1", "no")
ONLY_V2 = (Action.END_SHELL, Action.PROMPT)
STALE = (Action.SETTLE_PART, Action.DELETE_PART, Action.DELETE_MESSAGE)
READS = (Action.ASK_STATUS, Action.LIST_ASKS)
OF_ASKS = [a for a in Action if a not in (*ONLY_V2, *STALE, *READS, Action.END_PROCESS)]
STEPS = {step.id: step for step in by_code("W101").recovery}


@dataclass
class World:
    """Both halves of a client over one session; whatever is sent settles it."""

    state: SessionFacts = WEDGED
    pending: tuple[Ask, ...] = (ASK,)
    sent: list[Request] = field(default_factory=list)
    line: Line = Line.V1
    running: tuple[Shell, ...] = ()
    dialect: Dialect | None = None

    def listing_routes(self, directory: str = "") -> tuple[str, ...]:
        return ()

    def identity(self) -> ServerIdentity:
        return ServerIdentity(Line.V1, "1.0.0")

    def openapi_sha256(self) -> str:
        return ""

    def directory(self) -> str:
        return "/d"

    def loaded(self) -> tuple[str, ...] | None:
        return None

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
        return tuple(shell for shell in self.running if shell.directory == directory)

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
        return v2_request(self.dialect, action, target) if self.dialect else request(action, target)

    def send(self, request: Request) -> object:
        self.sent.append(request)
        self.state, self.pending, self.running = IDLE, (), ()
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


DISMISS = Step("dismiss", Action.DISMISS_LEFTOVER, "", (), "", "")
LIST_ASKS = Step("list-asks", Action.LIST_ASKS, "", (), "", "")


@pytest.mark.parametrize("state", [IDLE, replace(WEDGED, parts=IDLE.parts)])
def test_a_leftover_is_rejected_and_nothing_else(state: SessionFacts) -> None:
    world = World(state=state)
    run_step(DISMISS, TARGET, world, world)
    assert [sent.body for sent in world.sent] == [{"reply": "reject"}]


@pytest.mark.parametrize(
    ("world", "why"),
    [(World(), "a turn waits for per_1"), (World(pending=(), state=IDLE), "per_1 is not pending")],
)
def test_an_ask_that_is_waited_for_is_no_leftover(world: World, why: str) -> None:
    with pytest.raises(Refused, match=why):
        run_step(DISMISS, TARGET, world, world)
    assert world.sent == []


def test_reading_the_asks_needs_no_state() -> None:
    for world in (World(), World(state=IDLE, pending=())):
        run_step(LIST_ASKS, TARGET, world, world)
        assert [sent.method for sent in world.sent] == ["GET"]


@pytest.mark.parametrize("action", OF_ASKS)
def test_every_action_of_v1_has_a_request(action: Action) -> None:
    assert request(action, TARGET).method == "POST"


@pytest.mark.parametrize("action", ONLY_V2)
def test_v1_refuses_by_name_what_only_v2_has(action: Action) -> None:
    with pytest.raises(Refused, match=action.value):
        request(action, TARGET)


@pytest.mark.parametrize("action", STALE)
def test_a_stale_call_is_touched_only_while_it_is_stale(action: Action) -> None:
    part = replace(PART, wire={"id": "prt", "state": {"status": "running"}})
    stale = replace(WEDGED, status=Status.IDLE, parts=(part,))
    target = Target("ses_1", "/d", part=part, at_ms=7)
    step = Step(action.value, action, "", (), "", "")
    world = World(state=stale, pending=())
    run_step(step, target, world, world)
    assert [sent.path for sent in world.sent] == [request(action, target).path]
    for moved in (replace(stale, status=Status.BUSY), replace(stale, parts=()), IDLE):
        world = World(state=moved, pending=())
        with pytest.raises(Refused):
            run_step(step, target, world, world)
        assert world.sent == []


def test_what_is_settled_is_the_call_as_it_is_now() -> None:
    old = replace(PART, wire={"id": "prt", "state": {"metadata": {"output": "old"}}})
    new = replace(PART, wire={"id": "prt", "state": {"metadata": {"output": "new"}}})
    world = World(state=replace(WEDGED, status=Status.IDLE, parts=(new,)), pending=())
    step = Step("settle-part", Action.SETTLE_PART, "", (), "", "")
    run_step(step, Target("ses_1", "/d", part=old), world, world)
    assert "new" in str(world.sent[0].body)
    assert "old" not in str(world.sent[0].body)


SHELL = Shell("sh_1", "ses_1", "/d", "sleep 9", "running")
END_SHELL = Step("end-shell", Action.END_SHELL, "", (), "", "")
PROMPT = Step("prompt", Action.PROMPT, "", (), "", "")
RELEASED = Dialect(Line.V2_RELEASED, "decision", "/api/form", "DELETE")


def v2(**state: Any) -> World:
    return World(**{"state": IDLE, "pending": (), "line": Line.V2_RELEASED, "dialect": RELEASED, **state})


def test_a_shell_is_ended_while_its_location_lists_it() -> None:
    world = v2(running=(SHELL,))
    run_step(END_SHELL, Target("ses_1", "/d", shell_id="sh_1"), world, world)
    assert [sent.method for sent in world.sent] == ["DELETE"]


@pytest.mark.parametrize(
    "target", [Target("ses_1", "/d", shell_id="sh_2"), Target("ses_1", "/e", shell_id="sh_1")]
)
def test_a_shell_that_its_location_does_not_list_is_not_ended(target: Target) -> None:
    world = v2(running=(SHELL,))
    with pytest.raises(Refused, match=f"{target.shell_id} is not running in {target.directory}"):
        run_step(END_SHELL, target, world, world)
    assert world.sent == []


def test_a_prompt_is_sent_to_a_session_at_rest() -> None:
    world = v2()
    run_step(PROMPT, TARGET, world, world)
    assert [sent.body for sent in world.sent] == [{"text": "no"}]


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ({"state": WEDGED}, "would join the turn that runs"),
        ({"state": replace(IDLE, status=Status.UNKNOWN)}, "would join the turn that runs"),
        ({"pending": (ASK,)}, "per_1 is pending"),
    ],
)
def test_a_prompt_is_not_sent_into_a_turn_or_beside_an_ask(state: dict[str, Any], why: str) -> None:
    world = v2(**state)
    with pytest.raises(Refused, match=why):
        run_step(PROMPT, TARGET, world, world)
    assert world.sent == []
