"""Rules about asks: read, read again, and read of the right session. Pure.

Each takes the scene, the record, and when the observation ended.
"""

from collections import defaultdict

from wedged.lab.conformance.exchange import ASKS, MESSAGES, SESSIONS, SHELLS, STATUSES, Exchange
from wedged.lab.conformance.judgement import (
    HeldAsk,
    Record,
    Rule,
    Said,
    Scene,
    Verdict,
    broken,
    kept,
    lines,
    not_exercised,
)

# A client gets this long to do what follows from what it has just heard, before its silence counts.
TIME_TO_ACT_S = 2.0
# So many reads of one list within so many seconds are polling.
_MANY, _WITHIN_S = 20, 10.0
_POLLED = ASKS | STATUSES | MESSAGES | {SHELLS}
_LOOKS = ("/session", "/api/session", "/event", "/global/event", "/api/event", *sorted(ASKS))


def sees_the_ask(scene: Scene, record: Record, over: float) -> Said:
    """The held session's own ask was in something that the client read."""
    del over
    waiting = [ask for ask in scene.asks if ask.alive and ask.session == scene.session]
    if not waiting:
        return not_exercised("no turn of this session waits for an ask of its own")
    return _sees(waiting, record)


def sees_the_childs_ask(scene: Scene, record: Record, over: float) -> Said:
    """The sub-agent's ask was in something that the client read, and so was whose child it is."""
    del over
    waiting = [ask for ask in scene.asks if ask.alive and ask.session in scene.children]
    if not waiting:
        return not_exercised("no sub-agent waits for an ask")
    verdict, evidence = seen = _sees(waiting, record)
    if verdict is not Verdict.KEPT:
        return seen
    wanted = {ask.session for ask in waiting} | {ask.id for ask in waiting}
    known = [
        one
        for one in record
        if (wanted & one.path_ids) or (one.read and one.template in SESSIONS and wanted & one.ids)
    ]
    if not known:
        return broken(
            *evidence, "but nothing that was asked tells whose child it is: no list of children, no session"
        )
    return kept(*evidence, known[0].line)


def _sees(waiting: list[HeldAsk], record: Record) -> Said:
    # An event that names the ask says that it was answered: it was asked before the client came.
    told = [one for one in record if one.read and not one.opens_stream]
    looked = [one for one in record if one.method == "GET" and one.template.startswith(_LOOKS)]
    lists = [one for one in looked if one.template in ASKS]
    for ask in waiting:
        if any(ask.id in one.ids for one in told):
            continue
        if not looked:
            return not_exercised("the client looked at no session")
        if not lists:
            return broken(f"{ask.id} waits, and no list of asks was read", *lines(looked)[:2])
        return broken(f"{ask.id} waits, and was in no answer that the client got", *lines(lists))
    return kept(next(one.line for one in told if waiting[0].id in one.ids))


def lists_at_start(scene: Scene, record: Record, over: float) -> Said:
    """A list of asks read after the first event stream was opened."""
    return _lists_after(scene, [one for one in record if one.opens_stream][:1], record, over)


def lists_after_reconnect(scene: Scene, record: Record, over: float) -> Said:
    """A list of asks read after each further event stream was opened."""
    return _lists_after(scene, [one for one in record if one.opens_stream][1:], record, over)


def _lists_after(scene: Scene, openings: Record, record: Record, over: float) -> Said:
    del scene
    if not openings:
        return not_exercised("no event stream was opened (again)")
    missed: list[Exchange] = []
    done: list[str] = []
    for place, opening in enumerate(openings):
        until = openings[place + 1].t if place + 1 < len(openings) else over
        read = next((one for one in record if one.asks_read and opening.heard <= one.t <= until), None)
        if read:
            done += [opening.line, read.line]
        elif until - opening.heard >= TIME_TO_ACT_S:
            missed.append(opening)
    if missed:
        return broken(*lines(missed), "and no list of asks was read while that stream was open")
    return kept(*done[:4]) if done else not_exercised("no stream was open long enough")


def goes_by_events(scene: Scene, record: Record, over: float) -> Said:
    """One and the same list, asked many times in a short while."""
    del scene, over
    by_request: defaultdict[tuple[str, str], list[Exchange]] = defaultdict(list)
    for one in record:
        if one.method == "GET" and one.template in _POLLED:
            by_request[one.path, one.directory].append(one)
    if not by_request:
        return not_exercised("no list was read")
    for asked in by_request.values():
        for place in range(len(asked) - _MANY + 1):
            seconds = asked[place + _MANY - 1].t - asked[place].t
            if seconds < _WITHIN_S:
                return broken(f"{_MANY} times in {seconds:.1f} s, {len(asked)} in all", asked[place].line)
    most = max(by_request.values(), key=len)
    return kept(f"at most {len(most)} times: {most[0].method} {most[0].template}")


ASK_RULES = (
    Rule(
        "W101.sees-the-ask",
        "A session that waits for a person is shown with its ask: the client read it.",
        sees_the_ask,
    ),
    Rule(
        "W101.lists-asks-at-start",
        "The list of asks is read once the event stream is open: what is pending by then comes in no event.",
        lists_at_start,
    ),
    Rule(
        "W102.lists-asks-after-reconnect",
        "The list of asks is read again after every reconnect of the event stream: no stream has a replay.",
        lists_after_reconnect,
    ),
    Rule(
        "W105.sees-the-childs-ask",
        "A sub-agent's ask is looked for: in the sub-agent's own list, or in its directory's.",
        sees_the_childs_ask,
    ),
    Rule(
        "W101.goes-by-events",
        f"Lists are not polled: fewer than {_MANY} reads of one list in {_WITHIN_S:g} s.",
        goes_by_events,
    ),
)
