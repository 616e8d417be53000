"""Two looks with some time between them: what moved in between tells work from waiting."""

from collections.abc import Callable, Sequence

from wedged.client.protocols import Reader
from wedged.facts.process import Tree
from wedged.facts.snapshot import Gap, Snapshot, Window
from wedged.observe.live import look
from wedged.observe.patience import LONGEST_S
from wedged.waiting import pause


def look_twice(
    reader: Reader,
    *,
    sample_s: float,
    scopes: Sequence[str] = (),
    sessions: Sequence[str] = (),
    every_directory: bool = False,
    tree: Callable[[], Tree | Gap] | None = None,
    source: str = "",
    wait: Callable[[float], None] = pause,
    longest_s: float = LONGEST_S,
    keep: Callable[[Snapshot], object] = lambda _: None,
) -> Window:
    """A look, `sample_s` seconds, and a second look at the same directories.

    Where nothing works and nothing is asked, or with a `sample_s` of 0, the first look is the only one.
    `longest_s` as in `look`, for each of the two. `keep` is given the first one as soon as it is there: the
    server may be gone before the second.

    Raises:
        CannotLook: the server does not even say who it is and where.
    """
    first = look(
        reader,
        scopes=scopes,
        sessions=sessions,
        every_directory=every_directory,
        tree=tree,
        source=source,
        longest_s=longest_s,
    )
    keep(first)
    if sample_s <= 0 or not _worth_a_second(first):
        return Window(first)
    wait(sample_s)
    again = [scope.directory for scope in first.scopes]
    second = look(
        reader,
        scopes=again,
        sessions=sessions,
        peek=first,
        tree=tree,
        source=source,
        longest_s=longest_s,
    )
    return Window(second, first)


def _worth_a_second(first: Snapshot) -> bool:
    return bool(first.asks) or any(session.works for session in first.sessions)
