"""What `wedged watch` costs on an idle server with 100 sessions, as a share of one core, beside its floor.

- the watch: its processor time over a minute, counted from when it says that it watches;
- the floor: a program that follows the same event stream in the same minute, with the same library, and does
  nothing with what it hears;
- the server: its own processor time in that minute, and in one in which nobody asks it anything.

    python benchmarks/watch.py [--server SPEC] [--sessions N] [--seconds S] [--interval S]
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psutil

from wedged.client.event_stream import stream_of
from wedged.facts.server import ServerSpec
from wedged.lab.bench import Bench, open_bench
from wedged.lab.keeper import Keeper
from wedged.lab.turns import Script, Turn
from wedged.servers import install, resolve
from wedged.waiting import pause

_FLOOR = """
import os, sys
import httpx, httpx_sse
auth = httpx.BasicAuth("opencode", os.environ["OPENCODE_SERVER_PASSWORD"])
client = httpx.Client(base_url=sys.argv[1], auth=auth, trust_env=False, timeout=httpx.Timeout(10, read=45))
with httpx_sse.connect_sse(client, "GET", sys.argv[2]) as source:
    for number, event in enumerate(source.iter_sse()):
        if not number:
            print("follows", flush=True)
"""


def fill(bench: Bench, sessions: int) -> None:
    """So many sessions, each with a prompt that was answered."""
    directory = bench.project()

    def one(number: int) -> None:
        bench.wait_idle(bench.prompt(Script(f"idle-{number}", (Turn(text="done"),)), directory), 120)

    with ThreadPoolExecutor(max_workers=8) as pool:
        list(pool.map(one, range(sessions)))


@contextmanager
def running(arguments: list[str], password: str, said: str) -> Iterator[psutil.Process]:
    """A program that has said that it works; ended afterwards."""
    env = os.environ | {"OPENCODE_SERVER_PASSWORD": password}
    with subprocess.Popen(
        [sys.executable, *arguments], env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as program:
        try:
            assert program.stdout is not None
            line = program.stdout.readline()
            assert said in line, f"it said {line!r}"
            yield psutil.Process(program.pid)
        finally:
            program.terminate()


def spent(process: psutil.Process) -> float:
    """Its processor time so far, in seconds."""
    times = process.cpu_times()
    return times.user + times.system


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--server", default="v1@1.17.18", help="server spec (default: %(default)s)")
    parser.add_argument("--sessions", type=int, default=100, help="idle sessions (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=60, help="how long (default: %(default)s)")
    parser.add_argument("--interval", type=float, default=30, help="the watch's (default: %(default)s)")
    options = parser.parse_args()
    installed = install(resolve(ServerSpec.parse(options.server)))
    with Keeper.start() as keeper, open_bench(installed, keeper) as bench:
        fill(bench, options.sessions)
        server = psutil.Process(bench.server.process.pid)
        before = spent(server)
        pause(options.seconds)
        alone = (spent(server) - before) / options.seconds
        url, password = bench.server.url, bench.server.password
        watch = ["-m", "wedged", "watch", url, "--interval", str(options.interval)]
        floor = ["-c", _FLOOR, url, stream_of(bench.identity.line)[0]]
        with (
            running(watch, password, "watching") as watcher,
            running(floor, password, "follows") as listener,
        ):
            # The look that begins a watch is over by now, the one that the stream's first event asks for too.
            pause(options.interval / 2)
            start = [spent(one) for one in (watcher, listener, server)]
            pause(options.seconds)
            took = [spent(one) - at for one, at in zip((watcher, listener, server), start, strict=True)]
            memory = watcher.memory_info().rss / 2**20
    of_watch, of_floor, of_server = (one / options.seconds for one in took)
    print(
        f"{installed.spec}, {options.sessions} idle sessions, {options.seconds:g} s, looks every "
        f"{options.interval:g} s"
    )
    print(f"watch: {of_watch:.3%} of a core, {memory:.0f} MB (the design: under 1%)")
    print(f"floor, the event stream alone: {of_floor:.3%} of a core")
    print(f"the server: {of_server:.2%} of a core while it is watched, {alone:.2%} while nobody asks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
