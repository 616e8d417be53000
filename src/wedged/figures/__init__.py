"""Figures: data in; light, dark and an alt sentence out."""

from wedged.figures.figure import Figure
from wedged.figures.proportions import Proportion, draw_proportions
from wedged.figures.timeline import Strip, draw_timeline

__all__ = ["Figure", "Proportion", "Strip", "draw_proportions", "draw_timeline"]
