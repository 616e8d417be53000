"""Looking: from a target to a snapshot. Given only the reading half of a client."""

from wedged.observe.live import look

__all__ = ["look"]
