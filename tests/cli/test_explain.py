"""``wedged explain``: the catalogue in the terminal, without a server."""

import pytest

from wedged.catalog import CLASSES, PLANNED
from wedged.cli import main
from wedged.facts.failure_class import FailureClass


@pytest.mark.parametrize("one", CLASSES, ids=lambda one: one.code)
def test_a_page_says_everything_the_catalogue_knows(
    one: FailureClass, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", one.code.lower()]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    flat = " ".join(out.split())
    for text in (one.title, *one.see, *(s.sentence for s in one.recovery), *(c.sentence for c in one.claims)):
        assert " ".join(text.split()) in flat
    for step in one.recovery:
        assert all(" ".join(text.split()) in flat for text in (*step.loses, *step.leaves, step.confirms))
    for variant in one.variants:
        assert f"VARIANT {variant.name}" in out
        said = (variant.sentence, *variant.fingerprint, *(step.confirms for step in variant.recovery))
        assert all(" ".join(text.split()) in flat for text in said)
    assert all(url in out for _, url in one.links)
    assert max(len(line) for line in out.splitlines()) <= 100
    assert flat.index("WHAT YOU SEE") < flat.index("DO ONE OF THESE") < flat.index("NOT THIS IF")


def test_without_a_code_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    out = capsys.readouterr().out
    flat = " ".join(out.split())
    assert all(f"{one.code} {one.slug} {one.title}" in flat for one in CLASSES)
    assert all(code in out for code in PLANNED)


def test_an_unknown_code_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "W1O1"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "did you mean W101-ungated-external-ask" in err
