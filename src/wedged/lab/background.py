"""Something that works in a thread of its own between a beginning and an end."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from wedged.errors import LabError

_JOIN_S = 10.0


class Background:
    """A context manager around one daemon thread. Subclasses say when it works and how it is told to end."""

    def __init__(self, name: str, work: Callable[[], None]) -> None:
        self._thread = threading.Thread(target=work, name=name, daemon=True)

    def start(self) -> Self:
        """Begin. Returns itself once it works."""
        self._thread.start()
        try:
            self.await_ready()
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """End it and wait until it has ended. Safe to call twice.

        Raises:
            LabError: it did not end within 10 s.
        """
        self.tell_to_end()
        if self._thread.is_alive():
            self._thread.join(timeout=_JOIN_S)
            if self._thread.is_alive():
                raise LabError(f"the {self._thread.name} did not end within {_JOIN_S:g} s")
        self.let_go()

    def await_ready(self) -> None:
        """Return once it works, or raise `DeadlinePassed`."""

    def tell_to_end(self) -> None:
        """Have the thread come to its end soon."""

    def let_go(self) -> None:
        """Release what the thread used, after its end."""

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
