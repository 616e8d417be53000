"""W301's arms that reach everybody on a server: restarts, crashes, a reload. Many sessions, one restart."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wedged.errors import LabError, ServerSaidNo
from wedged.facts.trial import Check, ClaimOutcome
from wedged.lab.bench import Bench
from wedged.lab.scenarios import w301_restart_judgement as judge
from wedged.lab.scenarios.w301_arms import draft, faults, listed, settled, until_gone
from wedged.lab.scenarios.w301_families import kid_id, next_words
from wedged.lab.scenarios.w301_family_judgement import location_gone
from wedged.lab.scenarios.w301_roster_watch import RosterWatch
from wedged.lab.scenarios.w301_sight import Sight
from wedged.lab.scenarios.w301_states import Stage, background, begin, is_request, sub_agent, words_of
from wedged.lab.trials import CellId, Draft, Group, Timing, overlapping, share_out
from wedged.roster import RightClient

How = Literal["SIGTERM", "SIGKILL"]
Drafts = dict[CellId, Draft | str]
Work = Mapping[str, Callable[[Bench, CellId, Timing], Draft]]

PLAIN = {
    "plain-sigterm": judge.Names(
        fate="sigterm-ends-it",
        untold="sigterm-is-not-told",
        parent="the-parent-is-never-told",
        group="sigterm-spares-what-left-its-group",
    ),
    "plain-sigkill": judge.Names(fate="sigkill-leaves-it", untold="sigkill-is-not-told"),
}
SERVICE = {
    "service-sigterm": judge.Names(
        fate="service-sigterm-ends-it",
        untold="service-is-not-told",
        parent="service-parent-is-never-told",
        woken="service-wakes-nobody",
    ),
    "service-sigkill": judge.Names(
        fate="service-sigkill-leaves-it",
        untold="service-sigkill-is-not-told",
        cancelled="called-cancelled-while-it-runs",
    ),
}
RELOAD = "/api/location/reload"


@dataclass(frozen=True)
class Pending:
    """One trial before the restart: its session, a shell of its own and one of its sub-agent's."""

    stage: Stage
    before: Sight
    kid: str
    left: str
    child: str
    client: RightClient | None = None
    watch: RosterWatch | None = None

    @property
    def shells(self) -> tuple[str, ...]:
        """The ids of both shells."""
        found = (self.before.shell(self.stage.name), self.before.shell(self.kid))
        return tuple(shell.id for shell in found if shell)

    def draft(self, outcomes: tuple[ClaimOutcome, ...], *checks: Check) -> Draft:
        """What the trial hands over, the sub-agent's observations with it."""
        made = draft(self.stage, self.before, outcomes, faults(self.stage, self.before), *checks)
        return Draft(made.prompted, made.checks, made.outcomes, made.observed_at, also=(self.child,))


def _begin(bench: Bench, cell: CellId, timing: Timing, *, right: bool = False) -> Pending:
    """A session whose model starts a shell of its own and orders a sub-agent, which starts one too."""
    name, directory = f"w301-{cell[0]}-{cell[1]}", bench.project()
    kid, left = sub_agent(name), f"{name}-left"
    # The shell says how it was ended, and has a program in a session of its own beside it.
    command = (
        f"trap 'echo 143 > {name}.exit; exit 143' TERM; "
        f"setsid bash -c 'sleep 590; : {left}' & sleep 590 & wait"
    )
    stage = begin(bench, directory, name, background(name, command), kid=kid).knowing(left)
    watch = RosterWatch(stage) if right and cell[1] == 1 else None
    if watch:
        watch.until_over(timing.settle_s)
    settled(stage, timing)
    listed(stage, kid.name)
    before = stage.look()
    client = None
    if right:
        client = RightClient(bench.connection, bench.home.root / f"{name}.roster", (directory,))
        client.poll()
    if watch:
        watch.for_a_while(timing.watch_s / 2)
    return Pending(stage, before, kid.name, left, kid_id(stage, before, kid.name), client, watch)


def _after(pending: Pending, timing: Timing, names: judge.Names, how: How, restarted: float) -> Draft:
    stage = pending.stage
    look = stage.look()
    quiet_until = stage.bench.timeline.watch(stage.session, is_request, timing.watch_s, after=restarted)
    words = next_words(stage, timing)
    wrote = Path(stage.prompted.directory, f"{stage.name}.exit")
    seen = judge.Aftermath(
        look=look,
        woken=words_of(quiet_until),
        words=words,
        kid=pending.kid,
        left=pending.left,
        exit_word=wrote.read_text().strip() if wrote.exists() else "",
    )
    judged = judge.by_sigterm if how == "SIGTERM" else judge.by_sigkill
    return pending.draft(judged(seen, names))


def _right_after(pending: Pending, timing: Timing) -> Draft:
    stage, client = pending.stage, pending.client
    if client is None:
        raise LabError(f"{stage.name} has no client")
    connection = stage.bench.connection
    recorded = client.restarted(connection)
    mine = tuple(entry.id for entry in recorded if entry.concerns(stage.session))
    if pending.watch:
        pending.watch.for_a_while(timing.watch_s / 2)
    at = stage.bench.timeline.now()
    with stage.bench.timeline.call(stage.session, "next prompt"):
        client.prompt(stage.session, f"Go on. {stage.prompted.script.mark}", stage.prompted.directory)
    words = words_of(stage.asked_after(at, timing.settle_s))
    if pending.watch:
        pending.watch.for_a_while(timing.watch_s / 2)
    return pending.draft(judge.right_client(pending.shells, mine, words))


