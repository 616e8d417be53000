"""A call that waits for a person, and what is done to it: the ground that W102, W104 and W105 share."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from wedged.client import Decision
from wedged.client.v1 import decode as v1_decode
from wedged.errors import LabError, ServerSaidNo
from wedged.facts.ask import Ask, AskKind
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.server import Line
from wedged.facts.session import SessionFacts, Status, ToolPart
from wedged.facts.trial import Check, ClaimOutcome, Lane, Observation
from wedged.lab import gated
from wedged.lab.bench import Bench, Prompted
from wedged.lab.probe import turns_asked
from wedged.lab.scenarios.w101_cases import stored
from wedged.lab.timeline import is_over
from wedged.lab.trials import Draft, Timing
from wedged.lab.turns import Call, Script, Turn
from wedged.waiting import wait_for

# How long is no evidence of anything where a trial only has to get somewhere. A V1 that loads ten projects
# at once takes its time: so many times what an arm may take.
_PATIENCE = 3.0
# A turn that goes on asks the model within milliseconds. Silence is watched this long.
_SILENCE_S = 0.5

Run = Callable[[Bench, str, Timing], Draft]


@dataclass(frozen=True, slots=True)
class Sight:
    """One session as it was seen. `t` is when the look began, seconds on the timeline.

    `session` is None where the server has it no more; `status` is the server's word all the same. `listed`
    are its pending asks, `made` says whether its gated call has run, `timeline` is the session's, so far.
    """

    t: float
    prompted: Prompted
    session: SessionFacts | None
    status: Status
    listed: tuple[Ask, ...]
    made: bool
    timeline: tuple[Observation, ...]

    @property
    def call(self) -> ToolPart | None:
        """The gated call: the first one of the first response."""
        return self.part(self.prompted.script.call_id(0, 0))

    def part(self, call_id: str) -> ToolPart | None:
        """The tool call that the model gave this id."""
        parts = self.session.parts if self.session else ()
        return next((part for part in parts if part.call_id == call_id), None)

    def lists(self, ask: Ask) -> bool:
        """Whether the ask is still pending, by its list."""
        return any(one.id == ask.id for one in self.listed)

    def revoked(self, ask: Ask, after: float = 0.0) -> Observation | None:
        """The event that says that this ask is pending no more."""
        return next((o for o in self.timeline if o.t > after and is_revoked(o, ask.id)), None)

    def requests(self, after: float = 0.0) -> tuple[Observation, ...]:
        """The model's requests for a turn of this session."""
        return tuple(o for o in turns_asked(self.timeline) if o.t > after)


@dataclass(frozen=True)
class Stage:
    """One trial under way: its session and the calls that its model makes, the gated one first."""

    bench: Bench
    prompted: Prompted
    calls: tuple[Call, ...]
    made: Path

    @property
    def session(self) -> str:
        """Its session."""
        return self.prompted.session

    @property
    def directory(self) -> str:
        """Its directory."""
        return self.prompted.directory

    def waiting(self, timing: Timing) -> Ask:
        """Its one pending ask, once the server lists it.

        Raises:
            DeadlinePassed: the server did not ask in time.
        """
        patience = _PATIENCE * timing.settle_s
        self.bench.timeline.wait_for(self.session, is_asked, "the server to ask", patience)

        def listed() -> Ask | None:
            asks = pending(self.bench, self.session, self.directory)
            return asks[0] if len(asks) == 1 else None

        return wait_for(listed, "the ask to be listed", patience)

    def settle(self, at: float, within: float, timing: Timing) -> None:
        """Give what was done at `at` its time: until a call has ended, at most `within` seconds; where one
        has, until the turn is over, and a moment longer for a further request."""
        settled = self.bench.timeline.watch(self.session, is_terminal, within, after=at)
        if settled:
            over = self.bench.timeline.watch(self.session, is_over, timing.settle_s, after=at)
            self.bench.timeline.watch(self.session, is_request, _SILENCE_S, after=over.t if over else at)

    def look(self) -> Sight:
        """See it now. Only GETs."""
        bench, at = self.bench, self.bench.timeline.now()
        reader = bench.connection.reader
        try:
            session: SessionFacts | None = reader.session(self.session, self.directory)
        except ServerSaidNo as error:
            if error.status != 404:
                raise
            session = None
        status = session.status if session else reader.statuses(self.directory).get(self.session, Status.IDLE)
        made = self.made.exists()
        bench.timeline.add(Lane.FILE, "file made" if made else "file missing", self.session)
        seen = Sight(
            at,
            self.prompted,
            session,
            status,
            pending(bench, self.session, self.directory),
            made,
            bench.timeline.of(self.session),
        )
        bench.timeline.add(Lane.CLIENT, "looked", self.session, **_as_data(seen))
        return seen

    def reply(self, ask: Ask, decision: Decision = "reject") -> int:
        """Answer the ask, alive or dead (a question is dismissed); the HTTP status."""
        actor, status = self.bench.connection.actor, 200
        try:
            if ask.kind is AskKind.PERMISSION:
                actor.reply(ask.id, decision, session_id=ask.session_id, directory=self.directory)
            else:
                target = Target(ask.session_id, self.directory, ask.id)
                actor.send(actor.request(Action.REPLY_REJECT, target))
        except ServerSaidNo as error:
            status = error.status
        self.bench.timeline.add(Lane.CLIENT, f"reply {decision}", self.session, status=status)
        return status

    def stored(self, place: int) -> ToolPart | None:
        """Call `place` of the first response as the store has it.

        V1's file is read in place of its API: where an instance answers 503, so does all about its sessions.
        """
        call_id = self.prompted.script.call_id(0, place)
        if self.bench.identity.line is Line.V1:
            parts = _parts_in_store(self.bench, self.session)
        else:
            parts = self.bench.connection.reader.session(self.session).parts
        return next((part for part in parts if part.call_id == call_id), None)

    def send(self, what: str, request: Request) -> object:
        """One request of ours, on the timeline."""
        with self.bench.timeline.call(self.session, what):
            return self.bench.connection.actor.send(request)

    def stop(self) -> float:
        """Interrupt the session (V1: abort it); when, in seconds on the timeline."""
        at = self.bench.timeline.now()
        with self.bench.timeline.call(self.session, "interrupt"):
            self.bench.connection.actor.abort(self.session, self.directory)
        return at

    def draft(
        self, seen: Sight, outcomes: tuple[ClaimOutcome, ...], *checks: Check, also: tuple[str, ...] = ()
    ) -> Draft:
        """What the trial hands over. `seen` is the look that the stored calls are checked in."""
        calls = tuple(
            replace(check, rule=f"{check.rule} (call {place})")
            for place, wanted in enumerate(self.calls)
            for check in [stored(seen.part(self.prompted.script.call_id(0, place)), wanted)]
        )
        return Draft(self.prompted, (*calls, *checks), outcomes, self.bench.timeline.now(), also)


