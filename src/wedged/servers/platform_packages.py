"""Which npm packages can hold a binary for this machine, best first.

The registry decides which of them exist: whole platforms and the plain twin of a ``-baseline`` package are
missing for some versions, so callers try them in order.
"""

import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from wedged.errors import NoBinaryForPlatform
from wedged.facts.server import Line, ServerSpec
from wedged.servers.installed_server import line_of

_ARCHITECTURES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
_PREFIX = {Line.V1: "opencode", Line.V2_PREVIEW: "@opencode-ai/cli", Line.V2_RELEASED: "@opencode/cli"}


@dataclass(frozen=True, slots=True)
class Machine:
    """What decides which binary runs here. `architecture` is ``x64`` or ``arm64``; `avx2` is about x64."""

    system: str
    architecture: str
    musl: bool = False
    avx2: bool = False

    @classmethod
    def here(cls) -> "Machine":
        """This machine."""
        machine = platform.machine().lower()
        return cls(sys.platform, _ARCHITECTURES.get(machine, machine), _runs_on_musl(), _has_avx2())


def package_names(spec: ServerSpec, machine: Machine) -> tuple[str, ...]:
    """The packages that can hold `spec` (not a floating one) for `machine`, best first.

    Raises:
        NoBinaryForPlatform: nothing is published for this kind of machine, in any version.
    """
    prefix = _PREFIX[line_of(spec)]
    return tuple(f"{prefix}-{suffix}" for suffix in _suffixes(machine))


def commonest_package(spec: ServerSpec) -> str:
    """The package to ask whether a version exists anywhere at all."""
    return f"{_PREFIX[line_of(spec)]}-linux-x64-baseline"


def program_name(spec: ServerSpec) -> str:
    """The name of the binary in the package's ``bin`` folder."""
    return "opencode2" if line_of(spec) is Line.V2_PREVIEW else "opencode"


def _suffixes(machine: Machine) -> tuple[str, ...]:
    match machine.system, machine.architecture:
        case "linux", "x64":
            libc = "-musl" if machine.musl else ""
            baseline = f"linux-x64-baseline{libc}"
            # The plain build dies of an illegal instruction on a processor without AVX2.
            return (f"linux-x64{libc}", baseline) if machine.avx2 else (baseline,)
        case "linux", "arm64":
            return ("linux-arm64-musl" if machine.musl else "linux-arm64",)
        case "darwin", "arm64":
            return ("darwin-arm64",)
        case "darwin", "x64":
            # Under Rosetta there may be no AVX2; the baseline build runs on every Mac.
            return ("darwin-x64-baseline", "darwin-x64")
    raise NoBinaryForPlatform(
        f"OpenCode publishes no binary that wedged knows of for {machine.system} on {machine.architecture}; "
        "name your own with path:FILE"
    )


def _runs_on_musl() -> bool:
    try:
        glibc = os.confstr("CS_GNU_LIBC_VERSION")
    except (AttributeError, ValueError, OSError):
        glibc = None
    # The loader alone proves nothing: a glibc system can have musl's beside its own.
    return not glibc and any(Path("/lib").glob("ld-musl-*.so.1"))


def _has_avx2() -> bool:
    try:
        return " avx2" in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
