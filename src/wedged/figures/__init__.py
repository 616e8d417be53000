"""Figures: data in; light, dark and an alt sentence out."""

from wedged.figures.timeline import Figure, Strip, draw_timeline

__all__ = ["Figure", "Strip", "draw_timeline"]
