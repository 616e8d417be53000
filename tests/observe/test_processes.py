"""The server's process tree: seen where it is ours, and said where it is not."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from wedged.facts.process import ProcessFacts, Tree
from wedged.facts.snapshot import Gap
from wedged.observe import server_tree

linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a port's holder needs more rights")

# Listens, starts a shell with a child, connects to itself, says where, and waits to be ended.
SERVER = """
import socket, subprocess, sys
s = socket.create_server(("127.0.0.1", 0))
other = socket.create_server(("127.0.0.1", 0))
out = socket.create_connection(other.getsockname())
child = subprocess.Popen(["sh", "-c", "sleep 600; true"])
print(s.getsockname()[1], flush=True)
sys.stdin.read()
child.terminate()
"""


@contextmanager
def serving(name: str) -> Iterator[tuple[int, int]]:
    """The port and pid of such a process, with `name` among its arguments; ended with what it started."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline()), process.pid
    finally:
        below = psutil.Process(process.pid).children(recursive=True)
        process.stdin.close()
        process.wait(10)
        process.stdout.close()
        for one in below:
            if one.is_running():
                one.terminate()


@linux
def test_a_server_of_this_user() -> None:
    with serving("opencode") as (port, pid):
        tree = server_tree(f"http://127.0.0.1:{port}")
        assert isinstance(tree, Tree)
        assert (tree.server.pid, tree.connections_out) == (pid, 1)
        found = tree.running("sleep 600; true")
        assert found is not None
        assert (found.parent, found.name) == (pid, "sh")
        assert server_tree(f"http://localhost:{port}") == tree


@linux
@pytest.mark.parametrize("name", ["ssh"])
def test_a_holder_that_is_no_opencode_proves_nothing(name: str) -> None:
    with serving(name) as (port, _):
        seen = server_tree(f"http://127.0.0.1:{port}")
        assert isinstance(seen, Gap)
        assert "may only pass it on" in seen.why


@pytest.mark.parametrize(
    "url", ["http://192.0.2.7:4096", "http://opencode.example", "https://[2001:db8::1]:1"]
)
def test_another_machine(url: str) -> None:
    seen = server_tree(url)
    assert isinstance(seen, Gap)
    assert seen.why == "the server is on another machine"


@linux
def test_a_port_that_nobody_holds() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert isinstance(server_tree(f"http://127.0.0.1:{port}"), Gap)


def test_a_system_that_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(kind: str) -> list[object]:
        raise psutil.AccessDenied(os.getpid())

    monkeypatch.setattr(psutil, "net_connections", refuse)
    seen = server_tree("http://127.0.0.1:4096")
    assert isinstance(seen, Gap)
    assert "does not tell" in seen.why


def test_a_command_is_found_whole_or_not_at_all() -> None:
    server = ProcessFacts(1, 0, 0.0, "opencode")
    tree = Tree(
        server,
        (
            ProcessFacts(2, 1, 0.0, "bash", ("/bin/bash", "-c", "make test\n")),
            ProcessFacts(3, 1, 0.0, "sleep", ("sleep", "5")),
            ProcessFacts(4, 1, 0.0, "gone", ()),
        ),
    )
    assert [
        p.pid if (p := tree.running(c)) else 0 for c in ("make test", "sleep 5", "make", "sleep", "")
    ] == [
        2,
        3,
        0,
        0,
        0,
    ]
