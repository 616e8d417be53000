"""An ASGI application on a loopback port, in a thread of its own."""

import asyncio
import socket
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from wedged.errors import LabError
from wedged.lab.background import Background
from wedged.waiting import wait_for


class WebServer(Background):
    """Serves one application on 127.0.0.1 from `start` until `close`; `name` is what it is in errors.

    `port` 0 takes a free one; `self.port` is the one it has, from the beginning.

    Raises:
        LabError: somebody else has `port`.
    """

    def __init__(self, name: str, app: ASGIApp, port: int = 0) -> None:
        super().__init__(name, self._serve)
        self._name = name
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if port:
            # What an earlier listener's closed connections leave behind does not keep the port.
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind(("127.0.0.1", port))
            self._socket.listen(128)
        except OSError as error:
            self._socket.close()
            raise LabError(f"port {port} of 127.0.0.1 can't be had: {error.strerror}") from None
        self.port: int = self._socket.getsockname()[1]
        settings: dict[str, Any] = {
            "app": app,
            "interface": "asgi3",
            "log_level": "critical",
            "access_log": False,
            "lifespan": "off",
            # As hosted providers do: a connection stays open long after the answer.
            "timeout_keep_alive": 60,
            # A stream that does not end must not keep the lab from closing.
            "timeout_graceful_shutdown": 0,
            "server_header": False,
            "date_header": False,
        }
        self._server = uvicorn.Server(uvicorn.Config(**settings))

    def await_ready(self) -> None:
        """Until it listens."""
        wait_for(lambda: self._server.started, f"the {self._name} to listen", 10)

    def tell_to_end(self) -> None:
        """Stop listening and hang up on whoever still waits."""
        self._server.should_exit = True

    def let_go(self) -> None:
        """Free the port."""
        self._socket.close()

    async def serve(self) -> None:
        """Serve until told to end. Who has something to close in the loop that used it extends this."""
        await self._server.serve(sockets=[self._socket])

    def _serve(self) -> None:
        asyncio.run(self.serve())
