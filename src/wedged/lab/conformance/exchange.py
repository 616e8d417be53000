"""One request of a client and what is kept of its answer: names, ids and times; no header, no text. Pure."""

import re
import sys
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote

from wedged.facts.plain_text import plain
from wedged.facts.redaction import redact

_KINDS = {
    "ses": "sessionID",
    "per": "permissionID",
    "que": "questionID",
    "frm": "formID",
    "msg": "messageID",
    "prt": "partID",
    "sh": "shellID",
    "pty": "ptyID",
}
_ID = rf"(?:{'|'.join(_KINDS)})_[0-9A-Za-z]{{6,60}}"
_WHOLE_ID = re.compile(_ID)
# Whatever stands around it: ids are quoted in JSON, and part of a path in a URL. Messages and parts come by
# the thousand, and no rule is about whether one was seen.
_ID_IN_TEXT = re.compile(rb"(?<![0-9A-Za-z_])(?!msg|prt)" + _ID.encode() + rb"(?![0-9A-Za-z])")
# No id is longer, so that many bytes of one chunk are looked at again with the next.
TAIL = 80
_LONGEST = 300

# The routes by what they say, as `Exchange.template` has them.
STREAMS = frozenset({"/event", "/global/event", "/api/event"})
STATUSES = frozenset({"/session/status", "/api/session/active"})
SHELLS = "/api/shell"
MESSAGES = frozenset({"/session/{sessionID}/message", "/api/session/{sessionID}/message"})
V1_ASKS = frozenset({"/permission", "/question"})
ASKS = V1_ASKS | {
    "/api/session/{sessionID}/permission",
    "/api/session/{sessionID}/form",
    "/api/session/{sessionID}/question",
    "/api/permission/request",
    "/api/form/request",
    "/api/form",
    "/api/question/request",
}
SESSIONS = frozenset(
    {
        "/session",
        "/experimental/session",
        "/session/{sessionID}",
        "/session/{sessionID}/children",
        "/api/session",
        "/api/session/{sessionID}",
    }
)
_ASK = r"\{(?:permissionID|questionID|formID)\}"
_REPLY = re.compile(rf".*/(?:permission|permissions|question|form)/{_ASK}(?:/(?:reply|reject|cancel))?")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer. Times are seconds since the observation began.

    `path` is as it was sent, without its query; `template` the same with a name in place of each id.
    `directory` is the one that the request named ("" for none). `status` is 0, and `answered` None, where
    no answer came. `named` are the ids in the answer (those of messages and parts left out), each with when
    it came by first; an event stream's come over time. `decision` is what a reply to an ask says (``once``,
    ``always``, ``reject``, or a word of the client's own, cut short), `worded` whether words for the model
    go with it.
    """

    number: int
    t: float
    method: str
    path: str
    template: str
    directory: str = ""
    status: int = 0
    answered: float | None = None
    ended: float | None = None
    named: tuple[tuple[str, float], ...] = ()
    decision: str = ""
    worded: bool = False

    @property
    def ids(self) -> frozenset[str]:
        """The ids in the answer."""
        return frozenset(one for one, _ in self.named)

    @property
    def path_ids(self) -> frozenset[str]:
        """The ids in the path."""
        return frozenset(part for part in self.path.split("/") if _WHOLE_ID.fullmatch(part))

    @property
    def read(self) -> bool:
        """Whether it is a read that was answered with a success."""
        return self.method == "GET" and 200 <= self.status < 300

    @property
    def worked(self) -> bool:
        """Whether it was answered with a success."""
        return 200 <= self.status < 300

    @property
    def heard(self) -> float:
        """When the client knew its status."""
        return self.t if self.answered is None else self.answered

    @property
    def opens_stream(self) -> bool:
        """Whether it opened an event stream."""
        return self.read and self.template in STREAMS

    @property
    def asks_read(self) -> bool:
        """Whether it read a list of asks."""
        return self.read and self.template in ASKS

    @property
    def replies_to(self) -> str:
        """The ask that it answers, "" where it answers none."""
        if self.method not in ("POST", "DELETE") or not _REPLY.fullmatch(self.template):
            return ""
        found = [one for one in self.path.split("/") if one.startswith(("per_", "que_", "frm_"))]
        return found[0] if found else ""

    @property
    def line(self) -> str:
        """One line for a person, untrusted characters escaped."""
        said = str(self.status) if self.status else "no answer"
        where = f"  directory {self.directory}" if self.directory else ""
        what = f" {self.decision}" if self.decision else ""
        text = f"{self.t:.2f} s  {self.method} {self.path}{what} -> {said}{where}"
        return plain(redact(text))[:_LONGEST]


def template(path: str) -> str:
    """The path with a name in place of each id: ``/session/{sessionID}/abort``."""
    return "/".join(_named(part) for part in path.split("/"))


def ids_in(chunk: bytes) -> frozenset[str]:
    """Every id in a piece of an answer, but those of messages and parts."""
    return frozenset(sys.intern(found.decode()) for found in _ID_IN_TEXT.findall(chunk))


def directory_of(path: str, query: str, header: str) -> str:
    """The directory that a request names in the way that its route takes; "" for none.

    Every line takes the header ``x-opencode-directory``, which may be quoted. In a query, V1's routes take
    ``directory``, and those below ``/api`` take ``location[directory]``; neither takes the other.
    """
    name = "location[directory]" if path.startswith("/api/") else "directory"
    return parse_qs(query).get(name, [""])[0] or unquote(header)


def is_reply(method: str, path: str) -> bool:
    """Whether such a request answers an ask: the one kind whose body is read."""
    return method == "POST" and bool(_REPLY.fullmatch(template(path)))


def decision_of(body: object) -> tuple[str, bool]:
    """What a reply says, and whether words go with it."""
    if not isinstance(body, dict):
        return "", False
    said = next((body[key] for key in ("reply", "decision", "response") if key in body), "")
    return (str(said)[:20] if isinstance(said, str) else ""), bool(body.get("message"))


def _named(part: str) -> str:
    return f"{{{_KINDS[part.partition('_')[0]]}}}" if _WHOLE_ID.fullmatch(part) else part
