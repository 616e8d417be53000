"""npm as the one way to the registry: it knows the user's registry, proxy, certificates and credentials.

What npm prints is never passed on; its error code is turned into one of our errors.
"""

import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wedged.errors import (
    CacheNotWritable,
    InstallError,
    IntegrityMismatch,
    NoSuchVersion,
    NpmMissing,
    RegistryUnreachable,
)
from wedged.servers.cache import NO_SPACE
from wedged.servers.npm_process import run_npm

_VIEW_SECONDS = 30.0
_STALL_SECONDS = 60.0

# Said on the command line because there they win over any .npmrc and npm_config_* variable.
_FLAGS = (
    "--json",
    "--ignore-scripts",
    "--fetch-retries=0",
    "--fetch-timeout=10000",
    "--no-dry-run",
    "--no-global",
    "--no-long",
    "--no-offline",
    "--no-prefer-offline",
    "--no-workspaces",
    "--no-color",
    "--no-progress",
    "--no-update-notifier",
    "--logs-max=0",
)

_NO_SUCH_VERSION = {"E404", "ETARGET", "ENOVERSIONS"}

_NETWORK = re.compile(
    r"ENOTFOUND|EAI_\w+|ECONN\w+|E\w*TIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENETDOWN|EPIPE|FETCH_ERROR|ERR_SOCKET\w*"
    r"|EPROTO|EIDLETIMEOUT|ECONNECTIONTIMEOUT|ERESPONSETIMEOUT|ETRANSFERTIMEOUT|E5\d\d|E429"
)
_REFUSED = re.compile(r"E40[0-37]|ENEEDAUTH|EAUTH\w*|EOTP|\w*CERT\w*|UNABLE_TO_VERIFY\w*|ERR_TLS\w*")


@dataclass(frozen=True, slots=True)
class Published:
    """One version of one package, as the registry lists it. `integrity` is "" where it names none."""

    version: str
    integrity: str


@dataclass(frozen=True, slots=True)
class Npm:
    """npm at work in one temporary folder; whoever made the folder removes it.

    `stall_seconds` is how long a download may stand still, `view_seconds` how long a question may take.
    """

    program: str
    work: Path
    view_seconds: float = _VIEW_SECONDS
    stall_seconds: float = _STALL_SECONDS

    @classmethod
    def found(cls, work: Path) -> "Npm":
        """The npm on PATH.

        Raises:
            NpmMissing: there is none.
        """
        program = shutil.which("npm")
        if program is None:
            raise NpmMissing("npm is not on PATH; install Node.js with npm, or name a binary: path:FILE")
        here = work / "npm"
        here.mkdir(exist_ok=True)
        # npm looks upwards for a project and reads its .npmrc; a package.json ends that walk here.
        (here / "package.json").write_text("{}\n", encoding="utf-8")
        return cls(program, work)

    def view(self, package: str, version: str) -> Published:
        """What the registry says of ``package@version`` (or of a tag).

        Raises:
            NoSuchVersion: no such package, or no such version of it.
            RegistryUnreachable: no network, no answer in time, or the registry refused.
            InstallError: npm failed in another way, or answered nonsense.
        """
        answer = self._json(["view", f"{package}@{version}", "version", "dist.integrity"])
        if isinstance(answer, list):
            raise NoSuchVersion(f"{version} is a range, not one version, of {package}")
        fields = answer if isinstance(answer, dict) else {"version": answer}
        found, integrity = fields.get("version"), fields.get("dist.integrity", "")
        if not isinstance(found, str) or not isinstance(integrity, str):
            raise InstallError(f"npm gave no readable answer about {package}")
        return Published(found, integrity)

    def versions(self, package: str) -> tuple[str, ...]:
        """Every version of `package` that the registry lists, in no order to rely on. Raises as `view`."""
        answer = self._json(["view", package, "versions"])
        listed = answer if isinstance(answer, list) else [answer]
        return tuple(version for version in listed if isinstance(version, str))

    def pack(self, package: str, version: str, progress: Callable[[int], None]) -> Path:
        """Download the package's tarball; no script of it runs. `progress` gets the bytes that came so far.

        Raises:
            NoSuchVersion, RegistryUnreachable, InstallError: as `view`.
            IntegrityMismatch: npm itself found the tarball's hash to be wrong.
            CacheNotWritable: the disk is full.
        """
        self._json(["pack", f"{package}@{version}"], progress)
        tarballs = list((self.work / "npm").glob("*.tgz"))
        if len(tarballs) != 1:
            raise InstallError(f"npm said that it packed {package}@{version}, and left no tarball")
        return tarballs[0]

    def _json(self, arguments: Sequence[str], progress: Callable[[int], None] | None = None) -> object:
        argv = [self.program, *arguments, *_FLAGS, f"--cache={self.work / 'npm-cache'}"]
        seconds = self.view_seconds if progress is None else self.stall_seconds
        code, output = run_npm(argv, self.work, seconds, progress)
        try:
            answer = json.loads(output or b"null")
        except (ValueError, RecursionError):
            answer = None
        error = answer.get("error") if isinstance(answer, dict) else None
        if code == 0 and answer is not None and error is None:
            return answer
        said = error.get("code") if isinstance(error, dict) else None
        readable = isinstance(said, str) and re.fullmatch(r"[A-Z0-9_]{2,60}", said)
        raise _failure(str(said) if readable else "", code, arguments[1])


def _failure(code: str, returncode: int, subject: str) -> InstallError:
    if code in _NO_SUCH_VERSION:
        return NoSuchVersion(f"the npm registry has no {subject} ({code})")
    if code in NO_SPACE:
        return CacheNotWritable(f"no space left for the download of {subject} ({code})")
    if code == "EINTEGRITY":
        return IntegrityMismatch(f"what came for {subject} does not match the registry's hash ({code})")
    if _REFUSED.fullmatch(code):
        return RegistryUnreachable(
            f"the npm registry, or the way to it, refused ({code}); see npm's settings"
        )
    if _NETWORK.fullmatch(code):
        return RegistryUnreachable(f"npm could not reach its registry ({code}); check the network")
    if not code and returncode in (126, 127):
        return NpmMissing("npm is on PATH and does not start; is Node.js installed?")
    ended = f"with exit code {returncode}" if returncode >= 0 else f"by signal {-returncode}"
    return InstallError(f"npm failed on {subject}: " + (code or f"it ended {ended} and gave no error code"))
