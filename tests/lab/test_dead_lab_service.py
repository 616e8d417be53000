"""A killed lab leaves no V2 service behind: neither its own, nor one that a command of the server started."""

import subprocess
from collections.abc import Callable

import pytest
from tests.lab.shells import gone, said

from wedged.servers import InstalledServer
from wedged.waiting import wait_for

pytestmark = pytest.mark.server

LINES = """
from wedged.facts.server import ServerSpec
from wedged.lab import shared_service
from wedged.lab.home import Home
from wedged.lab.server_process import free_port, start_server
from wedged.servers import install
from wedged.waiting import wait_for
installed = install(ServerSpec.parse("{spec}"))
own = Home(home)
project = own.project("project", model_url="http://127.0.0.1:9/v1")
server = start_server(keeper, installed, own, cwd=project, service=True)
other = Home(keeper.make_home("other"))
shared_service.configure(other.env, port=free_port())
log = other.logs / "command.log"
command = keeper.spawn([*installed.argv, "service", "start"], env=other.env, cwd=other.outside, log=log)
wait_for(lambda: keeper.ended(command), "the command to end", 60)
stray = wait_for(lambda: shared_service.registration(other.env), "the service to register", 60)
tell(server.process.pid, stray.pid)
signal.pause()
"""


def test_both_services_end_with_the_lab(
    lab: Callable[[str], "subprocess.Popen[str]"], installed_preview: InstalledServer
) -> None:
    dead = lab(LINES.format(spec=installed_preview.spec))
    pids = [int(word) for word in said(dead)]
    assert len(pids) == 2
    assert not any(map(gone, pids))
    dead.kill()
    wait_for(lambda: all(map(gone, pids)), "the services to end", 15)
