"""The event stream of a server, turned into rings of a bell. It judges nothing: a ring asks for a look."""

import threading

from wedged.client.event_stream import LOST, REFUSED, Decode, EventStream, directory_of
from wedged.facts.trial import Lane
from wedged.watching.bell import DoorBell

_JOIN_S = 5.0
_UNLOADED = ("server.instance.disposed", "location.shutdown")
# Beginnings of the kinds that are neither a status nor an ask nor a call, and matter all the same.
_CALLS = ("server.connected", "global.disposed", "shell.", "session.deleted")


class Follower:
    """Follows one connection to an event stream in a thread of its own, until it ends or `close`.

    `why` says how it ended, "" while it runs. It makes no second connection: whoever waits on the bell looks
    first whether the server is still the same.
    """

    def __init__(self, stream: EventStream, decode: Decode, bell: DoorBell) -> None:
        self._stream = stream
        self._decode = decode
        self._bell = bell
        self.why = ""
        self.refused = False
        self._thread = threading.Thread(target=self._follow, name="follower", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Hang up, and wait a little for the thread's end."""
        self._stream.hang_up()
        self._thread.join(_JOIN_S)
        self._stream.close()

    def _follow(self) -> None:
        why = "the server ended its event stream"
        try:
            for document in self._stream.documents():
                self._hear(document)
        except REFUSED as error:
            self.refused, why = True, f"the server gives no event stream ({type(error).__name__})"
        except LOST as error:
            why = f"its event stream broke ({type(error).__name__})"
        self.why = why
        self._bell.end()

    def _hear(self, document: object) -> None:
        decoded = self._decode(document)
        if decoded is None:
            return
        lane, kind, _, data = decoded
        directory = directory_of(document)
        if kind in _UNLOADED:
            unloaded = data.get("directory")
            self._bell.ring(disposed=unloaded if isinstance(unloaded, str) else directory)
        else:
            self._bell.ring(directory, look=calls_for_a_look(lane, kind))


def calls_for_a_look(lane: Lane, kind: str) -> bool:
    """Whether an event may have changed what a look would find. Texts that grow and heartbeats do not."""
    return lane in (Lane.ASK, Lane.STATUS, Lane.PART) or kind.startswith(_CALLS)
