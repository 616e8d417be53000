"""A database from anybody: what it holds is data, odd rows hide nothing, and nothing fills the memory."""

import json
import os
import signal
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from wedged.facts.session import PartStatus
from wedged.facts.snapshot import Snapshot
from wedged.observe.database import look_at_database, sessions, v1
from wedged.observe.database.opening import open_database

from .stores import PREVIEW, RELEASED, V1, Made, unpack

DEEP = '{"type":' + "[" * 5000 + "]" * 5000 + "}"


def changed(made: Made, *statements: tuple[str, tuple[object, ...]]) -> Snapshot:
    with closing(sqlite3.connect(made.path)) as connection:
        connection.execute("pragma foreign_keys=0")
        for sql, values in statements:
            assert connection.execute(sql, values).rowcount
        connection.commit()
    return look_at_database(made.path)


def part(made: Made, data: object, name: str = "prt_odd") -> tuple[str, tuple[object, ...]]:
    sql = (
        "insert into part select ?, id, session_id, 1, 1, ? from message where session_id = ? "
        "order by id desc limit 1"
    )
    return sql, (name, data, made.sessions["running"])


@pytest.mark.parametrize("data", ["{", DEEP, b"\xff\xfe", 7, '{"type":"tool","state":[]}'])
def test_a_row_that_is_no_part_is_told_and_hides_nothing(data: object, tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    look = changed(made, part(made, data))
    assert ("part prt_odd", "its data is no readable JSON") in [(gap.what, gap.why) for gap in look.gaps]
    running = look.session(made.sessions["running"])
    assert running
    assert [one.status for one in running.unfinished][:1] == [PartStatus.RUNNING]


@pytest.mark.parametrize("data", ["later", "{", DEEP, b"\xff\xfe", 7])
def test_a_row_that_is_no_message_is_told_and_hides_nothing(data: object, tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    first = "(select min(id) from message where session_id = ?)"
    values = (data, made.sessions["finished"])
    look = changed(made, (f"update message set data = ? where id = {first}", values))  # noqa: S608
    assert [gap.why for gap in look.gaps if gap.what.startswith("message ")] == [
        "its data is no readable JSON"
    ]
    finished = look.session(made.sessions["finished"])
    assert finished
    assert (finished.message_count, finished.answers) == (3, 2)


@pytest.mark.parametrize("name", [PREVIEW, RELEASED])
@pytest.mark.parametrize("data", ["{", DEEP, '{"content":7}'])
def test_an_answer_that_is_none_is_told(name: str, data: object, tmp_path: Path) -> None:
    made = unpack(name, tmp_path)
    look = changed(
        made,
        (
            "update session_message set data = ? where session_id = ? and type = 'assistant'",
            (data, made.sessions["running"]),
        ),
    )
    assert "its data is no readable JSON" in [gap.why for gap in look.gaps]
    kept = {made.name_of(session.id) for session in look.sessions if session.unfinished}
    assert kept == {"asking", "question", "parent", "kid", "written"}


def test_a_status_that_is_new_is_not_taken_for_an_end(tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    state = {"type": "tool", "tool": "bash", "callID": "call_new", "state": {"status": "paused"}}
    look = changed(made, part(made, json.dumps(state)))
    running = look.session(made.sessions["running"])
    assert running
    assert ("call_new", PartStatus.UNKNOWN) in [(one.call_id, one.status) for one in running.unfinished]


def test_a_huge_output_is_passed_over_and_the_state_stays(tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    state = {"status": "running", "input": {"command": "x"}, "metadata": {"output": "x" * 3_000_000}}
    whole = {"type": "tool", "tool": "bash", "callID": "call_big", "state": state | {"time": {"start": 5}}}
    running = changed(made, part(made, json.dumps(whole))).session(made.sessions["running"])
    assert running
    (big,) = [one for one in running.parts if one.call_id == "call_big"]
    assert (big.status, big.started, big.start_ms, big.output) == (PartStatus.RUNNING, True, 5, "")


@pytest.mark.parametrize("name", [PREVIEW, RELEASED])
def test_a_huge_answer_is_passed_over_and_its_calls_stay(name: str, tmp_path: Path) -> None:
    made = unpack(name, tmp_path)
    sql = (
        "update session_message set data = json_set(data, '$.content[#]', json(?)) "
        "where session_id = ? and type = 'assistant'"
    )
    text = json.dumps({"type": "text", "text": "x" * 3_000_000})
    running = changed(made, (sql, (text, made.sessions["running"]))).session(made.sessions["running"])
    assert running
    assert [(one.call_id, one.status) for one in running.parts] == [("call_running_0_0", PartStatus.RUNNING)]
    assert len(running.last_text) == 4000


def test_parents_in_a_circle(tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    turn = ("update session set parent_id = ? where id = ?", (made.sessions["kid"], made.sessions["parent"]))
    assert len(changed(made, turn).sessions) == len(made.sessions)


def test_odd_types_in_every_column(tmp_path: Path) -> None:
    made = unpack(RELEASED, tmp_path)
    look = changed(
        made,
        ("update session_v2 set title = x'ff', directory = 5, time_updated = 'later', version = x'00'", ()),
        ("update session_v2 set time_suspended = 'soon', resume_attempts = 'many', time_idle = 1e300", ()),
        ("update kv set value = 'nonsense' where key like 'job%'", ()),
    )
    assert len(look.sessions) == len(made.sessions)
    assert look.shells == ()
    assert any(gap.what.startswith("kv job.background/") for gap in look.gaps)


def test_text_that_is_no_utf8_can_be_read(tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    look = changed(made, ("update session set title = cast(x'41ff42' as text)", ()))
    assert {session.title for session in look.sessions} == {"A\ufffdB"}


def test_more_open_rows_than_are_read_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = unpack(V1, tmp_path)
    monkeypatch.setattr(v1, "UNFINISHED", 3)
    monkeypatch.setattr(sessions, "UNFINISHED", 3)
    gaps = look_at_database(made.path).gaps
    assert "part beyond its first 3 unfinished rows" in [gap.what for gap in gaps]


@pytest.mark.parametrize(
    ("number", "error"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)]
)
def test_a_signal_ends_a_long_query(
    number: signal.Signals, error: type[BaseException], tmp_path: Path
) -> None:
    made = unpack(V1, tmp_path)

    def end(number: int, _: object) -> None:
        raise SystemExit(143) if number == signal.SIGTERM else KeyboardInterrupt

    before = signal.signal(number, end)
    endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n"
    try:
        with open_database(made.path) as database:
            threading.Timer(0.2, os.kill, (os.getpid(), number)).start()
            with pytest.raises(error):
                database.one(endless)
    finally:
        signal.signal(number, before)
