"""From a list of server specs to results in a run folder, one server after another."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from wedged.catalog import CLASSES
from wedged.errors import InstallError, LabError, WedgedError
from wedged.evidence import Normaliser, RunFolder
from wedged.facts.server import ServerSpec, SpecKind
from wedged.facts.trial import Trial
from wedged.lab.bench import Bench, open_bench
from wedged.lab.keeper import Keeper
from wedged.lab.recorder import Recorder
from wedged.lab.scripted_model import ScriptedModel
from wedged.lab.trials import Group, Progress, Scenario, Timing, run_group, run_trials
from wedged.servers import InstalledServer, install, resolve

Announce = Callable[[str], None]


def measure(
    scenario: Scenario,
    specs: Sequence[ServerSpec],
    folder: RunFolder,
    keeper: Keeper,
    *,
    trials: int,
    seed: int,
    plan: Mapping[str, int] | None = None,
    timing: Timing | None = None,
    model: type[ScriptedModel] = ScriptedModel,
    recorder: type[Recorder] = Recorder,
    announce: Announce = lambda _: None,
    everywhere: bool = True,
) -> tuple[Trial, ...]:
    """Run the arms of `scenario` on each server: as it plans for `trials`, or as `plan` says arm by arm.

    Unless `everywhere`, only the last V1 and the last V2 get every arm; the others get the scenario's main
    ones and those that a cure rests on, and the rest is written down as not run. A server that cannot be had
    or started is written down so too, with the reason, and the others go on. Two specs that resolve to the
    same server are measured once.
    """
    done: list[Trial] = []
    ready: dict[ServerSpec, InstalledServer] = {}
    for spec in specs:
        try:
            resolved = resolve(spec)
            if resolved not in ready:
                ready[resolved] = install(resolved)
        except InstallError as error:
            _not_run(folder, scenario.code, spec, error, announce)
    last = {spec.kind: spec for spec in ready}
    timing = timing or Timing()
    for spec, installed in ready.items():
        run = _OneServer(scenario, spec, installed, folder, keeper, seed, timing, model, recorder, announce)
        left_to = None
        if not everywhere and spec.kind in (SpecKind.V1, SpecKind.V2) and last[spec.kind] != spec:
            left_to = last[spec.kind]
        done += run.all_arms(plan or scenario.plan(trials), _groups(scenario, trials, plan), left_to)
    return tuple(done)


def _further(scenario: Scenario) -> set[str]:
    """The arms that neither say whether the class is there nor stand behind one of its cures."""
    cures = {
        of.claim(step.claim).arm
        for of in CLASSES
        if of.code == scenario.code
        for steps in (of.recovery, *(variant.recovery for variant in of.variants))
        for step in steps
    }
    return set(scenario.arms) - set(scenario.main) - cures


def _groups(scenario: Scenario, trials: int, plan: Mapping[str, int] | None) -> tuple[Group, ...]:
    """The scenario's groups; where a plan is given, with the arms and numbers that it names."""
    if plan is None:
        return scenario.groups(trials)
    named = (
        replace(group, arms={arm: plan[arm] for arm in group.arms if arm in plan})
        for group in scenario.groups(trials)
    )
    return tuple(group for group in named if group.arms)


