"""W301's trials with sub-agents, what no list has, and a location that goes. Pure."""

from wedged.facts.process import Shell
from wedged.facts.session import PartStatus
from wedged.facts.trial import ClaimOutcome
from wedged.lab.scenarios.w301_judgement import Rosters, gone, idle, outcome, state, stays, up
from wedged.lab.scenarios.w301_sight import Sight, carries


def _owner_is_child(look: Sight, shell: Shell | None) -> bool:
    return (
        shell is not None
        and look.session is not None
        and any(c.id == shell.session_id and c.parent_id == look.session.id for c in look.children)
    )


def sub_agent(
    look: Sight, kid: str, call_id: str, rosters: Rosters, later: Sight
) -> tuple[ClaimOutcome, ...]:
    """A sub-agent's shell, everybody's turn over; `later` is after an interrupt of the parent."""
    runs, part, listed = up(look, kid), look.part(call_id), look.shell(kid)
    done = part is not None and part.status is PartStatus.COMPLETED
    said, child = state(look, kid), _owner_is_child(look, listed)
    filed = listed is not None and listed.id in rosters.shells
    return (
        outcome(
            "sub-agents-shell-runs-on",
            runs and idle(look) and done,
            gone(look, kid) or (runs and part is not None and not done),
            f"{said}, the parent's call {part.status if part else 'not stored'}",
        ),
        outcome(
            "naive-roster-drops-the-sub-agent",
            runs and rosters.naive == 0,
            runs and rosters.naive > 0,
            f"naive roster of the parent: {rosters.naive} pending",
        ),
        outcome(
            "attributed-to-the-parent",
            runs and child and filed,
            runs and not (child and filed),
            f"its session is {'a child of the parent' if child else 'no child of the parent'}; right roster "
            f"of the parent: {rosters.right} pending",
        ),
        stays("interrupting-the-parent-leaves-it", later, kid),
    )


def sub_agent_end(
    look: Sight, kid: str, told_below: str, told_above: str, new_messages: int
) -> tuple[ClaimOutcome, ...]:
    """The sub-agent's shell was ended: who was told?"""
    below = kid in told_below and "<shell" in told_below
    above = bool(told_above) or new_messages > 0
    return (
        outcome(
            "sub-agents-notice-stays-below",
            gone(look, kid) and below and not above,
            gone(look, kid) and above,
            f"{state(look, kid)}; the sub-agent's model {'was' if below else 'was not'} told; the parent got "
            f"{new_messages} messages and {'a' if told_above else 'no'} turn",
        ),
    )


def background_sub_agent(look: Sight, kid: str, told: str) -> tuple[ClaimOutcome, ...]:
    """A background sub-agent that has ended its turn, while its shell runs."""
    said = "<subagent" in told and 'state="completed"' in told
    return (
        outcome(
            "background-sub-agent-is-called-completed",
            up(look, kid) and said,
            up(look, kid) and "<subagent" in told and not said,
            f"{state(look, kid)}; the parent's model {'was told completed' if said else 'was not told so'}",
        ),
    )


def stopped(look: Sight, kid: str, ended: int, left: int) -> tuple[ClaimOutcome, ...]:
    """The right client's Stop on a parent with a shell of its own and a sub-agent's."""
    all_gone = gone(look) and gone(look, kid)
    return (
        outcome(
            "stop-ends-descendants",
            all_gone and left == 0 and ended >= 2,
            up(look) or up(look, kid),
            f"own: {state(look)}; sub-agent's: {state(look, kid)}; {ended} shells ended, {left} left",
        ),
    )


def nohup(look: Sight, name: str) -> tuple[ClaimOutcome, ...]:
    """A command that a foreground shell left behind."""
    alive = look.survives(name)
    hidden = look.shell(name) is None and not look.runs(name)
    return (outcome("nohup-in-no-list", alive and hidden, alive and not hidden, state(look, name)),)


def runner(name: str, below: bool, listed: tuple[Shell, ...], stranger: bool) -> tuple[ClaimOutcome, ...]:
    """A process that a plugin started: below the server, in a list, or what `ready` can't explain?"""
    named = any(carries(name, shell.command) for shell in listed)
    return (
        outcome(
            "runner-in-no-list",
            below and not named and stranger,
            below and named,
            f"{'below' if below else 'not below'} the server, in {'a' if named else 'no'} list; `wedged "
            f"ready` {'names' if stranger else 'does not name'} it",
        ),
    )


def location_gone(look: Sight, told: str, words: str, *, ended: str, silent: str) -> tuple[ClaimOutcome, ...]:
    """The location went while the shell ran: `ended` and `silent` are the claims.

    `told` is what the model was told by itself, `words` what the next prompt's request says.
    """
    heard = look.name in (told + words) and "<shell" in (told + words)
    why = f"{state(look)}; told by itself: {'yes' if told else 'no'}, with the next prompt: "
    why += "yes" if "<shell" in words else "no" if words else "not asked"
    kept_silent = gone(look) and bool(words) and not heard
    if ended == silent:
        return (outcome(ended, kept_silent, up(look) or (gone(look) and heard), why),)
    return (
        outcome(ended, gone(look), up(look), state(look)),
        outcome(silent, kept_silent, gone(look) and heard, why),
    )
