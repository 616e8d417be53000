"""Rules about replies: to whom, where, with what, and when no more. Pure.

Each takes the scene, the record, and when the observation ended.
"""

from collections.abc import Iterator

from wedged.facts.server import Line
from wedged.lab.conformance.ask_rules import TIME_TO_ACT_S
from wedged.lab.conformance.exchange import Exchange
from wedged.lab.conformance.judgement import (
    HeldAsk,
    Record,
    Rule,
    Said,
    Scene,
    broken,
    kept,
    lines,
    not_exercised,
)

# Nobody reads a permission's path and decides in less.
_TIME_TO_READ_S = 0.5


def final_404(scene: Scene, record: Record, over: float) -> Said:
    """Replies to an ask after a 404 to the same ask in the same directory."""
    del scene, over
    refused: dict[tuple[str, str], Exchange] = {}
    again: list[Exchange] = []
    for one in record:
        key = (one.replies_to, one.directory)
        if not one.replies_to:
            continue
        if key in refused:
            again.append(one)
        elif one.status == 404:
            refused[key] = one
    if again:
        first = refused[again[0].replies_to, again[0].directory]
        times = f"answered again {len(again)} time{'s' if len(again) > 1 else ''} after its first 404"
        return broken(times, first.line, *lines(again))
    return kept(*lines(list(refused.values()))) if refused else not_exercised("no reply was answered 404")


def reads_list_after_404(scene: Scene, record: Record, over: float) -> Said:
    """A list of asks read after the first 404 to a reply."""
    del scene
    refused = [one for one in record if one.replies_to and one.status == 404]
    if not refused:
        return not_exercised("no reply was answered 404")
    after = [one for one in record if one.asks_read and one.t >= refused[0].heard]
    if after:
        return kept(refused[0].line, after[0].line)
    if over - refused[0].heard < TIME_TO_ACT_S:
        return not_exercised("the observation ended right after the 404")
    return broken(refused[0].line, "and no list of asks was read after it")


def replies_in_its_directory(scene: Scene, record: Record, over: float) -> Said:
    """V1: a reply to a live ask that was sent to another directory, and answered as if it were gone."""
    del over
    if scene.line is not Line.V1:
        return not_exercised("this server finds an ask by its session, whatever the directory")
    replies = [(one, ask) for one, ask in _replies(scene, record) if ask.alive]
    lost = [one for one, ask in replies if one.status == 404 and scene.asked_in(one) != ask.directory]
    if lost:
        return broken(
            f"it waits in {next(ask.directory for one, ask in replies if one in lost)}", *lines(lost)
        )
    right = [one for one, ask in replies if one.worked and one.directory == ask.directory]
    return kept(*lines(right)) if right else not_exercised("no live ask was answered by its directory")


def no_unseen_always(scene: Scene, record: Record, over: float) -> Said:
    """``always`` for an ask that the client had not read, or had read too short a time before."""
    del scene, over
    always = [one for one in record if one.replies_to and one.decision == "always"]
    if not always:
        answered = [one for one in record if one.replies_to]
        return kept(*lines(answered)) if answered else not_exercised("no ask was answered")
    for one in always:
        read = [when for other in record for seen, when in other.named if seen == one.replies_to]
        if not read or one.t < min(read):
            return broken(one.line, "and the client had never read that ask")
        if one.t - min(read) < _TIME_TO_READ_S:
            return broken(one.line, f"{one.t - min(read):.2f} s after the client had first read of that ask")
    return kept(*lines(always))


def leaves_leftovers(scene: Scene, record: Record, over: float) -> Said:
    """An approval of an ask that no turn waits for: its call still runs."""
    del over
    if scene.code != "W104":
        return not_exercised("no ask is left over")
    replies = [one for one, ask in _replies(scene, record) if not ask.alive]
    approved = [one for one in replies if one.decision in ("once", "always")]
    if approved:
        return broken("no turn waits for it, and its call runs all the same", *lines(approved))
    return kept(*lines(replies)) if replies else not_exercised("the leftover was not answered")


def declines_with_words(scene: Scene, record: Record, over: float) -> Said:
    """V2: a reject without a message ends the turn as a shutdown would."""
    del over
    if scene.line is Line.V1:
        return not_exercised("V1 keeps no record of a turn's execution")
    rejects = [one for one in record if one.worked and one.replies_to and one.decision == "reject"]
    bare = [one for one in rejects if not one.worded]
    if bare:
        return broken("the turn ends as `shutdown`, and 2.x resumes it", *lines(bare))
    return kept(*lines(rejects)) if rejects else not_exercised("no permission was declined")


def _replies(scene: Scene, record: Record) -> Iterator[tuple[Exchange, HeldAsk]]:
    for one in record:
        ask = scene.ask(one.replies_to) if one.replies_to else None
        if ask:
            yield one, ask


REPLY_RULES = (
    Rule(
        "W101.no-unseen-always",
        "Nobody answers `always` for an ask that no person has seen.",
        no_unseen_always,
    ),
    Rule(
        "W102.final-404",
        "An ask that answered 404 is gone for good: it is not answered again.",
        final_404,
    ),
    Rule(
        "W102.reads-list-after-404",
        "After a 404 the list of asks is read, and its dialogs are the ones that are shown.",
        reads_list_after_404,
    ),
    Rule(
        "W001.replies-in-its-directory",
        "V1: a reply names the ask's own directory; another one answers 404, and the ask still waits.",
        replies_in_its_directory,
    ),
    Rule(
        "W103.declines-with-words",
        "V2: a decline goes with a message, so that the turn goes on to its own end.",
        declines_with_words,
    ),
    Rule(
        "W104.leaves-leftovers",
        "An ask that no turn waits for is never approved: it is dismissed.",
        leaves_leftovers,
    ),
)
