"""Looking: from a target to a snapshot. Given only the reading half of a client."""

from wedged.observe.live import look
from wedged.observe.processes import server_tree
from wedged.observe.window import look_twice

__all__ = ["look", "look_twice", "server_tree"]
