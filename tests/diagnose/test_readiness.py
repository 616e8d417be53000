"""Readiness: what blocks, what explains a process, when two looks are needed, and what is not known."""

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources

import jsonschema
import pytest

from wedged.diagnose.readiness import BlockerKind, Readiness, Verdict, readiness
from wedged.diagnose.readiness_document import SCHEMA_FILE, readiness_json, schema_text
from wedged.diagnose.readiness_looks import BETWEEN_S, decide
from wedged.diagnose.readiness_text import progress_line, readiness_text, waited_for
from wedged.diagnose.strangers import strangers
from wedged.facts.plain_text import plain
from wedged.facts.process import ProcessFacts, Shell, Tree
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Gap, Snapshot, Window
from wedged.observe.processes import server_tree

from .looks import BORN, ask, look, session

SERVER = ProcessFacts(10, 1, 1000.0, "opencode", ("opencode", "serve"))
UNSEEN = Gap("processes of the server", "the server is on another machine")


def process(pid: int, *argv: str, parent: int = 10, created: float = 2000.0) -> ProcessFacts:
    return ProcessFacts(pid, parent, created, argv[0] if argv else "?", argv)


def tree(*below: ProcessFacts) -> Tree:
    return Tree(SERVER, below)


def shell(shell_id: str = "sh_1", owner: str = "ses_1", **changes: object) -> Shell:
    made = Shell(shell_id, owner, "/project", "npm test", "running", 20, BORN)
    return replace(made, **changes)  # type: ignore[arg-type]


def idle(session_id: str = "ses_1", parent: str = "") -> SessionFacts:
    return SessionFacts(session_id, "/project", Status.IDLE, parent_id=parent)


def seen(
    *processes: ProcessFacts, shells: tuple[Shell, ...] = (), sessions: tuple[SessionFacts, ...] = ()
) -> Snapshot:
    return replace(look(sessions=sessions), shells=shells, processes=tree(*processes))


def judge(latest: Snapshot, earlier: Snapshot | None = None, *expect: str) -> Readiness:
    return readiness(Window(latest, earlier), expect=expect)


def test_nothing_runs() -> None:
    said = judge(seen(sessions=(idle(),)))
    assert (said.verdict, said.exit_code, said.blockers) == (Verdict.READY, 0, ())


def test_a_sub_agents_shell_is_attributed_to_it_and_its_parents() -> None:
    family = (idle("ses_1"), idle("ses_2", "ses_1"), idle("ses_3", "ses_2"))
    said = judge(seen(process(20, "npm", "test"), shells=(shell(owner="ses_3"),), sessions=family))
    (one,) = said.blockers
    assert (one.kind, one.id, one.pid, one.about) == (BlockerKind.SHELL, "sh_1", 20, "npm test")
    assert (one.session, one.parents) == ("ses_3", ("ses_2", "ses_1"))
    assert said.exit_code == 1
    assert "no list of active sessions shows it" in one.why


def test_parents_that_go_round_in_a_circle_end() -> None:
    circle = (idle("ses_1", "ses_2"), idle("ses_2", "ses_1"))
    (one,) = judge(seen(shells=(shell(),), sessions=circle)).blockers
    assert one.parents == ("ses_2",)


def test_a_shell_that_has_ended_blocks_nothing() -> None:
    assert judge(seen(shells=(shell(status="exited"),))).verdict is Verdict.READY


def test_turns_and_asks_block_and_a_leftover_ask_does_not() -> None:
    said = judge(replace(look(asks=(ask(),), sessions=(session(),)), processes=tree()))
    assert [one.kind for one in said.blockers] == [BlockerKind.TURN, BlockerKind.ASK]
    left = replace(look(asks=(ask(),), sessions=(idle(),)), processes=tree())
    assert judge(left).verdict is Verdict.READY


