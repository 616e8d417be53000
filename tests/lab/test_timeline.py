import threading

import pytest

from wedged.errors import DeadlinePassed
from wedged.facts.trial import Lane, Observation
from wedged.lab.timeline import Timeline, since


def test_keeps_order_and_subjects_apart() -> None:
    timeline = Timeline()
    timeline.add(Lane.STATUS, "busy", "ses_a")
    timeline.add(Lane.STATUS, "busy", "ses_b")
    timeline.add(Lane.STATUS, "idle", "ses_a")
    assert [o.kind for o in timeline.of("ses_a")] == ["busy", "idle"]
    assert timeline.count() == 3
    times = [o.t for o in timeline.of("ses_a")]
    assert times == sorted(times)


def test_a_waiter_is_woken_by_the_observation() -> None:
    timeline = Timeline()
    found: list[Observation | None] = []
    waiting = threading.Thread(
        target=lambda: found.append(timeline.watch("ses_a", lambda o: o.kind == "idle", 30))
    )
    waiting.start()
    timeline.add(Lane.STATUS, "idle", "ses_b")
    timeline.add(Lane.STATUS, "idle", "ses_a")
    waiting.join(30)
    assert found[0] is not None
    assert found[0].subject == "ses_a"


def test_watch_without_a_match_says_so_and_wait_for_names_what_was_awaited() -> None:
    timeline = Timeline()
    timeline.add(Lane.STATUS, "busy", "ses_a")
    assert timeline.watch("ses_a", lambda o: o.kind == "idle", 0.01) is None
    with pytest.raises(DeadlinePassed, match=r"waited 0\.01 s for the turn to end"):
        timeline.wait_for("ses_a", lambda o: o.kind == "idle", "the turn to end", 0.01)


def test_what_came_before_does_not_count_as_after() -> None:
    timeline = Timeline()
    first = timeline.add(Lane.STATUS, "idle", "ses_a")
    assert timeline.find("ses_a", lambda o: o.kind == "idle", after=first.t) is None
    assert timeline.find("ses_a", lambda o: o.kind == "idle") == first


def test_a_failed_call_of_ours_is_on_the_client_lane() -> None:
    timeline = Timeline()
    with pytest.raises(ValueError, match="no"), timeline.call("ses_a", "prompt"):
        raise ValueError("no")
    assert [(o.lane, o.kind) for o in timeline.of("ses_a")] == [
        (Lane.CLIENT, "prompt"),
        (Lane.CLIENT, "prompt failed"),
    ]


def test_since_moves_the_origin_and_nothing_else() -> None:
    seen = (Observation(3.5, Lane.MODEL, "request", "ses_a", {"request": 1}),)
    assert since(seen, 3.0) == (Observation(0.5, Lane.MODEL, "request", "ses_a", {"request": 1}),)
