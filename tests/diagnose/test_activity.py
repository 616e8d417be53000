"""What each session waits for, by what a real server said in each state; no look-alike is a finding."""

from dataclasses import replace

import pytest

from wedged.diagnose import activities, diagnose
from wedged.facts.activity import Activity, Waiting
from wedged.facts.finding import Confidence
from wedged.facts.session import MessageFacts, PartStatus, SessionFacts, Status
from wedged.facts.snapshot import Gap, Scope, Snapshot, Window

from .states import STATES, session_id, snapshot, window

ASKING = {
    "external": "external",
    "question": "question",
    "rule": "rule",
    "doompar": "doom-loop",
    "child.sub": "parent-waits",
}
# Sessions that look stuck and are not, with what each waits for.
LOOK_ALIKES = {
    "long": (Waiting.TOOL, "runs its command"),
    "trap": (Waiting.TOOL, "runs its command"),
    "plugin": (Waiting.UNSEEN, "not begun; no ask is pending; can't see what it waits for"),
    "webfetch": (Waiting.UNSEEN, "inside the server; no ask is pending; can't see what it waits for"),
    "drip": (Waiting.MODEL, "and has begun; its text shows once it is whole"),
    "stall": (Waiting.MODEL, "and has begun; its text shows once it is whole"),
    "silent": (Waiting.MODEL, "nothing of it is stored"),
    "dripcall": (Waiting.MODEL, "the model is writing a call to bash"),
    "r429": (Waiting.RETRY, "failed (scripted 429); the next is due in"),
    "r500": (Waiting.RETRY, "failed (scripted 500); the next is due in"),
    "loop": (Waiting.WORKING, "new model answers in"),
    "sameloop": (Waiting.LOOP, "finished calls are the same one (bash, same input)"),
}


def of(seen: Window, state: str) -> Activity:
    (one,) = [one for one in activities(seen) if one.session == session_id(state)]
    return one


def changed(seen: Window, **changes: object) -> Window:
    """The same window with its one session changed in the latest look."""
    (session,) = seen.latest.sessions
    return replace(seen, latest=replace(seen.latest, sessions=(replace(session, **changes),)))  # type: ignore[arg-type]


@pytest.mark.parametrize(("state", "variant"), ASKING.items())
def test_each_ask_is_a_finding_of_its_variant(state: str, variant: str) -> None:
    (finding,) = diagnose(window(state), 0).findings
    assert (finding.variant, finding.session) == (variant, session_id(state))
    assert finding.confidence is Confidence.HIGH
    assert of(window(state), state).waiting is Waiting.PERSON


@pytest.mark.parametrize("state", [state for state in STATES if state not in ASKING and state != "child"])
@pytest.mark.parametrize("looks", [1, 2])
def test_no_look_alike_is_a_finding(state: str, looks: int) -> None:
    made = diagnose(window(state, looks=looks), 0)
    assert made.findings == ()
    assert made.exit_code == 0


@pytest.mark.parametrize(("state", "expected"), LOOK_ALIKES.items())
def test_what_a_look_alike_waits_for(state: str, expected: tuple[Waiting, str]) -> None:
    one = of(window(state), state)
    assert (one.waiting, one.ask) == (expected[0], "")
    assert expected[1] in one.why


def test_every_state_beside_every_other() -> None:
    made = {one.session: one.waiting for one in activities(window(*STATES))}
    for state, (waiting, _) in LOOK_ALIKES.items():
        assert made[session_id(state)] is waiting, state
    assert {made[session_id(state)] for state in (*ASKING, "child")} == {Waiting.PERSON}
    assert session_id("keep") not in made, "an idle session with nothing unfinished is no busy one"
    assert len(diagnose(window(*STATES), 0).findings) == len(ASKING)


def test_a_parent_waits_for_what_its_sub_agent_waits_for() -> None:
    seen = window("child", "child.sub")
    parent = of(seen, "child")
    assert (parent.waiting, parent.through) == (Waiting.PERSON, session_id("child.sub"))
    assert parent.ask == seen.latest.asks[0].id
    (finding,) = diagnose(seen, 0).findings
    assert any(f"{session_id('child')} waits for it, its part" in line for line in finding.evidence)
    answered = replace(seen.latest, asks=())
    parent = of(Window(answered), "child")
    assert (parent.waiting, parent.through) == (Waiting.UNSEEN, session_id("child.sub"))
    assert f"its sub-agent {session_id('child.sub')}: bash" in parent.why


def test_sessions_that_name_each_other_as_parents_end() -> None:
    sub, parent = snapshot("two", "child.sub", "child").sessions
    circle = (replace(sub, parent_id=parent.id), replace(parent, parent_id=sub.id))
    look = replace(snapshot("two", "child.sub", "child"), sessions=circle, asks=())
    assert len(activities(Window(look))) == 2


def test_what_can_not_be_seen_is_said() -> None:
    unread = window("webfetch")
    unread = replace(unread, latest=replace(unread.latest, gaps=(Gap("asks in /home/project", "no answer"),)))
    assert "whether an ask is pending could not be read" in of(unread, "webfetch").why
    elsewhere = replace(unread.latest, scopes=(Scope("/else"),), gaps=())
    assert "could not be read" in of(Window(elsewhere), "webfetch").why
    assert "its messages could not be read" in of(changed(window("drip"), newest=None), "drip").why


