"""What a report says of its own reach."""

from dataclasses import replace

from wedged.diagnose.reach import reach_rows, reached
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import SessionFacts, Status
from wedged.facts.snapshot import Gap, Scope

from .looks import SCOPE, look, session

ELSEWHERE = tuple(SessionFacts(f"ses_{n}", f"/d{n % 8}", Status.UNKNOWN) for n in range(20))
V2 = ServerIdentity(Line.V2_RELEASED, "2.0.15")


def test_directories_that_were_left_alone_are_counted_with_the_reason() -> None:
    gap = Gap("directory /d7", "not asked: something is unfinished in it, and 20 others were asked")
    seen = replace(look(sessions=(session(), *ELSEWHERE)), left_out=(gap,))
    made = reached(seen)
    assert made.read == 1
    assert sum(one.sessions for one in made.untouched) == 20
    why = {one.directory: one.why for one in made.untouched}
    assert why["/d7"] == gap.why
    assert "makes a V1 server load the project" in why["/d0"]
    assert "/project" not in why, "it was asked"


def test_a_directory_that_was_named_is_an_effect_on_v1() -> None:
    assert reached(look()).effects == (), "its own is asked without being named"
    (one,) = reached(replace(look(), scopes=(SCOPE, Scope("/else")))).effects
    assert one.startswith("named /else, and a V1 server loads the project there")


def test_what_a_v2_has_loaded_since_is_an_effect() -> None:
    seen = replace(look(), identity=V2, woken=("/cold",))
    assert reached(seen).effects == ("made the server load /cold, which it had not",)
    assert reached(replace(seen, woken=())).effects == ()
    assert "can't be seen" in reached(replace(seen, woken=None)).effects[0]


def test_rows_name_the_first_directories_and_count_the_rest() -> None:
    seen = look(sessions=ELSEWHERE)
    rows = reach_rows(seen)
    assert rows[0] == "  read with their calls: 0 of 20 sessions"
    assert sum("not asked: /d" in row for row in rows) == 5
    assert "  not asked: 3 more directories, 6 sessions: --all names them" in rows
    assert sum("not asked: /d" in row for row in reach_rows(seen, show_all=True)) == 8
    assert "--all-directories" in rows[-1]
