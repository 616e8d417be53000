"""The watch itself: look, compare, tell, wait; over every end of the connection."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from wedged.diagnose import Diagnosis, diagnose, restrict
from wedged.errors import CannotLook
from wedged.facts.finding import Finding
from wedged.facts.recovery import Action, Request, Target
from wedged.facts.snapshot import Snapshot, Window
from wedged.watching.bell import Bell, Heard
from wedged.watching.changes import Changes, Standing, changes, key
from wedged.watching.pace import Pace, directories, settle_s

SAMPLE_S = 2.0
# Every so many looks one that searches everywhere, as a first one does.
_WHOLE_EVERY = 10
_FIRST_DELAY_S = 0.5
_LONGEST_DELAY_S = 5.0
_LONGEST_STREAM_DELAY_S = 60.0


class Kind(StrEnum):
    """What can change. `UNREAD`: something that can't be read any more."""

    WATCHING = "watching"
    APPEARED = "appeared"
    ENDED = "ended"
    LOST = "lost"
    BACK = "back"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing to tell. `diagnosis` is what it rests on: of a server that was lost the last one before.

    `restarted`, of a server that is back: whether its process is another one, None where that is not known.
    """

    kind: Kind
    diagnosis: Diagnosis
    finding: Finding | None = None
    why: str = ""
    restarted: bool | None = None


class Following(Protocol):
    """An event stream that is followed. `why` says how it ended; `refused`: there is none to be had."""

    why: str
    refused: bool

    def close(self) -> None:
        """End it."""


class Outlook(Protocol):
    """One connection to the server, as `wedged.watching.post.Post` is."""

    def take(
        self, peek: Snapshot | None, named: Sequence[str], loaded: Sequence[str], sessions: Sequence[str]
    ) -> Snapshot:
        """A look. Raises `CannotLook` where the server does not answer."""

    def is_gone(self, session_id: str) -> bool:
        """Whether the server says that there is no such session."""

    def request(self, action: Action, target: Target) -> Request:
        """The request of a recovery step."""

    def follow(self) -> Following:
        """Follow its events."""

    def close(self) -> None:
        """Hang up."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What is watched and until when. `named` directories are asked in every look; `session` "" is all."""

    pace: Pace = field(default_factory=Pace)
    named: tuple[str, ...] = ()
    session: str = ""
    until_finding: bool = False
    seconds: float = float("inf")
    sample_s: float = SAMPLE_S


