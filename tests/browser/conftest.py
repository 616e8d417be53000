"""A site of invented evidence, served on 127.0.0.1, and Debian's Chromium to look at it."""

import functools
import importlib.util
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
]


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        """Nothing: a test's output is not an access log."""


def _serve(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Silent, directory=str(folder)))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="site", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _sample() -> Any:
    # The sample belongs to the guide's tests; test folders are not importable from each other.
    path = Path(__file__).parents[1] / "guide/sample.py"
    spec = importlib.util.spec_from_file_location("wedged_guide_sample", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the sample's site."""
    yield from _serve(_sample().main(tmp_path_factory.mktemp("guide")).parent)


@pytest.fixture(scope="session")
def catalogue_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with the catalogue's own words and invented evidence."""
    yield from _serve(_sample().main_with_catalogue(tmp_path_factory.mktemp("catalogue")).parent)


# Not for the whole session: playwright keeps an event loop running in this thread while it lives.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium, from the system's packages."""
    program = shutil.which("chromium")
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Chromium is missing, and CI must have it")
        pytest.skip("no chromium on PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=QUIET)
        yield browser
        browser.close()
