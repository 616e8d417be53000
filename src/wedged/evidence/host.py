"""The machine of a run, without anything that names it or its user."""

import os
import platform
import re

import psutil


def host_facts() -> dict[str, str | int]:
    """The machine: ``os``, ``kernel`` (numbers only), ``machine``, ``cpus``, ``memory_gb``, ``python``.

    No host name, user name or path is in it.
    """
    # A kernel of one's own is often named after the machine or its owner ("6.1.0-alice"): numbers only.
    kernel = re.match(r"\d+(?:\.\d+)*", platform.release())
    return {
        "os": platform.system(),
        "kernel": kernel.group() if kernel else "",
        "machine": platform.machine(),
        "cpus": os.cpu_count() or 0,
        "memory_gb": round(psutil.virtual_memory().total / 2**30),
        "python": platform.python_version(),
    }
