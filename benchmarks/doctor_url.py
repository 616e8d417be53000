"""How long ``wedged doctor URL --sample 0`` takes on a real server with many sessions, three of them stuck.

The whole process, from Python's start to the printed report. The sessions are copies of one that the server
made, put into its database while it was down; half of them lie in the server's own directory, half in twenty
others. The three stuck ones (W101) are made afterwards, on the running server.

The floor is a process that only sends what nobody can do without, over one connection and without looking at
the answers: the list of sessions, who works, what is asked, and the messages of those that work.

    python -m benchmarks.doctor_url [--server SPEC] [--sizes 10,100,1000,10000] [--runs N]
"""

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil

from benchmarks.measure import Measured, Ran, measure, python, wedged
from benchmarks.rows import copy_session
from wedged.client import connect
from wedged.client.transport import Answer, Transport
from wedged.facts.server import Line, ServerSpec
from wedged.lab.bench import Bench, open_bench, shell
from wedged.lab.keeper import Keeper
from wedged.lab.scenarios.w101_ungated_external_ask import hold
from wedged.lab.turns import Call, Script, Turn
from wedged.observe import look_twice, server_tree
from wedged.servers import InstalledServer, install, resolve

STUCK = 3
_ELSEWHERE = 20
_FLOOR = """
import os, sys, httpx
url, paths = sys.argv[1], sys.argv[2:]
auth = ("opencode", os.environ["OPENCODE_SERVER_PASSWORD"])
with httpx.Client(base_url=url, auth=auth, trust_env=False, timeout=30) as client:
    for path in paths:
        client.get(path).raise_for_status()
"""


def paths(line: Line, stuck: list[str]) -> list[str]:
    """What the floor asks for."""
    if line is Line.V1:
        lists = ["/global/health", "/experimental/session?limit=1000", "/session/status", "/permission"]
        return lists + [f"/session/{one}/message" for one in stuck]
    lists = ["/openapi.json", "/api/session?limit=200", "/api/session/active", "/api/permission/request"]
    return lists + [f"/api/session/{one}/message" for one in stuck]


def fill(bench: Bench, sessions: int) -> None:
    """Make it `sessions` sessions, none of which waits for anything."""
    script = Script("finished", (Turn(calls=(Call(bench.shell_tool, shell("echo finished")),)),))
    finished = bench.prompt(script, bench.project())
    bench.wait_idle(finished)
    bench.end_server("SIGTERM")
    (database,) = Path(bench.home.env["XDG_DATA_HOME"], "opencode").glob("opencode*.db")
    others = [str(bench.home.root / "elsewhere" / str(n)) for n in range(_ELSEWHERE)]
    directories = [d for other in others for d in (bench.project(), other)]
    # Beside the one that is copied.
    rows = copy_session(database, finished.session, sessions - STUCK - 1, directories)
    print(f"  {sessions} sessions: {rows} rows were copied")
    bench.start_again()


def one_size(installed: InstalledServer, sessions: int, runs: int) -> Measured:
    """Seconds for this many sessions; prints them beside the floor."""
    with Keeper.start() as keeper, open_bench(installed, keeper) as bench:
        fill(bench, sessions)
        stuck = [hold(bench, name=f"stuck-{n}").session for n in range(STUCK)]
        with tempfile.TemporaryDirectory(prefix="wedged-benchmark-") as state:
            env = os.environ | {
                "OPENCODE_SERVER_PASSWORD": bench.server.password,
                "XDG_STATE_HOME": state,
            }
            argv = wedged("doctor", bench.server.url, "--sample", "0", "--grace", "0", "--json")
            doctor = measure(argv, runs, env, check=lambda ran: found(ran, stuck))
            code = python(_FLOOR, bench.server.url, *paths(bench.identity.line, stuck))
            floor = measure(code, runs, env, check=fine)
        print(f"  doctor: {doctor}")
        print(f"  floor:  {floor}; doctor is {doctor.seconds / floor.seconds:.2f} of it")
        inside(bench)
        tell(json.loads(doctor.runs[-1].out))
        return doctor


def fine(ran: Ran) -> None:
    """It ended well."""
    assert ran.code == 0, ran.code


def found(ran: Ran, stuck: list[str]) -> None:
    """It found the three and no other."""
    findings = json.loads(ran.out)["findings"]
    assert ran.code == 1, ran.code
    seen = [finding["session"] for finding in findings if finding["code"] == "W101"]
    assert sorted(seen) == sorted(stuck), findings


def inside(bench: Bench) -> None:
    """The same look in this process: how many requests, and how long they took."""
    asked: list[float] = []
    plain = Transport.ask

    def timed(self: Transport, method: str, path: str, **more: Any) -> Answer:
        began = time.perf_counter()
        try:
            return plain(self, method, path, **more)
        finally:
            asked.append(time.perf_counter() - began)

    server = psutil.Process(bench.server.process.pid)
    before, began = sum(server.cpu_times()[:2]), time.perf_counter()
    with (
        patch.object(Transport, "ask", timed),
        connect(bench.server.url, password=bench.server.password) as connection,
    ):
        look_twice(connection.reader, sample_s=0, tree=lambda: server_tree(connection.url))
    took = time.perf_counter() - began
    cpu = sum(server.cpu_times()[:2]) - before
    print(f"  inside: {len(asked)} requests; {sum(asked):.3f} s of the look's {took:.3f} s are theirs")
    print(f"  the server: {cpu:.3f} s of a core, {1000 * cpu / len(asked):.1f} ms a request")


def tell(tree: Mapping[str, Any]) -> None:
    """What was left out."""
    print(f"  {tree['checked']['sessions']} sessions, in {len(tree['checked']['scopes'])} asked directories")
    for gap in (*tree["unknown"], *tree["checked"]["blind"]):
        print(f"  left out: {gap['what']}: {gap['why']}")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--server", default="v1@1.17.18", help="server spec (default: %(default)s)")
    parser.add_argument(
        "--sizes", default="10,100,1000,10000", help="how many sessions (default: %(default)s)"
    )
    parser.add_argument("--runs", type=int, default=5, help="runs of each (default: %(default)s)")
    options = parser.parse_args()
    installed = install(resolve(ServerSpec.parse(options.server)))
    sizes = [int(size) for size in options.sizes.split(",")]
    print(f"{installed.spec}")
    seen = [one_size(installed, size, options.runs).seconds for size in sizes]
    if len(sizes) > 1:
        slope, _ = statistics.linear_regression([math.log(n) for n in sizes], [math.log(s) for s in seen])
        print(f"growth: seconds ~ sessions ^ {slope:.2f}, from {sizes[0]} to {sizes[-1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
