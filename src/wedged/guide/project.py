"""What the project's own site is made of, for the scripts that build it."""

from pathlib import Path

from wedged.catalog import CLASSES
from wedged.client.v1 import requests as v1
from wedged.facts.server import Line
from wedged.guide.cures import Dialect, Dialects
from wedged.guide.site import Sources

# In the order of the tabs. The same words that the clients send.
DIALECTS: Dialects = {
    Line.V1: Dialect("V1", v1.request, v1.find),
}


def project_sources(root: Path) -> Sources:
    """The hand-written pages and settings of the checkout at `root`, with the whole catalogue."""
    return Sources(root / "docs", root / "mkdocs.yml", CLASSES, DIALECTS)