def writes(bench: Bench, name: str) -> tuple[Call, Path]:
    """The gated call of the trial `name`, and the file outside the project that it makes when it runs."""
    path = bench.home.outside / f"{name}.txt"
    return gated.on_file(bench.identity.line, "write", path, content="made\n"), path


def begin(bench: Bench, directory: str, name: str, *others: Call, **turn: object) -> Stage:
    """A session whose model makes the gated call, and `others` beside it, in one response."""
    call, made = writes(bench, name)
    script = Script(name, (Turn(calls=(call, *others), **turn),))  # type: ignore[arg-type]
    return Stage(bench, bench.prompt(script, directory), (call, *others), made)


def begin_with(bench: Bench, directory: str, name: str, *calls: Call) -> Stage:
    """A session whose model makes these calls; no file is made outside."""
    script = Script(name, (Turn(calls=calls),))
    return Stage(bench, bench.prompt(script, directory), calls, bench.home.outside / f"{name}.none")


def pending(bench: Bench, session: str, directory: str) -> tuple[Ask, ...]:
    """The session's pending asks, by the list in which the line keeps them; none where it is no more."""
    reader = bench.connection.reader
    if bench.identity.line is Line.V1:
        return tuple(ask for ask in reader.asks(directory) if ask.session_id == session)
    try:
        return reader.session_asks(session, directory)
    except ServerSaidNo as error:
        if error.status != 404:
            raise
        return ()


def only_child(bench: Bench, parent: Stage, seconds: float) -> str:
    """The session of the sub-agent that the parent has started.

    Raises:
        DeadlinePassed: it has none in time.
        LabError: it has several.
    """
    reader = bench.connection.reader
    awaited = f"the sub-agent of {parent.prompted.script.name}"
    children = wait_for(
        lambda: reader.children(parent.session, parent.directory), awaited, _PATIENCE * seconds
    )
    if len(children) != 1:
        raise LabError(f"{len(children)} sub-agents where one was started")
    return children[0].id


def _parts_in_store(bench: Bench, session: str) -> tuple[ToolPart, ...]:
    file = Path(bench.home.env["XDG_DATA_HOME"]) / "opencode" / "opencode.db"
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
        rows = store.execute(
            "SELECT data, id, message_id FROM part WHERE session_id = ?", (session,)
        ).fetchall()
    parts = []
    for data, part_id, message_id in rows:
        wire = msgspec.json.decode(data, type=v1_decode.Part)
        if wire.type == "tool":
            made = replace(v1_decode.tool_part(wire), id=part_id, message_id=message_id, session_id=session)
            parts.append(made)
    return tuple(parts)


def is_asked(o: Observation) -> bool:
    """The server asks somebody something."""
    return o.lane is Lane.ASK and o.kind in ("permission.asked", "question.asked", "form.created")


def is_revoked(o: Observation, ask_id: str) -> bool:
    """An event says of this ask that it is pending no more: replied to, rejected, cancelled."""
    return o.lane is Lane.ASK and o.data.get("ask") == ask_id and not is_asked(o)


def is_terminal(o: Observation) -> bool:
    """A call has ended."""
    return o.lane is Lane.PART and o.kind in ("error", "completed")


def is_request(o: Observation) -> bool:
    """The model is asked for a turn."""
    return o.lane is Lane.MODEL and o.kind == "request" and bool(o.data["offers_tools"])


def _as_data(seen: Sight) -> dict[str, object]:
    """What the look saw, for the trial's timeline: the outcomes can be derived from it again."""
    parts = seen.session.parts if seen.session else ()
    return {
        "session": seen.status.value if seen.session else f"not there, {seen.status.value}",
        "parts": [
            {"call": p.call_id, "tool": p.tool, "status": p.status.value, "error": p.error} for p in parts
        ],
        "asks": [{"ask": a.id, "action": a.action, "call": a.call_id} for a in seen.listed],
    }
