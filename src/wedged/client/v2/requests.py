"""V2's recovery requests. Pure: nothing here sends anything."""

from urllib.parse import quote

from wedged.client.v2 import routes
from wedged.client.v2.dialect import Dialect
from wedged.errors import Refused
from wedged.facts.recovery import Action, Request, Target

_REPLIES = {
    Action.REPLY_ONCE: "once",
    Action.REPLY_REJECT: "reject",
    Action.REPLY_REJECT_MESSAGE: "reject",
}
# Forms and questions have routes of their own, and their ids say which they are.
_FORM = "frm_"
_QUESTION = "que_"


def find(action: Action, target: Target) -> Request | None:
    """The read that brings the ids that `request` needs; None where it needs none beside the session's."""
    if action is Action.END_SHELL:
        return Request("GET", routes.scoped(routes.SHELLS, target.directory))
    if action not in _REPLIES:
        return None
    lists = routes.session_forms if target.ask_id.startswith(_FORM) else routes.session_permissions
    return Request("GET", lists(target.session_id))


def request(dialect: Dialect, action: Action, target: Target) -> Request:
    """The request of a recovery step.

    An ask and a turn are found by their session; only a shell needs its location named.

    Raises:
        Refused: this dialect has no such request for this target.
    """
    session = target.session_id
    if action is Action.ABORT:
        return Request("POST", routes.interrupt(session))
    if action is Action.ASK_STATUS:
        return Request("GET", routes.ACTIVE)
    if action is Action.LIST_ASKS:
        return Request("GET", routes.session_permissions(session))
    if action is Action.PROMPT:
        if not target.message:
            raise Refused("a prompt needs its text")
        return Request("POST", routes.prompt(session), {"text": target.message})
    if action is Action.END_SHELL:
        if not target.shell_id:
            raise Refused(f"{action.value} needs the id of a shell")
        return Request("DELETE", routes.scoped(routes.shell(target.shell_id), target.directory))
    if action not in _REPLIES:
        raise Refused(f"V2 has no request for {action.value}")
    if not target.ask_id:
        raise Refused(f"{action.value} needs the id of an ask")
    if action is Action.REPLY_REJECT_MESSAGE and not target.message:
        raise Refused("a reject with a message needs the message")
    if target.ask_id.startswith((_FORM, _QUESTION)):
        return _dismissal(dialect, action, target)
    body: dict[str, object] = {dialect.reply_key: _REPLIES[action]}
    if action is Action.REPLY_REJECT_MESSAGE:
        body["message"] = target.message
    return Request("POST", routes.permission_reply(session, target.ask_id), body)


def _dismissal(dialect: Dialect, action: Action, target: Target) -> Request:
    if action is Action.REPLY_ONCE:
        raise Refused(f"a question is answered or dismissed; {action.value} is for permissions")
    if target.ask_id.startswith(_QUESTION):
        if action is Action.REPLY_REJECT_MESSAGE:
            raise Refused("a question is dismissed without a message")
        return Request("POST", f"{routes.question(target.session_id, target.ask_id)}/reject")
    path = routes.form(target.session_id, target.ask_id)
    if action is Action.REPLY_REJECT_MESSAGE:
        if not dialect.cancel_message:
            raise Refused("this server dismisses a form without a message")
        return Request(dialect.cancel, f"{path}?message={quote(target.message, safe='')}")
    return Request(dialect.cancel, path if dialect.cancel == "DELETE" else f"{path}/cancel")