def test_a_process_is_explained_by_a_record_a_command_or_what_is_above_it() -> None:
    known = shell(pid=20)
    unnamed = shell("sh_2", pid=None, command="make all")
    part = ToolPart("prt", "call", "msg", "ses_1", "bash", PartStatus.RUNNING, {"command": "sleep 9"})
    busy = replace(session(), parts=(part,))
    below = (
        process(20, "npm", "test"),
        process(21, "node", "x.js", parent=20),
        process(22, "bash", "-c", "make all"),
        process(23, "sleep", "9"),
    )
    assert strangers(seen(*below, shells=(known, unnamed), sessions=(busy,))) == ()
    over = replace(busy, status=Status.IDLE)
    (left,) = strangers(seen(*below, shells=(known, unnamed), sessions=(over,)))
    assert left.process.pid == 23, "a call of a turn that is over explains nothing"


def test_strangers_are_named_by_the_topmost_with_what_is_below() -> None:
    said = judge(
        seen(process(30, "cursor-runner"), process(31, "sh", parent=30), process(32, "tsc", parent=31))
    )
    (one,) = said.blockers
    assert (one.kind, one.id, one.about) == (BlockerKind.PROCESS, "30", "cursor-runner")
    assert one.why.endswith("; 2 more below it")
    assert "V1 keeps no list of shells" in one.why


def test_processes_that_form_a_circle_end() -> None:
    circle = (process(30, "a", parent=31), process(31, "b", parent=30))
    assert strangers(seen(*circle)) == ()


def test_what_is_expected_blocks_nothing_and_is_said() -> None:
    look_at = seen(process(30, "mcp-server", "--stdio"), process(31, "node", parent=30), process(32, "tsc"))
    said = judge(look_at, None, "mcp-server")
    assert [one.id for one in said.blockers] == ["32"]
    assert [one.pid for one in said.expected] == [30]


def test_a_process_that_only_passes_by_does_not_count() -> None:
    before, now = seen(process(30, "git", "status")), seen(process(31, "git", "status"))
    assert judge(now, before).verdict is Verdict.READY
    assert judge(before, before).verdict is Verdict.NOT_SAFE
    reused = seen(process(30, "git", "status", created=3000.0))
    assert judge(reused, before).verdict is Verdict.READY, "the pid came again, the process did not"


def test_processes_that_can_not_be_seen_are_unknown_unless_they_are_left_out() -> None:
    assert server_tree("http://192.0.2.1:4096") == UNSEEN
    blind = replace(look(sessions=(idle(),)), blind=(UNSEEN,))
    said = judge(blind)
    assert (said.verdict, said.exit_code, said.final) == (Verdict.UNKNOWN, 3, True)
    by_lists = readiness(Window(blind), lists_only=True)
    assert (by_lists.exit_code, [gap.why for gap in by_lists.unseen]) == (0, ["left out"])
    assert "READY by the server's own lists" in readiness_text(by_lists)
    assert readiness(Window(seen(process(30, "x"))), lists_only=True).verdict is Verdict.READY


def test_what_else_a_look_is_blind_for_matters_only_to_others() -> None:
    aside = Gap("who else has the server's database open", "not to be seen")
    assert judge(replace(seen(), blind=(aside,))).verdict is Verdict.READY
    said = judge(replace(look(), blind=(aside,)))
    assert [gap.why for gap in said.unknown] == ["not looked at"]


def test_a_gap_is_unknown_and_may_pass() -> None:
    said = judge(replace(seen(), gaps=(Gap("asks in /project", "no answer"),)))
    assert (said.exit_code, said.final) == (3, False)
    assert judge(replace(seen(shells=(shell(),)), gaps=(UNSEEN,))).exit_code == 1, "something was found"


class Looks:
    """One look after the other; the last one again and again."""

    def __init__(self, *looks: Snapshot) -> None:
        self._left: Iterator[Snapshot] = iter(looks)
        self._last = looks[-1]
        self.taken = 0
        self.waited: list[float] = []
        self.everywhere: list[bool] = []

    def take(self, peek: Snapshot | None) -> Snapshot:
        self.taken += 1
        self.everywhere.append(peek is None)
        return next(self._left, self._last)

    def decide(self, after: Snapshot | None = None) -> Readiness:
        return decide(self.take, self.waited.append, after=after)[0]