class Watch:
    """Watches a server until its rules say that it is over.

    `dial` makes a new connection each time, so that what it reads (an address, a password) is read again.
    """

    def __init__(
        self, dial: Callable[[], Outlook], bell: Bell, tell: Callable[[Change], None], rules: Rules
    ) -> None:
        self._dial, self._bell, self._tell, self._rules = dial, bell, tell, rules
        self._ends_at = bell.now() + rules.seconds
        self._standing: dict[str, Standing] = {}
        self._last: Diagnosis | None = None
        self._loaded: tuple[str, ...] = ()
        self._unread: frozenset[str] = frozenset()
        self._lost = self._found = self._told_without = False
        self._delay, self._cost = _FIRST_DELAY_S, 0.0
        self._follow_at, self._follow_delay = 0.0, 1.0

    def run(self) -> int:
        """The exit code: 1 where a finding that counts was told, else 3 where at the end the server or a part
        of it could not be looked at, else 0.

        Raises:
            CannotLook: the server could not be looked at in the first place.
        """
        outlook: Outlook | None = self._dial()
        while outlook is not None:
            try:
                if self._attend(outlook):
                    break
            finally:
                outlook.close()
            outlook = self._dial_again()
        unknown = self._lost or self._last is None or bool(self._last.unknown)
        return 1 if self._found else 3 if unknown else 0

    def _attend(self, outlook: Outlook) -> bool:
        """Watch over one connection; whether the watch is over, and not only the connection."""
        following: Following | None = None
        peek: Snapshot | None = None
        # What an earlier connection still had to say.
        heard, number = self._bell.wait(0), 0
        try:
            while True:
                if following is None and self._bell.now() >= self._follow_at:
                    following, began_to_follow = outlook.follow(), self._bell.now()
                self._loaded = directories(self._loaded, heard)
                try:
                    peek = self._look(outlook, peek if number % _WHOLE_EVERY else None)
                except CannotLook as error:
                    if self._last is None:
                        raise
                    self._lose(str(error))
                    return False
                number += 1
                if self._over():
                    return True
                ended = self._bell.now()
                heard = self._wait(ended, peek, following is None)
                if following is not None and following.refused:
                    self._without_events(following.why)
                    following.close()
                    following = None
                elif following is not None and following.why:
                    self._stream_ended(self._bell.now() - began_to_follow)
                    return False
                if self._bell.now() >= self._ends_at:
                    return True
        finally:
            if following is not None:
                following.close()

    def _wait(self, ended: float, seen: Snapshot, follow: bool) -> Heard:
        """Until there is a reason to look."""
        now = self._bell.now()
        until = min(now + self._rules.pace.until_next(seen, self._cost), self._ends_at)
        heard = self._bell.wait((min(until, max(self._follow_at, now)) if follow else until) - now)
        if heard.rung and not heard.over:
            left = max(0.0, self._ends_at - self._bell.now())
            self._bell.pause(min(settle_s(self._bell.now() - ended, self._cost), left))
        return heard

    def _look(self, outlook: Outlook, peek: Snapshot | None) -> Snapshot:
        """Look, twice where something has changed, and tell what has."""
        first = self._take(outlook, peek)
        earlier = self._last.latest if self._last and peek else None
        diagnosis, step = self._compare(outlook, Window(first, earlier))
        seen = first
        if step.any:
            # What moved in between tells work from waiting; and one look may have fallen between two states.
            self._bell.pause(self._rules.sample_s)
            seen = self._take(outlook, first)
            diagnosis, step = self._compare(outlook, Window(seen, first))
        self._announce(diagnosis)
        self._standing, self._last = dict(step.standing), diagnosis
        self._loaded = tuple(dict.fromkeys((*self._loaded, *(scope.directory for scope in seen.scopes))))
        for finding in step.ended:
            self._tell(Change(Kind.ENDED, diagnosis, finding))
        for finding in step.appeared:
            self._tell(Change(Kind.APPEARED, diagnosis, finding))
        self._found |= replace(diagnosis, findings=step.appeared).exit_code == 1
        return seen

    def _take(self, outlook: Outlook, peek: Snapshot | None) -> Snapshot:
        stood = [one.finding for one in self._standing.values()]
        named = dict.fromkeys((*self._rules.named, *(f.directory for f in stood if f.directory)))
        sessions = dict.fromkeys((self._rules.session, *(f.session for f in stood)))
        began = self._bell.now()
        seen = outlook.take(peek, tuple(named), self._loaded, tuple(one for one in sessions if one))
        self._cost = self._bell.now() - began
        return seen

    def _compare(self, outlook: Outlook, window: Window) -> tuple[Diagnosis, Changes]:
        made = diagnose(window, self._rules.pace.grace_s, request=outlook.request)
        if self._rules.session:
            made = restrict(made, self._rules.session)
        there = {finding.id for finding in made.findings}
        missing = {one.finding.session for id_, one in self._standing.items() if id_ not in there}
        unlisted = [one for one in missing if one and made.latest.session(one) is None]
        return made, changes(self._standing, made, {one for one in unlisted if outlook.is_gone(one)})

    def _announce(self, now: Diagnosis) -> None:
        """Tell that the watch begins, or that the server is back; and what can't be read any more."""
        before = self._last
        restarted = _is_another(before.latest, now.latest) if before else None
        if before is None:
            self._tell(Change(Kind.WATCHING, now))
        elif restarted and not self._lost:
            self._lose("its process has ended")
        if self._lost:
            self._tell(Change(Kind.BACK, now, restarted=restarted))
        self._lost, self._delay = False, _FIRST_DELAY_S
        for gap in now.unknown:
            if key(gap) not in self._unread:
                self._tell(Change(Kind.UNREAD, now, why=f"{gap.what}: {gap.why}"))
        self._unread = frozenset(key(gap) for gap in now.unknown)

    def _lose(self, why: str) -> None:
        """The server can't be looked at; told once."""
        if not self._lost and self._last is not None:
            self._lost = True
            self._tell(Change(Kind.LOST, self._last, why=why))

    def _stream_ended(self, lasted: float) -> None:
        """Whether the server has gone is for the next look to say. One that ends at once is not asked for
        again at once."""
        if lasted >= _LONGEST_STREAM_DELAY_S:
            self._follow_delay = 1.0
        self._follow_at = self._bell.now() + self._follow_delay
        self._follow_delay = min(2 * self._follow_delay, _LONGEST_STREAM_DELAY_S)

    def _without_events(self, why: str) -> None:
        """Over this connection there are none; looking alone is slower and misses nothing that lasts."""
        self._follow_at = float("inf")
        if not self._told_without and self._last is not None:
            self._told_without = True
            every = f"{self._rules.pace.interval_s:g} s"
            self._tell(Change(Kind.UNREAD, self._last, why=f"events: {why}; looking every {every} instead"))

    def _dial_again(self) -> Outlook | None:
        """A new connection, None when the watch ends before there is one."""
        while True:
            if self._lost:
                self._bell.pause(min(self._delay, max(0.0, self._ends_at - self._bell.now())))
                self._delay = min(2 * self._delay, _LONGEST_DELAY_S)
            if self._bell.now() >= self._ends_at:
                return None
            if self._follow_at == float("inf"):
                self._follow_at = 0.0
            try:
                return self._dial()
            except CannotLook as error:
                self._lose(str(error))

    def _over(self) -> bool:
        return self._bell.now() >= self._ends_at or (self._rules.until_finding and self._found)


def _is_another(before: Snapshot, now: Snapshot) -> bool | None:
    """Whether the server's process is another one; None where one of them could not be seen."""
    if before.processes is None or now.processes is None:
        return None
    was, is_ = before.processes.server, now.processes.server
    return (was.pid, was.created) != (is_.pid, is_.created)
