"""What a restart of the server did to sessions, as a notebook shows it."""

from collections.abc import Mapping

from wedged.evidence import exact_interval
from wedged.facts.shown import Shown
from wedged.facts.trial import Lane, Observation, Trial
from wedged.figures import Figure, Proportion, Strip, draw_proportions, draw_timeline
from wedged.guide.results import Results

# How long the picture goes on after the last thing that happened in it.
_AFTER_S = 0.5


def over_a_restart(results: Results, arms: Mapping[str, str], *, stem: str, server: str = "") -> Shown:
    """The first valid trial of each arm from the prompt to what the next server made of it, one strip each,
    the restart shaded. `arms` gives each arm the words it is shown under. Without a `server` it is the first
    one on which the model was asked again for any of them, else the first. Where the run has no such trial
    of one of them, a sentence that says so.
    """
    strips, words, on = [], [], server or _telling(results, arms)
    for arm, label in arms.items():
        found = _restarted(results, arm, on)
        if found is None:
            return _none_of(arm)
        trial, seen, down = found
        later = [o for o in seen if o.t > down[0] and _is_request(o)]
        strips.append(Strip(f"{label}, {trial.server}", seen, seen[-1].t + _AFTER_S, fault=down))
        asked = f"asked again {later[0].t - down[0]:.1f} s after its end" if later else "not asked again"
        words.append(f"{label}: the model is {asked}")
    alt = f"{len(strips)} sessions over one restart of {on}; {'; '.join(words)}."
    return _shown(draw_timeline(strips, alt=alt, stem=results.folder.figures / stem))


def asked_again(results: Results, arms: Mapping[str, str], *, axis: str, stem: str) -> Shown:
    """How often the model was asked again after the restart, one figure a server.

    A trial counts if it is valid and its first outcome holds ``requests``, how often that was.
    """
    trials = [t for t in results.folder.trials(results.failure_class.code) if t.valid and t.arm in arms]
    if not trials:
        return _none_of(*arms)
    shown = []
    for server in dict.fromkeys(trial.server for trial in trials):
        rows = []
        for arm, label in arms.items():
            found = [_requests(t) for t in trials if t.server == server and t.arm == arm]
            asked = [count for count in found if count is not None]
            k, n = sum(count > 0 for count in asked), len(asked)
            interval = exact_interval(k, n) if n else None
            low, high = (interval.low, interval.high) if interval else (0.0, 0.0)
            rows.append(Proportion(label, k, n, low, high))
        said = "; ".join(f"{row.label}: {row.k} of {row.n}" for row in rows)
        place = results.folder.figures / f"{stem}-{server.replace('@', '-')}"
        shown.append(
            draw_proportions(rows, axis=f"{axis}, {server}", alt=f"{axis}, {server}. {said}.", stem=place)
        )
    return Shown("\n\n".join(f.markdown() for f in shown), "".join(f.html() for f in shown))


def _telling(results: Results, arms: Mapping[str, str]) -> str:
    trials = [t for t in results.folder.trials(results.failure_class.code) if t.valid and t.arm in arms]
    servers = [t.server for t in trials if _requests(t)] + [t.server for t in trials]
    return servers[0] if servers else ""


def _restarted(
    results: Results, arm: str, server: str
) -> tuple[Trial, tuple[Observation, ...], tuple[float, float]] | None:
    """A trial, what was seen up to the end of the first turn after the restart, and when no server ran."""
    for trial in results.folder.trials(results.failure_class.code, server):
        seen = results.folder.observations(trial) if trial.arm == arm and trial.valid else ()
        ended = next((o.t for o in seen if o.kind == "server ended"), None)
        back = next((o.t for o in seen if o.kind == "restarted"), None)
        if ended is None or back is None:
            continue
        ends = [o.t for o in seen if o.t > ended and o.lane is Lane.STATUS and o.kind == "idle"]
        until = max(back, ends[0] if ends else back)
        return trial, tuple(o for o in seen if o.t <= until), (ended, back)
    return None


def _none_of(*arms: str) -> Shown:
    return Shown(f"This run has no valid trial of {' or '.join(arms)} over a restart.\n")


def _is_request(o: Observation) -> bool:
    return o.lane is Lane.MODEL and o.kind == "request"


def _requests(trial: Trial) -> int | None:
    value = trial.outcomes[0].values.get("requests") if trial.outcomes else None
    return value if isinstance(value, int) else None


def _shown(figure: Figure) -> Shown:
    return Shown(figure.markdown(), figure.html())