def test_that_something_runs_takes_one_look_and_that_nothing_does_takes_two() -> None:
    busy = Looks(seen(shells=(shell(),)))
    assert (busy.decide().exit_code, busy.taken, busy.waited) == (1, 1, [])
    calm = Looks(seen())
    assert (calm.decide().exit_code, calm.taken, calm.waited) == (0, 2, [BETWEEN_S])


def test_one_of_the_looks_behind_ready_is_everywhere() -> None:
    first = Looks(seen())
    assert (first.decide().exit_code, first.everywhere) == (0, [True, False])
    again = Looks(seen())
    assert (again.decide(after=seen()).exit_code, again.everywhere) == (0, [False, True])
    still_busy = Looks(seen(shells=(shell(),)))
    assert (still_busy.decide(after=seen()).exit_code, still_busy.everywhere) == (1, [False])


def test_a_session_that_wakes_up_between_the_reads_of_a_look_is_seen_by_the_next() -> None:
    looks = Looks(seen(sessions=(idle(),)), seen(sessions=(session(),)))
    assert [one.kind for one in looks.decide().blockers] == [BlockerKind.TURN]


def test_while_new_strangers_come_it_looks_again_and_in_the_end_counts_them() -> None:
    passing = [seen(process(pid, "git", "status")) for pid in (30, 31)]
    calm = Looks(*passing, seen())
    assert (calm.decide().exit_code, calm.taken) == (0, 3)
    never = Looks(*(seen(process(pid, "git", "status")) for pid in range(30, 40)))
    said = never.decide()
    assert (said.exit_code, never.taken, [one.id for one in said.blockers]) == (1, 5, ["34"])


def test_the_shipped_schema_is_the_one_of_the_dataclasses() -> None:
    shipped = resources.files("wedged.diagnose").joinpath(SCHEMA_FILE).read_text()
    assert shipped == schema_text(), "write schema_text() of diagnose/readiness_document.py into that file"
    jsonschema.Draft202012Validator.check_schema(json.loads(shipped))


HOSTILE = "\x1b[2J\u202ego --token=abcdefghijkl12 " + "long " * 600


def hostile() -> Readiness:
    runs = shell(command=HOSTILE, directory="/\x1b[31mred")
    return judge(
        replace(seen(process(40, "x" + HOSTILE), shells=(runs,), sessions=(idle(),)), gaps=(UNSEEN,))
    )


def test_the_json_keeps_to_its_schema_and_is_safe_to_print() -> None:
    text = readiness_json(hostile(), seconds_between=0.5, waited_s=3.04)
    tree_ = json.loads(text)
    jsonschema.validate(tree_, json.loads(schema_text()))
    assert text.isascii()
    assert "\n" not in text
    assert "abcdefghijkl12" not in text
    assert (tree_["verdict"], tree_["waited_s"], tree_["checked"]["processes"]) == ("not-safe", 3.0, 1)
    (first, second) = tree_["blockers"]
    assert (first["kind"], first["age_s"], first["since"]) == ("shell", 120.0, "2026-11-29T12:55:49.436Z")
    assert (second["kind"], second["pid"]) == ("process", 40)


@pytest.mark.parametrize("width", [1, 40, 80, 500])
def test_the_text_is_safe_short_and_fits(width: int) -> None:
    text = readiness_text(hostile(), width=width)
    assert all(line == plain(line) for line in text.splitlines())
    assert "abcdefghijkl12" not in text
    assert len(text.splitlines()) < 60
    # A word that is longer than the line stays whole: it is meant to be copied.
    wide = [line for line in text.splitlines() if len(line) > max(32, min(width, 96))]
    assert [line for line in wide if len(line.split()) > 2] == []


def test_a_flood_of_shells_stays_a_readable_report() -> None:
    text = readiness_text(judge(seen(shells=tuple(shell(f"sh_{n}") for n in range(500)))))
    assert "NOT SAFE TO RESTART: 500 shells." in text
    assert "and 460 more: --json has them all" in text
    assert len(text.splitlines()) < 300


def test_the_progress_says_in_counts_what_is_waited_for() -> None:
    state = waited_for(hostile())
    assert state == "waiting for 1 shell, 1 process that the server does not know"
    assert progress_line(state, 200.0) == f"3 min: {state}"
    assert waited_for(judge(seen())) == "ready"
