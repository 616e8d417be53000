"""V1's recovery requests. Pure: nothing here sends anything."""

from wedged.client.v1 import routes, stale_calls
from wedged.errors import Refused
from wedged.facts.recovery import Action, Request, Target

_REPLIES = {
    Action.REPLY_ONCE: "once",
    Action.REPLY_REJECT: "reject",
    Action.REPLY_REJECT_MESSAGE: "reject",
    # Nothing waits for a leftover, so a reject does nothing but take it off the list.
    Action.DISMISS_LEFTOVER: "reject",
}
# Questions have routes of their own, and their ids say which they are.
_QUESTION = "que_"


def find(action: Action, target: Target) -> Request | None:
    """The read that brings the ids that `request` needs; None where it needs none beside the session's."""
    if action in stale_calls.ACTIONS:
        return Request("GET", routes.scoped(routes.messages(target.session_id), target.directory))
    if action not in _REPLIES:
        return None
    lists = routes.QUESTIONS if target.ask_id.startswith(_QUESTION) else routes.PERMISSIONS
    return Request("GET", routes.scoped(lists, target.directory))


def request(action: Action, target: Target) -> Request:
    """The request of a recovery step; `target.directory` is written into it where it is given.

    Raises:
        Refused: V1 has no such request for this target.
    """
    if action is Action.ABORT:
        return Request("POST", routes.scoped(routes.abort(target.session_id), target.directory))
    if action in stale_calls.ACTIONS:
        return stale_calls.request(action, target)
    if action is Action.ASK_STATUS:
        return Request("GET", routes.scoped(routes.STATUSES, target.directory))
    if action is Action.LIST_ASKS:
        return Request("GET", routes.scoped(routes.PERMISSIONS, target.directory))
    if action not in _REPLIES:
        raise Refused(f"V1 has no request for {action.value}")
    if not target.ask_id:
        raise Refused(f"{action.value} needs the id of an ask")
    if target.ask_id.startswith(_QUESTION):
        if action not in (Action.REPLY_REJECT, Action.DISMISS_LEFTOVER):
            raise Refused(f"a question is answered or dismissed; {action.value} is for permissions")
        return Request("POST", routes.scoped(routes.question_reject(target.ask_id), target.directory))
    body: dict[str, object] = {"reply": _REPLIES[action]}
    if action is Action.REPLY_REJECT_MESSAGE:
        if not target.message:
            raise Refused("a reject with a message needs the message")
        body["message"] = target.message
    return Request("POST", routes.scoped(routes.permission_reply(target.ask_id), target.directory), body)