@dataclass(frozen=True)
class Restart:
    """One restart, by which signal, and the arms that it is for, each with its claims (None: a client that
    keeps its roster has its own)."""

    how: How
    arms: Mapping[str, judge.Names | None]

    def finish(self, pending: Pending, arm: str, timing: Timing, restarted: float) -> Draft:
        """See what became of one trial."""
        names = self.arms[arm]
        if names is None:
            return _right_after(pending, timing)
        return _after(pending, timing, names, self.how, restarted)


def _restarts(
    bench: Bench, cells: Sequence[CellId], timing: Timing, restarts: Sequence[Restart], other: Work
) -> Drafts:
    """All of `cells` through these restarts, one after the other.

    While the trials of one restart are watched, those of the next are begun; `other` is work that goes with
    the first of them. Each works on sessions of its own.
    """
    batches = [[cell for cell in cells if cell[0] in restart.arms] for restart in restarts]

    def start(cell: CellId) -> Pending | Draft:
        if cell[0] in other:
            return other[cell[0]](bench, cell, timing)
        return _begin(bench, cell, timing, right=cell[0] == "right-restart")

    first = [cell for cell in cells if cell[0] in other]
    begun: dict[CellId, Pending | Draft | str] = overlapping((*first, *batches[0]), start)
    drafts: Drafts = {cell: one for cell, one in begun.items() if not isinstance(one, Pending)}
    for place, restart in enumerate(restarts):
        pending = {cell: one for cell, one in begun.items() if isinstance(one, Pending)}
        bench.end_server(restart.how)
        for one in pending.values():
            if one.watch:
                one.watch.processes()
        bench.start_again()
        at = bench.timeline.now()

        def go_on(
            cell: CellId,
            pending: Mapping[CellId, Pending] = pending,
            restart: Restart = restart,
            at: float = at,
        ) -> Pending | Draft:
            return restart.finish(pending[cell], cell[0], timing, at) if cell in pending else start(cell)

        following = batches[place + 1] if place + 1 < len(batches) else []
        begun = overlapping((*pending, *following), go_on)
        drafts |= {cell: one for cell, one in begun.items() if not isinstance(one, Pending)}
    return drafts


def _plain(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Drafts:
    reloaded = _reload(bench, [cell for cell in cells if cell[0] == "reload"], timing)
    restarts = (
        Restart("SIGTERM", {"plain-sigterm": PLAIN["plain-sigterm"], "right-restart": None}),
        Restart("SIGKILL", {"plain-sigkill": PLAIN["plain-sigkill"]}),
    )
    return reloaded | _restarts(bench, cells, timing, restarts, {})


def _service(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Drafts:
    restarts = (
        Restart("SIGTERM", {"service-sigterm": SERVICE["service-sigterm"]}),
        Restart("SIGKILL", {"service-sigkill": SERVICE["service-sigkill"]}),
    )
    return _restarts(bench, cells, timing, restarts, {"service-lists": _bare})


def _bare(bench: Bench, cell: CellId, timing: Timing) -> Draft:
    """The routes without a location, which is then the user's home and not the session's directory."""
    name = f"w301-{cell[0]}-{cell[1]}"
    stage = begin(bench, bench.project(), name, background(name))
    shell = settled(stage, timing)
    listed_bare = any(one.id == shell.id for one in bench.connection.reader.shells())
    look = stage.look()
    status = 204
    try:
        stage.request("bare delete", "DELETE", f"/api/shell/{shell.id}")
    except ServerSaidNo as error:
        status = error.status
    until_gone(stage, name, 1.0)
    judged = judge.bare_routes(look, listed_bare, status, stage.look())
    return draft(stage, look, judged, faults(stage, look))


def _reload(bench: Bench, cells: Sequence[CellId], timing: Timing) -> Drafts:
    """One reload for all: it reaches every location."""
    if not cells:
        return {}

    def start(cell: CellId) -> tuple[Stage, Sight]:
        name = f"w301-{cell[0]}-{cell[1]}"
        stage = begin(bench, bench.project(), name, background(name))
        settled(stage, timing)
        return stage, stage.look()

    begun = overlapping(cells, start)
    ready = {cell: one for cell, one in begun.items() if not isinstance(one, str)}
    at = bench.timeline.now()
    for stage, _ in list(ready.values())[:1]:
        stage.request("reload", "POST", f"{RELOAD}?location%5Bdirectory%5D={bench.project()}")

    def finish(cell: CellId) -> Draft:
        stage, before = ready[cell]
        until_gone(stage, stage.name, timing.bound_s)
        look = stage.look()
        told = words_of(stage.asked_after(at, timing.watch_s))
        words = "" if told else next_words(stage, timing)
        claim = "reload-ends-every-shell"
        judged = location_gone(look, told, words, ended=claim, silent=claim)
        return draft(stage, before, judged, faults(stage, before))

    failed = {cell: why for cell, why in begun.items() if isinstance(why, str)}
    return {**failed, **overlapping(ready, finish)}


def groups(trials: int) -> tuple[Group, ...]:
    """One plain server and one shared service, each restarted by both signals."""
    plain: tuple[str, ...] = ("reload", "right-restart", *PLAIN)
    service: tuple[str, ...] = ("service-lists", *SERVICE)
    runs: tuple[tuple[str, tuple[str, ...], bool, Callable[..., Drafts]], ...] = (
        ("restarts of a plain server", plain, False, _plain),
        ("restarts of the shared service", service, True, _service),
    )
    return tuple(Group(name, share_out(arms, (), trials), shared, run) for name, arms, shared, run in runs)
