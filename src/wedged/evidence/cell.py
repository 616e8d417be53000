"""A cell: everything that one run recorded of one failure class on one server."""

from dataclasses import dataclass

from wedged.facts.trial import Trial

_REFUSALS = (404, 405)


@dataclass(frozen=True, slots=True)
class AbsentProbe:
    """A look for a feature: is `route` (``POST /global/dispose``) in the server's OpenAPI document, and which
    HTTP status does it answer?

    `web_page`: the answer was the page of the web app, byte for byte what the server gives for a path that
    nobody has. V1 and the released V2 answer so, with status 200.
    """

    route: str
    in_openapi: bool
    status: int
    web_page: bool = False

    @property
    def shows_absence(self) -> bool:
        """Both signs together: not in the document, and refused. One alone is not enough: documents leave
        routes out, and a route that is there may refuse too."""
        return not self.in_openapi and (self.status in _REFUSALS or self.web_page)

    @property
    def answered(self) -> str:
        """What the route answered, in words."""
        return "the web app's page, as any unknown path does" if self.web_page else str(self.status)


@dataclass(frozen=True, slots=True)
class NotRun:
    """`arm` ("" for the whole class) was not started, or was broken off, and why."""

    arm: str
    why: str


@dataclass(frozen=True, slots=True)
class Cell:
    """What run `run`, begun at `started` (UTC, ISO 8601), recorded of class `code` on server `server`.

    `absent` pairs an arm ("" for the whole class) with the probe made for it.
    """

    code: str
    server: str
    run: str
    started: str
    trials: tuple[Trial, ...] = ()
    not_run: tuple[NotRun, ...] = ()
    absent: tuple[tuple[str, AbsentProbe], ...] = ()

    @property
    def has_result(self) -> bool:
        """Whether there is more here than reasons for not running."""
        return bool(self.trials or self.absent)

    def arm(self, arm: str) -> tuple[Trial, ...]:
        """The trials of one arm."""
        return tuple(trial for trial in self.trials if trial.arm == arm)

    def not_run_of(self, arm: str) -> NotRun | None:
        """The entry that says why this arm was not run, or not to its end."""
        return next((entry for entry in self.not_run if entry.arm in ("", arm)), None)

    def probe_of(self, arm: str) -> AbsentProbe | None:
        """The probe made for the feature that this arm needs."""
        return next((probe for of, probe in self.absent if of in ("", arm)), None)
