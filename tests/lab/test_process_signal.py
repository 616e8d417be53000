"""A signal reaches the very process that was seen, and no other one of its pid."""

import signal
import subprocess
import sys
from dataclasses import replace

from wedged.lab.process_tree import facts, is_running, send


def test_a_signal_reaches_the_very_process_and_nobody_else() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        seen = facts(process.pid)
        assert seen is not None
        another = replace(seen, created=seen.created - 60)
        assert not send(another, signal.SIGKILL)
        assert is_running(seen)
        assert send(seen, signal.SIGKILL)
        assert process.wait(10) == -signal.SIGKILL
    assert not send(seen, signal.SIGKILL)
