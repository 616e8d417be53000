"""A server inside a process that is to be ended: to its users that is a restart."""

import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from wedged.diagnose.readiness import Blocker, BlockerKind, Readiness
from wedged.errors import CannotLook, Refused
from wedged.facts.process import ProcessFacts
from wedged.facts.snapshot import Gap
from wedged.observe.processes import process_facts
from wedged.recover.inner_servers import refuse_if_it_serves, servers_in

from .stale import STALE

LISTENS = (
    "import socket, sys; one = socket.create_server(('127.0.0.1', 0)); "
    "print(one.getsockname()[1], flush=True); sys.stdin.read()"
)


@pytest.fixture
def shell() -> Iterator[tuple[ProcessFacts, str]]:
    """A shell that leads a group with something in it that calls itself opencode and listens; its address."""
    line = f'"{sys.executable}" -c "{LISTENS}" opencode serve; true'
    with subprocess.Popen(
        ["bash", "-c", line],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as child:
        assert child.stdout is not None
        port = child.stdout.readline().strip()
        yield process_facts(psutil.Process(child.pid)), f"http://127.0.0.1:{port}"
        child.communicate("")


def test_a_server_is_found_in_the_group_with_its_address(shell: tuple[ProcessFacts, str]) -> None:
    process, url = shell
    ((server, where),) = servers_in(process)
    assert (server.parent, where) == (process.pid, url)
    assert servers_in(process_facts(psutil.Process())) == ()


def test_it_is_not_ended_while_it_works_or_can_not_be_asked(shell: tuple[ProcessFacts, str]) -> None:
    process, url = shell
    turn = Blocker(BlockerKind.TURN, "ses_1", "the server says busy")
    asked: list[str] = []

    def says(answer: Readiness | CannotLook) -> None:
        def ready(address: str) -> Readiness:
            asked.append(address)
            if isinstance(answer, CannotLook):
                raise answer
            return answer

        refuse_if_it_serves(process, ready)

    with pytest.raises(
        Refused, match=rf"it works \(1 active turn\): `wedged ready {url} --wait`, then end it"
    ):
        says(Readiness(STALE, (turn,)))
    with pytest.raises(Refused, match="not everything could be seen"):
        says(Readiness(STALE, (), unknown=(Gap("a", "b"),)))
    with pytest.raises(Refused, match=f"can't be asked whether it works: no.*Ask `wedged ready {url}`"):
        says(CannotLook("no"))
    says(Readiness(STALE, ()))
    assert asked == [url] * 4
