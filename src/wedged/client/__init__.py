"""The way to a running server: HTTP, authentication, which dialect, and the two halves of a client."""

from typing import TYPE_CHECKING

from wedged.client.protocols import Actor, Decision, Reader

if TYPE_CHECKING:
    from wedged.client.connection import Connection, Credentials, connect
else:

    def __getattr__(name: str) -> object:
        """HTTP is loaded when somebody connects: whoever looks at a file needs none of it, and it takes
        longer to load than all the rest."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from wedged.client import connection

        return getattr(connection, name)


__all__ = ["Actor", "Connection", "Credentials", "Decision", "Reader", "connect"]
