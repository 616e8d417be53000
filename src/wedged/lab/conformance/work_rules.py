"""Rules about work: who is busy, what runs in the background, what a write or a restart would hit. Pure.

Each takes the scene, the record, and when the observation ended.
"""

from wedged.facts.server import Line
from wedged.lab.conformance.exchange import MESSAGES, SHELLS, STATUSES, V1_ASKS, Exchange
from wedged.lab.conformance.judgement import Record, Rule, Said, Scene, broken, kept, lines, not_exercised

# What ends work on a server as a whole, or in a location of it.
_ENDS = {
    ("POST", "/global/dispose"),
    ("POST", "/instance/dispose"),
    ("PATCH", "/global/config"),
    ("PATCH", "/config"),
    ("DELETE", "/api/debug/location"),
    ("POST", "/api/location/reload"),
    ("POST", "/api/service/stop"),
}
_STOPS = {("POST", "/session/{sessionID}/abort"), ("POST", "/api/session/{sessionID}/interrupt")}
_DELETES = {("DELETE", "/session/{sessionID}"), ("DELETE", "/api/session/{sessionID}")}
_PROMPTS = {("POST", "/api/session/{sessionID}/prompt")}
_PART = "/session/{sessionID}/message/{messageID}/part/{partID}"
_SETTLES = {
    ("PATCH", _PART),
    ("DELETE", _PART),
    ("DELETE", "/session/{sessionID}/message/{messageID}"),
}


def asks_own_directory(scene: Scene, record: Record, over: float) -> Said:
    """V1: statuses or asks read for another directory than the session's, and never for that one."""
    del over
    if scene.line is not Line.V1:
        return not_exercised("this server's list of active sessions is one for all directories")
    asked = [one for one in record if one.read and (one.template in STATUSES or one.template in V1_ASKS)]
    if not asked:
        return not_exercised("no list that belongs to one directory was read")
    right = [one for one in asked if one.directory == scene.directory]
    if right:
        return kept(right[0].line)
    if scene.directory == scene.own_directory:
        return not_exercised("the session's directory is the server's own, which needs no naming")
    return broken(f"the session works in {scene.directory}; its lists were never asked there", *lines(asked))


def lists_shells(scene: Scene, record: Record, over: float) -> Said:
    """The running shell was in a list of shells that the client read."""
    del over
    if not scene.shells:
        return not_exercised("no background shell runs")
    if not record:
        return not_exercised("the client sent nothing")
    # Not the events: one that names the shell says that it has ended, and a message only that it began.
    asked = [one for one in record if one.read and one.template.startswith(SHELLS)]
    for shell in scene.shells:
        if any(shell in one.ids for one in asked):
            continue
        if not asked:
            looked = [one for one in record if one.method == "GET"]
            return broken(f"{shell} runs, and GET {SHELLS} was never sent", *lines(looked)[:2])
        return broken(f"{shell} runs, and was in no answer: name its location", *lines(asked))
    return kept(next(one.line for one in asked if scene.shells[0] in one.ids))


def stop_ends_shells(scene: Scene, record: Record, over: float) -> Said:
    """A stop of the session that left its shell running."""
    del over
    if not scene.shells:
        return not_exercised("no background shell runs")
    stops = [one for one in record if _route(one) in _STOPS and scene.session in one.path_ids]
    if not stops:
        return not_exercised("the session was not stopped")
    ended = [one for one in record if one.worked and one.method == "DELETE" and _shell_of(one)]
    left = set(scene.shells) - {_shell_of(one) for one in ended}
    if left:
        return broken(*lines(stops), f"and {', '.join(sorted(left))} was not ended")
    return kept(stops[0].line, *lines(ended))


def no_restart_over_work(scene: Scene, record: Record, over: float) -> Said:
    """A dispose, reload, stop or delete while something of the held state still ran or waited."""
    del over
    ends = [one for one in record if _route(one) in _ENDS and one.worked]
    ends += [
        one for one in record if _route(one) in _DELETES and scene.session in one.path_ids and one.worked
    ]
    if not ends:
        return not_exercised("nothing was restarted, disposed of or deleted")
    for end in ends:
        if running := _running(scene, record, end.t):
            return broken(end.line, f"while {running}")
    return kept(*lines(ends))


