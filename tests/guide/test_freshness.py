"""Dates on pages, and what the browser makes of them."""

from wedged.evidence import Cell, LeftOut, NotRun
from wedged.guide.freshness import freshness_page, shown, stamp

OLD, NEW = "2026-11-20T03:00:00Z", "2026-11-29T03:00:00Z"


def test_a_lost_shard_leaves_the_last_good_evidence_and_says_what_was_passed_over() -> None:
    cells = [
        Cell("W101", "v1@1.17.18", "good", OLD),
        Cell("W101", "v1@1.18.34", "night", NEW, not_run=(NotRun("", "x"),)),
    ]
    left_out = [
        LeftOut("W101", "v1@1.17.18", "night", NEW, "not run: no network"),
        LeftOut("W101", "v1@1.18.34", "good", OLD, "a newer run is shown"),
    ]
    first, second = shown(cells, left_out)
    assert first.passed_over == "run night of 2026-11-29: not run: no network"
    assert second.passed_over == ""
    page = freshness_page((first, second))
    assert page.index("2026-11-20") < page.index("| v1@1.18.34")
    assert "not run: no network" in page


def test_only_a_date_gets_into_the_page() -> None:
    assert stamp(OLD) == f'<time class="wedged-age" datetime="{OLD}">2026-11-20</time>'
    assert "<" not in stamp('"><script>')
