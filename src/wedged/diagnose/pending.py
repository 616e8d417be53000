"""Every pending ask of a look with what a person needs to decide on it. Pure."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from wedged.catalog.ask_standing import AskStanding, Standing, standing
from wedged.errors import Refused
from wedged.facts.ask import Ask, AskKind
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.snapshot import Snapshot

_LONG = 2000


@dataclass(frozen=True, slots=True)
class Pending:
    """One ask. `about` says what it is about in one line: the command, the question, or the call's input;
    "" where nothing of it could be read. `parent` is the session whose sub-agent asks ("" for none).
    `answers` are the requests that answer it, by name."""

    seen: AskStanding
    about: str
    parent: str
    answers: tuple[tuple[str, Request], ...]

    @property
    def ask(self) -> Ask:
        """The ask itself."""
        return self.seen.ask


def pending(look: Snapshot, request: Callable[[Action, Target], Request]) -> tuple[Pending, ...]:
    """The asks that a turn waits for, oldest first, then the rest. `request` is an `Actor.request`."""
    seen = [standing(ask, look) for ask in look.asks]
    seen.sort(key=lambda one: (one.standing is not Standing.LIVE, -(one.age_s or 0), one.ask.id))
    return tuple(
        Pending(
            one, about(one, _LONG), one.session.parent_id if one.session else "", _answers(one.ask, request)
        )
        for one in seen
    )


def about(seen: AskStanding, limit: int | None = None) -> str:
    """What would run, or what is asked; cut after `limit` characters, which is said. Not redacted: whoever
    shows it does that."""
    text = _about(seen)
    if limit is None or len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text)} characters)"


def _about(seen: AskStanding) -> str:
    ask = seen.ask
    if ask.command or ask.words:
        return ask.command or ask.words
    if not seen.parts:
        return ""
    part = seen.parts[0]
    command = part.input.get("command")
    if isinstance(command, str):
        return command
    return f"{part.tool} {json.dumps(part.input, ensure_ascii=False)}"


def _answers(ask: Ask, request: Callable[[Action, Target], Request]) -> tuple[tuple[str, Request], ...]:
    target = Target(ask.session_id, ask.directory, ask.id)
    actions = {"reject": Action.REPLY_REJECT, "once": Action.REPLY_ONCE}
    if ask.kind is not AskKind.PERMISSION:
        actions.pop("once")
    found = []
    for name, action in actions.items():
        try:
            found.append((name, request(action, target)))
        except Refused:
            continue
    return tuple(found)
