"""A process as one look saw it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProcessFacts:
    """`pid` together with `created` (seconds since 1970) names one process for good; a pid alone does not."""

    pid: int
    parent: int
    created: float
    name: str
    argv: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shell:
    """A background shell that a V2 server lists."""

    id: str
    session_id: str
    directory: str
    command: str
    status: str
    pid: int | None = None
