"""What must never leave: redaction of values, never of the words around them.

`redact` and `redact_value` take credentials out: they are for what a person reads on his own machine.
`Redactor` also takes out who that person is: it is for what leaves the machine.
"""

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import quote

from wedged.facts.credential_shapes import (
    ANNOUNCED,
    FIRST,
    LAST,
    LONE_NAME,
    LONE_VALUE,
    NAMED,
    SECRET_HEADER,
    SECRET_NAME,
    any_of,
)

REDACTED = "[redacted]"

# Shorter values of a named variable are too common to be taken out wherever they stand.
_LEARNT = 8
_SHORTEST_USER = 3
_REMEMBERED = 10_000
# Accounts that name nobody; taken out, they would take ordinary words along.
_NOBODY = frozenset(
    {
        *(
            "root",
            "user",
            "users",
            "admin",
            "administrator",
            "ubuntu",
            "debian",
            "node",
            "opencode",
            "runner",
        ),
        *("vagrant", "docker", "guest", "default", "public", "shared", "dev", "test", "home", "app", "build"),
        *(
            "server",
            "session",
            "agent",
            "code",
            "coder",
            "work",
            "workspace",
            "project",
            "local",
            "localhost",
        ),
    }
)
_HOMES = re.compile(
    r"(?P<before>(?:/|%2F|\\/)(?:home|Users)(?:/|%2F|\\/)|[A-Z]:\\{1,2}Users\\{1,2})"
    r"(?!\[|Shared\b)[^/\\\s\"'%:;,<>|()\]}]{1,64}"
)
# git@host:owner/name is no person, and neither is package@1.2.3.
_MAIL = re.compile(
    r"(?<![\w.+%-])(?!git@)[A-Za-z0-9][\w.+%-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])"
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` with all `secrets`, and everything shaped like a credential, replaced by ``[redacted]``.

    Names and surrounding words stay: "missing variable OPENAI_API_KEY" keeps all its words.
    """
    for secret in sorted({s for s in secrets if s}, key=len, reverse=True):
        text = text.replace(secret, REDACTED)
    for patterns in (FIRST, NAMED if ANNOUNCED.search(text) else (), LAST):
        for pattern in patterns:
            text = pattern.sub(_keep_the_words, text)
    return text


def redact_value(value: object, secrets: Iterable[str] = ()) -> object:
    """`value`, a JSON-like tree, with `redact` applied to every string in it.

    A string under a key that announces a secret goes whole, whatever its shape, and so does the one after
    such a flag, or such a header's name, in a list.
    """
    secrets = tuple(secrets)
    return _each(value, lambda text: redact(text, secrets))


class Redactor:
    """Redaction of what leaves this machine: credentials, and who and where its user is.

    `secrets` are known by their value, wherever they stand and however they are written (in an address, in
    JSON, as HTTP basic credentials). Paths below one of `homes` begin with ``~``, whoever else has a home is
    ``[user]``, `users` and `hosts` are ``[user]`` and ``[host]`` as whole words (accounts such as root name
    nobody and stay), and addresses of mail are ``[e-mail]``. Doing it twice changes nothing more.
    """

    def __init__(
        self,
        secrets: Iterable[str] = (),
        *,
        homes: Iterable[str] = (),
        users: Iterable[str] = (),
        hosts: Iterable[str] = (),
    ) -> None:
        self._secrets: set[str] = set()
        # The same paths, ids and commands come again and again.
        self._done: dict[str, str] = {}
        for secret in secrets:
            self.secret(secret)
        paths = {home.rstrip("/\\") for home in homes}
        forms = {
            form for path in paths if path.strip("/\\") for form in (path, quote(path, safe=""), _json(path))
        }
        ordered = sorted(forms, key=lambda form: (-len(form), form))
        self._homes = _paths(ordered)
        self._users = any_of(name for name in users if _names_somebody(name))
        self._hosts = any_of(name for name in hosts if _names_somebody(name))

    def secret(self, text: str) -> None:
        """From now on `text` is a secret."""
        if text:
            basic = base64.b64encode(f"opencode:{text}".encode(errors="replace")).decode()
            self._done.clear()
            self._secrets.update((text, quote(text, safe=""), _json(text), basic))

    def learn(self, tree: object) -> None:
        """Take the values that names announce in `tree` (an environment, a config) for secrets everywhere.

        Those of fewer than eight characters are not: they would take ordinary words along.
        """
        if isinstance(tree, Mapping):
            for key, item in tree.items():
                if isinstance(item, str) and _named(str(key), item) and _worth_learning(item):
                    self.secret(item)
                self.learn(item)
        elif isinstance(tree, list | tuple):
            for item in tree:
                self.learn(item)

    def text(self, text: str) -> str:
        """`text`, fit to leave. Halves of surrogate pairs, which no file can hold, become U+FFFD."""
        done = self._done.get(text)
        if done is None:
            done = self._text(text)
            if len(self._done) < _REMEMBERED:
                self._done[text] = done
        return done

    def value(self, tree: object) -> object:
        """`tree`, a JSON-like value, with `text` applied to every string and key, and what names announce
        taken out as `redact_value` does."""
        return _each(tree, self.text)

    def _text(self, text: str) -> str:
        text = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, REDACTED)
        if self._homes:
            text = self._homes.sub("~", text)
        text = _HOMES.sub(lambda match: f"{match['before']}[user]", text)
        for pattern, name in ((self._users, "[user]"), (self._hosts, "[host]")):
            text = pattern.sub(name, text) if pattern else text
        return _MAIL.sub("[e-mail]", redact(text))


def _each(tree: object, change: Callable[[str], str]) -> object:
    """`change` applied to every string, and what a name announces taken out whole."""
    if isinstance(tree, str):
        return change(tree)
    if isinstance(tree, Mapping):
        return {change(str(key)): _named(str(key), item) or _each(item, change) for key, item in tree.items()}
    if isinstance(tree, list | tuple):
        return [
            REDACTED if isinstance(item, str) and _announces(name) else _each(item, change)
            for name, item in zip((None, *tree), tree, strict=False)
        ]
    return tree


def _paths(ordered: list[str]) -> re.Pattern[str] | None:
    """Finds these paths, and not as a part of longer ones: /root is not in /srv/root."""
    if not ordered:
        return None
    return re.compile(rf"(?<![\w.~-])(?:{'|'.join(map(re.escape, ordered))})(?![\w.-])")


def _keep_the_words(match: re.Match[str]) -> str:
    return match.group(1) + REDACTED


def _named(name: str, item: object) -> object:
    """What stands in the place of a value that its name gives away; None where it does not."""
    if isinstance(item, str):
        given_away = SECRET_NAME.search(name) or (LONE_NAME.match(name) and LONE_VALUE.fullmatch(item))
        return REDACTED if item and given_away else None
    if isinstance(item, list | tuple) and item and SECRET_NAME.search(name):
        return [REDACTED] * len(item) if all(isinstance(one, str) for one in item) else None
    return None


def _announces(item: object) -> bool:
    if not isinstance(item, str) or "=" in item:
        return False
    return bool(SECRET_NAME.search(item) if item.startswith("-") else SECRET_HEADER.match(item))


def _worth_learning(text: str) -> bool:
    return len(text) >= _LEARNT and text != REDACTED and not text.startswith(("/", "http://", "https://"))


def _names_somebody(name: str) -> bool:
    return len(name) >= _SHORTEST_USER and name.lower() not in _NOBODY and not name.isdecimal()


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
