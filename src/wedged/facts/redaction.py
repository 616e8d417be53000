"""What must never leave: redaction of values, never of the words around them.

Every pattern is linear in the length of the text: what is redacted comes from servers, models and tools.
"""

import re
from collections.abc import Iterable, Mapping

REDACTED = "[redacted]"

# A name that announces a secret. Counts of tokens are diagnosis, not secrets.
_NAME = (
    r"(?:password|passwd|passphrase|secret|credential|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|token(?!s|iz|[_-]?(?:count|limit|usage|budget|type)))"
)
_SECRET_NAME = re.compile(rf"(?i){_NAME}|^(?:proxy-)?authorization$|^(?:set-)?cookie$")
_NAMED = rf"(?i)({_NAME}[\w.-]{{0,40}}(?:\\*[\"'])?\s*[:=]\s*"

# What stands after a name without being a value: the words of a diagnosis, and the start of a structure.
_NOT_WORDS = (
    r"(?!(?:required|missing|invalid|expected|unexpected|not|is|are|was|must|should|unset|undefined|null|none|nil"
    r"|true|false|empty|expired|denied|incorrect|wrong|mismatch|unknown|unsupported|set|to|on|in|for|as|with|from"
    r"|via|or|and|by|instead|flag|option|argument|value)(?![\w-]))"
)
_NOT_STRUCTURE = r"(?![{\[(]\s*(?:[\\\"'{}\[\]()]|[\w-]{1,40}\s*:|$))"

# Each pattern keeps its first group (the words that make the line readable) and drops the value.
_PATTERNS = (
    re.compile(
        r"()-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)", re.DOTALL
    ),
    re.compile(
        r"(?i)(\b(?:proxy-)?authorization[\\\"']{0,4}\s*[:=]\s*[\\\"']{0,4}(?:basic|bearer|token|digest)\s+)[^\s\"',;\\]+"
    ),
    re.compile(r"((?i:\b(?:bearer|basic))\s+)(?=\S*(?:\d|[a-z][A-Z]|=))[A-Za-z0-9._~+/-]{12,}=*"),
    re.compile(r"(?i)(\b(?:set-)?cookie[\\\"']{0,4}\s*:\s*[\\\"']{0,4}[\w.-]{1,60}=)[^\r\n\"'\\]+"),
    re.compile(r"(?i)(\bserver password\s+)(?!is\b|not\b|required\b|missing\b)\S+"),
    # password="two words", and the same inside a JSON string, where the quotes are escaped.
    re.compile(_NAMED + r"(?P<q>[\"']))(?:\\.|(?!(?P=q))[^\\\r\n]){3,}"),
    re.compile(_NAMED + r"(?P<q>\\+[\"']))(?:(?!(?P=q))[^\r\n]){3,}"),
    re.compile(_NAMED + rf"){_NOT_WORDS}{_NOT_STRUCTURE}(?:[^\s\"',;}}&\\]|[,;](?=[^\s\"'])|\\(?![\"']))+"),
    re.compile(rf"(?i)((?:^|(?<=\s))--?[\w-]{{0,40}}?{_NAME}[\w-]{{0,40}}\s+)(?!-){_NOT_WORDS}[^\s\"',;]+"),
    re.compile(r"(\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@]{0,100}:)[^\s/@]{1,300}(?=@)"),
    re.compile(r"()\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}"),
    re.compile(r"()\b(?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abprs])[_-][A-Za-z0-9_-]{10,}"),
    re.compile(r"()\bAKIA[0-9A-Z]{16}\b"),
    re.compile(r"()\bAIza[0-9A-Za-z_-]{30,}"),
    re.compile(r"()(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}"),
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` with all `secrets`, and everything shaped like a credential, replaced by ``[redacted]``.

    Names and surrounding words stay: "missing variable OPENAI_API_KEY" keeps all its words.
    """
    for secret in sorted({s for s in secrets if s}, key=len, reverse=True):
        text = text.replace(secret, REDACTED)
    for pattern in _PATTERNS:
        text = pattern.sub(lambda match: match.group(1) + REDACTED, text)
    return text


def redact_value(value: object, secrets: Iterable[str] = ()) -> object:
    """`value`, a JSON-like tree, with `redact` applied to every string in it.

    A string under a key that announces a secret goes whole, whatever its shape, and so does the one after
    such a flag in a list of arguments.
    """
    secrets = tuple(secrets)
    if isinstance(value, str):
        return redact(value, secrets)
    if isinstance(value, Mapping):
        return {
            redact(str(key), secrets): REDACTED
            if isinstance(item, str) and item and _SECRET_NAME.search(str(key))
            else redact_value(item, secrets)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        flags = (None, *value)
        return [
            REDACTED if isinstance(item, str) and _is_secret_flag(before) else redact_value(item, secrets)
            for before, item in zip(flags, value, strict=False)
        ]
    return value


def _is_secret_flag(item: object) -> bool:
    return (
        isinstance(item, str) and item.startswith("-") and "=" not in item and bool(_SECRET_NAME.search(item))
    )