def _running(scene: Scene, record: Record, at: float) -> str:
    """What of the held state was still there at that time; "" for nothing."""
    done = [one for one in record if one.worked and one.t < at]
    answered = {one.replies_to for one in done}
    stopped = {one for each in done if _route(each) in _STOPS for one in each.path_ids}
    asks = [ask.id for ask in scene.asks if ask.alive and ask.id not in answered]
    asks = [ask for ask in asks if not _owner_stopped(scene, ask, stopped)]
    shells = set(scene.shells) - {_shell_of(one) for one in done if one.method == "DELETE"}
    if shells:
        return f"shell {min(shells)} ran"
    if asks:
        return f"{asks[0]} waited for a person"
    return f"a turn of {scene.session} ran" if scene.works and scene.session not in stopped else ""


def _owner_stopped(scene: Scene, ask_id: str, stopped: set[str]) -> bool:
    ask = scene.ask(ask_id)
    return ask is not None and ask.session in stopped


def leaves_live_calls(scene: Scene, record: Record, over: float) -> Said:
    """A write to a call that runs, where the list that was asked does not name its session."""
    del over
    if scene.code not in ("W001", "W002"):
        return not_exercised("no call runs that this server's bare list does not name")
    wrong = _SETTLES | (_PROMPTS if scene.code == "W002" else set())
    hit = [one for one in record if _route(one) in wrong and scene.session in one.path_ids and one.worked]
    if hit:
        return broken("the call that it was sent for runs", *lines(hit))
    read = [one for one in record if one.read and one.template in MESSAGES and scene.session in one.path_ids]
    return kept(*lines(read)) if read else not_exercised("the client never read the running call")


def looks_before_settling(scene: Scene, record: Record, over: float) -> Said:
    """V1's cure of a stale call, without having asked whether anybody works on its session."""
    del over
    if scene.code != "W201":
        return not_exercised("no call is left over from a crash")
    writes = [one for one in record if _route(one) in _SETTLES and scene.session in one.path_ids]
    if not writes:
        return not_exercised("the stale call was not written to")
    asked = [
        one
        for one in record
        if one.read
        and one.template in STATUSES
        and one.t < writes[0].t
        and (scene.line is not Line.V1 or scene.asked_in(one) == scene.directory)
    ]
    if not asked:
        return broken(writes[0].line, "and no list of statuses was read for its directory before")
    return kept(asked[-1].line, writes[0].line)


def _route(exchange: Exchange) -> tuple[str, str]:
    return exchange.method, exchange.template


def _shell_of(exchange: Exchange) -> str:
    is_shell = exchange.template == f"{SHELLS}/{{shellID}}"
    return exchange.path.rpartition("/")[2] if is_shell else ""


WORK_RULES = (
    Rule(
        "W001.asks-own-directory",
        "V1: statuses and asks are read for the session's own directory; without it the answer is empty.",
        asks_own_directory,
    ),
    Rule(
        "W301.lists-shells",
        "A session with a running background shell is not finished: the client read the list of shells.",
        lists_shells,
    ),
    Rule(
        "W301.stop-ends-shells",
        "Stop means all of it: the session's shells are ended too, since an interrupt leaves them running.",
        stop_ends_shells,
    ),
    Rule(
        "W301.no-restart-over-work",
        "Nothing is restarted, disposed of or deleted while a shell, a turn or an ask of it is there.",
        no_restart_over_work,
    ),
    Rule(
        "W002.leaves-live-calls",
        "A call that somebody else runs is left alone: no part is written, no prompt is sent over it.",
        leaves_live_calls,
    ),
    Rule(
        "W201.looks-before-settling",
        "A stale call is settled only after its session's own status was read.",
        looks_before_settling,
    ),
)