def test_without_processes_a_shell_is_judged_by_its_part_alone() -> None:
    one = of(window("long", tree=False), "long")
    assert (one.waiting, one.why.partition(" for ")[0]) == (Waiting.TOOL, "bash")
    assert "its work begun" in one.why


def test_a_shell_whose_process_is_gone_is_not_called_working() -> None:
    seen = window("long")
    assert seen.latest.processes is not None
    bare = replace(seen.latest, processes=replace(seen.latest.processes, below=()))
    one = of(Window(bare), "long")
    assert (one.waiting, "no process below the server runs it" in one.why) == (Waiting.UNSEEN, True)


def test_a_model_that_can_not_be_reached_by_any_connection() -> None:
    seen = window("silent")
    assert seen.latest.processes is not None
    cut = replace(seen.latest, processes=replace(seen.latest.processes, connections_out=0))
    one = of(Window(cut), "silent")
    assert (one.waiting, "no connection open" in one.why) == (Waiting.UNSEEN, True)


def test_a_status_that_lags_behind_a_complete_answer() -> None:
    lagging = changed(window("keep"), status=Status.BUSY)
    one = of(lagging, "keep")
    assert (one.waiting, one.why) == (
        Waiting.NOT_BUSY,
        "its answer is complete (finish stop): the status lags behind",
    )
    assert diagnose(lagging, 0).findings == ()
    between = MessageFacts("msg", from_model=True, complete=True, pieces=1, finish="tool-calls")
    assert of(changed(Window(lagging.latest), newest=between), "keep").waiting is Waiting.UNSEEN
    prompt = MessageFacts("msg", from_model=False, complete=False, pieces=1)
    assert "no answer to it has begun" in of(changed(Window(lagging.latest), newest=prompt), "keep").why


def test_a_turn_that_ends_between_the_looks() -> None:
    seen = window("long")
    (session,) = seen.latest.sessions
    ended = tuple(replace(part, status=PartStatus.COMPLETED) for part in session.parts)
    one = of(changed(seen, status=Status.IDLE, parts=ended), "long")
    assert (one.waiting, "its turn is over" in one.why) == (Waiting.NOT_BUSY, True)


def test_an_idle_session_with_an_unfinished_call() -> None:
    one = of(changed(window("long", looks=1), status=Status.IDLE), "long")
    assert (one.waiting, "1 of its calls has not ended" in one.why) == (Waiting.NOT_BUSY, True)


def test_an_ask_answered_within_a_second() -> None:
    seen = window("external")
    born = snapshot("one", "external").taken_ms
    (ask,) = seen.latest.asks
    fresh = f"per_{(born * 4096) % 2**48:012x}aaaaaaaaaaaaaa"
    young = replace(seen.latest, taken_ms=born + 900, asks=(replace(ask, id=fresh),))
    made = diagnose(Window(young))
    assert made.findings == ()
    assert "within the grace of 60 s" in made.considered[0].why_not
    (answered,) = diagnose(Window(replace(seen.latest, asks=()), seen.latest)).considered
    assert answered.why_not == "bash unfinished, and no ask is pending"


def test_progress_is_counted() -> None:
    moved = of(window("loop"), "loop").progress
    assert moved is not None
    assert moved.answers >= 2
    assert moved.calls >= moved.answers
    assert 1 < moved.seconds < 30
    still = of(window("external"), "external").progress
    assert still is not None
    assert not still.any
    attempts = of(window("r500"), "r500").progress
    assert attempts is not None


def test_parallel_calls_are_no_loop() -> None:
    seen = snapshot("two", "doompar")
    (session,) = seen.sessions
    ended = tuple(replace(part, status=PartStatus.COMPLETED) for part in session.parts)
    look: Snapshot = replace(seen, sessions=(replace(session, parts=ended),), asks=())
    assert activities(Window(look))[0].waiting is not Waiting.LOOP


def doom(**changes: object) -> Confidence:
    """The confidence of a doom-loop finding after a change to its look."""
    look = replace(snapshot("two", "doompar"), **changes)  # type: ignore[arg-type]
    (finding,) = diagnose(Window(look), 0).findings
    return finding.confidence


def test_a_doom_loop_is_sure_only_if_nothing_else_explains_the_session() -> None:
    look = snapshot("two", "doompar")
    (session,) = look.sessions
    first, *rest = session.parts

    def with_parts(*parts: object) -> tuple[SessionFacts, ...]:
        return (replace(session, parts=parts),)  # type: ignore[arg-type]

    assert doom() is Confidence.HIGH
    assert doom(processes=None) is Confidence.HIGH
    assert doom(sessions=with_parts(*rest)) is Confidence.MEDIUM, "two equal calls are no doom loop"
    other = replace(first, id="x", call_id="x", tool="webfetch")
    assert doom(sessions=with_parts(*session.parts, other)) is Confidence.MEDIUM
    assert doom(sessions=with_parts(replace(first, input={"a": 1}), *rest)) is Confidence.MEDIUM
    assert look.processes is not None
    running = replace(look.processes.server, argv=("bash", "-c", str(first.input["command"])))
    assert doom(processes=replace(look.processes, below=(running,))) is Confidence.MEDIUM
    (finding,) = diagnose(Window(look), 0).findings
    assert "it names no call" in " ".join(finding.evidence)
    assert "joined by session and tool only" in finding.unless
