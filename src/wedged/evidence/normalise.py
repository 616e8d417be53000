"""Stable names for what differs from run to run, and redaction: the one place, used at capture."""

import base64
import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Self
from urllib.parse import quote

from wedged.facts.redaction import redact, redact_value
from wedged.facts.trial import ClaimOutcome, Observation

# A server's own ids: a prefix, 12 hex digits of time, 14 characters of chance. The prefixes that servers
# use for other shapes too are named. A call's id comes from the model's provider, in any shape.
_IDS = re.compile(
    r"(?<![0-9A-Za-z])(?:"
    r"(?P<made>[a-z]{2,5})_[0-9a-f]{12}[0-9A-Za-z]{8,}"
    r"|(?P<known>ses|msg|prt|per|que|evt|frm|sh|pty|job|tool|wrk)_(?=[A-Za-z]*\d)[0-9A-Za-z]{16,}"
    r"|(?P<call>call|toolu)_(?=[A-Za-z_-]*\d)[\w-]{8,}"
    r")"
)
_CLOCK = re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_NUMBER_KEYS = frozenset({"pid", "ppid", "pgid", "sid", "parent", "port"})
_TIME_KEYS = frozenset(
    {
        "time",
        "start",
        "end",
        "created",
        "updated",
        "completed",
        "initialized",
        "timestamp",
        "at",
        "next",
        # V2's own: a shell's start, a call's, the end of a stream, the end of a turn.
        "started",
        "ran",
        "streamed",
        "idle",
    }
)
# Between 2001 and 2286; anything else under such a key is a duration or a counter.
_EPOCH_MS = range(10**12, 10**13)
_SHORTEST_NUMBER = 4


