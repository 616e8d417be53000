"""Two clients of a server's asks: one that believes in the dialogs it shows, one that goes by the list. Pure.

Both hear the events. What tells them apart is what they make of a 404, and from what they build their dialogs
anew when they are loaded again.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from wedged.facts.session import ToolPart
from wedged.facts.trial import Lane, Observation
from wedged.lab.scenarios.w102_stage import is_asked

NOT_FOUND = 404


@dataclass
class Client:
    """`shown` are the ids of the asks that it shows a dialog for. `memory` outlives a closed window: which
    ask belongs to which call."""

    memory: dict[str, str] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)

    def hear(self, observation: Observation) -> None:
        """An event of the server's stream."""
        if observation.lane is not Lane.ASK:
            return
        ask = str(observation.data.get("ask", ""))
        if is_asked(observation):
            self.memory[str(observation.data.get("call", ""))] = ask
            self.shown.add(ask)
        else:
            self.shown.discard(ask)

    def answered(self, ask: str, status: int) -> None:
        """A reply was sent for this dialog, and this is its HTTP status."""
        if status < 400:
            self.shown.discard(ask)

    def load(self, parts: Iterable[ToolPart], listed: Collection[str]) -> None:
        """The page is loaded again: from the stored calls, and from the server's list."""
        raise NotImplementedError


class Naive(Client):
    """Tries again on 404, and takes a stored call that runs for a dialog that is open."""

    def load(self, parts: Iterable[ToolPart], listed: Collection[str]) -> None:
        """A dialog for each unfinished call that it remembers an ask of."""
        del listed
        self.shown = {
            self.memory[part.call_id]
            for part in parts
            if not part.status.terminal and part.call_id in self.memory
        }


class Reference(Client):
    """Takes 404 for final, and shows what the list has and nothing else."""

    def answered(self, ask: str, status: int) -> None:
        """404: no such ask, whatever the dialog says."""
        if status < 400 or status == NOT_FOUND:
            self.shown.discard(ask)

    def load(self, parts: Iterable[ToolPart], listed: Collection[str]) -> None:
        """What the list has."""
        del parts
        self.shown = set(listed)
