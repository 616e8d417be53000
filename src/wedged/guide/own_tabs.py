"""Cures that are more than one request with its ids filled in, as lines to paste."""

from dataclasses import dataclass

from wedged.client.v1.stale_calls import SETTLED
from wedged.facts.recovery import Action

# The call as the server has it goes back whole: a provider's own words in it must not get lost.
_CURL = f"""\
# the session's calls that have not ended: their ids, and their messages'
curl -s "$URL/session/$SESSION/message?directory=$DIRECTORY" > messages.json
jq -c '.[].parts[] | select(.type == "tool" and (.state.status | IN("pending", "running")))
  | [.id, .messageID]' messages.json
# the whole part, its state an error; what the command had printed goes into the error's text
jq --arg part "$PART" --arg error "{SETTLED}" '
  [.[].parts[] | select(.id == $part)][0]
  | .state = {{status: "error", input: (.state.input // {{}}),
      error: ($error + (.state.metadata.output // "" | if . == "" then "" else
        ". Its output until then:\\n" + . end)),
      metadata: ((.state.metadata // {{}} | del(.output)) + {{interrupted: true}}),
      time: {{start: (.state.time.start // (now * 1000 | floor)), end: (now * 1000 | floor)}}}}
  ' messages.json > part.json
curl -X PATCH "$URL/session/$SESSION/message/$MESSAGE_ID/part/$PART?directory=$DIRECTORY" \\
  -H 'content-type: application/json' -d @part.json"""

_PYTHON = f"""\
import time

import httpx

where = {{"directory": DIRECTORY}}
messages = httpx.get(f"{{URL}}/session/{{SESSION}}/message", params=where).json()
part = next(p for m in messages for p in m["parts"] if p["id"] == PART)
old, now = part["state"], int(time.time() * 1000)
metadata = dict(old.get("metadata") or {{}})
output = metadata.pop("output", "")
part["state"] = {{
    "status": "error",
    "input": old.get("input") or {{}},
    "error": "{SETTLED}" + (f". Its output until then:\\n{{output}}" if output else ""),
    "metadata": metadata | {{"interrupted": True}},
    "time": {{"start": (old.get("time") or {{}}).get("start", now), "end": now}},
}}
path = f"/session/{{SESSION}}/message/{{part['messageID']}}/part/{{PART}}"
httpx.patch(URL + path, params=where, json=part).raise_for_status()"""

_KILL = """\
# the same process as in the report? its start, its command line, its group
ps -o pid,pgid,lstart,args -p $PID
# the whole group: the shell alone would leave what it has started
kill -TERM -- -$PID"""


@dataclass(frozen=True, slots=True)
class OwnTab:
    """One tab: its name, the language of its lines, and a sentence below them ("" for none)."""

    name: str
    language: str
    lines: tuple[str, ...]
    words: str = ""


def own_tabs(action: Action) -> tuple[OwnTab, ...]:
    """The tabs of a cure that has its own; none for one that is a single request."""
    if action is Action.SETTLE_PART:
        return (
            OwnTab("curl", "bash", tuple(_CURL.splitlines())),
            OwnTab("Python", "python", tuple(_PYTHON.splitlines())),
        )
    if action is Action.END_PROCESS:
        return (OwnTab("shell", "bash", tuple(_KILL.splitlines())),)
    return ()
