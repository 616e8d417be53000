"""The kernel a notebook runs in: this interpreter, found without any kernel spec in anybody's home."""

import os
from pathlib import Path

from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

_LONGEST_SOCKET = 100


class ThisInterpreter(KernelSpecManager):
    """Knows one kernel, whatever name is asked for: ipykernel under the interpreter that runs us.

    A user's own kernel named ``python3`` may be another Python altogether; it must not shadow this one.
    """

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:  # noqa: ARG002 (any name means this one)
        """The spec of this interpreter's ipykernel."""
        return KernelSpec(resource_dir="", **get_kernel_dict())


def kernel_manager(scratch: Path) -> AsyncKernelManager:
    """A manager for one kernel, whose connection file stands in `scratch` and not in the user's home."""
    manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=ThisInterpreter())
    manager.connection_file = str(scratch / "kernel.json")
    socket = str(scratch / "socket")
    # Sockets in our private folder can be reached by nobody else; loopback ports can. The kernel of a build
    # whose temporary folder has too long a name for a socket falls back to them.
    if os.name == "posix" and len(socket) < _LONGEST_SOCKET:
        manager.transport, manager.ip = "ipc", socket
    return manager
