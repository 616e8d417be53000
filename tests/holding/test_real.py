"""Real servers held: two example clients judged, the command ended in every way, the pytest fixture."""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import psutil
import pytest

from wedged.errors import LabError
from wedged.facts.server import Line
from wedged.lab.bench import Bench, open_bench
from wedged.lab.conformance import Sheet
from wedged.lab.holding import HELD_STATES, Held
from wedged.lab.holding.held import held_on
from wedged.lab.keeper import Keeper
from wedged.lab.server_process import free_port
from wedged.servers import cache_folder
from wedged.waiting import wait_for

pytestmark = pytest.mark.server
pytest_plugins = ("pytester",)

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
CACHE = cache_folder().parent
Benches = Callable[[str], Bench]


@pytest.fixture(scope="module")
def benches(request: pytest.FixtureRequest) -> Iterator[Benches]:
    """One warmed server a line, each started when it is first asked for."""
    opened: dict[str, Bench] = {}
    with ExitStack() as stack:
        keeper = stack.enter_context(Keeper.start())

        def of_line(line: str) -> Bench:
            if line not in opened:
                opened[line] = stack.enter_context(open_bench(request.getfixturevalue(line), keeper))
                opened[line].warm_up(opened[line].project())
            return opened[line]

        yield of_line


def observed(bench: Bench, code: str, client: str) -> tuple[Held, Sheet, str]:
    """Hold a session, run an example client at it, and judge it; with what the client printed."""
    with held_on(bench, code, observe=True, name=f"{code.lower()}-{client}") as state:
        done = subprocess.run(
            [sys.executable, EXAMPLES / f"{client}_client.py"],
            env={"PATH": os.environ["PATH"], **state.environment()},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert state.alive()
        return state, state.sheet(), done.stdout


# The class, its server, what the wrong client breaks there, what the right one is shown to keep, and a line
# that the right one shows a person.
PAIRS = [
    (
        "W101",
        "installed_v1",
        {"W101.no-unseen-always", "W101.lists-asks-at-start"},
        {"W101.sees-the-ask", "W101.lists-asks-at-start", "W101.no-unseen-always", "W001.asks-own-directory"},
        "waits for you",
    ),
    (
        "W102",
        "installed_v1",
        {"W102.final-404", "W102.reads-list-after-404", "W101.no-unseen-always"},
        {"W102.final-404", "W102.reads-list-after-404", "W001.asks-own-directory"},
        "gone: per_",
    ),
    (
        "W105",
        "installed_v1",
        {"W105.sees-the-childs-ask"},
        {"W105.sees-the-childs-ask", "W101.lists-asks-at-start"},
        "asks (a sub-agent)",
    ),
    (
        "W301",
        "installed_released",
        {"W301.lists-shells", "W301.stop-ends-shells", "W301.no-restart-over-work"},
        {"W301.lists-shells", "W301.stop-ends-shells"},
        "in the background",
    ),
]


@pytest.mark.parametrize(("code", "server", "breaks", "keeps", "shown"), PAIRS, ids=[p[0] for p in PAIRS])
def test_the_wrong_client_breaks_the_rules_that_the_right_one_keeps(
    code: str, server: str, breaks: set[str], keeps: set[str], shown: str, benches: Benches
) -> None:
    bench = benches(server)
    # The right one first: the wrong one's `always` opens the gate for whoever comes after it.
    _, right, lines = observed(bench, code, "right")
    assert right.broken == ()
    assert keeps <= set(right.kept)
    assert shown in lines
    state, wrong, _ = observed(bench, code, "wrong")
    assert breaks <= set(wrong.broken)
    assert state.password not in repr(wrong), "no secret is recorded"
    assert state.password not in state.json_line()


def test_the_line_says_what_a_client_needs_and_the_state_is_there(benches: Benches) -> None:
    bench = benches("installed_v1")
    with held_on(bench, "W001", name="plain") as state:
        line = json.loads(state.json_line())
        assert (line["url"], line["pid"]) == (bench.server.url, bench.server.process.pid)
        assert line["session"] not in bench.connection.reader.statuses()
        assert line["session"] in bench.connection.reader.statuses(line["directory"])
        assert (line["code"], line["server"]) == ("W001", "v1@1.17.18")
        assert line["wrong"] == HELD_STATES["W001"].wrong
        assert Path(line["password_file"]).read_text() == bench.server.password
        assert stat.S_IMODE(Path(line["password_file"]).stat().st_mode) == 0o600


@pytest.fixture
def command(state: Path) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Starts ``wedged lab hold`` as a process of its own."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> "subprocess.Popen[str]":
        argv = [sys.executable, "-m", "wedged", "lab", "hold", *arguments]
        started.append(
            subprocess.Popen(
                argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
            )
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def said(process: "subprocess.Popen[str]") -> dict[str, Any]:
    assert process.stdout
    line = process.stdout.readline()
    assert line, process.communicate()[1]
    tree: dict[str, Any] = json.loads(line)
    return tree


def all_gone(line: dict[str, Any], family: list[psutil.Process], state: Path) -> None:
    wait_for(lambda: not any(one.is_running() for one in family), "every process to be gone", 60)
    assert not Path(line["password_file"]).parent.exists()
    wait_for(lambda: not list(state.glob("keepers/*.json")), "the journal to be gone", 20)


def family_of(process: "subprocess.Popen[str]", line: dict[str, Any]) -> list[psutil.Process]:
    """Keeper, server and all below them."""
    below = psutil.Process(process.pid).children(recursive=True)
    assert line["pid"] in {one.pid for one in below}
    return below


def test_sigterm_ends_everything_prints_the_sheet_and_is_143(
    command: Callable[..., "subprocess.Popen[str]"], state: Path, installed_v1: object
) -> None:
    process = command("W101", "--server", "v1@1.17.18", "--observe", "--json")
    line = said(process)
    family = family_of(process, line)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=90)
    assert process.returncode == 143, err
    sheet = json.loads(out)
    assert (sheet["class"], sheet["requests"]) == ("W101", 0)
    assert {rule["verdict"] for rule in sheet["rules"]} == {"not exercised"}
    all_gone(line, family, state)


def test_sigkill_leaves_nothing_and_a_given_port_is_the_one_even_after_a_crash(
    command: Callable[..., "subprocess.Popen[str]"], state: Path, installed_v1: object, free: int
) -> None:
    process = command("W201", "--server", "v1@1.17.18", "--port", str(free))
    line = said(process)
    assert line["url"] == f"http://127.0.0.1:{free}"
    family = family_of(process, line)
    process.kill()
    all_gone(line, family, state)


@pytest.fixture
def free() -> int:
    return free_port()


def test_the_fixture_holds_a_server_for_a_test_and_ends_it(
    pytester: pytest.Pytester, installed_released: object, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # pytester gives its tests another home, in which no server is cached.
    monkeypatch.setenv("WEDGED_CACHE", str(CACHE))
    pytester.makepyfile(
        """
        import pathlib

        import httpx

        def test_a_client(wedged_held):
            held = wedged_held("W301", server="v2@2.0.15", observe=True)
            auth = httpx.BasicAuth("opencode", held.password)
            with httpx.Client(base_url=held.url, auth=auth, trust_env=False) as client:
                active = client.get("/api/session/active").json()["data"]
                assert held.session not in active
                client.get("/api/shell").raise_for_status()
            assert "W301.lists-shells" in held.sheet().kept
            pathlib.Path("pid").write_text(str(held.pid))
        """
    )
    ours = [one for one in entry_points(group="pytest11") if one.value == "wedged.pytest_plugin"]
    plugin = () if ours else ("-p", "wedged.pytest_plugin")
    pytester.runpytest_subprocess(*plugin, "-p", "no:cacheprovider").assert_outcomes(passed=1)
    assert not psutil.pid_exists(int((pytester.path / "pid").read_text()))
    assert not list(state.glob("keepers/*.json"))


def test_a_state_that_a_server_does_not_have_is_refused_and_why(benches: Benches) -> None:
    released = benches("installed_released")
    assert released.identity.line is Line.V2_RELEASED
    with (
        pytest.raises(LabError, match=r"2\.0\.15 does not have W102: an event says"),
        held_on(released, "W102", name="revoked"),
    ):
        pass
    with (
        pytest.raises(LabError, match="has no W301: GET /api/shell is missing"),
        held_on(benches("installed_v1"), "W301", name="none"),
    ):
        pass
