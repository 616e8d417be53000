"""The two palettes. Their backgrounds are those of the guide's pages: a figure never floats in a box."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of one figure, as hex. Marks differ in shape too, never in hue alone."""

    name: str
    page: str
    ink: str
    faint: str
    rule: str
    open_state: str
    settled: str
    mark: str
    fault: str
    stuck: str


LIGHT = Palette(
    name="light",
    page="#ffffff",
    ink="#1f2328",
    faint="#59636e",
    rule="#d1d9e0",
    open_state="#0b69c7",
    settled="#8bb8e8",
    mark="#1f2328",
    fault="#f5c26b",
    stuck="#c4320a",
)
DARK = Palette(
    name="dark",
    page="#1e2129",
    ink="#e6e8ee",
    faint="#a3abba",
    rule="#3b4252",
    open_state="#6cb2ff",
    settled="#35618f",
    mark="#e6e8ee",
    fault="#8a6a1f",
    stuck="#ff8a5c",
)
