"""Figures: data in; light, dark and an alt sentence out."""

from wedged.figures.figure import Figure
from wedged.figures.proportions import Proportion, draw_proportions
from wedged.figures.roster import Mark, Steps, draw_roster
from wedged.figures.screen import draw_screen
from wedged.figures.timeline import Strip, draw_timeline

__all__ = [
    "Figure",
    "Mark",
    "Proportion",
    "Steps",
    "Strip",
    "draw_proportions",
    "draw_roster",
    "draw_screen",
    "draw_timeline",
]
