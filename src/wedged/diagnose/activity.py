"""The first split of "busy": for each session that works, what it waits for. Pure; nothing is guessed."""

from wedged.catalog.ask_standing import AskStanding, Standing, standing
from wedged.diagnose.age import age_words
from wedged.facts.activity import Activity, Progress, Waiting
from wedged.facts.process import Shell
from wedged.facts.server import Line
from wedged.facts.session import PartStatus, SessionFacts, ToolPart
from wedged.facts.snapshot import Snapshot, Window

# What each line calls the tool whose work is a process of its own.
_SHELLS = ("bash", "shell")
_LOOP = 3
# Generations of sub-agents that are looked through for what a session waits for.
_DEEPEST = 20
# V1 stores an answer when it asks for one; V2 when the first piece has come.
_V2_MODEL = "V2 stores an answer with its first piece, so a model that is slow to begin looks like this"
_ORDER = {waiting: rank for rank, waiting in enumerate(Waiting)}


def activities(window: Window) -> tuple[Activity, ...]:
    """A verdict for each session that the server calls busy, for each that stopped being so between the two
    looks, and for each idle one with a call that has not ended. Who waits for a person comes first."""
    split = _Split(window)
    wanted = [s for s in window.latest.sessions if s.works or split.was_working(s) or s.unfinished]
    made = [split.of(session) for session in wanted]
    return tuple(sorted(made, key=lambda one: (_ORDER[one.waiting], one.session)))


class _Split:
    def __init__(self, window: Window) -> None:
        self.look: Snapshot = window.latest
        self.earlier = window.earlier
        asks = [standing(ask, self.look) for ask in self.look.asks]
        self.live: dict[str, AskStanding] = {}
        for one in asks:
            if one.standing is Standing.LIVE:
                self.live.setdefault(one.ask.session_id, one)
        self.v2 = self.look.identity.line in (Line.V2_PREVIEW, Line.V2_RELEASED)
        self.kids: dict[str, list[SessionFacts]] = {}
        for session in self.look.sessions:
            if session.parent_id and session.works:
                self.kids.setdefault(session.parent_id, []).append(session)

    def was_working(self, session: SessionFacts) -> bool:
        before = self.earlier.session(session.id) if self.earlier else None
        return before is not None and before.works

    def of(self, session: SessionFacts, above: frozenset[str] = frozenset()) -> Activity:
        """The verdict. `above` are the parents already on the way here: a server's word may be a circle."""
        progress = self._progress(session)

        def says(waiting: Waiting, why: str, ask: str = "", through: str = "") -> Activity:
            return Activity(session.id, session.directory, waiting, why, ask, through, progress)

        if not session.works:
            return says(Waiting.NOT_BUSY, self._not_busy(session))
        if asked := self.live.get(session.id):
            return says(Waiting.PERSON, _asked(asked), asked.ask.id)
        below = self._below(session, above | {session.id})
        if below and below.waiting is Waiting.PERSON:
            return says(Waiting.PERSON, _through(below), below.ask, below.through or below.session)
        if session.retry is not None:
            return says(Waiting.RETRY, _retry(session, self.look.taken_ms))
        if (same := _same_calls(session.parts)) >= _LOOP and (progress is None or progress.any):
            what = session.parts[-1].tool
            return says(Waiting.LOOP, f"its last {same} finished calls are the same one ({what}, same input)")
        if progress is not None and progress.any:
            return says(Waiting.WORKING, f"{_counted(progress)} in {progress.seconds:.1f} s")
        if below:
            return says(below.waiting, _through(below), below.ask, below.through or below.session)
        if session.unfinished:
            return says(*self._call(session.unfinished, session))
        return says(*self._message(session))

    def _below(self, session: SessionFacts, above: frozenset[str]) -> Activity | None:
        kids = [kid for kid in self.kids.get(session.id, ()) if kid.id not in above]
        if len(above) > _DEEPEST:
            return None
        if not kids or not session.unfinished:
            return None
        return min((self.of(kid, above) for kid in kids), key=lambda one: _ORDER[one.waiting])

    def _not_busy(self, session: SessionFacts) -> str:
        if session.unfinished:
            n = len(session.unfinished)
            return (
                f"the status is {session.status}, and {n} of its calls {'has' if n == 1 else 'have'} not "
                "ended: stale (W201), or another server's (W002)"
            )
        return "it was busy in the first look and is idle in the second: its turn is over"

    def _call(self, unfinished: tuple[ToolPart, ...], session: SessionFacts) -> tuple[Waiting, str]:
        running = [part for part in unfinished if part.status is PartStatus.RUNNING]
        if not running:
            return Waiting.MODEL, f"the model is writing a call to {unfinished[-1].tool}"
        seen = [self._running(part, session) for part in running]
        return next((one for one in seen if one[0] is Waiting.TOOL), seen[0])

    def _running(self, part: ToolPart, session: SessionFacts) -> tuple[Waiting, str]:
        age = _since(part.start_ms, self.look.taken_ms)
        tree = self.look.processes
        process = tree.running(str(part.input.get("command", ""))) if tree else None
        if process is not None:
            return Waiting.TOOL, f"{part.tool}{age}: process {process.pid} runs its command"
        if shell := self._listed(part, session):
            return Waiting.TOOL, f"{part.tool}{age}: the server lists its shell {shell.id} as {shell.status}"
        asks = self._asks(session.directory)
        if part.tool not in _SHELLS:
            why = f"{part.tool}{age}, inside the server; {asks}; can't see what it waits for"
            return Waiting.UNSEEN, why
        if part.started is False:
            return Waiting.UNSEEN, f"{part.tool}{age}, not begun; {asks}; can't see what it waits for"
        if part.started is None and self.v2:
            return Waiting.UNSEEN, f"{part.tool}{age}; no list has a shell of it; {asks}"
        if tree is not None:
            return Waiting.UNSEEN, f"{part.tool}{age}, its work begun; no process below the server runs it"
        return Waiting.TOOL, f"{part.tool}{age}, its work begun"

    def _listed(self, part: ToolPart, session: SessionFacts) -> Shell | None:
        """The shell that the server lists for this call: V2's record names the session and the command."""
        command = part.input.get("command")
        return next(
            (s for s in self.look.shells if s.session_id == session.id and s.command == command), None
        )

    def _message(self, session: SessionFacts) -> tuple[Waiting, str]:
        newest = session.newest
        if newest is None:
            read = self.v2 and all(gap.what != f"session {session.id}" for gap in self.look.gaps)
            # V2 takes a prompt before it stores it.
            why = "none of its messages is stored yet" if read else "its messages could not be read"
            return Waiting.UNSEEN, why
        ago = _ago(newest.created_ms, self.look.taken_ms)
        model = f": {_V2_MODEL}" if self.v2 else ""
        if not newest.from_model:
            return Waiting.UNSEEN, f"the prompt was stored{ago}, and no answer to it has begun{model}"
        if newest.complete and newest.finish in ("tool-calls", ""):
            return Waiting.UNSEEN, f"its last step is complete, and the next has not begun{model}"
        if newest.complete:
            return (
                Waiting.NOT_BUSY,
                f"its answer is complete (finish {newest.finish}): the status lags behind",
            )
        tree = self.look.processes
        if tree is not None and tree.connections_out == 0:
            return (
                Waiting.UNSEEN,
                f"its answer was asked for{ago} and is not complete, and the server has no connection open",
            )
        if newest.pieces:
            return (
                Waiting.MODEL,
                f"its answer was asked for{ago} and has begun; its text shows once it is whole",
            )
        return Waiting.MODEL, f"its answer was asked for{ago}; nothing of it is stored"

    def _asks(self, directory: str) -> str:
        asked = any(scope.directory == directory for scope in self.look.scopes)
        failed = any(gap.what == f"asks in {directory}" for gap in self.look.gaps)
        return "no ask is pending" if asked and not failed else "whether an ask is pending could not be read"

    def _progress(self, session: SessionFacts) -> Progress | None:
        before = self.earlier.session(session.id) if self.earlier else None
        if before is None or self.earlier is None or before.newest is None or session.newest is None:
            return None
        old = {part.id: part.status for part in before.parts}
        same = before.newest.id == session.newest.id
        return Progress(
            seconds=(self.look.taken_ms - self.earlier.taken_ms) / 1000,
            calls=sum(old.get(part.id) != part.status for part in session.parts),
            answers=max(0, session.answers - before.answers),
            pieces=max(0, session.newest.pieces - before.newest.pieces) if same else 0,
            attempts=max(0, _attempts(session) - _attempts(before)),
        )


