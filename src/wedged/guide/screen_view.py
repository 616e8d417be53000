"""What terminals showed and drew, as a notebook shows it."""

from collections.abc import Mapping
from statistics import median

from wedged.facts.screen import Screen, from_rows
from wedged.facts.shown import Shown, table
from wedged.facts.trial import Trial
from wedged.figures import draw_screen
from wedged.guide.results import Results

_FIGURES = ("bytes_in_10_s", "redraws_in_10_s", "core")


def drawn(results: Results, arms: Mapping[str, str]) -> Shown:
    """One row a server and arm: bytes and redraws in 10 s and the share of a core, each the median of the
    valid trials. `arms` gives each arm the words it is shown under."""
    rows = []
    trials = results.folder.trials(results.failure_class.code)
    for server in dict.fromkeys(trial.server for trial in trials):
        for arm, words in arms.items():
            seen = [_figures(t) for t in trials if t.valid and (t.server, t.arm) == (server, arm)]
            found = [figures for figures in seen if figures is not None]
            if found:
                size, redraws, core = (median(column) for column in zip(*found, strict=True))
                rows.append((server, words, f"{size:,.0f}", f"{redraws:.0f}", f"{core:.1%}", str(len(found))))
    if not rows:
        return _nothing()
    head = ("server", "on the screen", "bytes in 10 s", "redraws in 10 s", "of a core", "terminals")
    return table(head, rows)


def screen(results: Results, arm: str, *, stem: str) -> Shown:
    """The screen of one server's first valid trial of `arm`, as a picture whose words can be selected: of the
    last server in the run's order."""
    found = [
        (t, s)
        for t in results.folder.trials(results.failure_class.code)
        if t.arm == arm and t.valid
        for s in [_screen(results, t)]
        if s is not None
    ]
    if not found:
        return _nothing()
    server = found[-1][0].server
    trial, seen = next((t, s) for t, s in found if t.server == server)
    alt = f"The terminal client on {trial.server}, opened on the session of trial {arm} {trial.n}."
    figure = draw_screen(seen, alt=alt, stem=results.folder.figures / stem)
    return Shown(figure.markdown(), figure.html())


def _screen(results: Results, trial: Trial) -> Screen | None:
    for observation in results.folder.observations(trial):
        if observation.kind == "screen":
            try:
                return from_rows(observation.data.get("rows"))
            except ValueError:
                return None
    return None


def _figures(trial: Trial) -> tuple[float, ...] | None:
    for outcome in trial.outcomes:
        values = [outcome.values.get(name) for name in _FIGURES]
        if all(isinstance(value, int | float) for value in values):
            return tuple(float(str(value)) for value in values)
    return None


def _nothing() -> Shown:
    words = "This run holds no terminal."
    return Shown(words, f"<p>{words}</p>")
