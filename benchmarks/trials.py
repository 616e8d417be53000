"""How long 10 + 10 trials of W101 take, beside two peers measured in the same run.

- the lab: server start, warm-up, 10 controls and 10 triggers with every check, channels proved, server ended;
- the floor: the same 20 prompts on a server of its own with the external path allowed, no recorder, the same
  overlap, the status polled until every session is idle;
- the report's own way: one session after another, status polled once a second, a session that is busy at
  the limit is called stuck. It is run once an arm and multiplied: 10 stuck sessions at 120 s are 20 minutes.

    python -m benchmarks.trials [--server SPEC] [--limit SECONDS]
"""

import argparse
import resource
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from wedged.evidence import RunFolder, new_run
from wedged.facts.server import ServerSpec
from wedged.lab.bench import open_bench
from wedged.lab.campaign import measure
from wedged.lab.keeper import Keeper
from wedged.lab.recorder import DeafRecorder
from wedged.lab.scenarios.w101_ungated_external_ask import Place, Scenario, cause, external_path
from wedged.servers import InstalledServer, install, resolve
from wedged.waiting import wait_for

TRIALS = 10


def lab(installed: InstalledServer, place: Path) -> float:
    """Seconds for the lab's own trials, everything included."""
    plan = {"control": TRIALS, "trigger": TRIALS}
    began = time.monotonic()
    with Keeper.start() as keeper:
        folder = RunFolder.create(place, new_run(1, {"made by": "a benchmark"}))
        trials = measure(Scenario(), [installed.spec], folder, keeper, trials=TRIALS, seed=1, plan=plan)
    took = time.monotonic() - began
    assert len(trials) == 2 * TRIALS
    assert all(trial.valid for trial in trials), "a trial was not valid: the figure would mean nothing"
    return took


def floor(installed: InstalledServer) -> float:
    """Seconds for the same prompts where nothing is asked and nothing is recorded."""
    began = time.monotonic()
    with Keeper.start() as keeper, open_bench(installed, keeper, recorder=DeafRecorder) as bench:
        directory = bench.project("open", permission={"external_directory": "allow"})
        reader = bench.connection.reader

        def one(n: int) -> None:
            place = Place(f"floor-{n}", Path(directory), bench.home.outside)
            cause(bench, directory, place.name, place.folder(external=n % 2 == 0))

        with ThreadPoolExecutor(max_workers=20) as pool:
            list(pool.map(one, range(2 * TRIALS)))

        def over() -> bool:
            # Two turns a session: the calls, and the end. Before that an empty status is only a late one.
            answers = sum(o.kind == "end" and bool(o.data["turn"]) for o in bench.timeline.everything())
            return answers == 2 * TRIALS and not reader.statuses(directory)

        wait_for(over, "every session to be idle", 60, every=0.1)
    return time.monotonic() - began


def reports_way(installed: InstalledServer, limit: float) -> tuple[float, float]:
    """Seconds for one control and for one trigger, polled once a second, up to `limit`."""
    with Keeper.start() as keeper, open_bench(installed, keeper, recorder=DeafRecorder) as bench:
        directory = bench.project()
        took = []
        for external in (False, True):
            place = Place(f"polled-{external}", Path(directory), bench.home.outside)
            folder = external_path(place) if external else place.folder(external=False)
            began = time.monotonic()
            session = cause(bench, directory, place.name, folder).session
            reader = bench.connection.reader
            while session in reader.statuses(directory) and time.monotonic() - began < limit:
                bench.timeline.watch(session, lambda _: False, 1.0)
            took.append(time.monotonic() - began)
    return took[0], took[1]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--server", default="v1@1.17.18", help="server spec (default: %(default)s)")
    parser.add_argument(
        "--limit", type=float, default=120, help="the report's limit (default: %(default)s s)"
    )
    parser.add_argument("--runs", type=int, default=3, help="runs of lab and floor (default: %(default)s)")
    options = parser.parse_args()
    installed = install(resolve(ServerSpec.parse(options.server)))
    with tempfile.TemporaryDirectory(prefix="wedged-benchmark-") as scratch:
        labs = [lab(installed, Path(scratch) / str(n)) for n in range(options.runs)]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    floors = [floor(installed) for _ in range(options.runs)]
    control, trigger = reports_way(installed, options.limit)
    middle, base = statistics.median(labs), statistics.median(floors)
    print(f"lab, {TRIALS}+{TRIALS} trials with server start: {show(labs)}")
    print(f"floor, the same prompts, nothing asked or recorded: {show(floors)}")
    print(f"lab / floor: {middle / base:.2f}")
    print(f"the report's way: {control:.1f} s a control, {trigger:.1f} s a trigger (measured once each)")
    print(f"the report's way, {TRIALS}+{TRIALS}: {TRIALS * (control + trigger):.0f} s (multiplied)")
    print(f"lab's own peak memory: {memory:.0f} MB")
    return 0


def show(seconds: list[float]) -> str:
    """Median and range."""
    return f"{statistics.median(seconds):.1f} s (of {len(seconds)}: {min(seconds):.1f} to {max(seconds):.1f})"


if __name__ == "__main__":
    sys.exit(main())
