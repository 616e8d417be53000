"""V1's paths. Ids come from a server or a user, so each is quoted: none can become another path."""

from collections.abc import Mapping
from urllib.parse import quote

HEALTH = "/global/health"
OPENAPI = "/doc"
PATHS = "/path"
SESSIONS = "/session"
ALL_SESSIONS = "/experimental/session"
STATUSES = "/session/status"
PERMISSIONS = "/permission"
QUESTIONS = "/question"


def session(session_id: str) -> str:
    """One session."""
    return f"/session/{_id(session_id)}"


def messages(session_id: str) -> str:
    """A session's messages, oldest first."""
    return f"/session/{_id(session_id)}/message"


def children(session_id: str) -> str:
    """A session's sub-agents."""
    return f"/session/{_id(session_id)}/children"


def prompt(session_id: str) -> str:
    """Takes a prompt and answers at once."""
    return f"/session/{_id(session_id)}/prompt_async"


def message(session_id: str, message_id: str) -> str:
    """One message."""
    return f"{messages(session_id)}/{_id(message_id)}"


def part(session_id: str, message_id: str, part_id: str) -> str:
    """One part of a message."""
    return f"{message(session_id, message_id)}/part/{_id(part_id)}"


def abort(session_id: str) -> str:
    """Ends a session's turn."""
    return f"/session/{_id(session_id)}/abort"


def session_permissions(session_id: str) -> str:
    """The newer engine's list, which the older engine's asks are not in."""
    return f"/api/session/{_id(session_id)}/permission"


def permission_reply(ask_id: str) -> str:
    """Answers a permission request."""
    return f"/permission/{_id(ask_id)}/reply"


def question_reply(ask_id: str) -> str:
    """Answers a question."""
    return f"/question/{_id(ask_id)}/reply"


def question_reject(ask_id: str) -> str:
    """Dismisses a question."""
    return f"/question/{_id(ask_id)}/reject"


def scope(directory: str) -> Mapping[str, str]:
    """The parameter that picks the instance; none for the server's own."""
    return {"directory": directory} if directory else {}


def scoped(path: str, directory: str) -> str:
    """`path` with that parameter written into it."""
    return f"{path}?directory={quote(directory, safe='/')}" if directory else path


def _id(text: str) -> str:
    # A name of dots alone would still walk up the path after quoting.
    return quote(text, safe="").replace(".", "%2E") if set(text) <= {"."} else quote(text, safe="")
