"""A trial's rosters over time, as a notebook shows them."""

from wedged.facts.shown import Shown
from wedged.facts.trial import Lane, Observation, Trial
from wedged.figures import Mark, Steps, draw_roster
from wedged.guide.results import Results

_TRUTH = "what runs"
_NAIVE = "naive client"
_RIGHT = "right client"
# What is marked on the time axis, by the kind of the observation.
_MARKS = {
    "server ended": "server ended",
    "restarted": "it listens again",
    "next prompt": "next prompt",
}


def rosters_over_time(results: Results, arm: str, *, stem: str, server: str = "") -> Shown:
    """The first valid trial of `arm` whose timeline holds ``rosters``: how many things ran, by the process
    table and the list of active sessions, and how many each kind of client had in its roster.

    Raises:
        LookupError: the run has no such trial.
    """
    for trial in results.folder.trials(results.failure_class.code, server):
        seen = results.folder.observations(trial) if trial.arm == arm and trial.valid else ()
        if any(_is_roster(o) and "right" in o.data for o in seen):
            return _drawn(results, trial, seen, stem)
    raise LookupError(f"the run has no valid trial of {arm} that holds rosters")


def _drawn(results: Results, trial: Trial, seen: tuple[Observation, ...], stem: str) -> Shown:
    samples = [o for o in seen if _is_roster(o)]
    # While the server is down there are processes to be seen, and no answer that a client could go by.
    answered = [o for o in samples if "right" in o.data]
    truth = Steps(_TRUTH, tuple((o.t, _runs(o)) for o in samples))
    naive = Steps(_NAIVE, tuple((o.t, _count(o, "naive")) for o in answered))
    right = Steps(_RIGHT, tuple((o.t, _count(o, "right")) for o in answered))
    ends = max(trial.seconds, samples[-1].t + 0.1)
    marks = [Mark(o.t, _MARKS[o.kind]) for o in seen if o.kind in _MARKS]
    missed = max(_count(o, "processes") for o in answered)
    wrong = sum(_count(o, "right") != _runs(o) for o in answered)
    alt = (
        f"Three counts over {ends:.0f} seconds on {trial.server}: the naive client misses up to {missed} "
        f"running shells, the right client differs from what runs in {wrong} of {len(answered)} samples."
    )
    figure = draw_roster(
        [truth, naive, right], marks=marks, ends=ends, alt=alt, stem=results.folder.figures / stem
    )
    return Shown(figure.markdown(), figure.html())


def _is_roster(observation: Observation) -> bool:
    return observation.lane is Lane.CLIENT and observation.kind == "rosters"


def _runs(observation: Observation) -> int:
    """Shells by the process table, turns by the server's word."""
    return _count(observation, "processes") + _count(observation, "naive")


def _count(observation: Observation, name: str) -> int:
    value = observation.data.get(name)
    return value if isinstance(value, int) else 0
