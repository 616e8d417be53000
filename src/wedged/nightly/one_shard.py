"""One shard, in a process of its own: a shard as JSON on stdin, a run folder left at the path given.

    python -m wedged.nightly.one_shard INTO [NOTEBOOKS] < shard.json

Exits 0 when the folder is there, whatever the verdicts; 1 when a notebook stopped early (the folder is
there, with the trials recorded before); 3 when nothing can be said.
"""

import os
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import msgspec

from wedged.errors import EvidenceError, GuideError, UsageError, WedgedError
from wedged.evidence import RunFolder, new_run
from wedged.nightly.work import Shard

Announce = Callable[[str], None]


def do_shard(shard: Shard, into: Path, announce: Announce, *, notebooks: Path | None = None) -> RunFolder:
    """Do `shard` and leave its run folder at `into`, which appears whole or not at all.

    What can't be had or started is written into the folder as not run, with the reason. A folder that is
    there already is that of an earlier try and is taken as it is. `notebooks` is where the sources of the
    notebooks are.

    Raises:
        EvidenceError: the folder can't be written.
        GuideError: the notebook stopped early; the folder is there all the same.
        UsageError: a notebook is wanted and there is no folder of them.
    """
    into = into.absolute()  # a notebook's kernel works in another folder
    if into.exists():
        return RunFolder.open(into)
    half = into.with_name(f".{into.name}.part")
    shutil.rmtree(half, ignore_errors=True)
    tools = {name: version(name) for name in ("wedged", *(("nbclient",) if shard.notebook else ()))}
    folder = RunFolder.create(half, new_run(shard.seed, tools, shard.run))
    stopped: GuideError | None = None
    try:
        if shard.notebook:
            _execute(shard, folder, announce, notebooks)
        else:
            _measure(shard, folder, announce)
    except GuideError as error:
        stopped = error
    except UsageError:
        shutil.rmtree(half, ignore_errors=True)
        raise
    except WedgedError as error:
        announce(f"{shard.id}: {error}")
        _lost(shard, folder, error)
    half.replace(into)
    if stopped:
        raise stopped
    return RunFolder.open(into)


def _measure(shard: Shard, folder: RunFolder, announce: Announce) -> None:
    from wedged.lab.campaign import measure
    from wedged.lab.keeper import Keeper
    from wedged.lab.scenarios import scenario
    from wedged.nightly.measuring import experiment

    plan = experiment(shard.claim, shard.trials).plan if shard.claim else None
    with Keeper.start() as keeper:
        measure(
            scenario(shard.code),
            shard.specs,
            folder,
            keeper,
            trials=shard.trials,
            seed=shard.seed,
            plan=plan,
            announce=announce,
        )


def _execute(shard: Shard, folder: RunFolder, announce: Announce, notebooks: Path | None) -> None:
    from wedged.guide.execute import execute

    sources = sorted(notebooks.glob(f"{shard.code}-*.ipynb")) if notebooks else []
    if not sources:
        raise UsageError(f"{shard.id} wants the notebook of {shard.code}, and there is none here")
    given = {"TRIALS": shard.trials, "SERVERS": " ".join(shard.servers), "SEED": shard.seed}
    execute(sources[0], folder.path, given, progress=announce)


def _lost(shard: Shard, folder: RunFolder, error: WedgedError) -> None:
    """The lab itself failed: that is no verdict on any server, and it is said of each."""
    done = {cell.server for cell in folder.cells(shard.code)}
    for spec in shard.specs:
        if str(spec) not in done:
            folder.not_run(shard.code, str(spec), f"the lab failed: {type(error).__name__}")


def main(argv: list[str]) -> int:
    """See the module's docstring."""
    from wedged.facts.plain_text import plain
    from wedged.lab.lifeline import follow_parent

    def say(line: str) -> None:
        print(plain(line), file=sys.stderr, flush=True)  # noqa: T201

    # Whoever spread the work may be killed; its servers must not go on.
    follow_parent(int(os.environ.get("WEDGED_PARENT") or 0))
    try:
        shard = msgspec.json.decode(sys.stdin.buffer.read(), type=Shard)
        do_shard(shard, Path(argv[0]), say, notebooks=Path(argv[1]) if len(argv) > 1 else None)
    except msgspec.MsgspecError as error:
        say(f"no shard: {error}")
        return EvidenceError.exit_code
    except WedgedError as error:
        say(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
