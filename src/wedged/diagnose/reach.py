"""How far a look at a server reached: what was read, what was left alone, and what the reading did. Pure."""

from collections import Counter
from dataclasses import dataclass

from wedged.facts.server import Line
from wedged.facts.snapshot import Snapshot

_FEW = 5
_COLD = "the server does not have it loaded, and no session in it works"
_ASKING = {
    Line.V1: "nothing unfinished was seen in it, and asking makes a V1 server load the project",
    Line.V2_PREVIEW: _COLD,
    Line.V2_RELEASED: _COLD,
}


@dataclass(frozen=True, slots=True)
class Untouched:
    """A directory that `sessions` sessions name and that was not asked."""

    directory: str
    sessions: int
    why: str


@dataclass(frozen=True, slots=True)
class Reached:
    """`read` of the listed sessions were read with their calls. `effects` is what the reading itself did to
    the server, a sentence each."""

    read: int
    untouched: tuple[Untouched, ...]
    effects: tuple[str, ...]


def reached(look: Snapshot) -> Reached:
    """The reach of one look at a server."""
    asked = {scope.directory for scope in look.scopes}
    named = Counter(one.directory for one in look.sessions if one.directory not in ("", *asked))
    left_out = {gap.what.removeprefix("directory "): gap.why for gap in look.left_out}
    why = _ASKING.get(look.identity.line, "")
    return Reached(
        read=sum(one.newest is not None or bool(one.parts) for one in look.sessions),
        untouched=tuple(Untouched(one, count, left_out.get(one, why)) for one, count in named.most_common()),
        effects=_effects(look),
    )


def reach_rows(look: Snapshot, *, show_all: bool = False) -> list[str]:
    """The reach as rows of a report. `show_all` names every directory that was left alone."""
    made = reached(look)
    rows = [f"  read with their calls: {made.read} of {_sessions(len(look.sessions))}"]
    shown = made.untouched if show_all else made.untouched[:_FEW]
    rows += [f"  not asked: {one.directory}, {_sessions(one.sessions)}: {one.why}" for one in shown]
    rest = made.untouched[len(shown) :]
    if rest:
        count = _sessions(sum(one.sessions for one in rest))
        rows.append(f"  not asked: {len(rest)} more directories, {count}: --all names them")
    if made.untouched:
        rows.append("  --directory DIR asks one of these, --all-directories all")
    return [*rows, *(f"  this look itself: {one}" for one in made.effects)]


def _effects(look: Snapshot) -> tuple[str, ...]:
    if look.identity.line is Line.V1:
        # The first is the server's own, which is asked without being named.
        return tuple(
            f"named {scope.directory}, and a V1 server loads the project there, with its plugins, "
            "unless it had"
            for scope in look.scopes[1:]
        )
    if look.woken is None:
        return ("what it made the server load can't be seen: this server does not list what it has loaded",)
    return tuple(f"made the server load {one}, which it had not" for one in look.woken)


def _sessions(count: int) -> str:
    return "1 session" if count == 1 else f"{count} sessions"