def _attempts(session: SessionFacts) -> int:
    return session.retry.attempt if session.retry else 0


def _asked(seen: AskStanding) -> str:
    age = f" for {age_words(seen.age_s)}" if seen.age_s is not None else ""
    return f"{seen.ask.id} ({seen.ask.action}) has waited for an answer{age}"


def _through(below: Activity) -> str:
    return f"its sub-agent {below.session}: {below.why}"


def _retry(session: SessionFacts, now_ms: int) -> str:
    retry = session.retry
    if retry is None:
        return ""
    said = f" ({retry.message})" if retry.message else ""
    due = "at a time it does not name"
    if retry.next_ms is not None:
        left = (retry.next_ms - now_ms) / 1000
        due = f"in {age_words(left)}" if left >= 0 else f"overdue by {age_words(-left)}"
    return f"model request number {retry.attempt} failed{said}; the next is due {due}"


def _same_calls(parts: tuple[ToolPart, ...]) -> int:
    """How many calls at the end are one and the same, each of another message: parallel ones are no loop."""
    ended = [part for part in parts if part.status.terminal]
    if not ended:
        return 0
    last = ended[-1]
    messages = set()
    for part in reversed(ended):
        if (part.tool, part.input) != (last.tool, last.input):
            break
        messages.add(part.message_id)
    return len(messages)


def _counted(progress: Progress) -> str:
    counts = (
        (progress.calls, "call moved", "calls moved"),
        (progress.answers, "new model answer", "new model answers"),
        (progress.pieces, "new piece of an answer", "new pieces of an answer"),
        (progress.attempts, "new attempt", "new attempts"),
    )
    return ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in counts if n)


def _since(start_ms: int | None, now_ms: int) -> str:
    return "" if start_ms is None else f" for {age_words(max(0.0, (now_ms - start_ms) / 1000))}"


def _ago(at_ms: int | None, now_ms: int) -> str:
    return "" if at_ms is None else f" {age_words(max(0.0, (now_ms - at_ms) / 1000))} ago"
