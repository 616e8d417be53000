"""Whom a bundle is about, and who must not be in it."""

import contextlib
import getpass
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path

from wedged.bundle.assembling import Setting
from wedged.diagnose import diagnose
from wedged.facts.lineage import parents
from wedged.facts.redaction import Redactor
from wedged.facts.snapshot import Window

# Sessions whose messages and log lines are in a bundle.
_SESSIONS = 20


def sessions_of(window: Window | None, setting: Setting) -> list[str]:
    """Whom the bundle is about: named, found stuck, asking, working, and their parents; at most twenty."""
    if window is None:
        return []
    look = window.latest
    wanted = [*setting.sessions, *(one.session for one in diagnose(window, setting.grace).findings)]
    wanted += [ask.session_id for ask in look.asks]
    wanted += [one.id for one in look.sessions if one.works or one.unfinished]
    wanted += [above for one in tuple(wanted) for above in parents(one, look)]
    return [one for one in dict.fromkeys(wanted) if look.session(one) is not None][:_SESSIONS]


def redactor_for(secrets: Iterable[str], *environments: Mapping[str, str]) -> Redactor:
    """Knows the secrets that the environments name, and who the user and the machine are."""
    homes, users = {str(Path.home())}, set()
    for env in environments:
        homes |= {env["HOME"]} if env.get("HOME") else set()
        users |= {env[name] for name in ("USER", "LOGNAME") if env.get(name)}
    with contextlib.suppress(OSError, KeyError):
        users.add(getpass.getuser())
    host = platform.node()
    redactor = Redactor(
        secrets,
        homes=homes,
        users={*users, *(Path(home).name for home in homes)},
        hosts={host, host.partition(".")[0]},
    )
    for env in environments:
        redactor.learn(dict(env))
    return redactor
