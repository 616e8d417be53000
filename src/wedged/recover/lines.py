"""A step as lines to paste: for `wedged`, for a shell with curl, for Python with httpx. Pure."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from wedged.diagnose import Login
from wedged.diagnose.page import NOT_WRITTEN
from wedged.diagnose.report_text import curl
from wedged.facts.finding import Finding
from wedged.facts.plain_text import plain
from wedged.facts.redaction import redact
from wedged.recover.plan import Plan, Planned


@dataclass(frozen=True, slots=True)
class Place:
    """Where the steps go: the server's address, who logs in (None: nobody has to), and whether it is on
    another machine. `secrets` are taken out of all that is written."""

    url: str
    login: Login | None = None
    remote: bool = False
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lines:
    """The three ways, each whole, "" where there is none. A password is in none of them: it stays in its
    environment variable."""

    wedged: str
    curl: str = ""
    python: str = ""


def lines(plan: Plan, planned: Planned, place: Place, among: Iterable[Plan] = ()) -> Lines:
    """The ways to take a step. An approval has one, which shows a person what it lets run; what is done on
    another server has none. `among` are all the plans that this one has to be told from.

    A line that holds what looks like a credential is not written: redacted, it would do something else.
    """
    step, finding = planned.step, plan.finding
    if step.action.approves:
        return Lines(_safe(f"wedged answer {_q(finding.subject.id)} {_q(place.url)} --once", place))
    if planned.offer is None:
        return Lines("")
    do = planned.offer.do
    return Lines(
        wedged=_safe(_wedged(plan, step.id, place, among), place),
        curl=_safe(curl(do, place.url, place.login), place),
        python=_safe(_python(do, place), place),
    )


def _wedged(plan: Plan, step_id: str, place: Place, among: Iterable[Plan]) -> str:
    finding = plan.finding
    words = ["wedged", "recover", _q(place.url), "--session", _q(finding.session), "--code", finding.code]
    if _several(finding, among):
        words += ["--subject", _q(finding.subject.id)]
    words += ["--step", step_id, "--apply"]
    return " ".join([*words, "--remote"] if place.remote else words)


def _several(finding: Finding, among: Iterable[Plan]) -> bool:
    return sum(one.finding.code == finding.code for one in among) > 1


def _python(do: dict[str, object], place: Place) -> str:
    argv = do.get("argv")
    if isinstance(argv, list) and argv:
        return f"import subprocess\nsubprocess.run({[str(one) for one in argv]!a}, check=True)"
    rows = ["import os, httpx" if place.login else "import httpx"]
    arguments = [ascii(do["method"]), ascii(f"{place.url}{do['path']}")]
    if do.get("body") is not None:
        arguments.append(f"json={do['body']!a}")
    if place.login:
        arguments.append(f"auth=({place.login.user!a}, os.environ[{place.login.variable!a}])")
    rows.append(f"print(httpx.request({', '.join(arguments)}).raise_for_status().text)")
    return "\n".join(rows)


def _q(text: str) -> str:
    return shlex.quote(text)


def _safe(text: str, place: Place) -> str:
    whole = "\n".join(plain(row) for row in text.split("\n"))
    return whole if redact(whole, place.secrets) == whole else NOT_WRITTEN
