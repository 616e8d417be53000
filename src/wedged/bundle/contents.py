"""What a bundle holds, by name; schema 1. Fields are only added."""

from dataclasses import dataclass

SCHEMA = 1
KIND = "wedged-bundle"
MANIFEST = "manifest.json"
WINDOW = "window.json"
REPORT = "report.md"

# No file of a bundle is larger, and none that is gets read.
LARGEST = 64 << 20
# Nor one that unpacks to more than this many times its packed size; small ones may be as empty as they like.
RATIO, RATIO_FROM = 200, 4 << 20

# What stays out unless somebody wants it in.
PROMPTS, OUTPUTS, ANSWERS = "prompts", "outputs", "answers"
INCLUDABLE = (PROMPTS, OUTPUTS, ANSWERS)


@dataclass(frozen=True, slots=True)
class BundledFile:
    """One file of the zip: its size in bytes and the lower-case hex sha256 of its contents."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Collected:
    """How a collector ended: ``complete``, ``partial`` (what it had read is kept) or ``nothing``."""

    collector: str
    state: str
    seconds: float


@dataclass(frozen=True, slots=True)
class BundleGap:
    """What a collector could not read, and why."""

    collector: str
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in the bundle and what is not.

    `taken` is UTC, RFC 3339. `included` names the kinds of text that somebody wanted in, `withheld` counts
    the texts that stayed out. `same_findings` says whether the redacted looks give the findings of the real
    ones (None: there was no look).
    """

    schema: int
    kind: str
    wedged: str
    taken: str
    target: str
    included: tuple[str, ...] = ()
    withheld: int = 0
    same_findings: bool | None = None
    collectors: tuple[Collected, ...] = ()
    gaps: tuple[BundleGap, ...] = ()
    files: tuple[BundledFile, ...] = ()
