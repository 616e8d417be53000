"""A reference client's roster: the work that is still pending on a server, as two kinds of client see it.

The *naive* one goes by who is active; a background shell is nowhere in it. The *right* one adds the shells of
every location, joins them to sessions and their parents, and keeps the result in a file, so that a restart of
the server is not the end of it. For client authors, and the two are measured against each other in W301.
"""

from wedged.roster.entries import Entry, EntryKind, Roster
from wedged.roster.file import load, save
from wedged.roster.kinds import naive, right
from wedged.roster.lost import Kept, recovery_text, restarted, told
from wedged.roster.reading import read_work, sample
from wedged.roster.right_client import RightClient
from wedged.roster.stopping import Stopped, stop

__all__ = [
    "Entry",
    "EntryKind",
    "Kept",
    "RightClient",
    "Roster",
    "Stopped",
    "load",
    "naive",
    "read_work",
    "recovery_text",
    "restarted",
    "right",
    "sample",
    "save",
    "stop",
    "told",
]
