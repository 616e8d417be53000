"""What is read of the stores of three real servers, each killed in the middle of everything."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from wedged.errors import UnknownSchema
from wedged.facts.server import Line
from wedged.facts.session import PartStatus, Status
from wedged.facts.snapshot import Origin, Snapshot
from wedged.observe.database import look_at_database
from wedged.observe.database.schema import SEEN

from .stores import CARRIED, PREVIEW, RELEASED, V1, Made, unpack

OPEN = {"asking", "running", "question", "parent", "kid", "written"}
ENDED = {"finished", "interrupted"}
OF_V2 = {"declined", "declined-with-words", "background", "background-ended"}


def looked_at(name: str, folder: Path) -> tuple[Made, Snapshot]:
    made = unpack(name, folder)
    return made, look_at_database(made.path)


@pytest.mark.parametrize(
    ("name", "line", "version", "writing"),
    [
        (V1, Line.V1, "1.17.18", PartStatus.PENDING),
        (PREVIEW, Line.V2_PREVIEW, "0.0.0-next-16350", PartStatus.STREAMING),
        (RELEASED, Line.V2_RELEASED, "2.0.15", PartStatus.STREAMING),
    ],
)
def test_every_line(name: str, line: Line, version: str, writing: PartStatus, tmp_path: Path) -> None:
    made, look = looked_at(name, tmp_path)
    assert (look.origin, look.asks, look.identity.line, look.identity.version) == (
        Origin.DATABASE,
        (),
        line,
        version,
    )
    by_name = {made.name_of(session.id): session for session in look.sessions}
    assert set(by_name) == OPEN | ENDED | (OF_V2 if line is not Line.V1 else set())
    assert {name for name, session in by_name.items() if session.unfinished} == OPEN
    assert {session.status for session in look.sessions} == {Status.UNKNOWN}
    states = {name: [part.status for part in session.parts] for name, session in by_name.items()}
    assert states["running"] == states["asking"] == states["question"] == [PartStatus.RUNNING]
    assert (states["written"], states["finished"]) == ([writing], [PartStatus.COMPLETED])
    assert by_name["kid"].parent_id == made.sessions["parent"]
    running, finished = by_name["running"], by_name["finished"]
    assert running.parts[0].input["command"] == "echo hello && sleep 600"
    assert running.newest
    assert (running.newest.complete, running.message_count, running.answers) == (False, 2, 1)
    assert finished.newest
    assert (finished.newest.complete, finished.message_count, finished.answers) == (True, 3, 2)
    assert finished.last_text == "Done."
    assert by_name["interrupted"].parts[0].status.terminal
    assert by_name["interrupted"].newest.error.lower().endswith(("aborted", "abortederror"))  # type: ignore[union-attr]
    assert [gap.what for gap in look.gaps] == ["asks"]
    assert look.identity.schema_fingerprint[:16] in SEEN
    assert look.blind == ()


def test_v1_shows_whose_work_has_begun(tmp_path: Path) -> None:
    made, look = looked_at(V1, tmp_path)
    begun = {made.name_of(s.id): s.parts[0].started for s in look.sessions if s.unfinished}
    assert begun["asking"] is False
    assert begun["running"] is begun["kid"] is True
    assert not any(session.shows_suspended for session in look.sessions)


def test_a_released_v2_marks_every_turn_that_is_not_over(tmp_path: Path) -> None:
    made, look = looked_at(RELEASED, tmp_path)
    marked = {made.name_of(s.id) for s in look.sessions if s.suspended_ms is not None}
    assert marked == OPEN | {"declined"}
    outcomes = {made.name_of(s.id): s.outcome for s in look.sessions if s.outcome}
    assert outcomes == dict.fromkeys(
        ("finished", "declined-with-words", "background", "background-ended"), "succeeded"
    ) | {"interrupted": "interrupted"}
    declined = look.session(made.sessions["declined"])
    assert declined
    assert (declined.parts[0].error, declined.outcome, declined.idle_ms) == (
        "The user declined this tool call",
        "",
        None,
    )


def test_the_preview_marks_no_declined_turn(tmp_path: Path) -> None:
    made, look = looked_at(PREVIEW, tmp_path)
    assert all(session.shows_suspended and session.suspended_ms is None for session in look.sessions)
    declined = look.session(made.sessions["declined"])
    assert declined
    assert declined.parts[0].error == "The user declined this tool call"


@pytest.mark.parametrize("name", [PREVIEW, RELEASED])
def test_a_background_shell_is_known_until_its_end_was_told(name: str, tmp_path: Path) -> None:
    made, look = looked_at(name, tmp_path)
    (shell,) = look.shells
    assert made.name_of(shell.session_id) == "background"
    assert (shell.command, shell.status, shell.id[:3]) == ("echo hello && sleep 603", "running", "sh_")
    assert shell.directory.endswith("/project")
    assert shell.started_ms


def test_v1s_tables_in_a_2x_file_are_stale(tmp_path: Path) -> None:
    made, look = looked_at(CARRIED, tmp_path)
    with closing(sqlite3.connect(made.path)) as connection:
        (stale,) = connection.execute(
            "select json_extract(data, '$.state.status') from part where data like '%\"tool\"%'"
        ).fetchone()
    assert stale == "running"
    assert look.identity.line is Line.V2_RELEASED
    carried = look.session(made.sessions["running"])
    assert carried
    assert [part.status for part in carried.parts] == [PartStatus.ERROR]
    assert carried.parts[0].error == "Tool execution was interrupted before V2 migration"
    # The server was stopped in order, which takes its -wal away: that is said, and makes nothing unknown.
    assert look.gaps == ()
    assert "whether the file is whole" in [gap.what for gap in look.blind]


@pytest.mark.parametrize("name", [V1, PREVIEW])
def test_a_copy_without_its_wal_is_told(name: str, tmp_path: Path) -> None:
    made = unpack(name, tmp_path)
    made.wal.unlink()
    look = look_at_database(made.path)
    assert not any(session.unfinished for session in look.sessions), "all that was open is in the -wal"
    assert "the newest writes" in [gap.what for gap in look.gaps]


def test_named_sessions_are_read_or_told(tmp_path: Path) -> None:
    made = unpack(V1, tmp_path)
    look = look_at_database(made.path, (made.sessions["finished"], "ses_nowhere"))
    assert look.session(made.sessions["finished"])
    assert "session ses_nowhere" in [gap.what for gap in look.gaps]


def changed(made: Made, *statements: str) -> Path:
    with closing(sqlite3.connect(made.path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return made.path


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        (("drop table part",), "is no OpenCode database"),
        (("alter table part rename column data to content",), "has no part.data"),
        (
            ("alter table session rename to hidden", "create view session as select * from hidden"),
            "is no OpenCode database",
        ),
    ],
)
def test_an_unknown_schema_is_no_guess(statements: tuple[str, ...], words: str, tmp_path: Path) -> None:
    path = changed(unpack(V1, tmp_path), *statements)
    with pytest.raises(UnknownSchema, match=words):
        look_at_database(path)


def test_a_released_file_before_its_first_checkpoint_holds_nothing_without_its_wal(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma journal_mode=wal").fetchone()
    with pytest.raises(UnknownSchema, match="holds no tables; all of it may be in a -wal"):
        look_at_database(path)


def test_a_new_column_is_read_past_and_told(tmp_path: Path) -> None:
    look = look_at_database(changed(unpack(V1, tmp_path), "alter table part add column colour text"))
    assert [gap.what for gap in look.blind] == ["what else this version stores"]
    assert any(session.unfinished for session in look.sessions)