class Normaliser:
    """Replaces registered strings and ids by stable names, and redacts.

    Registered strings are shared with every `trial` made from this one; ids are numbered in the order in
    which one trial first shows them (``ses_1``, ``per_1``, ``call_2``). Normalising twice changes nothing
    more. Safe from several threads, although the order of first showing is then theirs.
    """

    def __init__(self, origin_ms: int | None = None) -> None:
        """`origin_ms`: the prompt's wall clock in milliseconds since 1970. With it, clock times become times
        since the prompt (see `value`) and written ones ``CLOCK``."""
        self._names: dict[str, str] = {}
        self._secrets: dict[str, str] = {}
        self._origin_ms = origin_ms
        self._ids: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()
        self._compiled: tuple[int, re.Pattern[str] | None] = (0, None)

    def trial(self, origin_ms: int | None = None) -> Self:
        """A normaliser for one trial: the same strings, its own numbering of ids."""
        other = type(self)(origin_ms)
        other._names, other._secrets, other._lock = self._names, self._secrets, self._lock
        return other

    def add(self, text: str, name: str) -> None:
        """From now on `text` (a path, a port, a URL, an id) is called `name`; the longest text goes first.

        A path is also found percent-encoded and without its leading slash, as servers write them. A number is
        found only as a whole number; one of fewer than four digits only under keys such as ``pid``, since in
        running text it may mean anything.
        """
        if not text:
            return
        forms = {text: name}
        if text.startswith("/") and text.count("/") > 1:
            forms |= {text[1:]: name.lstrip("/")}
        if "/" in text:
            forms |= {quote(form, safe=""): quote(called, safe="") for form, called in forms.items()}
        with self._lock:
            self._names.update(forms)

    def secret(self, text: str, name: str = "PASSWORD", username: str = "opencode") -> None:
        """Like `add` for a password, which is also found percent-encoded and as HTTP basic credentials."""
        if not text:
            return
        basic = base64.b64encode(f"{username}:{text}".encode()).decode()
        with self._lock:
            self._secrets.update({text: name, quote(text, safe=""): name, basic: name})

    def text(self, text: str) -> str:
        """`text` with every name in place, redacted."""
        return redact(self._named(text))

    def value(self, tree: object) -> object:
        """`tree`, a JSON-like value, with `text` applied to every string and key.

        Process ids and ports under keys that say so become their names, unregistered process ids ``pid_1``
        and so on. With an origin, milliseconds since 1970 under keys that say so (``time``, ``start``,
        ``end``, ``created``, ``updated`` and the like) become seconds since the prompt; under keys that end
        in ``_ms`` they become milliseconds since the prompt.
        """
        return redact_value(self._walk(tree, ""))

    def observation(self, observation: Observation) -> Observation:
        """An observation as it may be written."""
        data = self.value(observation.data)
        return replace(
            observation,
            kind=self.text(observation.kind),
            subject=self.text(observation.subject),
            data=data if isinstance(data, dict) else {},
        )

    def observations(self, observations: Iterable[Observation]) -> tuple[Observation, ...]:
        """A timeline as it may be written."""
        return tuple(map(self.observation, observations))

    def outcome(self, outcome: ClaimOutcome) -> ClaimOutcome:
        """An outcome as it may be written."""
        values = self.value(outcome.values)
        return replace(outcome, why=self.text(outcome.why), values=values if isinstance(values, dict) else {})

    def _named(self, text: str) -> str:
        # A server's JSON may hold half of a surrogate pair, which no file can.
        text = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        pattern = self._pattern()
        if pattern:
            text = pattern.sub(self._called, text)
        text = _IDS.sub(lambda m: self._numbered(m["made"] or m["known"] or m["call"], m[0]), text)
        if self._origin_ms is not None:
            text = _CLOCK.sub("CLOCK", text)
        return text

    def _walk(self, tree: object, key: str) -> object:
        if isinstance(tree, str):
            return self._numbered("slug", tree) if key == "slug" and tree else self._named(tree)
        if isinstance(tree, Mapping):
            return {self._named(str(k)): self._walk(v, str(k)) for k, v in tree.items()}
        if isinstance(tree, set | frozenset):
            tree = sorted(tree, key=str)
        if isinstance(tree, list | tuple):
            return [self._walk(item, key) for item in tree]
        if isinstance(tree, int | float) and not isinstance(tree, bool):
            return self._number(tree, key)
        return tree

    def _number(self, number: int | float, key: str) -> object:
        if key in _NUMBER_KEYS:
            with self._lock:
                name = self._names.get(str(number))
            # pid 0 and 1 are the same on every machine, and a port is only ours when it was registered.
            return name or (number if key == "port" or number <= 1 else self._numbered("pid", str(number)))
        if self._origin_ms is None or not _EPOCH_MS.start <= number < _EPOCH_MS.stop:
            return number
        if key.endswith("_ms"):
            return round(number - self._origin_ms)
        if key in _TIME_KEYS or key.startswith("time_"):
            return round((number - self._origin_ms) / 1000, 3)
        return number

    def _numbered(self, prefix: str, text: str) -> str:
        prefix = "call" if prefix == "toolu" else prefix
        if re.fullmatch(rf"{prefix}_\d{{1,5}}", text):
            return text
        with self._lock:
            name = self._ids.get(f"{prefix} {text}")
            if name is None:
                count = self._counts[prefix] = self._counts.get(prefix, 0) + 1
                name = self._ids[f"{prefix} {text}"] = f"{prefix}_{count}"
            return name

    def _called(self, match: re.Match[str]) -> str:
        return self._secrets.get(match[0]) or self._names[match[0]]

    def _pattern(self) -> re.Pattern[str] | None:
        """All registered strings as one pattern, so that no replacement is replaced again."""
        with self._lock:
            size = len(self._names) + len(self._secrets)
            if self._compiled[0] != size:
                searched = filter(_in_running_text, {**self._names, **self._secrets})
                ordered = sorted(searched, key=lambda text: (-len(text), text))
                self._compiled = (size, re.compile("|".join(map(_as_pattern, ordered))) if ordered else None)
            return self._compiled[1]


def _in_running_text(text: str) -> bool:
    return not text.isdecimal() or len(text) >= _SHORTEST_NUMBER


def _as_pattern(text: str) -> str:
    escaped = re.escape(text)
    return rf"(?<![0-9A-Za-z.]){escaped}(?![0-9A-Za-z])" if text.isdecimal() else escaped
