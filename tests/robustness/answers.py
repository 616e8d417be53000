"""What servers answered, as routes and trees: of each line one that holds whatever it can be stuck in, and V1
with one ask, and in many states of work and waiting.

A route that names a directory has it after a question mark, as samples/ has it.
"""

import json
import re
from pathlib import Path
from typing import Any

from tests.cli.fake_v1 import ALL_SESSIONS, wedged_answers
from tests.diagnose.states import DIRECTORY, SAMPLE, Tag

Answers = dict[str, Any]
_SAMPLES = Path(__file__).parent / "samples"
LINES = ("v1", "v1 in many states", *sorted(path.stem for path in _SAMPLES.glob("*.json")))


def answers_of(line: str) -> tuple[Answers, Answers]:
    """The answers to the first request of each route, and those of the routes that answer otherwise later."""
    if line == "v1":
        answers = wedged_answers()
        return answers | {ALL_SESSIONS: answers["/session"]}, {}
    if line == "v1 in many states":
        return _states("one"), _states("two")
    text = (_SAMPLES / f"{line}.json").read_text(encoding="utf-8")
    # A pid is normalised to a word, and servers say it as a number.
    first, second = json.loads(re.sub(r'"pid_(\d+)"', r"\1", text))["looks"]
    return first, second


def _states(tag: Tag) -> Answers:
    """Nineteen sessions: waiting, working, looping, retrying, and one that is idle with a call left open."""
    seen = SAMPLE[tag]["sessions"]
    sessions = [
        {"id": one["id"], "directory": DIRECTORY, "title": name, "time": {"updated": SAMPLE[tag]["taken_ms"]}}
        | ({"parentID": one["parent"]} if one["parent"] else {})
        for name, one in seen.items()
    ]
    stale = json.loads(json.dumps(seen["long"]["messages"]).replace(seen["long"]["id"], "ses_stale"))
    sessions.append(sessions[5] | {"id": "ses_stale", "title": "stale"})
    answers: Answers = {
        "/global/health": {"healthy": True, "version": "1.17.18"},
        "/path": {"directory": DIRECTORY},
        ALL_SESSIONS: sessions,
        "/session": sessions,
        "/session/status": {one["id"]: one["status"] for one in seen.values() if one["status"]},
        "/permission": [ask for one in seen.values() for ask in one["permission"]],
        "/question": [ask for one in seen.values() for ask in one["question"]],
    }
    for session, messages in zip(sessions, (*(one["messages"] for one in seen.values()), stale), strict=True):
        answers[f"/session/{session['id']}"] = session
        answers[f"/session/{session['id']}/message"] = messages
    return answers
