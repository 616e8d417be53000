"""Every error that wedged raises on purpose, each with the exit code the command line gives it.

::

    WedgedError                      3
    ├── UsageError                   2   the request itself makes no sense
    │   ├── BadServerSpec
    │   ├── BadTarget
    │   └── UnknownCode
    ├── CannotLook                   3   the target could not be read
    │   ├── Unreachable
    │   ├── NoAnswerInTime
    │   ├── WrongPassword
    │   ├── NotOpenCode
    │   ├── UnknownDialect
    │   ├── BadAnswer
    │   ├── ServerSaidNo
    │   ├── UnreadableFile
    │   └── UnknownSchema
    ├── InstallError                 3   a server binary could not be had
    │   ├── NpmMissing
    │   ├── RegistryUnreachable
    │   ├── NoSuchVersion
    │   ├── NoBinaryForPlatform
    │   ├── IntegrityMismatch
    │   ├── CacheNotWritable
    │   └── NotRunnable
    ├── LabError                     3   the lab itself failed; never a verdict
    │   ├── DeadlinePassed
    │   ├── KeeperGone
    │   └── ServerDidNotStart
    ├── EvidenceError                3   a run folder is unreadable, or two of them contradict each other
    ├── NotWritten                   3   what was to be written could not be
    ├── GuideError                   1   the guide was not built
    │   ├── CellFailed
    │   ├── CellTimedOut
    │   ├── KernelDied
    │   └── SiteNotBuilt
    └── Refused                      1   a recovery step was not taken, and why

Messages are one line and say what to do next where something can be done. An error that is not in this
tree is a defect; the command line answers it with exit code 3, never 1.
"""

from typing import ClassVar


class WedgedError(Exception):
    """Base of everything below."""

    exit_code: ClassVar[int] = 3


class UsageError(WedgedError):
    """The request itself makes no sense."""

    exit_code = 2


class BadServerSpec(UsageError):
    """Not one of ``v1@VERSION``, ``v2@VERSION``, ``path:FILE``, ``cmd:COMMAND``."""


class BadTarget(UsageError):
    """Not a URL, a database file, an export or a bundle."""


class UnknownCode(UsageError):
    """No failure class has this code or name; the message names the nearest ones."""


class CannotLook(WedgedError):
    """The target could not be read."""


class Unreachable(CannotLook):
    """Nothing accepts connections there."""


class NoAnswerInTime(CannotLook):
    """The connection was accepted, and the deadline passed without a whole answer."""


class WrongPassword(CannotLook):
    """The server wants a password and did not take ours."""


class NotOpenCode(CannotLook):
    """Something answers there, and it is not an OpenCode server."""


class UnknownDialect(CannotLook):
    """An OpenCode server whose API this version of wedged does not speak."""


class BadAnswer(CannotLook):
    """An answer that is too large, not JSON, too deep, or not of the promised shape."""


class ServerSaidNo(CannotLook):
    """The server answered with an error status.

    `status` is the HTTP status, `tag` the server's own name for the error ("" when it gave none).
    """

    def __init__(self, message: str, *, status: int, tag: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.tag = tag


class UnreadableFile(CannotLook):
    """Not a file that can be read as an SQLite database: another kind, cut short, locked, no permission."""


class UnknownSchema(CannotLook):
    """A database, and none of a schema that is read here."""


class InstallError(WedgedError):
    """A server binary could not be had."""


class NpmMissing(InstallError):
    """No ``npm`` on PATH."""


class RegistryUnreachable(InstallError):
    """npm could not reach its registry."""


class NoSuchVersion(InstallError):
    """The registry does not hold this version."""


class NoBinaryForPlatform(InstallError):
    """The registry holds the version, but no package for this machine."""


class IntegrityMismatch(InstallError):
    """What npm brought does not match the hash that the registry names."""


class CacheNotWritable(InstallError):
    """The cache folder is full, read-only, or not ours."""


class NotRunnable(InstallError):
    """What ``path:`` or ``cmd:`` names is not a program that can be started."""


class LabError(WedgedError):
    """The lab itself failed; this is never a verdict about a server."""


class DeadlinePassed(LabError):
    """A condition was awaited and did not come.

    `awaited` is the sentence of what was awaited, `seconds` the deadline.
    """

    def __init__(self, awaited: str, seconds: float) -> None:
        super().__init__(f"waited {seconds:g} s for {awaited}")
        self.awaited = awaited
        self.seconds = seconds


class KeeperGone(LabError):
    """The keeper process died or does not answer."""


class ServerDidNotStart(LabError):
    """The server ended, or never said that it listens; the message ends with its last words."""


class EvidenceError(WedgedError):
    """A run folder is unreadable, or two of them contradict each other."""


class NotWritten(WedgedError):
    """What was to be written could not be; nothing half-written is left behind."""


class GuideError(WedgedError):
    """The guide was not built."""

    exit_code = 1


class CellFailed(GuideError):
    """A notebook cell raised; the message names the notebook and the cell."""


class CellTimedOut(GuideError):
    """A notebook cell ran past its limit; the message names the notebook and the cell."""


class KernelDied(GuideError):
    """The notebook's kernel went away; the message names the notebook and the cell."""


class SiteNotBuilt(GuideError):
    """mkdocs refused; the message ends with its own words."""


class Refused(WedgedError):
    """A recovery step was not taken. The message says why and what to do instead."""

    exit_code = 1
