"""How old evidence is, is computed where the page is read: amber after 48 hours, red after 7 days."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from wedged.guide.freshness import stamp

pytestmark = pytest.mark.browser
SCRIPT = Path(__file__).resolve().parents[2] / "docs/javascripts/freshness.js"


@pytest.mark.parametrize(
    ("hours", "level"), [(1, ""), (47, ""), (49, "ageing"), (167, "ageing"), (169, "stale")]
)
def test_the_browser_says_how_old_it_is(browser: Browser, hours: int, level: str) -> None:
    written = f"{datetime.now(UTC) - timedelta(hours=hours):%Y-%m-%dT%H:%M:%SZ}"
    page = browser.new_page()
    try:
        page.set_content(f"<article><p>{stamp(written)}</p></article>")
        page.add_script_tag(path=SCRIPT)
        time = page.locator("time")
        classes = (time.get_attribute("class") or "").split()
        assert classes == ["wedged-age", *([f"wedged-{level}"] if level else [])]
        assert (f"({hours // 24} days old)" in time.inner_text()) == bool(level)
        assert page.locator(".wedged-age-note").count() == int(bool(level))
    finally:
        page.close()
