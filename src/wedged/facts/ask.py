"""An ask: anything a human must answer before the turn goes on."""

from dataclasses import dataclass
from enum import StrEnum
from string import hexdigits

# An id's 12 hex digits after the prefix hold milliseconds x 4096 (plus a counter), modulo 2**48.
_BIRTH_MODULUS_MS = 2**48 // 4096


class AskKind(StrEnum):
    """Which of the server's lists an ask is in."""

    PERMISSION = "permission"
    QUESTION = "question"
    FORM = "form"


@dataclass(frozen=True, slots=True)
class Ask:
    """A pending request to a person.

    `action` is the permission's name (``external_directory``, ``bash``), `resources` the patterns it is
    about, `command` the command line it gates ("" when it gates none). `call_id` and `message_id` name the
    tool call that waits. `listed_by` holds the routes that list it. `directory` is the instance that holds
    it: a reply sent to another one is answered as if the ask did not exist. `words` is what a question asks,
    with the answers it offers. `command`, `words` and the call's input may hold secrets.
    """

    id: str
    kind: AskKind
    session_id: str
    action: str
    resources: tuple[str, ...]
    call_id: str
    message_id: str
    directory: str
    command: str = ""
    always: tuple[str, ...] = ()
    listed_by: tuple[str, ...] = ()
    words: str = ""


def born_ms(ask_id: str, now_ms: int) -> int | None:
    """When the id was made, in milliseconds since 1970, or None when the id does not carry it.

    The id holds the time modulo about 2.2 years (2**36 ms); `now_ms` picks the newest time that is not
    after now. Clocks of two machines may differ, so a birth up to a minute ahead of `now_ms` still counts
    as now.
    """
    digits = ask_id.partition("_")[2][:12]
    # int() alone would also take "0x", signs, underscores, spaces and other scripts' digits.
    if len(digits) != 12 or not set(digits) <= set(hexdigits):
        return None
    residue = int(digits, 16) // 4096
    latest = now_ms + 60_000
    return latest - (latest - residue) % _BIRTH_MODULUS_MS
