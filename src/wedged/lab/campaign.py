"""From a list of server specs to results in a run folder, one server after another."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from wedged.errors import InstallError, WedgedError
from wedged.evidence import Normaliser, RunFolder
from wedged.facts.server import ServerSpec, SpecKind
from wedged.facts.trial import Trial
from wedged.lab.bench import open_bench
from wedged.lab.keeper import Keeper
from wedged.lab.recorder import Recorder
from wedged.lab.scripted_model import ScriptedModel
from wedged.lab.trials import Progress, Scenario, Timing, run_trials
from wedged.servers import install, resolve

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
) -> tuple[Trial, ...]:
    """Run the arms of `scenario` on each server: as it plans for `trials`, or as `plan` says arm by arm.

    A server that cannot be had or started is written down as not run, with the reason, and the others go on.
    Two specs that resolve to the same server are measured once.
    """
    done: list[Trial] = []
    seen: set[ServerSpec] = set()
    for spec in specs:
        try:
            resolved = resolve(spec)
            if resolved in seen:
                continue
            seen.add(resolved)
            installed = install(resolved)
        except InstallError as error:
            _not_run(folder, scenario.code, spec, error, announce)
            continue
        ran = False
        try:
            with open_bench(installed, keeper, seed=seed, model=model, recorder=recorder) as bench:
                folder.add_server(bench.identity)
                arms = dict(plan or scenario.plan(trials))
                tell = _progress(f"{scenario.code} on {bench.identity.key}", announce)
                done += run_trials(bench, scenario, arms, folder, seed=seed, timing=timing, progress=tell)
                ran = True
        except WedgedError as error:
            if ran:  # its trials are recorded; that the server would not go in peace is no verdict
                announce(f"{scenario.code} on {resolved}: after its trials: {error}")
            else:
                _not_run(folder, scenario.code, resolved, error, announce)
    return tuple(done)


def _not_run(folder: RunFolder, code: str, spec: ServerSpec, error: WedgedError, announce: Announce) -> None:
    announce(f"{code} on {spec}: not run: {error}")
    # What a user typed is a path on one machine, and what a server said on its way down may hold anything.
    named = spec.kind in (SpecKind.V1, SpecKind.V2)
    key = str(spec) if named else f"{spec.kind}:{Path(spec.value.split()[0]).name}"
    words = Normaliser()
    if not named:
        words.add(spec.value, spec.kind.value)
    words.add(str(Path.home()), "~")
    words.add(tempfile.gettempdir(), "/tmp")  # noqa: S108 - a name, not a place
    folder.not_run(code, key, words.text(str(error)))


def _progress(title: str, announce: Announce) -> Progress:
    def tell(done: int, total: int) -> None:
        # A line every tenth of the way: a log, not a spinner.
        if done == total or done % max(1, total // 10) == 0:
            announce(f"{title}: {done} of {total} trials")

    return tell
