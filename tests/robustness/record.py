"""Makes the samples of this folder again, with real servers: ``python -m tests.robustness.record [SPEC …]``.

Each server is brought into as many states as it has, one after another, and looked at twice as `doctor` does.
What it answered goes into samples/, normalised: by route, for the first look and for the second.
"""

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import unquote

from wedged.client import connect
from wedged.client.transport import Answer, Transport
from wedged.errors import LabError
from wedged.facts.server import ServerSpec
from wedged.facts.snapshot import Gap
from wedged.lab.bench import Bench, open_bench
from wedged.lab.holding.bringing import bring
from wedged.lab.keeper import Keeper
from wedged.observe import look_twice
from wedged.servers import install

SAMPLES = Path(__file__).parent / "samples"
SPECS = ("v1@1.17.18", "v2@0.0.0-next-16350", "v2@2.0.15")
# A crash comes first: it would end every other state. An eviction reaches its own directory only.
_STATES = ("W201", "W301", "W103", "W104", "W102", "W105", "W101", "W001")
# What a dialect is read from; the rest of an API document is half a megabyte.
_DOCUMENT = ("/api/session", "/api/form", "/api/permission", "/api/question", "/api/debug/location")


def record(spec: str) -> None:
    """One server's sample."""
    with Keeper.start() as keeper, open_bench(install(ServerSpec.parse(spec)), keeper) as bench:
        bench.warm_up(bench.project())
        with ExitStack() as states:
            held = []
            for code in _STATES:
                try:
                    states.enter_context(bring(bench, code, name=f"held-{code.lower()}"))
                except LabError as error:
                    sys.stdout.write(f"{spec} has no {code}: {error}\n")
                else:
                    held.append(code)
            looks = _answers(bench)
        tree = bench.normaliser.value({"about": f"{spec}, holding {', '.join(held)}", "looks": looks})
        name = f"{bench.identity.key.replace('@', '-')}-held.json"
        SAMPLES.mkdir(exist_ok=True)
        (SAMPLES / name).write_text(json.dumps(tree, indent=1, ensure_ascii=False) + "\n")
        sys.stdout.write(f"{name}: {held}, {[len(look) for look in looks]} answers\n")


def _answers(bench: Bench) -> list[dict[str, Any]]:
    """By route, with the directory that it names: what the first look was answered, and what the second."""
    looks: list[dict[str, Any]] = [{}]
    plain = Transport.ask

    def kept(self: Transport, method: str, path: str, **more: Any) -> Answer:
        answer = plain(self, method, path, **more)
        params = more.get("params") or {}
        where = params.get("directory") or params.get("location[directory]") or ""
        if answer.is_json and answer.status == 200:
            tree = answer.read(object)
            route = f"{unquote(path)}?{where}" if where else unquote(path)
            looks[-1].setdefault(route, _short(tree) if path == "/openapi.json" else tree)
        return answer

    def between(seconds: float) -> None:
        looks.append({})

    with (
        patch.object(Transport, "ask", kept),
        connect(bench.server.url, password=bench.server.password, timeout=30) as connection,
    ):
        look_twice(
            connection.reader,
            sample_s=1.0,
            wait=between,
            tree=lambda: Gap("processes of the server", "not looked at here"),
        )
    return looks


def _short(document: Any) -> Any:
    """An API document without what no dialect is read from."""
    paths = {path: what for path, what in document["paths"].items() if path.startswith(_DOCUMENT)}
    return {"openapi": document.get("openapi"), "paths": _only(paths), "components": {"schemas": {}}}


def _only(paths: dict[str, Any]) -> dict[str, Any]:
    """Of each operation its parameters' names and its body."""
    keep = ("parameters", "requestBody")
    return {
        path: {method: {key: one[key] for key in keep if key in one} for method, one in what.items()}
        for path, what in paths.items()
    }


if __name__ == "__main__":
    for one in sys.argv[1:] or SPECS:
        record(one)
