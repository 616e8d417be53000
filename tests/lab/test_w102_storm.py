"""The two clients of the storm, and what their replies add up to."""

from dataclasses import replace

from wedged.facts.session import PartStatus, ToolPart
from wedged.facts.trial import Lane, Observation, Outcome
from wedged.lab.scenarios.w102_clients import Client, Naive, Reference
from wedged.lab.scenarios.w102_storm_judgement import Phase, storm

ASKED = Observation(0.0, Lane.ASK, "permission.asked", "ses", {"ask": "per", "call": "c"})
TOLD = Observation(1.0, Lane.ASK, "permission.replied", "ses", {"ask": "per", "reply": "reject"})
RUNNING = ToolPart("c", "c", "m", "ses", "write", PartStatus.RUNNING, {})
ENDED = replace(RUNNING, status=PartStatus.ERROR)


def heard(client: Client, *observations: Observation) -> Client:
    for observation in observations:
        client.hear(observation)
    return client


def test_both_show_what_is_asked_and_drop_what_is_told() -> None:
    for client in (Naive(), Reference()):
        assert heard(client, ASKED).shown == {"per"}
        assert heard(client, TOLD).shown == set()
        heard(client, ASKED).answered("per", 204)
        assert client.shown == set()


def test_only_one_of_them_takes_404_for_final() -> None:
    for client, left in ((Naive(), {"per"}), (Reference(), set())):
        heard(client, ASKED).answered("per", 404)
        assert client.shown == left
        heard(client, ASKED).answered("per", 503)
        assert client.shown == {"per"}, "a server that is in trouble has not said that the ask is gone"


def test_a_reload_builds_from_calls_or_from_the_list() -> None:
    naive, reference = heard(Naive(), ASKED), heard(Reference(), ASKED)
    reopened = Naive(naive.memory)
    for client in (naive, reopened, reference):
        client.load([RUNNING], [])
    assert (naive.shown, reopened.shown, reference.shown) == ({"per"}, {"per"}, set())
    naive.load([ENDED], [])
    reference.load([ENDED], ["per"])
    assert (naive.shown, reference.shown) == (set(), {"per"})
    forgetful = Naive()
    forgetful.load([RUNNING], [])
    assert forgetful.shown == set(), "a call alone names no ask"


NOT = (404,) * 4
LOUD = Phase("clicked", True, True, NOT, (404,), naive_left=True)
BACK = Phase("reloaded", True, False, NOT, naive_left=True)
QUIET = Phase("restarted", False, False)


def kinds(*phases: Phase) -> list[Outcome]:
    return [outcome.outcome for outcome in storm(phases)]


def test_a_storm_that_only_the_restart_ends() -> None:
    made = kinds(LOUD, BACK, replace(BACK, name="reopened"), QUIET)
    assert made == [Outcome.SYMPTOM] * 5


def test_no_storm_where_an_event_told_both() -> None:
    told = replace(QUIET, name="clicked")
    made = kinds(told, replace(QUIET, name="reloaded"), replace(QUIET, name="reopened"), QUIET)
    assert made == [Outcome.HEALED, Outcome.HEALED, Outcome.HEALED, Outcome.SYMPTOM, Outcome.SYMPTOM]


def test_too_few_replies_are_no_storm_and_two_of_the_reference_client_are_too_many() -> None:
    few = replace(LOUD, naive=(404, 404), reference=(404, 404))
    made = kinds(few, BACK, replace(BACK, name="reopened"), replace(BACK, name="restarted"))
    assert (made[0], made[3], made[4]) == (Outcome.UNCLEAR, Outcome.HEALED, Outcome.HEALED)
