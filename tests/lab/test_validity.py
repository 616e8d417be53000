"""What a check makes of an answer or a timeline, without a server."""

from types import SimpleNamespace
from typing import cast

import pytest

from wedged.facts.trial import Lane
from wedged.lab.bench import Bench
from wedged.lab.timeline import Timeline
from wedged.lab.validity import done_to_the_server, no_gap, provider_names


def bench(timeline: Timeline) -> Bench:
    return cast(Bench, SimpleNamespace(timeline=timeline))


@pytest.mark.parametrize(("answer", "names"), [
    ({"providers": [{"id": "mock"}]}, ["mock"]),
    ({"location": {}, "data": [{"id": "opencode"}, {"id": "mock"}]}, ["opencode", "mock"]),
    ({"data": []}, []),
    ({"data": None}, []),
    ("<!doctype html>", []),
    (None, []),
])  # fmt: skip
def test_providers_are_read_in_either_lines_words(answer: object, names: list[str]) -> None:
    assert provider_names(answer) == names


def test_a_restart_that_was_made_is_no_gap_and_a_lost_stream_is() -> None:
    timeline = Timeline()
    start = timeline.now()
    timeline.add(Lane.RECORDER, "stream ends", why="RemoteProtocolError")
    timeline.add(Lane.PROCESS, "server ended", how="SIGKILL")
    timeline.add(Lane.RECORDER, "restarted", service=False)
    assert no_gap(bench(timeline), start, timeline.now()).passed
    timeline.add(Lane.RECORDER, "gap begins")
    lost = no_gap(bench(timeline), start, timeline.now())
    assert (lost.passed, lost.detail) == (False, "gap begins")


def test_what_was_done_to_the_server_belongs_to_the_trials_that_it_fell_into() -> None:
    timeline = Timeline()
    timeline.add(Lane.PROCESS, "server ended", how="SIGTERM")
    later = timeline.now()
    timeline.add(Lane.RECORDER, "restarted")
    timeline.add(Lane.EVENT, "server.heartbeat")
    own = done_to_the_server(bench(timeline), "ses_a", later, timeline.now())
    assert [(o.kind, o.subject) for o in own] == [("restarted", "ses_a")]
