"""Shells that are hard to get rid of, and a look at what is left of them."""

import subprocess

import psutil

# Sleeps in a shell that can't be told from its environment, its session or its terminal.
ESCAPED = "setsid env -i PATH=/usr/bin:/bin sh -c 'cd /; while :; do sleep 1; done' &"
DEAF = "trap '' TERM HUP INT; while :; do sleep 1; done"


def said(lab: "subprocess.Popen[str]") -> list[str]:
    """The words of the next line that the lab tells."""
    assert lab.stdout
    return lab.stdout.readline().split()


def gone(pid: int) -> bool:
    """Whether nothing runs under this pid."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
