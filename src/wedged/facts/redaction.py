"""What must never leave: redaction of values, never of the words around them."""

import re
from collections.abc import Iterable, Mapping

REDACTED = "[redacted]"

# Each pattern keeps its first group (the words that make the line readable) and drops the value.
_PATTERNS = (
    re.compile(r"(?i)(authorization\s*[:=]\s*(?:basic|bearer)\s+)[^\s\"',;]+"),
    re.compile(r"(?i)(\b(?:bearer|basic)\s+)[a-z0-9._~+/-]{12,}=*"),
    re.compile(r"(?i)(\bserver password\s+)\S+"),
    re.compile(
        r"(?i)([\"']?[\w.-]*(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|credential)[\w.-]*[\"']?"
        r"\s*[:=]\s*[\"']?)[^\s\"',;}&]+"
    ),
    re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+(?=@)"),
    re.compile(r"()\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}"),
    re.compile(r"()\b(?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abprs])[_-][A-Za-z0-9_-]{10,}"),
    re.compile(r"()\bAKIA[0-9A-Z]{16}\b"),
    re.compile(r"()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}"),
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` with every value of `secrets`, and everything shaped like a credential, replaced by ``[redacted]``.

    Names and surrounding words stay: "missing variable OPENAI_API_KEY" keeps all its words.
    """
    for secret in sorted({s for s in secrets if s}, key=len, reverse=True):
        text = text.replace(secret, REDACTED)
    for pattern in _PATTERNS:
        text = pattern.sub(lambda match: match.group(1) + REDACTED, text)
    return text


def redact_value(value: object, secrets: Iterable[str] = ()) -> object:
    """`value`, a JSON-like tree, with `redact` applied to every string in it."""
    secrets = tuple(secrets)
    if isinstance(value, str):
        return redact(value, secrets)
    if isinstance(value, Mapping):
        return {redact(str(key), secrets): redact_value(item, secrets) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [redact_value(item, secrets) for item in value]
    return value
