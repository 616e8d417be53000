"""The steps of a night, one subcommand each: the same here, in GitHub Actions, and on a cluster.

A night is a folder: ``work.json`` (list), ``shards/<id>`` (run-shard, or run for all), ``run`` (merge),
``comparison.json`` (compare). Each step reads what the one before left.
"""

import argparse
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from wedged.errors import InstallError, LabError, WedgedError
from wedged.nightly.output import say, set_output, show

EXPECTATIONS = "expectations.json"
HISTORY = "history.jsonl"
DEFAULT_TRIALS = 10
Step = Callable[[argparse.Namespace, Path], int]


def main(root: Path, argv: Sequence[str] | None = None) -> int:
    """Run one step; `root` is the checkout. Exit codes: 0 well, 1 something changed or a notebook stopped
    early, 2 usage, 3 something is not known or could not be done."""
    parser = _parser(root)
    options = parser.parse_args(argv)
    step: Step = options.step
    try:
        return step(options, root)
    except WedgedError as error:
        say(f"nightly {options.name}: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        return 130


def _parser(root: Path) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nightly", description=__doc__.partition("\n")[0])
    steps = parser.add_subparsers(dest="name", required=True)

    def step(name: str, what: Step, words: str) -> argparse.ArgumentParser:
        one = steps.add_parser(name, help=words, description=words)
        one.add_argument("night", type=Path, help="folder of the night")
        one.set_defaults(step=what)
        return one

    one = step("list", _list, "Write the work list; print its shards, or --github a matrix.")
    given = os.environ.get
    one.add_argument(
        "--servers",
        default=given("SERVERS") or "",
        help="server specs, separated by blanks (default: the list, and the newest release of V2)",
    )
    one.add_argument("--classes", default="", help="codes, separated by commas (default: every class)")
    one.add_argument(
        "--trials", type=int, default=given("TRIALS") or DEFAULT_TRIALS, help="trials asked of the main arms"
    )
    one.add_argument("--seed", type=int, default=101, help="seed of every shuffle")
    one.add_argument("--by-server", action="store_true", help="a shard a class and server, without notebooks")
    one.add_argument("--github", action="store_true", help="print the matrix for GitHub Actions, and set it")

    step("drift", _drift, "Look whether every server of the list has a shape that was reviewed.")

    one = step("run-shard", _run_shard, "Do one shard of the work list.")
    one.add_argument("shard", help="its id")

    one = step("run", _run, "Do every shard that is not done yet, here or on a cluster.")
    one.add_argument("--jobs", type=int, default=0, help="shards at a time (default: by memory)")
    one.add_argument("--scheduler", default="", help="address of a Dask scheduler")

    one = step("merge", _merge, "Join the shards that are there, behind earlier runs.")
    one.add_argument(
        "--earlier", type=Path, action="append", default=[], help="a run folder; may be repeated"
    )

    one = step("compare", _compare, "Compare with what was expected; the exit code says how it stands.")
    one.add_argument("--expectations", type=Path, default=root / EXPECTATIONS)

    one = step("history", _history, "Add the night to a history.")
    one.add_argument("--earlier", type=Path, help="a history to go on from, if it is there")

    one = step("render", _render, "Build the site from the merged run alone.")
    one.add_argument("--site", type=Path, default=root / "site")

    one = step("report", host_step("report"), "Open, update and close the tracker's issues.")
    one.add_argument(
        "--fire-drill",
        action="store_true",
        default=given("FIRE_DRILL") == "true",
        help="also open an issue that the next night closes",
    )
    one.add_argument("--dry-run", action="store_true", help="say what would be done")

    one = steps.add_parser("earlier", help="Print the id of the run that left the newest artifact of a name.")
    one.add_argument("artifact")
    one.set_defaults(step=host_step("earlier"))

    one = steps.add_parser("heartbeat", help="Say whether nights still come, and switch them on again.")
    one.add_argument("--workflow", default="nightly.yml")
    one.add_argument("--branch", default="main")
    one.set_defaults(step=host_step("heartbeat"))
    return parser


def host_step(name: str) -> Step:
    """The step of that name of `host_steps`, which is loaded when it is taken: most steps need no host."""

    def take(options: argparse.Namespace, root: Path) -> int:
        from wedged.nightly import host_steps

        steps: dict[str, Step] = {
            "report": host_steps.report,
            "earlier": host_steps.earlier,
            "heartbeat": host_steps.heartbeat,
        }
        return steps[name](options, root)

    return take


def _list(options: argparse.Namespace, root: Path) -> int:
    from wedged.catalog import CLASSES, by_code
    from wedged.evidence import new_run
    from wedged.facts.server import ServerSpec
    from wedged.nightly.campaign_folder import begin
    from wedged.nightly.expectations import read_expectations
    from wedged.nightly.measuring import trials_by_class
    from wedged.nightly.work import work_list
    from wedged.servers import default_servers, resolve

    servers = []
    newest = ServerSpec.parse("v2@latest")  # a new release is a new column by itself; V1's is in the list
    for spec in ServerSpec.parse_all(options.servers) or (*default_servers(), newest):
        try:
            servers.append(resolve(spec))
        except InstallError as error:
            say(f"{spec}: left out: {error}")
    classes = [by_code(code) for code in options.classes.split(",") if code.strip()] or CLASSES
    run = new_run(options.seed, {}).id
    work = work_list(
        run,
        classes,
        servers,
        trials=options.trials,
        seed=options.seed,
        by_server=options.by_server,
        at_least=trials_by_class(read_expectations(root / EXPECTATIONS).values()),
    )
    work = begin(options.night, work)
    if options.github:
        set_output("matrix", json.dumps(work.matrix()))
    else:
        show("\n".join(shard.id for shard in work.shards))
    return 0


def _drift(options: argparse.Namespace, root: Path) -> int:
    from wedged.evidence.files import write_whole
    from wedged.facts.server import ServerSpec
    from wedged.lab.keeper import Keeper
    from wedged.nightly.campaign_folder import work_of
    from wedged.nightly.drift import SHAPES, drifted, encode_shapes
    from wedged.nightly.expectations import read_shapes
    from wedged.nightly.shape_look import look_at_shape

    shapes = []
    with Keeper.start() as keeper:
        for server in dict.fromkeys(
            name for shard in work_of(options.night).shards for name in shard.servers
        ):
            try:
                shapes.append(look_at_shape(ServerSpec.parse(server), keeper))
            except (InstallError, LabError) as error:
                say(f"{server}: no look at its shape: {error}")  # its trials will say so, too
    write_whole(options.night / SHAPES, encode_shapes(shapes))
    new = drifted(shapes, read_shapes(root / EXPECTATIONS))
    for shape in shapes:
        show(f"{shape.server}: {new.get(shape.server, 'as reviewed')}")
    return 0


def _run_shard(options: argparse.Namespace, root: Path) -> int:
    from wedged.nightly.campaign_folder import SHARDS, work_of
    from wedged.nightly.one_shard import do_shard

    shard = work_of(options.night).shard(options.shard)
    place = options.night / SHARDS
    place.mkdir(parents=True, exist_ok=True)
    do_shard(shard, place / shard.id, say, notebooks=root / "notebooks")
    return 0


def _run(options: argparse.Namespace, root: Path) -> int:
    from wedged.nightly.campaign_folder import SHARDS, work_of
    from wedged.nightly.spreading import jobs_here, spread

    shards, place = work_of(options.night).shards, options.night / SHARDS
    if options.scheduler:
        from wedged.nightly.cluster import spread_over

        ended = spread_over(shards, place, options.scheduler)
    else:
        ended = spread(shards, place, jobs_here(options.jobs), say, notebooks=root / "notebooks")
    bad = 0
    for done in ended:
        bad += bool(done.error)
        say(done.error or f"{done.shard.id}: done")
    return 1 if bad else 0


def _merge(options: argparse.Namespace, root: Path) -> int:
    from wedged.nightly.campaign_folder import lost, merge_shards, work_of

    del root
    run = merge_shards(options.night, earlier=options.earlier)
    for shard in lost(options.night, work_of(options.night)):
        say(f"{shard}: lost; what earlier runs said stays, with its date")
    show(str(run.path))
    return 0


def _compare(options: argparse.Namespace, root: Path) -> int:
    from wedged.catalog import CLASSES
    from wedged.evidence import RunFolder
    from wedged.evidence.files import write_whole
    from wedged.nightly.campaign_folder import RUN, work_of
    from wedged.nightly.comparing import compare
    from wedged.nightly.comparison_document import document
    from wedged.nightly.drift import SHAPES, drifted, looked_at
    from wedged.nightly.expectations import read_expectations, read_shapes
    from wedged.nightly.judged import defining_claims, seen_in
    from wedged.nightly.summary import summary

    del root
    work = work_of(options.night)
    # Earlier evidence that stays on the pages is no answer of this night.
    seen = [one for one in seen_in(RunFolder.open(options.night / RUN), CLASSES) if one.run == work.run]
    drift = drifted(looked_at(options.night / SHAPES), read_shapes(options.expectations))
    comparison = compare(
        read_expectations(options.expectations),
        seen,
        asked=work.asked,
        defining=defining_claims(),
        drifted=drift,
    )
    text = json.dumps(document(comparison), indent=1) + "\n"
    write_whole(options.night / "comparison.json", text.encode())
    sentences = {claim.id: claim.sentence for of in CLASSES for claim in of.claims}
    show(summary(comparison, lambda claim: sentences.get(claim, "")).rstrip())
    return comparison.exit_code


def _render(options: argparse.Namespace, root: Path) -> int:
    from wedged.evidence import RunFolder
    from wedged.guide.project import project_sources
    from wedged.guide.site import render
    from wedged.nightly.campaign_folder import RUN
    from wedged.nightly.drift import SHAPES, drifted, looked_at
    from wedged.nightly.expectations import read_shapes

    run = RunFolder.open((options.night / RUN).resolve())
    history = options.night / HISTORY
    new = drifted(looked_at(options.night / SHAPES), read_shapes(root / EXPECTATIONS))
    sources = replace(
        project_sources(root),
        history=history if history.exists() else None,
        notices=tuple(f"{server}: {sentence}" for server, sentence in sorted(new.items())),
    )
    show(str(render(run, sources, work=options.night / "build", site=options.site)))
    return 0


def _history(options: argparse.Namespace, root: Path) -> int:
    import shutil

    from wedged.catalog import CLASSES
    from wedged.evidence import RunFolder
    from wedged.nightly.campaign_folder import RUN, work_of
    from wedged.nightly.history import add_nights, nights_of

    del root
    history = options.night / HISTORY
    if options.earlier and options.earlier.exists() and not history.exists():
        shutil.copyfile(options.earlier, history)
    run = work_of(options.night).run
    added = add_nights(history, nights_of(RunFolder.open(options.night / RUN), CLASSES, run))
    show(f"{history}: {added} lines added")
    return 0
