"""The code host's API, as far as a night needs it: issues, runs, artifacts, Pages.

The token comes from the environment and goes into one header; no error of ours quotes a request.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Self, TypeVar

import httpx
import msgspec

from wedged.errors import CannotLook, UsageError
from wedged.nightly.tracker import LABEL, Act, Deed, Issue, subject_of

T = TypeVar("T")
_PAGE = 100
_SECONDS = 30.0


class _IssueAnswer(msgspec.Struct):
    number: int
    body: str | None = None
    pull_request: dict[str, object] | None = None


class _Artifact(msgspec.Struct):
    name: str
    expired: bool
    created_at: str
    workflow_run: dict[str, object] | None = None


class _Artifacts(msgspec.Struct):
    artifacts: list[_Artifact]


class _Run(msgspec.Struct):
    created_at: str
    conclusion: str | None = None


class _Runs(msgspec.Struct):
    workflow_runs: list[_Run]


class _Pages(msgspec.Struct):
    html_url: str = ""
    status: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where the API is, and which repository (``owner/name``)."""

    url: str
    repository: str

    @classmethod
    def from_environment(cls) -> "Place":
        """As GitHub Actions names it.

        Raises:
            UsageError: it names none.
        """
        repository = os.environ.get("GITHUB_REPOSITORY", "")
        if repository.count("/") != 1:
            raise UsageError("GITHUB_REPOSITORY (owner/name) says which repository; it is not set")
        return cls(os.environ.get("GITHUB_API_URL", "https://api.github.com"), repository)


class Host:
    """One repository at its host."""

    def __init__(self, place: Place, token: str) -> None:
        """`token` "" asks as nobody, which public repositories answer to."""
        headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._client = httpx.Client(base_url=place.url, headers=headers, timeout=_SECONDS)
        self._repository = f"/repos/{place.repository}"

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        self._client.close()

    def issues(self) -> tuple[Issue, ...]:
        """Our open issues.

        Raises:
            CannotLook: the host did not answer as promised.
        """
        found: list[Issue] = []
        for page in range(1, 100):
            query = {"labels": LABEL, "state": "open", "per_page": str(_PAGE), "page": str(page)}
            answer = _as(self._ask("GET", "/issues", query=query), list[_IssueAnswer])
            found += [
                Issue(one.number, subject, one.body or "")
                for one in answer
                if one.pull_request is None and (subject := subject_of(one.body or ""))
            ]
            if len(answer) < _PAGE:
                break
        return tuple(found)

    def do(self, acts: Iterable[Act]) -> None:
        """Carry the deeds out. Raises as `issues`."""
        for act in acts:
            path = f"/issues/{act.number}"
            if act.deed is Deed.OPEN:
                self._ask("POST", "/issues", {"title": act.title, "body": act.body, "labels": [LABEL]})
            elif act.deed is Deed.UPDATE:
                self._ask("PATCH", path, {"body": act.body})
            else:
                self._ask("POST", f"{path}/comments", {"body": act.body})
                self._ask("PATCH", path, {"state": "closed", "state_reason": "completed"})

    def last_artifact(self, name: str) -> int:
        """The id of the run that left the newest artifact of this name that is still there; 0 for none.

        Raises as `issues`."""
        query = {"name": name, "per_page": str(_PAGE)}
        answer = _as(self._ask("GET", "/actions/artifacts", query=query), _Artifacts)
        for one in sorted(answer.artifacts, key=lambda one: one.created_at, reverse=True):
            run = (one.workflow_run or {}).get("id")
            if one.name == name and not one.expired and isinstance(run, int):
                return run
        return 0

    def last_run(self, workflow: str, branch: str) -> tuple[float, str] | None:
        """How many hours ago the newest ended run of `workflow` on `branch` began, and how it ended; None
        where there was none. Raises as `issues`."""
        query = {"branch": branch, "status": "completed", "per_page": "1"}
        answer = _as(self._ask("GET", f"/actions/workflows/{workflow}/runs", query=query), _Runs)
        if not answer.workflow_runs:
            return None
        newest = answer.workflow_runs[0]
        began = datetime.fromisoformat(newest.created_at.replace("Z", "+00:00"))
        return (datetime.now(UTC) - began).total_seconds() / 3600, newest.conclusion or "unknown"

    def enable(self, workflow: str) -> None:
        """Switch a workflow on that the host has switched off after 60 quiet days. Raises as `issues`."""
        self._ask("PUT", f"/actions/workflows/{workflow}/enable")

    def pages(self) -> tuple[str, str]:
        """Where the site is published, and its state ("" where the host names none). Raises as `issues`."""
        answer = _as(self._ask("GET", "/pages"), _Pages)
        return answer.html_url, answer.status or ""

    def _ask(
        self,
        method: str,
        path: str,
        body: dict[str, object] | None = None,
        *,
        query: dict[str, str] | None = None,
    ) -> object:
        try:
            answer = self._client.request(method, self._repository + path, json=body, params=query)
        except httpx.HTTPError as error:
            raise CannotLook(f"the host did not answer {method} {path}: {type(error).__name__}") from None
        if not answer.is_success:
            raise CannotLook(f"the host answered {answer.status_code} to {method} {path}")
        try:
            return answer.json() if answer.content else None
        except ValueError:
            raise CannotLook(f"the host's answer to {method} {path} is no JSON") from None


def _as(answer: object, kind: type[T]) -> T:
    try:
        return msgspec.convert(answer, kind)
    except msgspec.ValidationError as error:
        raise CannotLook(f"the host's answer is not of the promised shape: {error}") from None
