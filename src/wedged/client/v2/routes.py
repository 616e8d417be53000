"""V2's paths. Ids come from a server or a user, so each is quoted: none can become another path."""

from collections.abc import Mapping
from urllib.parse import quote

OPENAPI = "/openapi.json"
LOCATION = "/api/location"
LOCATIONS = "/api/debug/location"
SESSIONS = "/api/session"
ACTIVE = "/api/session/active"
PERMISSIONS = "/api/permission/request"
QUESTIONS = "/api/question/request"
SHELLS = "/api/shell"

# The brackets are escaped: in a line to paste, curl would take them for a pattern.
_DIRECTORY = "location%5Bdirectory%5D"


def session(session_id: str) -> str:
    """One session."""
    return f"{SESSIONS}/{_id(session_id)}"


def messages(session_id: str) -> str:
    """A session's messages, newest first."""
    return f"{session(session_id)}/message"


def prompt(session_id: str) -> str:
    """Takes a prompt and answers at once."""
    return f"{session(session_id)}/prompt"


def rename(session_id: str) -> str:
    """Gives a session its title, where that can't be given when it is created."""
    return f"{session(session_id)}/rename"


def interrupt(session_id: str) -> str:
    """Ends a session's turn."""
    return f"{session(session_id)}/interrupt"


def session_permissions(session_id: str) -> str:
    """A session's own permission requests."""
    return f"{session(session_id)}/permission"


def permission_reply(session_id: str, ask_id: str) -> str:
    """Answers a permission request."""
    return f"{session_permissions(session_id)}/{_id(ask_id)}/reply"


def session_forms(session_id: str) -> str:
    """A session's own forms."""
    return f"{session(session_id)}/form"


def form(session_id: str, form_id: str) -> str:
    """One form."""
    return f"{session_forms(session_id)}/{_id(form_id)}"


def question(session_id: str, question_id: str) -> str:
    """One of the preview's questions."""
    return f"{session(session_id)}/question/{_id(question_id)}"


def shell(shell_id: str) -> str:
    """One shell."""
    return f"{SHELLS}/{_id(shell_id)}"


def scope(directory: str) -> Mapping[str, str]:
    """The parameter that picks the location; none for the server's own."""
    return {"location[directory]": directory} if directory else {}


def scoped(path: str, directory: str) -> str:
    """`path` with that parameter written into it."""
    return f"{path}?{_DIRECTORY}={quote(directory, safe='/')}" if directory else path


def _id(text: str) -> str:
    # A name of dots alone would still walk up the path after quoting.
    return quote(text, safe="").replace(".", "%2E") if set(text) <= {"."} else quote(text, safe="")
