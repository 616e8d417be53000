"""A real server: started, known, stopped, and nothing of the user's in it."""

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from wedged.errors import ServerDidNotStart
from wedged.facts.server import Line, ServerSpec
from wedged.lab import server_process
from wedged.lab.home import Home
from wedged.lab.keeper import Keeper
from wedged.lab.server_process import ServerProcess, start_server
from wedged.servers import InstalledServer
from wedged.waiting import wait_for

MODEL = "http://127.0.0.1:9/v1"
PASSWORD = "correct-horse-battery"


@pytest.fixture
def home(keeper: Keeper) -> Home:
    return Home(keeper.make_home("server"))


@pytest.fixture
def project(home: Home) -> Path:
    return home.project("project", model_url=MODEL)


@pytest.fixture
def server(
    keeper: Keeper, installed_v1: InstalledServer, home: Home, project: Path
) -> Iterator[ServerProcess]:
    server = start_server(keeper, installed_v1, home, cwd=project, password=PASSWORD)
    yield server
    server.stop()


def script(tmp_path: Path, text: str) -> InstalledServer:
    """A program that is not a server."""
    path = tmp_path / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return InstalledServer(ServerSpec.parse(f"path:{path}"), (str(path),), "", "", Line.UNKNOWN)


def get(server: ServerProcess, path: str, directory: Path | None = None) -> httpx.Response:
    with httpx.Client(base_url=server.url, auth=("opencode", server.password), timeout=60) as client:
        return client.get(path, params={"directory": str(directory)} if directory else {})


@pytest.mark.server
def test_it_listens_on_loopback_with_the_password_that_it_was_given(server: ServerProcess) -> None:
    assert httpx.URL(server.url).host == "127.0.0.1"
    assert httpx.URL(server.url).port != 4096
    assert httpx.get(f"{server.url}/global/health", timeout=60).status_code == 401
    assert get(server, "/global/health").json()["healthy"] is True
    shown = [*psutil.Process(server.process.pid).cmdline(), server.words(), server.log.read_text()]
    assert not any(PASSWORD in text for text in shown)


@pytest.mark.server
def test_it_knows_no_provider_but_the_scripted_one(server: ServerProcess, home: Home, project: Path) -> None:
    def providers(directory: Path | None) -> list[str]:
        answer = get(server, "/config/providers", directory).json()
        return [provider["id"] for provider in answer["providers"]]

    assert providers(project) == ["mock"]
    assert providers(None) == ["mock"]
    # A directory without a project has no provider at all: the hosted one is not there either.
    assert providers(home.outside) == []


@pytest.mark.server
def test_each_directory_is_its_own_worktree_and_project(server: ServerProcess, home: Home) -> None:
    # A config above the projects is what a stray file in the temporary folder would be.
    (home.root / "opencode.json").write_text('{"permission": {"external_directory": "allow"}}')
    paths = [home.project(name, model_url=MODEL, permission={"bash": name}) for name in ("ask", "deny")]
    for path in paths:
        config = get(server, "/config", path).json()
        assert config["permission"] == {"bash": path.name}
        assert get(server, "/path", path).json()["worktree"] == str(path)
    ids = {get(server, "/project/current", path).json()["id"] for path in paths}
    assert len(ids) == 2
    assert "global" not in ids


@pytest.mark.server
def test_it_installs_nothing_and_writes_nothing_into_the_project(
    server: ServerProcess, home: Home, project: Path
) -> None:
    get(server, "/config/providers", project)
    assert sorted(path.name for path in project.iterdir()) == [".git", "opencode.json"]
    config = Path(home.env["XDG_CONFIG_HOME"]) / "opencode"
    assert list((config / "node_modules").iterdir()) == []
    assert "NpmInstallFailedError" not in "".join(
        path.read_text() for path in Path(home.env["XDG_DATA_HOME"]).rglob("*.log")
    )


@pytest.mark.server
def test_stopping_ends_it_and_its_port(server: ServerProcess) -> None:
    assert server.alive()
    assert server.process.pid in {each.pid for each in server.tree()}
    ended = server.stop()
    assert not ended.forced
    assert not server.alive()
    assert server.tree() == ()
    with pytest.raises(httpx.ConnectError):
        httpx.get(server.url)
    assert server.stop() == ended


