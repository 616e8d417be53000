"""Once when it appears, once when it ends, and never because something could not be read."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.diagnose.looks import ASK_ID, ask, look, session

from wedged.diagnose import Diagnosis, diagnose
from wedged.facts.finding import FindingStatus
from wedged.facts.snapshot import Gap, Scope, Window
from wedged.watching.changes import Changes, Standing, changes

IDS = tuple(f"{ASK_ID[:-1]}{letter}" for letter in "abcd")
GAPS = ("asks in /project", "statuses in /project", "session ses_9", "check W101")


def seen(
    *ids: str,
    gaps: Sequence[str] = (),
    asked: bool = True,
    past: Sequence[str] = (),
) -> Diagnosis:
    """A diagnosis of a look in which these asks wait, each in a session of its own."""
    asks = tuple(ask(one, f"ses_{one[-1]}") for one in ids)
    sessions = tuple(session(f"ses_{one[-1]}") for one in ids)
    snapshot = look(asks, sessions, tuple(Gap(what, "it failed") for what in gaps))
    if not asked:
        snapshot = replace(snapshot, scopes=(Scope("/elsewhere"),))
    made = diagnose(Window(snapshot), 0)
    return replace(
        made,
        findings=tuple(
            replace(f, status=FindingStatus.PAST) if f.subject.id in past else f for f in made.findings
        ),
    )


def told(one: Changes) -> tuple[set[str], set[str], set[str]]:
    return (
        {f.subject.id for f in one.appeared},
        {f.subject.id for f in one.ended},
        {f.subject.id for f in one.unsure},
    )


def standing(*ids: str, gaps: Sequence[str] = ()) -> dict[str, Standing]:
    return dict(changes({}, seen(*ids, gaps=gaps)).standing)


def test_once_when_it_appears_and_once_when_it_ends() -> None:
    first = changes({}, seen(IDS[0]))
    again = changes(first.standing, seen(IDS[0], IDS[1]))
    last = changes(again.standing, seen(IDS[1]))
    assert [told(one)[:2] for one in (first, again, last)] == [
        ({IDS[0]}, set()),
        ({IDS[1]}, set()),
        (set(), {IDS[0]}),
    ]
    assert not changes(last.standing, seen(IDS[1])).any


def test_what_could_not_be_read_ends_nothing() -> None:
    stood = standing(IDS[0])
    for less in (seen(gaps=GAPS[:1]), seen(asked=False)):
        unsure = changes(stood, less)
        assert told(unsure) == (set(), set(), {IDS[0]})
        assert not unsure.any
        assert told(changes(unsure.standing, seen()))[1] == {IDS[0]}


def test_what_was_unread_when_it_was_seen_is_not_needed_to_see_it_end() -> None:
    stood = standing(IDS[0], gaps=("3 older idle sessions",))
    assert told(changes(stood, seen(gaps=("4 older idle sessions",))))[1] == {IDS[0]}
    assert told(changes(stood, seen(gaps=("asks in /project",))))[2] == {IDS[0]}


def test_a_session_that_is_gone_takes_its_findings_with_it() -> None:
    deleted = seen(gaps=("session ses_a",))
    assert told(changes(standing(IDS[0], IDS[1]), deleted, {"ses_a"}))[1:] == ({IDS[0]}, {IDS[1]})


def test_what_is_past_never_appears_and_ends_what_stood() -> None:
    assert not changes({}, seen(IDS[0], past=IDS)).any
    assert told(changes(standing(IDS[0]), seen(IDS[0], past=IDS, gaps=GAPS)))[1] == {IDS[0]}


_ids = st.lists(st.sampled_from(IDS), unique=True)
_gaps = st.lists(st.sampled_from(GAPS), unique=True)
_looks = st.lists(st.builds(lambda i, g, a: (i, g, a), _ids, _gaps, st.booleans()), max_size=8)


@given(_looks)
def test_whatever_is_seen_each_finding_appears_and_ends_in_turn(
    looks: list[tuple[list[str], list[str], bool]],
) -> None:
    stood: dict[str, Standing] = {}
    open_: set[str] = set()
    for ids, gaps, asked in looks:
        step = changes(stood, seen(*ids, gaps=gaps, asked=asked))
        appeared, ended, unsure = told(step)
        assert not appeared & open_, "it appeared twice"
        assert ended <= open_, "it ended without having appeared"
        assert not ended & set(ids), "it ended while it was seen"
        assert unsure <= open_
        open_ = (open_ | appeared) - ended
        assert {one.finding.subject.id for one in step.standing.values()} == open_
        assert set(ids) <= open_, "what is seen stands"
        stood = dict(step.standing)
    everything_read = changes(stood, seen())
    assert {one.finding.subject.id for one in everything_read.standing.values()} == set()


@given(_ids, _gaps)
def test_a_look_that_reads_nothing_ends_nothing(ids: list[str], gaps: list[str]) -> None:
    stood = standing(*ids, gaps=gaps)
    blind = changes(stood, seen(gaps=(*GAPS, "everything"), asked=False))
    assert (blind.appeared, blind.ended) == ((), ())
    assert blind.standing == stood
