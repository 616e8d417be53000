"""The steps that talk to the code host: report, earlier, heartbeat."""

import argparse
import json
import os
from pathlib import Path

from wedged.evidence.files import read
from wedged.nightly.campaign_folder import work_of
from wedged.nightly.heartbeat import problems
from wedged.nightly.host import Host, Place
from wedged.nightly.output import say, set_output, show
from wedged.nightly.tracker import plan


def report(options: argparse.Namespace, root: Path) -> int:
    """Open, update and close the tracker's issues after a night."""

    del root
    comparison = json.loads(read(options.night / "comparison.json"))
    covered = {shard.code for shard in work_of(options.night).shards}
    with _host() as host:
        acts = plan(
            host.issues(), comparison, covered=covered, run_url=_run_url(), fire_drill=options.fire_drill
        )
        for act in acts:
            show(f"{act.deed} {act.subject}{f' #{act.number}' if act.number else ''}")
        if not options.dry_run:
            host.do(acts)
    return 0


def earlier(options: argparse.Namespace, root: Path) -> int:
    """Print, and set as `run`, the id of the run that left the newest artifact of a name."""
    del root
    with _host() as host:
        run = host.last_artifact(options.artifact)
    set_output("run", str(run) if run else "")
    return 0


def heartbeat(options: argparse.Namespace, root: Path) -> int:
    """Say whether nights still come, and switch their workflow on again."""

    del root
    with _host() as host:
        found = problems(host.last_run(options.workflow, options.branch), host.pages())
        host.enable(options.workflow)
    for problem in found:
        say(problem)
    return 1 if found else 0


def _host() -> Host:

    return Host(Place.from_environment(), os.environ.get("GITHUB_TOKEN", ""))


def _run_url() -> str:
    server, repository, run = (
        os.environ.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY", "RUN_ID")
    )
    return f"{server}/{repository}/actions/runs/{run}"