@dataclass(frozen=True)
class _OneServer:
    """One failure class on one installed server: first the arms that share it, then each group."""

    scenario: Scenario
    spec: ServerSpec
    installed: InstalledServer
    folder: RunFolder
    keeper: Keeper
    seed: int
    timing: Timing
    model: type[ScriptedModel]
    recorder: type[Recorder]
    announce: Announce
    missing: set[str] = field(default_factory=set)

    def all_arms(
        self, plan: Mapping[str, int], groups: Sequence[Group], left_to: ServerSpec | None = None
    ) -> list[Trial]:
        """Every trial, as far as the server lets them be run; what was not is written down.

        With `left_to`, another server, the further arms are that one's.
        """
        further = _further(self.scenario) if left_to else set()
        self.missing.update(further)
        grouped = {arm for group in groups for arm in group.arms}
        shared = self._left({arm: count for arm, count in plan.items() if arm not in grouped})
        for group in groups:
            self._leave_out(group)
        done: list[Trial] = []
        probed = bool(shared) or not groups
        if probed:
            arms = tuple(shared) if groups else ("",)
            done += self._on_a_bench(False, partial(self._shared_arms, shared), arms)
        for group in groups:
            if left := self._left(group.arms):
                # Without shared arms the features are looked for on the first group's server.
                run = partial(self._group, group, not probed)
                probed = True
                done += self._on_a_bench(group.service, run, tuple(left))
        if "" not in self.missing:
            why = LabError(
                f"here the further arms of a line were run on {left_to} only; ARMS=all: everywhere"
            )
            for arm in further:
                _not_run(self.folder, self.scenario.code, self.spec, why, lambda _: None, arm)
        return done

    def _left(self, arms: Mapping[str, int]) -> dict[str, int]:
        """Those of the arms for which nothing is missing, as far as is known."""
        return {arm: count for arm, count in arms.items() if not {"", arm} & self.missing}

    def _leave_out(self, group: Group) -> None:
        for arm in self._left(group.arms):
            if why := group.not_on.get(arm, {}).get(self.installed.line):
                self.missing.add(arm)
                _not_run(self.folder, self.scenario.code, self.spec, LabError(why), self.announce, arm)

    def _on_a_bench(
        self, service: bool, run: Callable[[Bench], tuple[Trial, ...]], arms: tuple[str, ...]
    ) -> list[Trial]:
        done: list[Trial] = []
        ran = False
        try:
            with open_bench(
                self.installed,
                self.keeper,
                seed=self.seed,
                model=self.model,
                recorder=self.recorder,
                service=service,
            ) as bench:
                self.folder.add_server(bench.identity)
                done += run(bench)
                ran = True
        except WedgedError as error:
            if ran:  # its trials are recorded; that the server would not go in peace is no verdict
                self.announce(f"{self.scenario.code} on {self.spec}: after its trials: {error}")
            else:
                for arm in arms:
                    _not_run(self.folder, self.scenario.code, self.spec, error, self.announce, arm)
        return done

    def _look_for_features(self, bench: Bench) -> None:
        code, key = self.scenario.code, bench.identity.key
        # The folder knows one binary by this key, and one binary serves one document.
        known = self.folder.routes(key)
        bench.routes.update(known)
        probes = self.scenario.absent(bench)
        if bench.routes and not known:
            self.folder.keep_routes(key, bench.routes)
        for arm, probe in probes.items():
            if probe.shows_absence:
                self.missing.add(arm)
                self.folder.absent(code, key, probe, arm)
                self.announce(f"{code} on {key}: {arm or 'the whole class'}: {probe.route} is not there")

    def _shared_arms(self, plan: Mapping[str, int], bench: Bench) -> tuple[Trial, ...]:
        code, key = self.scenario.code, bench.identity.key
        self._look_for_features(bench)
        arms = self._left(plan)
        if not arms:
            return ()
        tell = _progress(f"{code} on {key}", self.announce)
        return run_trials(
            bench, self.scenario, arms, self.folder, seed=self.seed, timing=self.timing, progress=tell
        )

    def _group(self, group: Group, probe: bool, bench: Bench) -> tuple[Trial, ...]:
        code, key = self.scenario.code, bench.identity.key
        if probe:
            self._look_for_features(bench)
        arms = self._left(group.arms)
        if not arms:
            return ()
        group = replace(group, arms=arms)
        trials = run_group(bench, code, group, self.folder, seed=self.seed, timing=self.timing)
        self.announce(f"{code} on {key}, {group.name}: {len(trials)} trials")
        return trials


def _not_run(
    folder: RunFolder, code: str, spec: ServerSpec, error: WedgedError, announce: Announce, arm: str = ""
) -> None:
    announce(f"{code} on {spec}{f', {arm}' if arm else ''}: not run: {error}")
    # What a user typed is a path on one machine, and what a server said on its way down may hold anything.
    named = spec.kind in (SpecKind.V1, SpecKind.V2)
    key = str(spec) if named else f"{spec.kind}:{Path(spec.value.split()[0]).name}"
    words = Normaliser()
    if not named:
        words.add(spec.value, spec.kind.value)
    words.add(str(Path.home()), "~")
    words.add(tempfile.gettempdir(), "/tmp")  # noqa: S108 - a name, not a place
    folder.not_run(code, key, words.text(str(error)), arm)


def _progress(title: str, announce: Announce) -> Progress:
    def tell(done: int, total: int) -> None:
        # A line every tenth of the way: a log, not a spinner.
        if done == total or done % max(1, total // 10) == 0:
            announce(f"{title}: {done} of {total} trials")

    return tell
