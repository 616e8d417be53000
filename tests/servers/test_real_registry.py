"""The one test that talks to the real registry."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from wedged.facts.server import Line, ServerSpec
from wedged.servers import install, installed, resolve


@pytest.mark.server
def test_real_servers_are_had(tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        if os.environ.get("CI"):
            pytest.fail("npm is missing, and in CI it must be there")
        pytest.skip("npm is not installed")
    latest = resolve(ServerSpec.parse("v1@latest"))
    assert not latest.floating
    server = install(ServerSpec.parse("v1@1.17.18"))
    assert server.line is Line.V1
    assert server in installed()
    # Even --version makes folders in the home.
    homes = dict.fromkeys(
        ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"), str(tmp_path)
    )
    said = subprocess.run(
        [*server.argv, "--version"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, **homes},
    )
    assert said.stdout.strip() == "1.17.18"
