"""Every code that is reserved. A code is never reused; nothing reports a planned one."""

# In the order of the numbers: 0 the look itself, 1 asks, 2 crashes and history, 3 children and background
# work, 4 clients and events, 5 model providers, 6 tools, 7 the server or its store.
PLANNED: dict[str, str] = {
    "W003": "wrong-server",
    "W202": "bricked-history",
    "W204": "self-resume",
    "W205": "stranded-prompt",
    "W302": "stop-misses-child",
    "W303": "held-pipe",
    "W304": "lost-notice",
    "W401": "missed-event",
    "W402": "stale-client-row",
    "W501": "stalled-stream",
    "W502": "runaway-loop",
    "W503": "endless-retry",
    "W504": "truncated-as-done",
    "W601": "tool-backend-wait",
    "W701": "blocked-bootstrap",
    "W702": "mute-server",
    "W703": "service-election",
    "W704": "store-contention",
    "W705": "stdin-wait",
}
