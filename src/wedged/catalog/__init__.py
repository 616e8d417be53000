"""The catalogue: every failure class, one module each, in the order of their codes."""

from wedged.catalog.codes import PLANNED
from wedged.catalog.lookup import CLASSES, by_code

__all__ = ["CLASSES", "PLANNED", "by_code"]
