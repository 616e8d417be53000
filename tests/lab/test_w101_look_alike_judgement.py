"""A look-alike's outcome: doctor's silence counts only where the state was there and all of it was read."""

from dataclasses import replace

import pytest
from tests.diagnose.states import session_id, window

from wedged.diagnose import diagnose
from wedged.facts.snapshot import Gap
from wedged.facts.trial import Lane, Observation, Outcome
from wedged.lab.bench import Prompted
from wedged.lab.scenarios import w101_look_alike_judgement as judge
from wedged.lab.turns import Script

ASKED = Observation(0.1, Lane.MODEL, "request", data={"offers_tools": True})
SPOKE = Observation(0.2, Lane.MODEL, "first byte")
FAILED = Observation(0.2, Lane.MODEL, "end", data={"status": 429})

# State, witness, the timeline, the trial's own word.
IN_STATE = {
    "long": (judge.shell_runs, (), ""),
    "trap": (judge.shell_runs, (), ""),
    "webfetch": (judge.call_runs, (), "its page asked for"),
    "plugin": (judge.call_runs, (), "held back"),
    "drip": (judge.model_drips, (ASKED, SPOKE), ""),
    "silent": (judge.model_silent, (ASKED,), ""),
    "r429": (judge.retries, (ASKED, FAILED), ""),
    "keep": (judge.over, (), "the status in hand says busy"),
    "external": (judge.asks, (), "answered"),
}


def sight(state: str, timeline: tuple[Observation, ...] = (), outside: str = "") -> judge.Sight:
    prompted = Prompted(session_id(state), "/home/project", Script(f"x-{state}"), 0.0)
    return judge.Sight(prompted, window(state).latest, timeline, outside, (f"bash -c x-{state}",))


@pytest.mark.parametrize("state", IN_STATE)
def test_silence_in_the_state_is_the_symptom(state: str) -> None:
    witness, timeline, outside = IN_STATE[state]
    made = diagnose(window(state), 1e6)
    (said,) = judge.judged("not-it", sight(state, timeline, outside), witness, made)
    assert (said.outcome, said.claim) == (Outcome.SYMPTOM, "W101.not-it"), said.why
    assert (said.values["waiting"] != "") == bool(made.activity)


@pytest.mark.parametrize("state", IN_STATE)
def test_another_state_is_unclear_whatever_doctor_said(state: str) -> None:
    witness, timeline, outside = IN_STATE[state]
    other = "long" if state in ("drip", "silent") else "silent"
    (said,) = judge.judged(
        "not-it", sight(other, timeline, outside), witness, diagnose(window("external"), 0)
    )
    assert said.outcome is Outcome.UNCLEAR, said.why


def test_a_finding_in_the_state_is_the_opposite() -> None:
    found = diagnose(window("external"), 0)
    (said,) = judge.judged("not-it", sight("external", outside="answered"), judge.asks, found)
    assert said.outcome is Outcome.HEALED
    assert "W101 external" in said.why


def test_silence_about_what_was_not_read_is_unclear() -> None:
    seen = window("long")
    blind = replace(seen, latest=replace(seen.latest, gaps=(Gap("asks in /home/project", "no answer"),)))
    (said,) = judge.judged("not-it", sight("long"), judge.shell_runs, diagnose(blind, 0))
    assert said.outcome is Outcome.UNCLEAR
    assert "not read: asks in /home/project" in said.why


@pytest.mark.parametrize("state", ["webfetch", "plugin", "keep", "external"])
def test_without_the_trials_own_word_there_is_no_state(state: str) -> None:
    witness, timeline, _ = IN_STATE[state]
    assert witness(sight(state, timeline)) == ""
