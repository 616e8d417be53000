"""W301's restarts: what became of the shells, and what the models were told. Pure."""

from dataclasses import dataclass

from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.w301_judgement import gone, outcome, state, up
from wedged.lab.scenarios.w301_sight import Sight


@dataclass(frozen=True, slots=True)
class Aftermath:
    """One trial after a restart of its server. `look` is of the restarted server.

    `woken` is what the model was told by itself within the watch, `words` what it was told anew with the next
    prompt ("" where it was not asked). `kid` and `left` are the shells of the sub-agent and of what left its
    process group; `exit_word` is what the shell itself wrote on its way down.
    """

    look: Sight
    woken: str
    words: str
    kid: str
    left: str = ""
    exit_word: str = ""

    def told_of(self, name: str) -> bool:
        """Whether the model was told of this shell, by the server."""
        return any("<shell" in text and f": {name}" in text for text in (self.woken, self.words))

    @property
    def said(self) -> str:
        """What was told, in words."""
        own, kid = self.told_of(self.look.name), self.told_of(self.kid)
        told = ", ".join(word for word, yes in (("its shell", own), ("the sub-agent's", kid)) if yes)
        return f"woken: {'yes' if self.woken else 'no'}; the next request tells of: {told or 'no shell'}"


@dataclass(frozen=True, slots=True)
class Names:
    """The claims that one restart arm speaks for; "" for none."""

    fate: str
    untold: str
    parent: str = ""
    woken: str = ""
    group: str = ""
    cancelled: str = ""


def by_sigterm(seen: Aftermath, names: Names) -> tuple[ClaimOutcome, ...]:
    """The server was told to end: the shell should be gone, and somebody should have been told."""
    ended = gone(seen.look) and gone(seen.look, seen.kid)
    why = f"{state(seen.look)}, it wrote: {seen.exit_word or 'nothing'}"
    runs_on = seen.look.survives(seen.look.name)
    found = [outcome(names.fate, ended and seen.exit_word == "143", runs_on, why)]
    return (*found, *_told(seen, names))


def by_sigkill(seen: Aftermath, names: Names) -> tuple[ClaimOutcome, ...]:
    """The server crashed: its children run on."""
    look = seen.look
    hidden = look.survives(look.name) and not look.runs(look.name) and look.shell(look.name) is None
    found = [outcome(names.fate, hidden, gone(look) or up(look), state(look))]
    return (*found, *_told(seen, names))


def _told(seen: Aftermath, names: Names) -> list[ClaimOutcome]:
    look, asked = seen.look, bool(seen.words)
    own, kid = seen.told_of(look.name), seen.told_of(seen.kid)
    found = [outcome(names.untold, asked and not own and not seen.woken, own, seen.said)]
    if names.parent:
        found.append(outcome(names.parent, asked and not kid and not seen.woken, kid, seen.said))
    if names.woken:
        found.append(outcome(names.woken, asked and not seen.woken, bool(seen.woken), seen.said))
    if names.group:
        left = look.survives(seen.left)
        found.append(outcome(names.group, left, not left and asked, f"it {'runs' if left else 'is gone'}"))
    if names.cancelled:
        cancelled = own and "cancelled" in seen.words and look.survives(look.name)
        found.append(outcome(names.cancelled, cancelled, asked and not own, f"{state(look)}; {seen.said}"))
    return found


def right_client(
    shells: tuple[str, ...], recorded: tuple[str, ...], words: str, *, cut: int = 160
) -> tuple[ClaimOutcome, ...]:
    """A client that kept its roster: `shells` were pending, `recorded` are those that it holds for cancelled
    after the restart, `words` is what the model was told anew."""
    all_recorded = bool(shells) and set(shells) <= set(recorded)
    all_told = bool(shells) and all(shell in words for shell in shells)
    why = f"{len(recorded)} of {len(shells)} recorded; the model was told: “{' '.join(words.split())[:cut]}”"
    return (
        outcome(
            "recovery-text-reaches-the-model",
            all_recorded and all_told,
            bool(shells and words) and not (all_recorded and all_told),
            why,
        ),
    )


def bare_routes(look: Sight, in_bare_list: bool, status: int, after: Sight) -> tuple[ClaimOutcome, ...]:
    """The routes without a location, under the shared service: the list, then the DELETE and its status."""
    runs, left = up(look), up(after)
    listed = f"in the bare list: {'yes' if in_bare_list else 'no'}"
    answered = f"the bare DELETE was answered {status}; {state(after)}"
    return (
        outcome("service-bare-list-hides-it", runs and not in_bare_list, runs and in_bare_list, listed),
        outcome("service-bare-delete-misses-it", runs and left, runs and gone(after), answered),
        outcome("bare-delete-answers-204", left and status == 204, left and status == 404, answered),
    )
