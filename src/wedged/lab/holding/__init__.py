"""A real server held in a failure class's state, for whoever tests a client against it."""

from wedged.lab.holding.held import Held, held
from wedged.lab.holding.states import HELD_STATES, HeldState

__all__ = ["HELD_STATES", "Held", "HeldState", "held"]
