"""The rules of evidence, one by one, and what must hold whatever the trials are."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wedged.evidence import AbsentProbe, Cell, ClassVerdict, NotRun, claim_verdict, class_state, verdicts
from wedged.facts.trial import ClaimOutcome, ClassState, Outcome, Verdict

from .builders import (
    CONTROL,
    DEFINING,
    NEW,
    OLD,
    PLACEBO,
    W101,
    arm,
    cell,
    claim,
    healthy,
    trial,
)

DEFINED = claim(DEFINING)


def _one(*cells: Cell, server: str = OLD, minimum: int = 2) -> ClassVerdict:
    return next(v for v in verdicts(W101, cells, minimum=minimum) if v.server == server)


def test_all_symptom_holds() -> None:
    found = claim_verdict(DEFINED, healthy(trigger="ssssssssss"))
    assert (found.verdict, found.k, found.n, found.why) == (
        Verdict.HOLDS,
        10,
        10,
        "10 of 10 trials showed it",
    )
    assert found.low == pytest.approx(0.6915, abs=1e-4)
    assert found.high == 1.0


def test_mixed_is_flaky_and_says_how_often() -> None:
    found = claim_verdict(DEFINED, healthy(trigger="shhhhhhhhs"))
    assert (found.verdict, found.why) == (Verdict.FLAKY, "flaky 2/10")


def test_all_healed_without_a_known_bad_server_is_inconclusive() -> None:
    found = claim_verdict(DEFINED, healthy(trigger="hhh"))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.why.startswith("no known-bad server in this run; 0 of 3")
    assert (found.k, found.n) == (0, 3)


def test_all_healed_beside_a_known_bad_server_does_not_hold() -> None:
    found = claim_verdict(DEFINED, healthy(NEW, "hhh"), known_bad=[OLD])
    assert found.verdict is Verdict.DOES_NOT_HOLD
    assert OLD in found.why


@pytest.mark.parametrize("others", ["s", "h", "sh"])
@pytest.mark.parametrize(
    ("letter", "word"), [("!", "invalid"), ("x", "invalid"), ("u", "unclear"), ("-", "unclear")]
)
def test_one_bad_trial_is_enough(letter: str, word: str, others: str) -> None:
    found = claim_verdict(DEFINED, healthy(trigger=others * 6 + letter), known_bad=[NEW])
    assert found.verdict is Verdict.INCONCLUSIVE
    total = 6 * len(others) + 1
    assert found.why.startswith(f"1 of {total} trials {word} (trial {total}")
    # The others are still counted, and the count is still given.
    assert (found.k, found.n) == (6 * others.count("s"), total - 1)
    assert found.why.endswith(f"{found.k} of {found.n} valid, clear trials showed it")


def test_the_failed_check_is_named() -> None:
    found = claim_verdict(DEFINED, healthy(trigger="ss!"))
    assert (
        "trial 3 failed the check \u201cthe server was up at the end\u201d: the process is gone" in found.why
    )


def test_a_trial_without_checks_never_counts() -> None:
    unchecked = replace(trial("trigger", 1, Outcome.SYMPTOM), checks=())
    found = claim_verdict(DEFINED, replace(healthy(), trials=(unchecked, *arm("trigger", "sss")[1:])))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "trial 1 was never checked" in found.why


def test_a_trial_that_says_two_things_of_one_claim_is_unclear() -> None:
    both = trial("trigger", 1, Outcome.SYMPTOM)
    both = replace(both, outcomes=both.outcomes * 2)
    found = claim_verdict(DEFINED, replace(healthy(), trials=(both, *arm("trigger", "sss")[1:])))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "it says 2 things of this claim" in found.why


def test_only_trials_of_the_claims_arm_count() -> None:
    # A control trial that speaks of the trigger's claim is no evidence for it, nor does its failure hurt it.
    stray = trial("control", 9, Outcome.HEALED, claim=DEFINING)
    broken = trial("placebo", 9, passed=False)
    held = healthy()
    found = claim_verdict(DEFINED, replace(held, trials=(*held.trials, stray, broken)))
    assert (found.verdict, found.k, found.n) == (Verdict.HOLDS, 3, 3)


@pytest.mark.parametrize(("letters", "minimum", "verdict"), [
    ("s", 2, Verdict.INCONCLUSIVE),
    ("s", 1, Verdict.HOLDS),
    ("ss", 2, Verdict.HOLDS),
    ("sssssssss", 10, Verdict.INCONCLUSIVE),
])  # fmt: skip
def test_too_few_trials(letters: str, minimum: int, verdict: Verdict) -> None:
    found = claim_verdict(DEFINED, healthy(trigger=letters), minimum=minimum)
    assert found.verdict is verdict
    if verdict is Verdict.INCONCLUSIVE:
        assert found.why.startswith(f"too few trials: {len(letters)}, at least {minimum}")


def test_a_minimum_of_none_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        claim_verdict(DEFINED, healthy(), minimum=0)


@pytest.mark.parametrize("control", ["hhh", "shs", "ss!", "ssu", "s", ""])
def test_a_sick_control_takes_every_other_verdict_with_it(control: str) -> None:
    sick = cell(control=control, trigger="sss", placebo="sss")
    found = _one(sick)
    assert found.state is ClassState.INCONCLUSIVE
    assert f"the control is sick: {CONTROL} is " in found.why
    assert found.claim(PLACEBO).verdict is Verdict.INCONCLUSIVE
    assert found.claim(CONTROL).verdict in (Verdict.INCONCLUSIVE, Verdict.FLAKY, Verdict.NOT_RUN)


def test_a_sick_control_on_one_server_leaves_the_other_alone() -> None:
    sick = cell(NEW, control="hhh", trigger="sss", placebo="sss")
    assert _one(healthy(), sick).state is ClassState.PRESENT
    assert _one(healthy(), sick, server=NEW).state is ClassState.INCONCLUSIVE


def test_gone_needs_a_witness_that_is_itself_sound() -> None:
    cured = healthy(NEW, "hhh")
    assert _one(healthy(), cured, server=NEW).state is ClassState.GONE
    assert _one(cured, server=NEW).state is ClassState.INCONCLUSIVE
    for unsound in (
        healthy(trigger="ssu"),
        healthy(trigger="ssh"),
        healthy(trigger="s"),
        cell(control="hhh", trigger="sss", placebo="sss"),
    ):
        found = _one(unsound, cured, server=NEW)
        assert found.state is ClassState.INCONCLUSIVE
        assert "no known-bad server" in found.why


def test_a_witness_counts_only_within_its_run() -> None:
    found = _one(healthy(run="last-night"), healthy(NEW, "hhh", run="tonight"), server=NEW)
    assert found.state is ClassState.INCONCLUSIVE
    assert (found.run, found.started) == ("tonight", "2026-11-29T12:00:00Z")


def test_a_superseded_cell_still_bears_witness_and_gets_no_verdict() -> None:
    found = verdicts(
        W101,
        [healthy(run="tonight"), healthy(NEW, "hhh", run="last-night")],
        witnesses=[healthy(run="last-night")],
    )
    assert [(v.server, v.state) for v in found] == [(OLD, ClassState.PRESENT), (NEW, ClassState.GONE)]


def test_a_server_is_not_its_own_witness() -> None:
    # The same key twice in one run can't be in a folder; if it were, it must not prove anything.
    assert _one(healthy(), healthy(trigger="hhh")).state is ClassState.PRESENT
    assert verdicts(W101, [healthy(), healthy(trigger="hhh")])[1].state is ClassState.INCONCLUSIVE


def test_the_witness_is_per_claim() -> None:
    cured = cell(NEW, control="sss", trigger="hhh", placebo="hhh")
    known = cell(control="sss", trigger="sss", placebo="ssu")
    found = _one(known, cured, server=NEW)
    assert found.claim(DEFINING).verdict is Verdict.DOES_NOT_HOLD
    assert found.claim(PLACEBO).verdict is Verdict.INCONCLUSIVE


def test_not_run_says_why() -> None:
    reason = NotRun("", "the registry does not hold 1.17.20")
    found = verdicts(W101, [Cell("W101", "v1@1.17.20", "run-a", "", not_run=(reason,))])[0]
    assert (found.state, found.why) == (ClassState.NOT_RUN, reason.why)
    assert {v.verdict for v in found.claims} == {Verdict.NOT_RUN}
    assert all((v.n, v.low, v.high) == (0, None, None) for v in found.claims)


def test_an_arm_that_was_not_run_leaves_the_others_alone() -> None:
    part = replace(cell(control="sss", trigger="sss"), not_run=(NotRun("placebo", "an hour is too long"),))
    found = _one(part)
    assert found.state is ClassState.PRESENT
    assert (found.claim(PLACEBO).verdict, found.claim(PLACEBO).why) == (
        Verdict.NOT_RUN,
        "an hour is too long",
    )


def test_an_arm_without_trials_or_reason_is_not_run() -> None:
    found = _one(cell(control="sss", trigger="sss"))
    assert found.claim(PLACEBO).why == "the run holds no trial of arm placebo"


def test_an_arm_that_was_broken_off_is_inconclusive() -> None:
    for of in ("", "trigger"):
        broken = replace(healthy(), not_run=(NotRun(of, "the server died"),))
        found = claim_verdict(DEFINED, broken)
        assert found.verdict is Verdict.INCONCLUSIVE
        assert found.why.startswith("broken off after 3 trials: the server died")


@pytest.mark.parametrize(("in_openapi", "status", "verdict"), [
    (False, 404, Verdict.ABSENT),
    (False, 405, Verdict.ABSENT),
    (False, 200, Verdict.INCONCLUSIVE),
    (False, 500, Verdict.INCONCLUSIVE),
    (True, 404, Verdict.INCONCLUSIVE),
    (True, 200, Verdict.INCONCLUSIVE),
])  # fmt: skip
def test_absent_needs_both_signs(in_openapi: bool, status: int, verdict: Verdict) -> None:
    probe = AbsentProbe("POST /global/dispose", in_openapi, status)
    assert probe.shows_absence is (verdict is Verdict.ABSENT)
    found = claim_verdict(DEFINED, replace(cell(), absent=(("", probe),)))
    assert found.verdict is verdict
    assert "POST /global/dispose" in found.why


def test_the_web_apps_page_for_an_unknown_path_is_a_refusal_too() -> None:
    probe = AbsentProbe("GET /api/shell", False, 200, web_page=True)
    found = claim_verdict(DEFINED, replace(cell(), absent=(("", probe),)))
    assert found.verdict is Verdict.ABSENT
    assert "answers the web app's page" in found.why
    # A documented route may well serve a page.
    assert not AbsentProbe("GET /", True, 200, web_page=True).shows_absence


def test_absence_beside_trials_is_a_contradiction() -> None:
    probe = AbsentProbe("POST /global/dispose", False, 404)
    found = claim_verdict(DEFINED, replace(healthy(), absent=(("trigger", probe),)))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "is missing, yet there are 3 trials" in found.why


def test_a_probe_for_another_arm_says_nothing_here() -> None:
    probe = AbsentProbe("POST /global/dispose", False, 404)
    assert claim_verdict(DEFINED, replace(healthy(), absent=(("placebo", probe),))).verdict is Verdict.HOLDS


def test_every_verdict_has_its_class_state() -> None:
    base = claim_verdict(DEFINED, healthy())
    states = {verdict: class_state(replace(base, verdict=verdict)) for verdict in Verdict}
    assert states == {
        Verdict.HOLDS: ClassState.PRESENT,
        Verdict.DOES_NOT_HOLD: ClassState.GONE,
        Verdict.FLAKY: ClassState.FLAKY,
        Verdict.INCONCLUSIVE: ClassState.INCONCLUSIVE,
        Verdict.NOT_RUN: ClassState.NOT_RUN,
        Verdict.ABSENT: ClassState.ABSENT,
    }


def test_cells_of_other_classes_are_passed_over() -> None:
    assert verdicts(W101, [replace(healthy(), code="W102")]) == ()


def test_an_unknown_claim_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        _one(healthy()).claim("W101.nothing")


LETTERS = st.text(alphabet="shux!-", max_size=8)
CLEAR = st.text(alphabet="sh", max_size=8)
CONCLUSIVE = (Verdict.HOLDS, Verdict.DOES_NOT_HOLD, Verdict.FLAKY)


@given(control=LETTERS, trigger=LETTERS, placebo=LETTERS, witness=LETTERS, minimum=st.integers(1, 4))
def test_a_conclusion_always_rests_on_enough_sound_trials(
    control: str, trigger: str, placebo: str, witness: str, minimum: int
) -> None:
    here = cell(NEW, control=control, trigger=trigger, placebo=placebo)
    there = cell(OLD, control=witness, trigger=witness, placebo=witness)
    found = _one(there, here, server=NEW, minimum=minimum)
    for verdict, letters in zip(found.claims, (control, trigger, placebo), strict=True):
        assert (verdict.k, verdict.n) == (letters.count("s"), letters.count("s") + letters.count("h"))
        assert (verdict.low is None) is (verdict.n == 0)
        assert verdict.why
        assert "\n" not in verdict.why
        if verdict.verdict in CONCLUSIVE:
            assert set(letters) <= {"s", "h"}
            assert len(letters) >= minimum
            assert verdict.claim == CONTROL or set(control) == {"s"}
        if verdict.verdict is Verdict.HOLDS:
            assert set(letters) == {"s"}
        if verdict.verdict is Verdict.DOES_NOT_HOLD:
            assert set(letters) == {"h"}
            assert set(witness) == {"s"}
        if verdict.verdict is Verdict.FLAKY:
            assert set(letters) == {"s", "h"}
        assert (verdict.verdict is Verdict.NOT_RUN) is (letters == "")
    if found.state is ClassState.GONE:
        assert set(trigger) == {"h"}
        assert set(witness) == {"s"}


@given(trigger=CLEAR.filter(bool), bad=st.sampled_from("ux!-"), place=st.integers(0, 8), known=st.booleans())
def test_a_bad_trial_never_helps_to_a_conclusion(trigger: str, bad: str, place: int, known: bool) -> None:
    letters = trigger[:place] + bad + trigger[place:]
    found = claim_verdict(DEFINED, healthy(trigger=letters), known_bad=[NEW] if known else [], minimum=1)
    assert found.verdict is Verdict.INCONCLUSIVE


@given(st.permutations(list(arm("control", "sss") + arm("trigger", "sshu!-x") + arm("placebo", "sshs"))))
def test_the_order_of_trials_decides_no_verdict(trials: list[object]) -> None:
    shuffled = Cell("W101", OLD, "run-a", "", tuple(trials))  # type: ignore[arg-type]
    assert [(v.verdict, v.k, v.n) for v in verdicts(W101, [shuffled])[0].claims] == [
        (Verdict.HOLDS, 3, 3),
        (Verdict.INCONCLUSIVE, 2, 3),
        (Verdict.FLAKY, 3, 4),
    ]


@given(st.lists(st.sampled_from(["sss", "hhh", "shs", "su", ""]), min_size=1, max_size=5))
def test_the_order_of_servers_decides_no_verdict(triggers: list[str]) -> None:
    cells = [healthy(f"v1@1.0.{n}", letters) for n, letters in enumerate(triggers)]
    there = {v.server: v for v in verdicts(W101, cells)}
    back = {v.server: v for v in verdicts(W101, cells[::-1])}
    assert there == back


def test_the_dead_mans_three_are_inconclusive() -> None:
    """A model that never calls tools, a recorder that drops everything, a fault that does nothing."""

    def spoiled(rule: str, outcome: Outcome) -> Cell:
        held = healthy()
        trials = []
        for t in held.trials:
            checks = (*t.checks, replace(t.checks[0], rule=rule, passed=t.arm == "control"))
            outcomes = tuple(ClaimOutcome(o.claim, outcome, o.why) for o in t.outcomes)
            trials.append(replace(t, checks=checks, outcomes=outcomes if t.arm != "control" else t.outcomes))
        return replace(held, trials=tuple(trials))

    # Each looks healed to a careless eye: the turn is over, and no ask is there.
    for rule in (
        "the call is stored with this input",
        "the event stream was alive",
        "the fault happened once",
    ):
        assert _one(healthy(NEW), spoiled(rule, Outcome.HEALED)).state is ClassState.INCONCLUSIVE
