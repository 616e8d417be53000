"""axe-core finds nothing serious on the pages, in both palettes."""

import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

AXE = "axe-core@4.10.3"
PAGES = ("index.html", "classes/W101-ungated-external-ask.html", "method.html")


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The checker's source, through npm: nothing of the site needs it."""
    folder = tmp_path_factory.mktemp("axe")
    npm = shutil.which("npm")
    command = [npm or "npm", "pack", AXE, "--json", "--fetch-retries=0", "--pack-destination", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder) if npm else None
    if done is None or done.returncode != 0:
        why = "no npm" if done is None else f"npm could not bring {AXE}"
        if os.environ.get("CI") == "true":
            pytest.fail(f"{why}, and CI must have it")
        pytest.skip(why)
    with tarfile.open(folder / json.loads(done.stdout)[0]["filename"]) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    browser: Browser, site: str, axe: str, path: str, scheme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 800})
    try:
        page = context.new_page()
        page.goto(f"{site}/{path}", wait_until="networkidle")
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        page.evaluate(axe)
        found = page.evaluate("axe.run().then(r => r.violations)")
        serious = {
            rule["id"]: [node["html"][:120] for node in rule["nodes"]]
            for rule in found
            if rule["impact"] in ("serious", "critical")
        }
        assert serious == {}
    finally:
        context.close()


def test_the_search_is_a_dialog_with_a_name(site: str, browser: Browser) -> None:
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(f"{site}/index.html")
        assert page.locator("[role=dialog]").first.get_attribute("aria-label") == "Search"
    finally:
        context.close()


def test_the_theme_still_has_the_place_that_we_name() -> None:
    import material

    partial = Path(material.__file__).parent / "templates/partials/search.html"
    assert 'role="dialog">' in partial.read_text()
