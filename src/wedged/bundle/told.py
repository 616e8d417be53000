"""Looks and processes, told without what people and models wrote. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from wedged.bundle.contents import ANSWERS, OUTPUTS, PROMPTS
from wedged.bundle.withholding import Withholding
from wedged.facts.process import ProcessFacts, Stray
from wedged.facts.session import SessionFacts, ToolPart
from wedged.facts.snapshot import Snapshot, Window

# `opencode run WORDS`: the prompt is whatever is neither an option nor the value of one of these.
_VALUED = frozenset(
    {
        *("-m", "--model", "-s", "--session", "--agent", "--port", "--hostname", "--dir", "--attach"),
        *("--format", "--variant", "--command", "-f", "--file", "--log-level", "--server"),
    }
)
_PROMPTING = frozenset({"--prompt", "-p", "--title"})


def told_window(window: Window, withholding: Withholding) -> Window:
    """Both looks without such texts."""
    earlier = _look(window.earlier, withholding) if window.earlier else None
    return Window(_look(window.latest, withholding), earlier)


def told_argv(argv: Sequence[str], withholding: Withholding) -> tuple[str, ...]:
    """The arguments of a process; those of an OpenCode client without the prompt it was started with."""
    if not any("opencode" in word.rpartition("/")[2] for word in argv[:2]):
        return tuple(argv)
    told, prompting = [], False
    for before, word in zip(("", *argv), argv, strict=False):
        option, equals, value = word.partition("=")
        if before in _PROMPTING or (prompting and not word.startswith("-") and before not in _VALUED):
            told.append(withholding.text(PROMPTS, word))
        elif option in _PROMPTING and equals:
            told.append(f"{option}={withholding.text(PROMPTS, value)}")
        else:
            told.append(word)
        prompting = prompting or word == "run"
    return tuple(told)


def _look(look: Snapshot, withholding: Withholding) -> Snapshot:
    def process(one: ProcessFacts) -> ProcessFacts:
        return replace(one, argv=told_argv(one.argv, withholding))

    def stray(one: Stray) -> Stray:
        return replace(one, process=process(one.process), under=one.under and process(one.under))

    tree, held, strays = look.processes, look.holders, look.strays
    return replace(
        look,
        processes=tree and replace(tree, server=process(tree.server), below=tuple(map(process, tree.below))),
        holders=held and replace(held, seen=tuple(map(process, held.seen))),
        strays=None if strays is None else tuple(map(stray, strays)),
        sessions=tuple(_session(session, withholding) for session in look.sessions),
        asks=tuple(replace(ask, words=withholding.text(ANSWERS, ask.words)) for ask in look.asks),
    )


def _session(session: SessionFacts, withholding: Withholding) -> SessionFacts:
    retry = session.retry
    return replace(
        session,
        # A title is the prompt in fewer words.
        title=withholding.text(PROMPTS, session.title),
        last_text=withholding.text(ANSWERS, session.last_text),
        retry=retry and replace(retry, message=withholding.error(retry.message)),
        parts=tuple(_part(part, withholding) for part in session.parts),
    )


def _part(part: ToolPart, withholding: Withholding) -> ToolPart:
    return replace(
        part,
        input=withholding.input(part.input),
        output=withholding.text(OUTPUTS, part.output),
        error=withholding.error(part.error),
        wire={},
    )
