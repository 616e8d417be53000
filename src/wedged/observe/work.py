"""A look for all that runs on a server."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from wedged.client.protocols import Reader
from wedged.errors import CannotLook
from wedged.facts.process import Tree
from wedged.facts.server import Line
from wedged.facts.snapshot import Gap, Snapshot
from wedged.observe.live import ELSEWHERE_LIMIT, look

# How far a process's start may be off: it is kept in ticks since boot, and the clock may have been set since.
_CLOCK_S = 120.0


def look_for_work(
    reader: Reader,
    *,
    scopes: Sequence[str] = (),
    every_directory: bool = False,
    peek: Snapshot | None = None,
    tree: Callable[[], Tree | Gap] | None = None,
    source: str = "",
) -> Snapshot:
    """`look`, with every location that a V2 server has loaded among its scopes, and those of `peek`.

    Sessions that were left out are no gap where none of them can run here: on V2, whose list of active
    sessions is the whole server's, and where they were last written to before this server's process began.

    Raises:
        CannotLook: as for `look`.
    """
    try:
        loaded = reader.loaded() or ()
    except CannotLook:
        loaded = ()  # `look` asks the same, and then it is a gap
    before = (scope.directory for scope in (peek.scopes if peek else ()))
    seen = look(
        reader,
        scopes=(*scopes, *loaded, *before),
        every_directory=every_directory,
        peek=peek,
        tree=tree,
        source=source,
    )
    moot = _moot(seen, reader.directory())
    return replace(seen, gaps=tuple(gap for gap in seen.gaps if gap not in moot))


def _moot(seen: Snapshot, own: str) -> list[Gap]:
    unlisted = [gap for gap in seen.gaps if gap.why.startswith("only the newest ")]
    unread = [gap for gap in seen.left_out if gap.what.endswith(" older sessions of other directories")]
    if seen.identity.line is not Line.V1:
        return [*unlisted, *unread]
    if seen.processes is None:
        return []
    began_ms = (seen.processes.server.created - _CLOCK_S) * 1000
    # Newest first, as `look` goes through them; what it did not list is older than all that it did.
    written = sorted((s.updated_ms or 0 for s in seen.sessions if s.directory != own), reverse=True)
    if written[ELSEWHERE_LIMIT - 1 :] and written[ELSEWHERE_LIMIT - 1] < began_ms:
        return [*unlisted, *unread]
    return []
