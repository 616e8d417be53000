"""What became of pending asks, as a notebook shows it: the storm over time, and one row a way to lose one."""

from collections.abc import Mapping

from wedged.facts.markdown_text import table_cell
from wedged.facts.shown import Shown, table
from wedged.facts.trial import Lane, Observation, Trial
from wedged.figures import Mark, Steps, draw_roster
from wedged.guide.results import Results

_TRUTH = "asks pending"
_NAIVE = "tries again"
_REFERENCE = "goes by the list"
# What is marked on the time axis.
_MARKS = {
    (Lane.CLIENT, "dispose"): "disposed of",
    (Lane.CLIENT, "reloaded"): "reload",
    (Lane.CLIENT, "reopened"): "reopen",
    (Lane.PROCESS, "server ended"): "ended",
    (Lane.RECORDER, "restarted"): "started",
}
# The facts by which ways to lose an ask are compared, and the words that they are shown under.
_FACTS = {
    "event": "event",
    "call": "call afterwards",
    "listed": "still listed",
    "status": "session",
    "reply": "a late reply",
    "restart": "after a restart",
    "bystander": "another session's shell",
}


def storm_over_time(results: Results, arm: str, *, stem: str, server: str = "") -> Shown:
    """One valid trial of `arm`: how many asks were pending, and how many dialogs each client showed; below it
    the replies of each that were answered 404, server by server.

    Without a `server` it is the one on which most replies were tried again; where the run has no such trial,
    a sentence that says so.
    """
    code = results.failure_class.code
    trials = [t for t in results.folder.trials(code, server) if t.arm == arm and t.valid]
    if not trials:
        return Shown(f"This run has no valid trial of {arm}.\n")
    told = [(trial, results.folder.observations(trial)) for trial in trials]
    loudest = max(told, key=lambda one: _refused(one[1], "naive"))
    figure = _drawn(results, *loudest, stem)
    rows = [
        (t.server, t.n, _refused(seen, "naive"), _refused(seen, "reference"), f"{t.seconds:.1f} s")
        for t, seen in told
    ]
    counted = table(("server", "trial", "404, tries again", "404, goes by the list", "watched"), rows)
    return Shown(f"{figure.markdown}\n\n{counted.markdown}", figure.html + counted.html)


def ways(results: Results, arms: Mapping[str, str]) -> Shown:
    """One row a way to lose a pending ask and server: event, call, list, status, a late reply's answer, what
    a restart changed, and what became of a shell next door.

    `arms` gives each way the words it is shown under; several arms of one way are separated by blanks. A fact
    that a way was not looked at for is left blank. Where trials differ, each answer is shown with how many
    gave it; ways without one stand below the table, with the verdict of their first claim and its reason.
    """
    code = results.failure_class.code
    verdicts = {verdict.server: verdict for verdict in results.verdicts}
    rows: list[tuple[str, ...]] = []
    missing: dict[tuple[str, str], list[str]] = {}
    for named, words in arms.items():
        for server, verdict in verdicts.items():
            trials = [t for t in results.folder.trials(code, server) if t.arm in named.split() and t.valid]
            found = [o.values for t in trials for o in t.outcomes if {"event", "bystander"} & set(o.values)]
            answers = {key: [str(one[key]) for one in found if key in one] for key in _FACTS}
            if any(answers.values()):
                rows.append((words, server, *(_counted(answers[key]) for key in _FACTS)))
                continue
            claim = next((c for c in results.failure_class.claims if c.arm == named.split()[0]), None)
            if claim is not None:
                said = verdict.claim(claim.id)
                missing.setdefault((server, f"{said.verdict}: {said.why}"), []).append(words)
    notes = [
        f"- {table_cell(server)}, {table_cell(why, 200)}: {table_cell('; '.join(of), 2000)}"
        for (server, why), of in missing.items()
    ]
    below = "\n".join(["", "Not in the table:", "", *notes, ""]) if notes else ""
    return Shown(table(("way", "server", *_FACTS.values()), rows).markdown + below)


def _drawn(results: Results, trial: Trial, seen: tuple[Observation, ...], stem: str) -> Shown:
    samples = [o for o in seen if o.lane is Lane.CLIENT and o.kind == "dialogs"]
    begins = next((o.t for o in seen if o.lane is Lane.ASK), 0.0)
    steps = [
        Steps(name, ((begins, 1), *((o.t, _count(o, key)) for o in samples)))
        for name, key in ((_TRUTH, "pending"), (_NAIVE, "naive"), (_REFERENCE, "reference"))
    ]
    gone = next((o.t for o in seen if o.kind == "dispose"), None)
    if gone is not None:
        steps[0] = Steps(_TRUTH, tuple(sorted((*(p for p in steps[0].points if p[0] < gone), (gone, 0)))))
    ends = max(trial.seconds, samples[-1].t + 0.1) if samples else max(trial.seconds, 0.1)
    marks = [Mark(o.t, _MARKS[o.lane, o.kind]) for o in seen if (o.lane, o.kind) in _MARKS]
    alt = (
        f"Three counts over {ends:.0f} seconds on {trial.server}: no ask is pending after the disposal; the "
        f"client that tries again gets {_refused(seen, 'naive')} answers of 404, the one that goes by the "
        f"list {_refused(seen, 'reference')}."
    )
    place = results.folder.figures / stem
    figure = draw_roster(steps, marks=marks, ends=ends, alt=alt, stem=place)
    return Shown(figure.markdown(), figure.html())


def _refused(seen: tuple[Observation, ...], who: str) -> int:
    """How many replies of this client were answered 404."""
    return sum(o.kind == f"{who} answers" and o.data.get("status") == 404 for o in seen)


def _count(observation: Observation, name: str) -> int:
    value = observation.data.get(name)
    return value if isinstance(value, int) else 0


def _counted(answers: list[str]) -> str:
    known = dict.fromkeys(answers)
    if len(known) <= 1:
        return "".join(known)
    return ", ".join(f"{answer} ({answers.count(answer)} of {len(answers)})" for answer in known)
