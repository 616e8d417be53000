"""One screen: class, claim, versions, the evidence of both sides; and nothing of a file steers a terminal."""

from wedged.nightly.comparing import compare
from wedged.nightly.comparison_document import document
from wedged.nightly.expectations import expectations
from wedged.nightly.summary import summary

from .lines import CLAIM, HOLDS, NEW, NEWEST, NOT, OLD, UNSURE, line, seen


def test_a_change_names_both_sides() -> None:
    made = compare(expectations([line(HOLDS, 10, 10, NEW)]), [seen(NOT, 0, 5, NEWEST)], asked=frozenset())
    text = summary(made, lambda _: "It stays busy.")
    assert f"GONE: {CLAIM} on {NEWEST} (between {NEW} and {NEWEST})" in text
    assert "before: holds 10/10 on v1@1.18.34, run run-1 of 2026-11-28" in text
    assert "now:    does-not-hold 0/5 on v1@1.19.0, run run-2 of 2026-11-29, evidence/x.jsonl" in text
    assert "It stays busy." in text
    assert text.endswith("1 gone (claim x server)\n")


def test_it_fits_one_screen_however_much_changed() -> None:
    claims = [f"W101.claim-{n}" for n in range(60)]
    held = expectations(line(HOLDS, 10, 10, server, claim) for claim in claims for server in (OLD, NEW))
    run = [seen(NOT, 0, 10, OLD, claim) for claim in claims] + [seen(UNSURE, 0, 0, NEW, c) for c in claims]
    text = summary(compare(held, run), lambda _: "words " * 40)
    assert len(text.splitlines()) <= 28
    assert max(map(len, text.splitlines())) <= 110
    assert "… and 55 more changes" in text
    assert "60 gone, 60 inconclusive" in text


def test_words_of_a_server_do_not_steer_the_terminal() -> None:
    made = compare({}, [seen(UNSURE, 0, 0, "v1@\x1b[2J")], asked=frozenset({("W101", "v1@\x1b[2J")}))
    assert "\x1b" not in summary(made)


def test_the_document_has_both_sides_and_the_exit_code() -> None:
    made = document(compare(expectations([line(HOLDS, 10, 10)]), [seen(NOT, 0, 5)]))
    assert made["exit_code"] == 1
    changes = made["changes"]
    assert isinstance(changes, list)
    (change,) = changes
    assert (change["class"], change["before"]["n"], change["now"]["n"]) == ("W101", 10, 5)
