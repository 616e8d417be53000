"""What the project's own site is made of, for the scripts that build it."""

from pathlib import Path

from wedged.catalog import CLASSES
from wedged.client.v1 import routes
from wedged.client.v1.actor import V1Actor
from wedged.facts.recovery import Action, Request, Target
from wedged.guide.site import Sources


def v1_request(action: Action, target: Target) -> Request:
    """A recovery step as V1's request; the same words that the client sends."""
    # Writing a request down is pure: it needs an actor, and no connection.
    return V1Actor.__new__(V1Actor).request(action, target)


def project_sources(root: Path) -> Sources:
    """The hand-written pages and settings of the checkout at `root`, with the whole catalogue."""
    find = Request("GET", routes.scoped(routes.PERMISSIONS, "DIRECTORY"))
    return Sources(root / "docs", root / "mkdocs.yml", CLASSES, v1_request, find)
