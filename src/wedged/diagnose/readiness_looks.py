"""How many looks it takes to say that nothing runs. Given the means to look; does none of it itself."""

from collections.abc import Callable, Sequence

from wedged.diagnose.readiness import BlockerKind, Readiness, readiness
from wedged.diagnose.strangers import strangers
from wedged.facts.snapshot import Snapshot, Window

BETWEEN_S = 0.5
_LOOKS = 5


def decide(
    take: Callable[[Snapshot | None], Snapshot],
    wait: Callable[[float], None],
    *,
    after: Snapshot | None = None,
    expect: Sequence[str] = (),
    lists_only: bool = False,
) -> tuple[Readiness, Window]:
    """Look until it is sure, and the looks that it rests on.

    One look is enough to say that something runs. That nothing does takes two, half a second apart: a shell
    that ends wakes its session, and between the reads of a single look neither may be seen. A process that
    no list explains counts when it is still there in the next look; while new ones appear, it looks again,
    and in the end counts them all.

    `take` looks everywhere when given None, and where the given look looked otherwise, which is cheaper. One
    of the looks behind "nothing runs" is always of the first kind. `after` is a look made a while ago.
    """
    earlier = take(after)
    everywhere = after is None
    said = readiness(Window(earlier), expect=expect, lists_only=lists_only)
    if any(blocker.kind is not BlockerKind.PROCESS for blocker in said.blockers):
        return said, Window(earlier)
    for _ in range(_LOOKS - 1):
        wait(BETWEEN_S)
        latest = take(earlier if everywhere else None)
        everywhere = True
        window = Window(latest, earlier)
        if {one.key for one in strangers(latest, expect)} <= {one.key for one in strangers(earlier, expect)}:
            return readiness(window, expect=expect, lists_only=lists_only), window
        earlier = latest
    return readiness(Window(earlier), expect=expect, lists_only=lists_only), Window(earlier)
