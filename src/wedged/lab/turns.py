"""What the scripted model is told to answer: one `Turn` a request."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call."""

    tool: str
    input: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model.

    Timing: `first_byte_s` before anything is sent; then pieces at `rate` pieces a second (None: all at once),
    each interval varied by up to `jitter` (a fraction, 0 to 1).
    Faults: `status` other than 200 answers with that HTTP error (`retry_after` in seconds beside it);
    `stall_after` stops sending for good after that many pieces, the connection held open; `cut_after` closes
    the connection after that many pieces; `malformed` sends one chunk that is not JSON.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    first_byte_s: float = 0.0
    rate: float | None = None
    jitter: float = 0.0
    status: int = 200
    retry_after: float | None = None
    stall_after: int | None = None
    cut_after: int | None = None
    malformed: bool = False
    keep_alive: bool = True


@dataclass(frozen=True, slots=True)
class Script:
    """The turns of one prompt. After the last one the model says `ending`.

    A prompt names its script by carrying `mark` somewhere in its text; that works in every dialect and for
    sub-agents too, whose session ids are not known beforehand.
    """

    name: str
    turns: tuple[Turn, ...] = ()
    ending: Turn = field(default=Turn(text="Done."))

    @property
    def mark(self) -> str:
        """What the prompt carries."""
        return f"[wedged:{self.name}]"

    def call_id(self, turn: int, call: int) -> str:
        """The id that the model gives to call number `call` of turn number `turn`, both from 0."""
        return f"call_{self.name}_{turn}_{call}"

    def turn(self, number: int) -> Turn:
        """The answer to request number `number`, from 0."""
        return self.turns[number] if number < len(self.turns) else self.ending
