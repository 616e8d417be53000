"""What the project's own site is made of, for the scripts that build it."""

from functools import partial
from pathlib import Path

from wedged.catalog import CLASSES
from wedged.client.v1 import requests as v1
from wedged.client.v2 import requests as v2
from wedged.client.v2.dialect import Dialect as V2Dialect
from wedged.facts.server import Line
from wedged.guide.cures import Dialect, Dialects
from wedged.guide.site import Sources

# As the two servers' own API documents have it (`read_dialect`); the part that requests are written by.
PREVIEW = V2Dialect(Line.V2_PREVIEW, "reply", "/api/form/request", "POST")
RELEASED = V2Dialect(Line.V2_RELEASED, "decision", "/api/form", "DELETE", cancel_message=True)

# In the order of the tabs. The same words that the clients send.
DIALECTS: Dialects = {
    Line.V1: Dialect("V1", v1.request, v1.find),
    Line.V2_RELEASED: Dialect("V2", partial(v2.request, RELEASED), v2.find),
    Line.V2_PREVIEW: Dialect("V2 preview", partial(v2.request, PREVIEW), v2.find),
}


def project_sources(root: Path) -> Sources:
    """The hand-written pages and settings of the checkout at `root`, with the whole catalogue."""
    return Sources(root / "docs", root / "mkdocs.yml", CLASSES, DIALECTS)
