"""What a crash of the server did to sessions, as a notebook shows it."""

from collections.abc import Mapping

from wedged.facts.session import PartStatus
from wedged.facts.shown import Shown
from wedged.facts.trial import Lane, Observation, Trial
from wedged.figures import Strip, draw_timeline
from wedged.guide.results import Results

_AFTER_S = 0.5


def over_a_crash(results: Results, arms: Mapping[str, str], *, stem: str, server: str = "") -> Shown:
    """The first valid trial of each arm from the prompt to the last look, one strip each, the time without a
    server shaded. A call that has not ended by then is hatched from the crash on. `arms` gives each arm the
    words it is shown under; without a `server` it is the run's first.

    Raises:
        LookupError: the run has no valid trial of one of them that holds a crash.
    """
    strips, words, on = [], [], server
    for arm, label in arms.items():
        trial, seen, down = _crashed(results, arm, on)
        on = on or trial.server
        last = _last_status(seen)
        stuck = None if PartStatus(last).terminal else down[0]
        strips.append(Strip(f"{label}, {trial.server}", seen, seen[-1].t + _AFTER_S, stuck, down))
        words.append(
            f"{label}: killed after {down[0]:.1f} s, back after {down[1]:.1f} s, its call then {last}"
        )
    alt = f"{len(strips)} sessions over one crash of {on}; {'; '.join(words)}."
    figure = draw_timeline(strips, alt=alt, stem=results.folder.figures / stem)
    return Shown(figure.markdown(), figure.html())


def _crashed(
    results: Results, arm: str, server: str
) -> tuple[Trial, tuple[Observation, ...], tuple[float, float]]:
    """A trial, what was seen in it up to the first look after the crash, and when no server ran."""
    for trial in results.folder.trials(results.failure_class.code, server):
        seen = results.folder.observations(trial) if trial.arm == arm and trial.valid else ()
        ended = next((o.t for o in seen if o.kind == "server ended" and o.data.get("how") == "SIGKILL"), None)
        back = next((o.t for o in seen if o.kind == "restarted" and ended is not None and o.t > ended), None)
        looks = [o.t for o in seen if o.kind == "looked" and back is not None and o.t > back]
        if ended is not None and back is not None and looks:
            return trial, tuple(o for o in seen if o.t <= looks[0]), (ended, back)
    raise LookupError(f"the run has no valid trial of {arm} that holds a crash")


def _last_status(seen: tuple[Observation, ...]) -> str:
    """The call's status in the last look, as the server gave it."""
    looks = [o for o in seen if o.lane is Lane.CLIENT and o.kind == "looked"]
    parts = looks[-1].data.get("parts") if looks else None
    first = parts[0] if isinstance(parts, list) and parts else {}
    return str(first.get("status", PartStatus.UNKNOWN)) if isinstance(first, dict) else PartStatus.UNKNOWN