@pytest.mark.server
def test_killing_it_leaves_its_shell_and_stopping_then_ends_that_too(
    server: ServerProcess, project: Path
) -> None:
    with httpx.Client(base_url=server.url, auth=("opencode", PASSWORD), timeout=60) as client:
        where = {"directory": str(project)}
        session = client.post("/session", params=where, json={}).json()["id"]
        command = "setsid sleep 600 < /dev/null > /dev/null 2>&1 & echo started"
        body = {"agent": "build", "model": {"providerID": "mock", "modelID": "m"}, "command": command}
        client.post(f"/session/{session}/shell", params=where, json=body).raise_for_status()
    before = server.family()
    assert [each.name for each in before if each.pid != server.process.pid] == ["sleep"]
    assert server.kill().signal == 9
    assert not server.alive()
    (left,) = server.family()
    assert left.name == "sleep"
    server.stop(leave_children=True)
    assert server.family() == (left,)
    server.stop()
    assert server.family() == ()


@pytest.mark.server
def test_it_starts_again_on_the_same_store(
    keeper: Keeper, installed_v1: InstalledServer, home: Home, project: Path
) -> None:
    first = start_server(keeper, installed_v1, home, cwd=project)
    assert first.password == ""
    with httpx.Client(base_url=first.url, timeout=60) as client:
        session = client.post("/session", params={"directory": str(project)}, json={}).json()["id"]
    first.stop()
    second = start_server(keeper, installed_v1, home, cwd=project)
    assert second.log != first.log
    assert get(second, f"/session/{session}", project).json()["id"] == session
    second.stop()


@pytest.mark.server
def test_a_port_that_somebody_takes_in_between_is_replaced(
    keeper: Keeper,
    installed_v1: InstalledServer,
    home: Home,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        taken = somebody.getsockname()[1]
        free = server_process.free_port
        ports = iter([taken])
        monkeypatch.setattr(server_process, "free_port", lambda: next(ports, None) or free())
        server = start_server(keeper, installed_v1, home, cwd=project)
        assert httpx.URL(server.url).port != taken
        server.stop()


def test_a_program_that_ends_is_told_with_its_last_words_redacted(
    keeper: Keeper, home: Home, tmp_path: Path
) -> None:
    program = script(tmp_path, 'echo "cannot open the store, password=$OPENCODE_PASSWORD"; exit 3')
    with pytest.raises(ServerDidNotStart, match=r"ended with status 3 .* cannot open the store") as caught:
        start_server(keeper, program, home, cwd=tmp_path, password=PASSWORD)
    assert PASSWORD not in str(caught.value)


def test_a_program_that_never_listens_is_ended_with_its_children(
    keeper: Keeper, home: Home, tmp_path: Path
) -> None:
    program = script(tmp_path, f"echo $$ >> {tmp_path}/pids; setsid sleep 600 & echo warming up; wait")
    with pytest.raises(ServerDidNotStart, match=r"did not say within 0.5 s .* warming up"):
        start_server(keeper, program, home, cwd=tmp_path, seconds=0.5)
    (pid,) = (tmp_path / "pids").read_text().split()
    assert not psutil.pid_exists(int(pid))
    assert psutil.Process(keeper.pid).children() == []


def test_a_program_that_is_silent_is_told(keeper: Keeper, home: Home, tmp_path: Path) -> None:
    with pytest.raises(ServerDidNotStart, match="ended with signal 9 before it listened; it said nothing"):
        start_server(keeper, script(tmp_path, "kill -9 $$"), home, cwd=tmp_path)


def test_a_server_that_listens_to_the_world_is_refused(keeper: Keeper, home: Home, tmp_path: Path) -> None:
    program = script(tmp_path, "echo server listening on http://0.0.0.0:4096; exec sleep 600")
    with pytest.raises(ServerDidNotStart, match="somewhere else than on a loopback port"):
        start_server(keeper, program, home, cwd=tmp_path)
    assert psutil.Process(keeper.pid).children() == []


def test_an_exception_while_waiting_ends_the_server(
    keeper: Keeper, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> str:
        wait_for(psutil.Process(keeper.pid).children, "the program", 10)
        raise KeyboardInterrupt

    monkeypatch.setattr(server_process, "_await_url", interrupted)
    with pytest.raises(KeyboardInterrupt):
        start_server(keeper, script(tmp_path, "exec sleep 600"), home, cwd=tmp_path)
    assert psutil.Process(keeper.pid).children() == []
