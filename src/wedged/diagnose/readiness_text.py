"""Readiness as plain text for a terminal, and its progress as one line. No colour."""

from collections import Counter
from collections.abc import Callable, Iterable

from wedged.diagnose.age import age_words
from wedged.diagnose.readiness import Blocker, BlockerKind, Readiness, Verdict
from wedged.diagnose.report_text import who
from wedged.diagnose.strangers import command_line
from wedged.facts.plain_text import plain
from wedged.facts.redaction import redact
from wedged.facts.wrapping import WIDTH, fitting, wrapped

_ABOUT_ROWS = 4
_BLOCKERS = 40
_NAMES = {
    BlockerKind.SHELL: ("shell", "shells"),
    BlockerKind.TURN: ("active turn", "active turns"),
    BlockerKind.ASK: ("pending ask", "pending asks"),
    BlockerKind.PROCESS: ("process that the server does not know", "processes that the server does not know"),
}


def readiness_text(
    said: Readiness, *, width: int = WIDTH, seconds_between: float | None = None, secrets: Iterable[str] = ()
) -> str:
    """The report, ending with a line break. What came from the server is escaped, what looks like a
    credential redacted. Commands are shown: nobody could decide without them."""
    width = fitting(width)
    look = said.look
    blocks = [
        wrapped(who(look), width, "", "  "),
        wrapped(_head(said), width),
    ]
    secrets = tuple(secrets)

    def safe(text: str) -> str:
        return plain(redact(text, secrets))

    blocks += [_block(blocker, look.taken_ms, width, safe) for blocker in said.blockers[:_BLOCKERS]]
    if (more := len(said.blockers) - _BLOCKERS) > 0:
        blocks.append([f"and {more} more: --json has them all"])
    if said.unknown:
        blocks.append(["NOT KNOWN", *_rows((f"{g.what}: {g.why}" for g in said.unknown), width, safe)])
    blocks.append(_checked(said, seconds_between, width, safe))
    return "\n\n".join("\n".join(safe(row) for row in block) for block in blocks) + "\n"


def progress_line(state: str, waited_s: float) -> str:
    """One line that says where the waiting stands after so many seconds."""
    return f"{age_words(waited_s)}: {plain(redact(state, ()))}"


def waited_for(said: Readiness) -> str:
    """What is waited for, in counts: nothing of a server's words is in it."""
    if said.blockers:
        return f"waiting for {counted(said.blockers)}"
    return (
        "ready" if said.verdict is Verdict.READY else "nothing found to run, but not everything could be seen"
    )


def counted(blockers: Iterable[Blocker]) -> str:
    """``2 shells, 1 active turn``."""
    numbers = Counter(blocker.kind for blocker in blockers)
    return ", ".join(f"{numbers[k]} {_NAMES[k][numbers[k] > 1]}" for k in BlockerKind if numbers[k])


def _head(said: Readiness) -> str:
    match said.verdict:
        case Verdict.READY if said.unseen:
            return "READY by the server's own lists: nothing in them would be lost by a restart."
        case Verdict.READY:
            return "READY: nothing runs that a restart would end."
        case Verdict.UNKNOWN:
            return "NOT KNOWN: nothing was found to run, but not everything could be seen."
    return f"NOT SAFE TO RESTART: {counted(said.blockers)}."


def _block(blocker: Blocker, now_ms: int, width: int, safe: Callable[[str], str]) -> list[str]:
    age = "" if blocker.since_ms is None else f", for {age_words(max(0, now_ms - blocker.since_ms) / 1000)}"
    pid = f", process {blocker.pid}" if blocker.kind is BlockerKind.SHELL and blocker.pid else ""
    rows = wrapped(safe(f"{blocker.kind} {blocker.id}{pid}{age}"), width, "", "  ")
    facts = [("about", blocker.about), ("why", blocker.why)]
    if blocker.session and blocker.session != blocker.id:
        facts.append(("session", blocker.session))
    if blocker.parents:
        facts.append(("parent", " < ".join(blocker.parents)))
    facts.append(("directory", blocker.directory))
    for name, value in facts:
        if value:
            rows += _fact(name, safe(value), width)
    return rows


def _fact(name: str, value: str, width: int) -> list[str]:
    lead = f"  {name:<10}"
    # Only what nobody copies is broken within a word: ids and directories stay whole.
    long = name == "about"
    rows = wrapped(value, width, lead, " " * len(lead), long) or [lead.rstrip()]
    return [*rows[:_ABOUT_ROWS], f"{' ' * len(lead)}…"] if long and len(rows) > _ABOUT_ROWS else rows


def _rows(lines: Iterable[str], width: int, safe: Callable[[str], str]) -> list[str]:
    return [row for line in lines for row in wrapped(safe(line), width, "  - ", "    ")]


def _checked(
    said: Readiness, seconds_between: float | None, width: int, safe: Callable[[str], str]
) -> list[str]:
    look = said.look
    counts = [
        _count(len(look.sessions), "session"),
        _count(len(look.shells), "shell"),
        _count(len(look.asks), "pending ask"),
    ]
    if look.processes is not None:
        counts.append(f"{_count(len(look.processes.below), 'process', 'processes')} below the server")
    looks = "one look" if seconds_between is None else f"two looks {seconds_between:.1f} s apart"
    where = f"in {_count(len(look.scopes), 'directory', 'directories')}"
    rows = wrapped(f"Checked: {', '.join(counts)}, {where}, {looks}", width, "", "  ")
    unseen = [f"not seen: {gap.what}: {gap.why}" for gap in said.unseen]
    expected = [f"expected: process {one.pid}, {command_line(one)}" for one in said.expected]
    for line in (*unseen, *expected):
        rows += wrapped(safe(line), width, "  ", "    ")
    return rows


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
