"""A pytest plugin: `wedged_held` is a real OpenCode server in a failure state. Needs the extra `lab`."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from wedged.lab.holding import Held


class WedgedHeld(Protocol):
    """What the fixture `wedged_held` is."""

    def __call__(self, code: str, server: str = "", *, observe: bool = False, port: int = 0) -> "Held":
        """A server held in the state of `code` until the test ends; see `wedged.lab.holding.held`.

        Raises:
            wedged.errors.WedgedError: no such class, the server can't be had or brought into the state.
        """


@pytest.fixture
def wedged_held() -> Iterator[WedgedHeld]:
    """Hold real servers in failure states: ``wedged_held("W301", server="v2@2.0.15", observe=True)``.

    Each call starts one, and all of them are ended with the test. What it returns has `url`, `password`,
    `session`, `directory` and `state`; with ``observe=True`` also `sheet()`.
    """
    # Imported here: pytest loads this module at every start, whether or not a test wants a server.
    from wedged.lab.holding import held

    with ExitStack() as stack:

        def hold(code: str, server: str = "", *, observe: bool = False, port: int = 0) -> "Held":
            return stack.enter_context(held(code, server, port=port, observe=observe))

        yield hold
