"""The catalogue as a whole: codes, claims and cures hang together."""

import pytest

from wedged.catalog import CLASSES, PLANNED, by_code
from wedged.errors import UnknownCode
from wedged.facts.failure_class import FailureClass

classes = pytest.mark.parametrize("one", CLASSES, ids=lambda one: one.code)


def test_codes_and_slugs_are_used_once() -> None:
    codes = [one.code for one in CLASSES] + list(PLANNED)
    slugs = [one.slug for one in CLASSES] + list(PLANNED.values())
    assert len(set(codes)) == len(codes)
    assert len(set(slugs)) == len(slugs)
    assert [one.code for one in CLASSES] == sorted(one.code for one in CLASSES)


@classes
def test_one_claim_gives_the_verdict(one: FailureClass) -> None:
    assert [claim.defining for claim in one.claims].count(True) == 1
    assert any(claim.control for claim in one.claims)
    assert not one.defining.control
    ids = [claim.id for claim in one.claims]
    assert len(set(ids)) == len(ids)
    assert all(claim_id.startswith(f"{one.code}.") for claim_id in ids)
    assert all(claim.sentence.endswith(".") and claim.arm and claim.source for claim in one.claims)


@classes
def test_each_cure_names_the_claim_that_shows_it(one: FailureClass) -> None:
    assert one.recovery
    assert all(one.claim(step.claim).arm not in ("trigger", "control", "placebo") for step in one.recovery)
    assert len({step.id for step in one.recovery}) == len(one.recovery)
    for step in one.recovery:
        assert not (step.action.approves and step.safe_to_automate)
        assert not step.action.approves or step.requires


@classes
def test_each_variant_has_its_fingerprint_and_its_way_out(one: FailureClass) -> None:
    names = [variant.name for variant in one.variants]
    assert len(set(names)) == len(names)
    steps = [step for variant in one.variants for step in variant.recovery]
    for variant in one.variants:
        assert variant.sentence.endswith(".")
        assert variant.fingerprint
        assert one.steps(variant.name) == (variant.recovery or one.recovery)
    for step in steps:
        assert one.claim(step.claim).id == step.claim
        assert not (step.action.approves and (step.safe_to_automate or not step.requires))
    assert one.steps("a variant of tomorrow") == one.recovery


@classes
def test_a_reader_finds_words(one: FailureClass) -> None:
    assert all((one.title, one.summary, one.see, one.look_alikes, one.links))
    assert len(set(one.aliases)) == len(one.aliases) >= 5
    assert all(url.startswith("https://") for _, url in one.links)


@pytest.mark.parametrize(
    "text", ["W101", " w101 ", "ungated-external-ask", "Ungated-External-Ask", "W101-ungated-external-ask"]
)
def test_a_class_is_found_by_any_of_its_names(text: str) -> None:
    assert by_code(text).code == "W101"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("W110", "did you mean W"),
        ("ungated-ask", "did you mean W101-ungated-external-ask?"),
        ("bricked-history", "W202 (bricked-history) is planned"),
        ("w202", "W202 (bricked-history) is planned"),
        ("zzzzzzzz", "W101-ungated-external-ask"),
        ("", "no failure class is called ''"),
        ("\x1b[2J", "'\\x1b[2J'"),
    ],
)
def test_an_unknown_code_names_the_nearest(text: str, words: str) -> None:
    with pytest.raises(UnknownCode) as raised:
        by_code(text)
    assert words in str(raised.value)
