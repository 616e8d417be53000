"""Which binary a running process really executes."""

import hashlib
from pathlib import Path

from wedged.errors import LabError


def running_binary_sha256(pid: int) -> str:
    """Lower-case hex sha256 of the file behind the process, read through the kernel, not through a path.

    Raises:
        LabError: the process is gone, or this system has no /proc.
    """
    try:
        with Path(f"/proc/{pid}/exe").open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise LabError(f"cannot read the binary of process {pid}: {error.strerror}") from error
