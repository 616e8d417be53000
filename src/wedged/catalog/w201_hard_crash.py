"""W201: a server died while a call ran, and nothing has ended the call since."""

from wedged.catalog.w201_claims import CLAIMS
from wedged.catalog.w201_look_alikes import LOOK_ALIKES
from wedged.catalog.w201_match import CODE, SLUG, TITLE, match
from wedged.catalog.w201_variants import RECOVERY, VARIANTS
from wedged.facts.failure_class import FailureClass

CLASS = FailureClass(
    code=CODE,
    slug=SLUG,
    title=TITLE,
    summary=(
        "The server ended without a word (SIGKILL, out of memory, power, WSL shutdown; V1 also by "
        "SIGTERM and ctrl-C) while a tool ran. The call is stored as `running`, and a restarted server "
        "neither runs it nor ends it. Clients draw their spinner from the stored word alone, so "
        "they show work for ever where there is none."
    ),
    aliases=(
        "spinner never stops after restart",
        "TUI spins forever",
        "tool shown as running after crash",
        "tool part stays running",
        '"status":"running" but session is idle',
        "GET /session/status is {}",
        "GET /api/session/active returns {}",
        "Press ctrl+b to move running work to the background",
        "kill -9 opencode serve",
        "OOM killed, WSL shutdown, power loss, laptop crash",
        "Tool execution interrupted: shell",
        "[Tool execution was interrupted]",
        "abort does nothing, session already idle",
        "stale tool call, stale spinner",
        "tool stuck at pending or streaming",
        "settleStaleToolCalls",
        "opencode --standalone after kill -9",
        "kill -9 the TUI and its serve --stdio",
        "session never recovers after reboot",
        "redraws 12 times a second while idle",
    ),
    see=(
        (
            "A tool is shown as running (spinner, elapsed time), and it was running when the "
            "machine or server died."
        ),
        "`GET /session/status?directory=…` (V1) or `GET /api/session/active` (V2) does not name the session.",
        (
            "The call's `state.status` is `running`, `pending` or `streaming`, its `time` from "
            "before the server's own start."
        ),
        "Abort, interrupt and ctrl+b are accepted and change nothing.",
        "On V1 it stays so through new prompts, each of which works.",
    ),
    claims=CLAIMS,
    recovery=RECOVERY,
    variants=VARIANTS,
    look_alikes=LOOK_ALIKES,
    danger=(
        "Look who else has this server's database open (`wedged doctor` does). A second server on "
        "the same data shows the first one's live call exactly as a crash leaves one, and every "
        "cure below then destroys a live turn: the command runs on to its end, and its result is "
        "lost."
    ),
    harm=("W201.wrong-cure-loses-the-result",),
    links=(
        (
            (
                "#58386: V2, after a hard crash, --standalone / opencode serve never settle the "
                "interrupted shell tool, so the TUI spins forever (the report)"
            ),
            "https://github.com/anomalyco/opencode/issues/58386",
        ),
        (
            "#35642: the older report of the same, closed with a request for a focused one",
            "https://github.com/anomalyco/opencode/issues/35642",
        ),
        (
            (
                "#51291: provider stream can disappear while a tool call remains running, with no "
                "timeout or reaper"
            ),
            "https://github.com/anomalyco/opencode/issues/51291",
        ),
        ("#56804: named by the report as related", "https://github.com/anomalyco/opencode/issues/56804"),
        ("#19023: named by the report as related", "https://github.com/anomalyco/opencode/issues/19023"),
    ),
    match=match,
)
