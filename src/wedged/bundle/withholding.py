"""What people and models wrote, and what tools printed: left out unless somebody wants it in."""

import json
from collections.abc import Collection, Mapping

from wedged.bundle.contents import ANSWERS, OUTPUTS, PROMPTS
from wedged.facts.redaction import redact

# Longer words of an error quote what a tool printed or what was sent to a model.
_ERROR_CHARS = 400
# Shorter texts are ordinary words, and would be taken out of a log wherever they stand.
_TELLING_CHARS = 16
# A tool's input: what says which thing is done to which, not what is written into it.
_INPUT = frozenset(
    {
        *("command", "path", "paths", "filePath", "file", "pattern", "glob", "include", "exclude", "url"),
        *("workdir", "cwd", "directory", "timeout", "background", "agent", "subagent_type"),
        *("offset", "limit"),
    }
)


class Withholding:
    """Takes texts out by their kind. A text that is taken out twice is the same placeholder twice, so that
    what is equal stays equal: ``[withheld 3: 120 characters]``."""

    def __init__(self, include: Collection[str] = ()) -> None:
        self._include = frozenset(include)
        self._numbers: dict[str, int] = {}

    @property
    def count(self) -> int:
        """How many different texts were taken out."""
        return len(self._numbers)

    def wants(self, kind: str) -> bool:
        """Whether somebody wants texts of this kind in."""
        return kind in self._include

    def text(self, kind: str, text: str) -> str:
        """`text` where its kind is wanted, or there is nothing in it; else its placeholder."""
        if self.wants(kind) or not text.strip():
            return text
        number = self._numbers.setdefault(text, len(self._numbers) + 1)
        return f"[withheld {number}: {len(text)} characters]"

    def error(self, text: str) -> str:
        """The words of an error, which are diagnosis; the rest of long ones is output."""
        if len(text) <= _ERROR_CHARS or self.wants(OUTPUTS):
            return text
        # Redacted before it is cut: half a secret has no form to be known by.
        text = redact(text)
        return text[:_ERROR_CHARS] + self.text(OUTPUTS, text[_ERROR_CHARS:])

    def input(self, tree: Mapping[str, object]) -> dict[str, object]:
        """A tool's input: commands and paths whole, what is written or asked left out."""
        return {
            key: value if key in _INPUT else self.all(PROMPTS if key == "prompt" else ANSWERS, value)
            for key, value in tree.items()
        }

    def all(self, kind: str, tree: object) -> object:
        """`tree`, a JSON-like value, with each of its strings taken out."""
        if isinstance(tree, str):
            return self.text(kind, tree)
        if isinstance(tree, Mapping):
            return {str(key): self.all(kind, item) for key, item in tree.items()}
        return [self.all(kind, item) for item in tree] if isinstance(tree, list | tuple) else tree

    def out_of(self, text: str) -> str:
        """`text`, a log, without the texts that were taken out elsewhere."""
        for known, number in sorted(self._numbers.items(), key=lambda one: -len(one[0])):
            # A log has a text of several lines as one, its line ends escaped.
            for form in {known, json.dumps(known, ensure_ascii=False)[1:-1]}:
                if len(known) >= _TELLING_CHARS and form in text:
                    text = text.replace(form, f"[withheld {number}: {len(known)} characters]")
        return text
