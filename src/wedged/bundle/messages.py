"""The last messages of the sessions that a report is about, with their parts."""

from collections.abc import Callable, Iterable, Mapping

from wedged.bundle.collecting import Basket
from wedged.bundle.contents import ANSWERS, OUTPUTS, PROMPTS
from wedged.bundle.withholding import Withholding
from wedged.client.v1 import routes as v1
from wedged.client.v2 import routes as v2
from wedged.errors import CannotLook
from wedged.facts.server import Line

_LAST = 20
# Known keys stay and everything else goes: a version with new fields tells no more than an old one.
_MESSAGE = frozenset(
    {
        *("id", "type", "role", "status", "sessionID", "messageID", "parentID", "callID", "partID", "jobID"),
        *("shellID", "tool", "name", "agent", "mode", "modelID", "providerID", "model", "variant", "finish"),
        *("reason", "version", "action", "outcome", "delivery", "state", "code", "_tag", "cwd", "root"),
        *("directory", "source"),
    }
)
_ERROR = frozenset({"name", "_tag", "type", "message", "code", "status", "statusCode", "tool"})


def collect_messages(
    basket: Basket,
    fetch: Callable[[str], object],
    line: Line,
    sessions: Iterable[str],
    withholding: Withholding,
) -> None:
    """``sessions/ID/messages.json`` for each session. `fetch` sends a GET of a path and gives the decoded
    answer.

    No directory is named: a V1 would load the project there, and finds the messages without it.
    """
    routes = v1 if line is Line.V1 else v2
    for session in sessions:
        try:
            tree = fetch(f"{routes.messages(session)}?limit={_LAST}")
        except CannotLook as error:
            basket.gap(f"messages of {session}", str(error))
            continue
        # V2 wraps its lists, and adds cursors that mean nothing outside of the server.
        listed = tree["data"] if isinstance(tree, dict) and "data" in tree else tree
        basket.add(f"sessions/{session}/messages.json", told_messages(listed, withholding))


def told_messages(tree: object, withholding: Withholding) -> object:
    """A server's messages, in any dialect, without what people and models wrote and tools printed."""
    return _message(tree, "", OUTPUTS, withholding)


def _message(tree: object, key: str, kind: str, withholding: Withholding) -> object:
    if isinstance(tree, str):
        return tree if key in _MESSAGE else withholding.text(kind, tree)
    if isinstance(tree, Mapping):
        kind = _kind(tree, kind)
        return {str(name): _member(str(name), item, kind, withholding) for name, item in tree.items()}
    return [_message(item, key, kind, withholding) for item in tree] if isinstance(tree, list) else tree


def _member(name: str, item: object, kind: str, withholding: Withholding) -> object:
    if name == "input" and isinstance(item, Mapping):
        return withholding.input(item)
    if name == "error":
        return _error(item, "message", withholding)
    return _message(item, name, OUTPUTS if name in ("state", "metadata") else kind, withholding)


def _error(tree: object, key: str, withholding: Withholding) -> object:
    if isinstance(tree, str):
        return withholding.error(tree) if key in _ERROR else withholding.text(OUTPUTS, tree)
    if isinstance(tree, Mapping):
        return {str(name): _error(item, str(name), withholding) for name, item in tree.items()}
    return [_error(item, key, withholding) for item in tree] if isinstance(tree, list) else tree


def _kind(tree: Mapping[object, object], kind: str) -> str:
    """Whose words stand in this part of a message: a person's, the model's, or a tool's."""
    info = tree.get("info")
    role = info.get("role") if isinstance(info, Mapping) else tree.get("role", tree.get("type"))
    if role in ("user", "assistant"):
        return PROMPTS if role == "user" else ANSWERS
    return OUTPUTS if role in ("tool", "shell", "synthetic", "system", "compaction") else kind
