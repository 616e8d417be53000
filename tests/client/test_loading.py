"""HTTP is loaded by whoever connects, and by nobody else."""

import subprocess
import sys

import pytest

import wedged.client


def loaded(code: str) -> bool:
    """Whether a fresh Python has loaded httpx after this."""
    says = f"import sys; {code}; print('httpx' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", says], capture_output=True, text=True, check=True)
    return ran.stdout.strip() == "True"


def test_a_look_at_a_file_loads_no_http() -> None:
    assert not loaded("import wedged.observe.database, wedged.diagnose")
    assert loaded("from wedged.client import connect")


def test_what_is_not_there_is_said_as_usual() -> None:
    assert callable(wedged.client.connect)
    with pytest.raises(AttributeError, match=r"module 'wedged\.client' has no attribute 'nothing'"):
        _ = wedged.client.nothing  # type: ignore[attr-defined]
