"""*Do this now*: the cures that this run executed and confirmed, as lines to paste."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlsplit

from wedged.errors import Refused
from wedged.evidence import ClassVerdict
from wedged.facts.failure_class import FailureClass
from wedged.facts.recovery import Action, Request, Step, Target
from wedged.facts.server import Line
from wedged.facts.session import PartStatus, ToolPart
from wedged.facts.trial import Verdict
from wedged.guide.own_tabs import own_tabs

# Words that survive URL encoding, and become shell and Python variables afterwards.
_TARGET = Target(
    session_id="SESSION",
    directory="DIRECTORY",
    ask_id="ASK",
    message="MESSAGE",
    shell_id="SHELL_ID",
    part=ToolPart("PART", "", "MESSAGE_ID", "SESSION", "", PartStatus.RUNNING, {}),
)
_VARIABLES = ("SESSION", "DIRECTORY", "ASK", "SHELL_ID", "MESSAGE_ID", "PART")
FEEDBACK = "Work inside the project."


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a line of servers is spoken to: its `name` on the page, a step as its request (raises `Refused`
    where it has none), and the read that brings the ids which that request needs (None: it needs none)."""

    name: str
    request: Callable[[Action, Target], Request]
    find: Callable[[Action, Target], Request | None]


Dialects = Mapping[Line, Dialect]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A step and the servers on which the run executed it and saw it work, and those on which it did not."""

    step: Step
    on: tuple[str, ...]
    not_on: tuple[str, ...]


def confirmed(failure_class: FailureClass, verdicts: Sequence[ClassVerdict]) -> tuple[Confirmed, ...]:
    """The class's steps whose claim holds on at least one server, in the class's own order."""
    out = []
    for step in failure_class.recovery:
        on = tuple(v.server for v in verdicts if v.claim(step.claim).verdict is Verdict.HOLDS)
        if on:
            out.append(Confirmed(step, on, tuple(v.server for v in verdicts if v.server not in on)))
    return tuple(out)


def cure_section(cure: Confirmed, dialects: Sequence[Dialect]) -> str:
    """One cure as Markdown: its sentence, its tabs, what it costs. `dialects` are those of the servers on
    which it was confirmed; those that write it alike share a tab."""
    step = cure.step
    spoken = _spoken(step, dialects)
    own = own_tabs(step.action)
    lines = [f"### {step.sentence.rstrip('.')}", ""]
    for name, wanted, find in spoken:
        lines += _tab("curl" + name, "bash", _curl_lines(wanted, find))
    for tab in own:
        lines += _tab(tab.name, tab.language, tab.lines, tab.words)
    lines += _tab("wedged", "bash", *_wedged(step))
    for name, wanted, find in spoken:
        lines += _tab("Python" + name, "python", _python_lines(wanted, find))
    facts = [("Loses", step.loses or ("nothing that was seen",)), ("Leaves behind", step.leaves)]
    facts += [("It worked when", (step.confirms,)), ("Needs", step.requires)]
    lines += [f"- **{name}:** {_sentences(words)}" for name, words in facts if any(words)]
    lines.append(f"- **Executed and confirmed on:** {', '.join(cure.on)}" + _elsewhere(cure))
    return "\n".join(lines) + "\n"


def _spoken(step: Step, dialects: Sequence[Dialect]) -> list[tuple[str, Request, Request | None]]:
    """The step in each dialect, with the words that tell its tab from the others' ("" for a single one)."""
    action = step.action
    needs_words = action in (Action.REPLY_REJECT_MESSAGE, Action.PROMPT)
    target = replace(_TARGET, message=step.message or FEEDBACK) if needs_words else _TARGET
    alike: list[tuple[list[str], Request, Request | None]] = []
    for one in dialects:
        try:
            wanted, find = one.request(action, target), one.find(action, target)
        except Refused:
            continue
        for names, *known in alike:
            if known == [wanted, find]:
                names.append(one.name)
                break
        else:
            alike.append(([one.name], wanted, find))
    single = len(alike) == 1
    return [("" if single else f", {' and '.join(names)}", wanted, find) for names, wanted, find in alike]


