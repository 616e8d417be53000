"""An OpenAI-compatible model that answers by script, and keeps a log of who asked it for what."""

import asyncio
import contextlib
import random
import re
import threading
from collections import Counter
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from wedged.facts.trial import Lane
from wedged.lab.completion_stream import END, pieces
from wedged.lab.timeline import Timeline
from wedged.lab.turns import Script, Turn
from wedged.lab.web_server import WebServer

_MARK = re.compile(r"\[wedged:([\w.-]+)\]")


class ScriptedModel(WebServer):
    """Listens on 127.0.0.1, on a port of its own, from `start` until `close`.

    Every request is put on the timeline's model lane under the session that asked: ``request`` (with its
    number, whether it offers tools, how many messages, and the text of those since the model last spoke),
    ``first byte``, ``end``; ``gone`` instead of ``end`` where the asker hung up. Requests that offer no tools
    (titles, summaries) are answered with a short text and do not use up a turn.
    """

    def __init__(self, timeline: Timeline, seed: int = 0) -> None:
        routes = [Route("/v1/chat/completions", self._complete, methods=["POST"])]
        super().__init__("scripted model", Starlette(routes=routes))
        self.timeline = timeline
        self._seed = seed
        self._lock = threading.Lock()
        self._scripts: dict[str, Script] = {}
        self._sessions: dict[str, str] = {}
        self._idle: set[int] = set()
        self._asked: Counter[str] = Counter()
        self._requests = 0

    @property
    def url(self) -> str:
        """What a provider's ``baseURL`` is set to."""
        return f"http://127.0.0.1:{self.port}/v1"

    def attribute(self, script: Script, session: str) -> None:
        """Say whose script this is. Servers before 1.3 send no session header with their requests."""
        with self._lock:
            self._sessions[script.name] = session

    def idle_sockets(self) -> frozenset[int]:
        """The askers' ports of the connections whose newest request was answered to its end.

        Whether the asker has kept such a connection open is for its own side to show.
        """
        with self._lock:
            return frozenset(self._idle)

    def learn(self, script: Script) -> Script:
        """Know `script` from now on; a prompt that carries its mark is answered by it. Returns the script."""
        with self._lock:
            self._scripts[script.name] = script
        return script

    async def _complete(self, request: Request) -> Response:
        body = await request.json()
        messages = body.get("messages", [])
        offers_tools = bool(body.get("tools"))
        script, number, turn = self.answer(messages, offers_tools)
        with self._lock:
            self._requests += 1
            asked = self._requests
            session = request.headers.get("x-session-id") or self._sessions.get(script.name, "")
            port = request.client.port if request.client else 0
            self._idle.discard(port)
        last = messages[-1] if messages else {}
        self.timeline.add(
            Lane.MODEL,
            "request",
            session,
            request=asked,
            script=script.name,
            turn=number,
            offers_tools=offers_tools,
            messages=len(messages),
            last_role=last.get("role", ""),
            new_text=_since_last_answer(messages)[:2000],
        )
        if turn.status != 200:
            self.timeline.add(Lane.MODEL, "end", session, request=asked, status=turn.status, turn=number)
            headers = {} if turn.retry_after is None else {"retry-after": f"{turn.retry_after:g}"}
            error = {"error": {"message": f"scripted {turn.status}", "type": "scripted"}}
            return JSONResponse(error, turn.status, headers)
        stream = self._stream(script, number, turn, session, asked, port)
        headers = {} if turn.keep_alive else {"connection": "close"}
        return StreamingResponse(stream, media_type="text/event-stream", headers=headers)

    def answer(self, messages: list[object], offers_tools: bool) -> tuple[Script, int, Turn]:
        """The script that the newest marked message names, the number of its next turn, and that turn."""
        if not offers_tools:
            return Script("title"), 0, Turn(text="A title")
        for message in reversed(messages):
            # A tool's output may quote the prompt; only people (and a parent agent) give orders.
            if isinstance(message, dict) and message.get("role") == "user":
                marks = _MARK.findall(text_of(message))
                with self._lock:
                    known = [name for name in marks if name in self._scripts]
                    if known:
                        script = self._scripts[known[-1]]
                        number = self._asked[script.name]
                        self._asked[script.name] += 1
                        return script, number, script.turn(number)
        return Script("unknown"), 0, Turn(text="Done.")

    async def _stream(
        self, script: Script, number: int, turn: Turn, session: str, asked: int, port: int
    ) -> AsyncIterator[str]:
        chance = random.Random(f"{self._seed}/{script.name}/{number}")  # noqa: S311 (a schedule, not a secret)
        ended = False
        try:
            if turn.first_byte_s:
                await asyncio.sleep(turn.first_byte_s)
            self.timeline.add(Lane.MODEL, "first byte", session, request=asked)
            for index, piece in enumerate(pieces(script, number, turn)):
                if index == turn.stall_after:
                    await asyncio.Event().wait()
                if index == turn.cut_after:
                    raise ConnectionAbortedError("cut by script")
                if turn.rate and index:
                    await asyncio.sleep((1 + turn.jitter * chance.uniform(-1, 1)) / turn.rate)
                yield piece
            # Before the last bytes: the asker may act on them at once, and its acts come after this in time.
            self.timeline.add(
                Lane.MODEL, "end", session, request=asked, status=200, turn=number, calls=len(turn.calls)
            )
            ended = True
            with self._lock:
                self._idle.add(port)
            yield END
        finally:
            if not ended:
                with contextlib.suppress(RuntimeError):
                    self.timeline.add(Lane.MODEL, "gone", session, request=asked)


class MuteModel(ScriptedModel):
    """A model that never calls a tool, whatever its script says: one of the dead-man's three."""

    def answer(self, messages: list[object], offers_tools: bool) -> tuple[Script, int, Turn]:
        """The script's place in the log, and words instead of its calls."""
        script, number, _ = super().answer(messages, offers_tools)
        return script, number, Turn(text="I will not call a tool.")


def text_of(message: object) -> str:
    """The text of one chat message, whichever of the two content shapes it has."""
    if not isinstance(message, dict):
        return ""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return ""


def _since_last_answer(messages: list[object]) -> str:
    """What the model is told anew: everything after its own last message, the standing orders left out."""
    new: list[str] = []
    for message in reversed(messages):
        role = message.get("role") if isinstance(message, dict) else ""
        if role == "assistant":
            break
        if role != "system":
            new.insert(0, text_of(message))
    return "\n".join(new)
