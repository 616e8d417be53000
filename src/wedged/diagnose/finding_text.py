"""One finding as rows of text: what it is, on what evidence, and each cure as a line to paste."""

import json
import shlex
from dataclasses import dataclass

from wedged.diagnose.age import age_words
from wedged.diagnose.diagnosis import Diagnosis
from wedged.diagnose.included import included
from wedged.diagnose.page import Page
from wedged.facts.finding import Finding, RecoveryOffer


@dataclass(frozen=True, slots=True)
class Login:
    """Who logs in, and the name of the environment variable that holds the password (never the password)."""

    user: str
    variable: str


def finding_rows(
    page: Page,
    diagnosis: Diagnosis,
    finding: Finding,
    *,
    include: bool = False,
    login: Login | None = None,
    in_full: bool = True,
    before: str = "",
) -> list[str]:
    """The finding's block. Without `in_full` it leaves out what an earlier block of its kind has said;
    `before` stands in front of the headline."""
    age = f" for {age_words(finding.age_s)}" if finding.age_s is not None else ""
    rows = page.head(finding.status, f"{age}: {finding.title}", before)
    rows += page.rows(f"{which(finding)}, confidence {finding.confidence.value}", "  ")
    rows += page.fact("session", finding.session)
    rows += page.fact("directory", finding.directory)
    rows += page.fact(finding.subject.kind.replace("_", " "), finding.subject.id)
    for name, value in (included(diagnosis, finding) if include else {}).items():
        rows += page.fact(name, value)
    rows += ["", "  Seen:", *page.bullets(finding.evidence, "    ")]
    if finding.unless:
        rows += page.rows(f"Unless {finding.unless}.", "  ", "  ")
    if finding.recovery:
        rows += ["", "  Do one of these:"]
        for number, offer in enumerate(finding.recovery, 1):
            rows += ["", *_offer(page, number, offer, diagnosis.latest.source, login, in_full)]
    # What each cure costs is the same for every finding of a variant: it is said once.
    return [*rows, "", f"  More: wedged explain {finding.code}"] if in_full else rows


def which(finding: Finding) -> str:
    """Which class, or, where that is open, which ones."""
    if finding.candidates:
        return f"candidates: {' or '.join(finding.candidates)}"
    variant = f", variant {finding.variant}" if finding.variant else ""
    return f"{finding.code} {finding.slug}{variant}"


def _offer(
    page: Page, number: int, offer: RecoveryOffer, url: str, login: Login | None, in_full: bool
) -> list[str]:
    rows = page.rows(offer.sentence, f"  {number}. ", "     ")
    rows.append(f"     {page.to_paste(curl(offer.do, url, login))}")
    facts = (
        ("needs", offer.requires),
        ("loses", offer.loses),
        ("leaves", offer.leaves),
        ("worked when", (offer.confirms,)),
    )
    for name, words in facts if in_full else ():
        if words:
            rows += page.rows(f"{name}: {'; '.join(words)}", "     ")
    return rows


def curl(do: dict[str, object], url: str, login: Login | None = None) -> str:
    """A request as one line for a POSIX shell. The password stays in its variable."""
    argv = do.get("argv")
    if isinstance(argv, list) and argv:
        return shlex.join(map(str, argv))
    words = ["curl", "-X", str(do["method"])]
    if login:
        words += ["-u", f'{shlex.quote(f"{login.user}:")}"${login.variable}"']
    words.append(shlex.quote(f"{url}{do['path']}"))
    if do.get("body") is not None:
        body = json.dumps(do["body"], separators=(",", ":"))
        words += ["-H", "'content-type: application/json'", "-d", shlex.quote(body)]
    return " ".join(words)