_ANSWER_WORDS = "It shows what would run before it asks you, and looks again before it sends anything."
_DOCTOR_WORDS = "It names what it found and prints this request with its ids filled in."
_RECOVER_WORDS = (
    "It looks again before it sends anything, refuses where something alive could be hit, and asks you first "
    "where something is lost. Without `--apply` it prints this request with its ids filled in."
)


def _wedged(step: Step) -> tuple[list[str], str]:
    """The verbs that do it, and what is to be said of them."""
    answers = {
        Action.REPLY_REJECT: "--reject",
        Action.REPLY_REJECT_MESSAGE: f'--reject --message "{FEEDBACK}"',
        Action.REPLY_ONCE: "--once",
    }
    if step.elsewhere:
        return ["wedged doctor $URL"], _DOCTOR_WORDS
    if step.action not in answers:
        code = step.claim.partition(".")[0]
        return [
            f"wedged recover $URL --session $SESSION --code {code} --step {step.id} --apply"
        ], _RECOVER_WORDS
    lines = [
        "wedged asks $URL  # the ask: its id, its command, its directory",
        f"wedged answer $ASK $URL {answers[step.action]}",
    ]
    return lines, _ANSWER_WORDS


def _elsewhere(cure: Confirmed) -> str:
    return f"; not confirmed on {', '.join(cure.not_on)}" if cure.not_on else ""


def _sentences(words: Sequence[str]) -> str:
    return " ".join(word if word.endswith((".", '."', "!", "?")) else word + "." for word in words if word)


def _tab(name: str, language: str, code: Sequence[str], words: str = "") -> list[str]:
    body = [f"    ```{language}", *(f"    {line}".rstrip() for line in code), "    ```", ""]
    return [f'=== "{name}"', "", *body, *([f"    {words}", ""] if words else [])]


_IDS = "# its id, its session, its command"


def _curl_lines(wanted: Request, find: Request | None) -> list[str]:
    lines = [] if find is None else [_IDS, f'curl -s "$URL{_shell(find.path)}"']
    lines.append(f'curl -X {wanted.method} "$URL{_shell(wanted.path)}"')
    if wanted.body:
        lines[-1] += " \\"
        lines += ["  -H 'content-type: application/json' \\", f"  -d '{_json(wanted.body)}'"]
    return lines


def _python_lines(wanted: Request, find: Request | None) -> list[str]:
    lines = ["import httpx", ""]
    if find is not None:
        lines += [_IDS, f"print({_httpx(find)}.json())"]
    lines.append(f"{_httpx(wanted)}.raise_for_status()")
    return lines


def _httpx(request: Request) -> str:
    parts = urlsplit(request.path)
    path = "".join(f"{{{word}}}" if word in _VARIABLES else word for word in _split_words(parts.path))
    arguments = [f'f"{{URL}}{path}"']
    if query := parse_qsl(parts.query):
        arguments.append("params={" + ", ".join(f'"{k}": {_value(v)}' for k, v in query) + "}")
    if request.body is not None:
        arguments.append(f"json={json.dumps(request.body, ensure_ascii=False)}")
    return f"httpx.{request.method.lower()}({', '.join(arguments)})"


def _value(text: str) -> str:
    return text if text in _VARIABLES else repr(text)


def _shell(path: str) -> str:
    return "".join(f"${word}" if word in _VARIABLES else word for word in _split_words(path))


def _split_words(path: str) -> list[str]:
    words = [""]
    for character in path:
        if character in "/?&=":
            words += [character, ""]
        else:
            words[-1] += character
    return [word for word in words if word]


def _json(body: dict[str, object]) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).replace("'", "'\\''")
