"""The end of a server's logs, and of each session's lines in them, with the age of the last one."""

import os
import re
import time
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

from wedged.bundle.collecting import Basket
from wedged.bundle.contents import PROMPTS
from wedged.bundle.withholding import Withholding
from wedged.facts.redaction import redact

# A long session's log has hundreds of megabytes; what matters is at its end.
_TAIL_BYTES = 1 << 18
_FILES = 3
_LINES = 200
_STAMP = re.compile(r"\b(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:?\d\d)?")
# V1 logs a session with its title, which is the prompt in fewer words.
_TITLE = re.compile(r"\b(title=)(?:\"(?:\\.|[^\"\\])*\"|[^\s\"]+)")
# What a prompt stands behind: a request that an error quotes, and the arguments of `opencode run`.
_REQUEST = re.compile(
    r"(?i)\b(?:(?:requestBody\w*|responseBody)\\?[\"']?\s*[:=]|(?:prompt|messages)\\?[\"']?\s*[:=]\s*\\?[\"'\[{]"
    r"|args=[\"']?\[\\?[\"'](?:run|--prompt)\b)"
)


def collect_logs(
    basket: Basket,
    folder: Path,
    sessions: Collection[str],
    withholding: Withholding,
    opened: Collection[Path] = (),
) -> None:
    """``logs/NAME``: the last lines of the newest logs, those that are `opened` by the server first; and
    ``sessions/ID/log.txt``: the last ones that name the session. ``logs.json`` has the ages, in seconds."""
    try:
        files = [file for file in folder.iterdir() if file.suffix == ".log" and file.is_file()]
    except OSError as error:
        basket.gap("the server's logs", f"{folder} can't be read: {error.strerror}")
        return
    if not files:
        basket.gap("the server's logs", f"there are none in {folder}")
    files.sort(key=lambda file: (file not in opened, -file.stat().st_mtime))
    ages: dict[str, object] = {}
    of_session: dict[str, dict[str, object]] = {}
    for file in files[:_FILES]:
        text, whole = _tail(file)
        # Redacted before it is cut to lines: a secret may go over several of them.
        text = withholding.out_of(redact(text))
        lines = [_told(line, withholding) for line in text.splitlines()]
        ages[file.name] = {
            "bytes": file.stat().st_size,
            "written_ago_s": round(time.time() - file.stat().st_mtime, 1),
            "last_line_ago_s": age_of(lines),
            "read_whole": whole,
            "open_by_server": file in opened,
        }
        basket.add(f"logs/{file.name}", "\n".join(lines[-_LINES:]) + "\n")
        for session in sessions:
            own = [line for line in lines if session in line]
            if own and session not in of_session:
                of_session[session] = {
                    "file": file.name,
                    "lines": len(own),
                    "last_line_ago_s": age_of(own),
                }
                basket.add(f"sessions/{session}/log.txt", "\n".join(own[-_LINES:]) + "\n")
        basket.add("logs.json", {"files": ages, "sessions": of_session})
    without = [session for session in sessions if session not in of_session]
    if files and without:
        basket.gap(
            f"log lines of {', '.join(without)}", "no line in the end of the newest logs names the session"
        )


def age_of(lines: Collection[str]) -> float | None:
    """How long ago the last line with a time was written, None where none has one. Servers write UTC."""
    for line in reversed(list(lines)):
        if found := _STAMP.search(line):
            when = datetime.fromisoformat(found[1] + (found[2] or "+00:00").replace("Z", "+00:00"))
            return round((datetime.now(UTC) - when).total_seconds(), 1)
    return None


def _tail(file: Path) -> tuple[str, bool]:
    with file.open("rb") as reading:
        size = os.fstat(reading.fileno()).st_size
        start = max(size - _TAIL_BYTES, 0)
        reading.seek(start)
        text = reading.read(_TAIL_BYTES).decode("utf-8", "replace")
    # What begins in the middle of a line begins in the middle of a secret, perhaps.
    return (text if start == 0 else text.partition("\n")[2]), start == 0


def _told(line: str, withholding: Withholding) -> str:
    if not withholding.wants(PROMPTS):
        line = _TITLE.sub(r"\1[withheld]", line)
    if not withholding.wants(PROMPTS) and (found := _REQUEST.search(line)):
        line = f"{line[: found.end()]} [withheld: {len(line) - found.end()} characters]"
    return line
