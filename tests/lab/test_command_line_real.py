"""A verb of the real command line in the bench's home: what it prints and leaves, and that all of it ends."""

import psutil
import pytest

from wedged.lab.bench import open_bench
from wedged.lab.command_line import start_command
from wedged.lab.keeper import Keeper
from wedged.servers import InstalledServer

pytestmark = pytest.mark.server


def test_a_bare_verb_starts_the_shared_service_and_a_named_server_does_not(
    installed_released: InstalledServer,
) -> None:
    with Keeper.start() as keeper, open_bench(installed_released, keeper) as bench:
        password = {"OPENCODE_PASSWORD": bench.server.password}
        listing = ("session", "list")
        with start_command(bench, (*listing, "--server", bench.server.url), env=password) as command:
            assert command.wait(60) is not None, command.printed
            assert (command.left(), command.service()) == ((), None)
        bench.end_server("SIGTERM")
        with start_command(bench, listing) as command:
            ended = command.wait(60)
            assert ended is not None, command.printed
            assert ended.returncode == 0, command.printed
            service = command.service()
            assert service is not None
            assert psutil.pid_exists(service.pid)
            # Not where the user's own service would be.
            assert not service.url.endswith(":49374")
        assert not psutil.pid_exists(service.pid)
