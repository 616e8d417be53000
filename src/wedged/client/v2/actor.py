"""V2's acting half."""

from collections.abc import Sequence

from wedged.client.protocols import Decision
from wedged.client.transport import Transport, said_no
from wedged.client.v2 import decode, decode_asks, requests, routes
from wedged.client.v2.dialect import Dialect
from wedged.errors import Refused
from wedged.facts.recovery import Action, Request, Target


class V2Actor:
    """A `wedged.client.protocols.Actor` for both V2 dialects.

    V2 finds a session, an ask and a form by their ids alone: the directory is sent only to create a session.
    """

    def __init__(self, transport: Transport, dialect: Dialect) -> None:
        self._transport = transport
        self._dialect = dialect

    def create_session(self, directory: str = "", title: str = "") -> str:
        """See `Actor.create_session`. Where the title can't be given at once, it is given right after."""
        body: dict[str, object] = {"location": {"directory": directory}} if directory else {}
        if title and self._dialect.titled:
            body["title"] = title
        made = self._transport.json("POST", routes.SESSIONS, decode.OneSession, body=body).data.id
        if title and not self._dialect.titled:
            self.send(Request("POST", routes.rename(made), {"title": title}))
        return made

    def prompt(self, session_id: str, text: str, directory: str = "") -> None:
        """See `Actor.prompt`."""
        del directory
        self.send(Request("POST", routes.prompt(session_id), {"text": text}))

    def reply(
        self, ask_id: str, decision: Decision, *, session_id: str, directory: str = "", message: str = ""
    ) -> None:
        """See `Actor.reply`."""
        del directory
        body: dict[str, object] = {self._dialect.reply_key: decision}
        if message:
            body["message"] = message
        self.send(Request("POST", routes.permission_reply(session_id, ask_id), body))

    def answer(
        self, ask_id: str, answers: Sequence[Sequence[str]], *, session_id: str, directory: str = ""
    ) -> None:
        """See `Actor.answer`. The form is read first: its fields have names, and want one label or a list.

        Raises:
            Refused: there are more answers than the form has fields, or several for a field that takes one.
        """
        del directory
        path = routes.form(session_id, ask_id)
        fields = decode_asks.fields(self._transport.json("GET", path, decode_asks.OneForm).data)
        if len(answers) > len(fields):
            raise Refused(f"{ask_id} has {len(fields)} fields, and {len(answers)} answers were given")
        picked = {
            field.key: _value(field, labels) for field, labels in zip(fields, answers, strict=False) if labels
        }
        self.send(Request("POST", f"{path}/reply", {"answer": picked}))

    def abort(self, session_id: str, directory: str = "") -> None:
        """See `Actor.abort`."""
        del directory
        self.send(Request("POST", routes.interrupt(session_id)))

    def request(self, action: Action, target: Target) -> Request:
        """See `Actor.request`."""
        return requests.request(self._dialect, action, target)

    def send(self, request: Request) -> object:
        """See `Actor.send`."""
        answer = self._transport.ask(request.method, request.path, body=request.body)
        if answer.status >= 400:
            raise said_no(answer)
        return answer.read(object) if answer.is_json and answer.body else None


def _value(field: decode_asks.Field, labels: Sequence[str]) -> object:
    chosen = [field.values.get(label, label) for label in labels]
    if field.type == "multiselect":
        return chosen
    if len(chosen) > 1:
        raise Refused(f"{field.key} takes one answer, and {len(chosen)} were given")
    return chosen[0]
