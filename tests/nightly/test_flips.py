"""Three changes between released servers, as real trials of theirs say: the runs of `lab bisect`."""

from pathlib import Path

import pytest

from wedged.catalog import CLASSES
from wedged.evidence import RunFolder
from wedged.nightly.comparing import Comparison, Difference, Kind, accept, compare
from wedged.nightly.judged import defining_claims, seen_in
from wedged.nightly.summary import summary

DATA = Path(__file__).resolve().parents[1] / "data/nightly"
PREVIEW, RELEASED = "v2@0.0.0-next-16350", "v2@2.0.15"
FLIPS = [
    ("w102-eviction", "W102.no-event", PREVIEW, RELEASED, Kind.GONE),
    ("w102-dead-reply", "W102.reply-404", "v1@1.14.41", "v1@1.15.13", Kind.NEW),
    ("w103-resume", "W103.resumed-after-restart", PREVIEW, RELEASED, Kind.NEW),
]


def compared(folder: str, older: str, newer: str) -> Comparison:
    """The newer server, where only the older one's verdicts were accepted before."""
    seen = seen_in(RunFolder.open(DATA / folder), CLASSES)
    expected = accept({}, [one for one in seen if one.server == older])
    now = [one for one in seen if one.server == newer]
    return compare(expected, now, asked=frozenset(), defining=defining_claims())


@pytest.mark.parametrize(("folder", "claim", "older", "newer", "kind"), FLIPS)
def test_a_real_change_is_named_with_both_versions(
    folder: str, claim: str, older: str, newer: str, kind: Kind
) -> None:
    made = compared(folder, older, newer)
    (change,) = [one for one in made.differences if one.claim == claim]
    assert change.kind is kind
    assert made.exit_code == 1
    assert f"{str(kind).upper()}: {claim} on {newer} (between {older} and {newer})" in summary(made)


@pytest.mark.parametrize(("folder", "claim", "older", "newer", "kind"), FLIPS)
def test_the_same_server_again_is_no_change(
    folder: str, claim: str, older: str, newer: str, kind: Kind
) -> None:
    for server in (older, newer):
        again = compared(folder, server, server)
        assert not [one for one in again.differences if _changed(one)]


def _changed(one: Difference) -> bool:
    return one.kind not in (Kind.AS_EXPECTED, Kind.STILL_UNKNOWN)


@pytest.mark.parametrize("sabotage", ["mute-model", "deaf-recorder", "idle-fault"])
def test_the_dead_mans_runs_know_nothing_and_call_nothing_gone(sabotage: str) -> None:
    """Real runs of W102 on the preview, which shows it 3 of 3: with a model that never calls a tool, a
    recorder that drops everything, and a fault that does nothing."""
    healthy = seen_in(RunFolder.open(DATA / "w102-eviction"), CLASSES)
    expected = accept({}, [one for one in healthy if one.server == PREVIEW])
    dead = seen_in(RunFolder.open(DATA / "dead-man" / sabotage), CLASSES)
    made = compare(expected, dead, asked=frozenset(), defining=defining_claims())
    (defining,) = [one for one in made.differences if one.claim == "W102.no-event"]
    assert (defining.kind, made.exit_code) == (Kind.UNSURE, 3)
    assert not made.of(Kind.GONE, Kind.CAME_BACK, Kind.FLAKY_NOW, Kind.NEW)
