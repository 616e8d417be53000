"""A look at a server with one waiting ask, for the tests of reports."""

from wedged.facts.ask import Ask, AskKind
from wedged.facts.server import Line, ServerIdentity
from wedged.facts.session import PartStatus, SessionFacts, Status, ToolPart
from wedged.facts.snapshot import Gap, Scope, Snapshot

# A real id and the time it was made at.
ASK_ID, BORN = "per_2276041bc001q4W5JN3Rmg1FJy", 1795956949436
SCOPE = Scope("/project", ("GET /session/status", "GET /permission"))


def ask(ask_id: str = ASK_ID, session_id: str = "ses_1", resource: str = "/outside/*") -> Ask:
    return Ask(
        id=ask_id,
        kind=AskKind.QUESTION if ask_id.startswith("que") else AskKind.PERMISSION,
        session_id=session_id,
        action="external_directory",
        resources=(resource,),
        call_id=f"call_{session_id}",
        message_id="msg_1",
        directory="/project",
        command="mkdir -p /outside/a --token=abcdefghijkl12",
        listed_by=("GET /permission",),
    )


def session(session_id: str = "ses_1", status: Status = Status.BUSY, parent: str = "") -> SessionFacts:
    part = ToolPart(
        id="prt_1",
        call_id=f"call_{session_id}",
        message_id="msg_1",
        session_id=session_id,
        tool="bash",
        status=PartStatus.RUNNING,
        input={},
    )
    return SessionFacts(session_id, "/project", status, parent_id=parent, parts=(part,), message_count=2)


def look(
    asks: tuple[Ask, ...] = (), sessions: tuple[SessionFacts, ...] = (), gaps: tuple[Gap, ...] = ()
) -> Snapshot:
    return Snapshot(
        taken_ms=BORN + 120_000,
        source="http://127.0.0.1:4096",
        identity=ServerIdentity(Line.V1, "1.18.34"),
        scopes=(SCOPE,),
        sessions=sessions,
        asks=asks,
        gaps=gaps,
    )
