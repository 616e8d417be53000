"""Every state that the lab holds: what doctor says of the server is among what it says of the server's file.

Both are looked at in the same moment. Where the file can't name the live code it must say that something is
not known; it must never be told as healthy.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from tests.cli.file_beside_server import store

from wedged.diagnose import Diagnosis, diagnose, restrict
from wedged.facts.snapshot import Gap, Window
from wedged.lab.bench import Bench, open_bench
from wedged.lab.keeper import Keeper
from wedged.lab.scenarios import (
    w001_wrong_directory,
    w002_two_servers_one_store,
    w101_ungated_external_ask,
    w102_disposal_without_revocation,
    w103_decline_as_shutdown,
    w104_leftover_ask,
    w105_hidden_child_ask,
    w201_hard_crash,
    w203_orphaned_process,
    w301_invisible_background_shell,
)
from wedged.observe import look, server_tree
from wedged.observe.database import look_at_database
from wedged.servers import InstalledServer

pytestmark = pytest.mark.server

# They keep to their own session, so one server holds them all at once.
TOGETHER = {
    "W001": w001_wrong_directory.hold,
    "W101": w101_ungated_external_ask.hold,
    "W102": w102_disposal_without_revocation.hold,
    "W103": w103_decline_as_shutdown.hold,
    "W104": w104_leftover_ask.hold,
    "W105": w105_hidden_child_ask.hold,
    "W301": w301_invisible_background_shell.hold,
}
CRASHES = {"W201": w201_hard_crash.hold, "W203": w203_orphaned_process.hold}
# Where doctor sees the class on a live server of this line; of the rest there is nothing to compare.
V1 = ("W001", "W101", "W104", "W105", "W002", "W201", "W203")
RELEASED = ("W101", "W103", "W105", "W301", "W002", "W201", "W203")


@dataclass(frozen=True)
class Both:
    """What doctor said of one session and its sub-agents, by its server and by the server's file."""

    session: str
    live: Diagnosis
    file: Diagnosis

    @property
    def said_live(self) -> set[str]:
        return {finding.code for finding in self.live.findings}

    @property
    def said_of_file(self) -> set[str]:
        return {code for one in self.file.findings for code in (one.code, *one.candidates)}

    @property
    def open_in_file(self) -> list[Gap]:
        """What the file's answer leaves open of this session and its sub-agents, and of no other."""
        mine = [one for one in self.file.latest.sessions if self.session in (one.id, one.parent_id)]
        asks = any(one.unfinished for one in mine)
        return [
            gap
            for gap in self.file.unknown
            if any(one.id in gap.what for one in mine) or (gap.what == "asks" and asks)
        ]

    @property
    def words(self) -> str:
        why = [f"{gap.what}: {gap.why}" for gap in self.open_in_file]
        dismissed = [f"{one.code} {one.why_not}" for one in self.file.considered]
        return f"live {self.said_live}, file {self.said_of_file}, unknown {why}, considered {dismissed}"


def both(bench: Bench, session: str) -> Both:
    """Look now, at the server and at its file."""
    url = bench.server.url
    live = look(bench.connection.reader, sessions=(session,), tree=lambda: server_tree(url), source=url)
    file = look_at_database(store(bench), (session,))
    return Both(
        session, restrict(diagnose(Window(live), 0), session), restrict(diagnose(Window(file), 0), session)
    )


@pytest.fixture(scope="module")
def keeper() -> Iterator[Keeper]:
    with Keeper.start() as keeper:
        yield keeper


def every_state(bench: Bench, codes: tuple[str, ...]) -> dict[str, Both]:
    """Each of these classes held, one server for those that don't disturb each other."""
    held = {code: hold(bench, name=f"held-{code}") for code, hold in TOGETHER.items() if code in codes}
    found = {code: both(bench, one.session) for code, one in held.items()}
    with ExitStack() as stack:
        if "W002" in codes:
            _, there = stack.enter_context(w002_two_servers_one_store.hold(bench, "held-W002"))
            found["W002"] = both(bench, there.session)
    for code, crash in CRASHES.items():
        if code in codes:
            found[code] = both(bench, crash(bench, name=f"held-{code}").session)
    return found


@pytest.mark.parametrize(("fixture", "codes"), [("installed_v1", V1), ("installed_released", RELEASED)])
def test_the_live_answer_is_within_the_files(
    fixture: str, codes: tuple[str, ...], keeper: Keeper, request: pytest.FixtureRequest
) -> None:
    installed: InstalledServer = request.getfixturevalue(fixture)
    with open_bench(installed, keeper) as bench:
        bench.warm_up(bench.project())
        found = every_state(bench, codes)
    assert {code for code, one in found.items() if code in one.said_live} == set(codes), "held and recognised"
    for code, one in found.items():
        known = one.said_live & one.said_of_file
        assert known or one.open_in_file, f"{code} looks healthy by its file: {one.words}"
        assert one.file.exit_code != 0, f"{code}: {one.words}"
