"""V1's acting half."""

from collections.abc import Sequence

from wedged.client.protocols import Decision
from wedged.client.transport import Transport, said_no
from wedged.client.v1 import decode, requests, routes
from wedged.facts.recovery import Action, Request, Target


class V1Actor:
    """A `wedged.client.protocols.Actor` for OpenCode 1.x."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create_session(self, directory: str = "", title: str = "") -> str:
        """See `Actor.create_session`."""
        body = {"title": title} if title else {}
        wire = self._transport.json(
            "POST", routes.SESSIONS, decode.Session, params=routes.scope(directory), body=body
        )
        return wire.id

    def prompt(self, session_id: str, text: str, directory: str = "") -> None:
        """See `Actor.prompt`."""
        body: dict[str, object] = {"parts": [{"type": "text", "text": text}]}
        self.send(Request("POST", routes.scoped(routes.prompt(session_id), directory), body))

    def reply(
        self, ask_id: str, decision: Decision, *, session_id: str, directory: str = "", message: str = ""
    ) -> None:
        """See `Actor.reply`. V1 finds a request by its own id alone: `session_id` is not sent."""
        del session_id
        body: dict[str, object] = {"reply": decision} | ({"message": message} if message else {})
        self.send(Request("POST", routes.scoped(routes.permission_reply(ask_id), directory), body))

    def answer(
        self, ask_id: str, answers: Sequence[Sequence[str]], *, session_id: str, directory: str = ""
    ) -> None:
        """See `Actor.answer`. `session_id` is not sent."""
        del session_id
        body: dict[str, object] = {"answers": [list(labels) for labels in answers]}
        self.send(Request("POST", routes.scoped(routes.question_reply(ask_id), directory), body))

    def abort(self, session_id: str, directory: str = "") -> None:
        """See `Actor.abort`."""
        self.send(Request("POST", routes.scoped(routes.abort(session_id), directory)))

    def request(self, action: Action, target: Target) -> Request:
        """See `Actor.request`."""
        return requests.request(action, target)

    def send(self, request: Request) -> object:
        """See `Actor.send`."""
        answer = self._transport.ask(request.method, request.path, body=request.body)
        if answer.status >= 400:
            raise said_no(answer)
        return answer.read(object) if answer.is_json and answer.body else None
