"""A run's results as a notebook shows them. Reads the run folder alone: the lab may be long gone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from statistics import median

from wedged.catalog import by_code
from wedged.evidence import ClassVerdict, RunFolder, exact_interval, fisher_exact, verdicts
from wedged.facts.failure_class import FailureClass
from wedged.facts.shown import Shown, table
from wedged.facts.trial import Lane, Observation, Outcome, Trial
from wedged.figures import Figure, Proportion, Strip, draw_proportions, draw_timeline
from wedged.guide.verdict_table import claim_table, percent


@dataclass(frozen=True, slots=True)
class Results:
    """Everything a run recorded of one class."""

    folder: RunFolder
    failure_class: FailureClass

    @classmethod
    def of(cls, folder: RunFolder, code: str) -> "Results":
        """The results of the class `code` in `folder`.

        Raises:
            UnknownCode: there is no such class.
        """
        return cls(folder, by_code(code))

    @property
    def verdicts(self) -> tuple[ClassVerdict, ...]:
        """The class on each server of the run."""
        code = self.failure_class.code
        return verdicts(self.failure_class, self.folder.cells(code), witnesses=self.folder.witnesses(code))

    def claims(self) -> Shown:
        """One row a claim, one column a server."""
        return Shown(claim_table(self.failure_class, self.verdicts))

    def arms(self, *arms: str) -> Shown:
        """One row an arm and server: trials, valid ones, and how many showed every claim of theirs."""
        rows = []
        for server, arm, trials in self._groups(arms):
            valid = [t for t in trials if t.valid]
            shown = sum(all(o.outcome is Outcome.SYMPTOM for o in t.outcomes) for t in valid)
            interval = exact_interval(shown, len(valid)) if valid else None
            share = f"{percent(interval.low)} to {percent(interval.high)}" if interval else ""
            rows.append((arm, server, f"{len(valid)} of {len(trials)}", f"{shown} of {len(valid)}", share))
        return table(("arm", "server", "valid trials", "as claimed", "exact 95% interval"), rows)

    def cures(self, *arms: str) -> Shown:
        """One row a cure and server: how often it moved the session, and how long that took."""
        rows = []
        for server, arm, trials in self._groups(arms):
            figures = [_figure(t, "healed_s") for t in trials if t.valid]
            healed = [f for f in figures if f is not None]
            took = f"{median(healed):.2f} s, {max(healed):.2f} s" if healed else "did not move"
            what = trials[0].outcomes[0].why if trials and trials[0].outcomes else ""
            rows.append((arm, server, f"{len(healed)} of {len(figures)}", took, what))
        return table(("arm", "server", "turn over", "median, longest", "afterwards (first trial)"), rows)

    def timeline(self, control: str, trigger: str, *, stem: str, server: str = "") -> Shown:
        """The first valid trial of each arm, the control above the trigger, drawn into the run folder.

        The trigger's strip is hatched from its last sign of progress on, if it never ended. Where the run has
        no valid trial of one of them (a server without the feature), a sentence that says so.
        """
        strips, words = [], []
        for arm in (control, trigger):
            trial = next((t for t in self._trials(arm, server) if t.valid), None)
            if trial is None:
                return Shown(f"This run has no valid trial of {arm} to draw.\n")
            seen = self.folder.observations(trial)
            over = next((o.t for o in seen if o.lane is Lane.STATUS and o.kind == "idle" and o.t > 0), None)
            asked = next((o.t for o in seen if o.lane is Lane.ASK), None)
            stuck = None if over is not None else asked
            fault = None if asked is None else (_model_spoke(seen), asked)
            title = f"{arm}, {trial.server}"
            strips.append(Strip(title, seen, max(trial.seconds, 0.1), stuck, fault))
            words.append(
                f"{arm}: the turn is over after {over:.2f} s"
                if over is not None
                else f"{arm}: the server asks after {asked or 0:.2f} s and nothing moves until "
                f"the watch ends at {trial.seconds:.2f} s"
            )
        alt = f"Two timelines of one prompt on {strips[0].title.split(', ')[1]}; {'; '.join(words)}."
        return _shown(draw_timeline(strips, alt=alt, stem=self.folder.figures / stem))

    def stuck_shares(self, arms: Mapping[str, str], *, axis: str, stem: str) -> Shown:
        """How often each arm's turn never ended, over all servers of the run, drawn and as a table.

        `arms` gives each arm the words it is shown under. A trial counts as stuck if its claim says that it
        stays busy and holds, and as not stuck if its claim says that it completes and holds.
        """
        rows = []
        for arm, words in arms.items():
            k, n = self._stuck(arm)
            interval = exact_interval(k, n) if n else None
            low, high = (interval.low, interval.high) if interval else (0.0, 0.0)
            rows.append(Proportion(words, k, n, low, high))
        said = "; ".join(f"{row.label}: {row.k} of {row.n}" for row in rows)
        alt = f"{axis}, on {', '.join(self._servers())}. {said}."
        return _shown(draw_proportions(rows, axis=axis, alt=alt, stem=self.folder.figures / stem))

    def two_by_two(
        self, arms: Mapping[str, tuple[str, str]], columns: tuple[str, str], *, axis: str, stem: str
    ) -> Shown:
        """A 2x2 of arms: the four shares drawn, and an exact test in each of the four strata.

        `arms` has two rows, each with an arm for each of the two `columns`. Where the data separate
        completely an estimate of interaction would mean nothing; the tests say where two arms differ.
        """
        corners = {
            arm: f"{column}, {row}"
            for row, pair in arms.items()
            for column, arm in zip(columns, pair, strict=True)
        }
        first, second = arms
        strata = [(f"{row}: {' against '.join(columns)}", pair) for row, pair in arms.items()]
        strata += [
            (f"{column}: {first} against {second}", (arms[first][place], arms[second][place]))
            for place, column in enumerate(columns)
        ]
        rows = []
        for words, (one, other) in strata:
            (k1, n1), (k2, n2) = self._stuck(one), self._stuck(other)
            p = f"{fisher_exact(k1, n1, k2, n2).p:.2g}" if n1 and n2 else ""
            rows.append((words, f"{k1} of {n1}", f"{k2} of {n2}", p))
        tests = table(("stratum", "never ended, first", "second", "Fisher's exact p"), rows)
        shares = self.stuck_shares(corners, axis=axis, stem=stem)
        html = f"{shares.html}<pre>{escape(tests.markdown)}</pre>"
        return Shown(f"{shares.markdown}\n{tests.markdown}", html)

    def claims_of(self, *arms: str) -> Shown:
        """The claims that these arms speak for, with their verdict on each server."""
        return Shown(claim_table(self.failure_class, self.verdicts, arms=arms))

    def _stuck(self, arm: str) -> tuple[int, int]:
        said = [s for trial in self._trials(arm, "") if (s := _is_stuck(trial)) is not None]
        return sum(said), len(said)

    def _servers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(t.server for t in self.folder.trials(self.failure_class.code)))

    def _groups(self, arms: Iterable[str]) -> Iterable[tuple[str, str, tuple[Trial, ...]]]:
        for arm in arms:
            for server in dict.fromkeys(t.server for t in self._trials(arm, "")):
                yield server, arm, self._trials(arm, server)

    def _trials(self, arm: str, server: str) -> tuple[Trial, ...]:
        return tuple(t for t in self.folder.trials(self.failure_class.code, server) if t.arm == arm)


def _figure(trial: Trial, name: str) -> float | None:
    values = [o.values[name] for o in trial.outcomes if name in o.values]
    return float(values[0]) if values and isinstance(values[0], int | float) else None


def _model_spoke(seen: tuple[Observation, ...]) -> float:
    ended = [o.t for o in seen if o.lane is Lane.MODEL and o.kind == "end"]
    return ended[0] if ended else 0.0


def _is_stuck(trial: Trial) -> bool | None:
    """None: the trial does not say."""
    if not trial.valid or not trial.outcomes:
        return None
    first = trial.outcomes[0]
    if first.outcome not in (Outcome.SYMPTOM, Outcome.HEALED):
        return None
    stays = first.claim.endswith("stays-busy")
    return stays == (first.outcome is Outcome.SYMPTOM)


def _shown(figure: Figure) -> Shown:
    return Shown(figure.markdown(), figure.html())
