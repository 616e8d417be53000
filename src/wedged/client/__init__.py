"""The way to a running server: HTTP, authentication, which dialect, and the two halves of a client."""

from wedged.client.connection import Connection, Credentials, connect
from wedged.client.protocols import Actor, Decision, Reader

__all__ = ["Actor", "Connection", "Credentials", "Decision", "Reader", "connect"]
