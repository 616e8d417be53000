"""What credentials look like: by the name before them, by the place they stand in, by their own form.

Each pattern keeps its first group (the words that make the line readable); what it matches beyond that is
the value. Every pattern is linear in the length of the text: what is redacted comes from servers, models
and tools.
"""

import re
from collections.abc import Iterable

# A name that announces a secret. Counts of tokens are diagnosis, not secrets.
_NAME = (
    r"(?:password(?!less|[_ -]protected)|passwd|passphrase|passcode|secret|credential"
    r"|(?:api|access|private|account|subscription|signing|encryption|master)[_-]?key|key[_-]data"
    r"|connection[_-]?string"
    r"|token(?!s|iz|[_-]?(?:count|limit|usage|budget|type|window|length|size|expir|ttl|ur[li]|endpoint)))"
)
_HEADER = r"(?:proxy-)?authorization|(?:set-)?cookie"
SECRET_NAME = re.compile(rf"(?i){_NAME}|^(?:{_HEADER}|_auth|pwd)$")
# The same in a list of names and values by turns, as header lists are: bare words are too common there.
SECRET_HEADER = re.compile(rf"(?i)^(?:{_HEADER}|[\w-]{{0,40}}-[\w-]{{0,20}}(?:key|token|secret|password))$")
# Names that only a long value gives away: "key" and "access" have other uses.
LONE_NAME = re.compile(r"(?i)^(?:key|auth|access|refresh)$")
# No id of a server's own, which those names may stand before as well.
LONE_VALUE = re.compile(r"(?![a-z]{2,5}_[0-9a-f]{12})(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])[\w+/=~.-]{20,}")

_SHORT_WORD = 4

_NAMED = rf"(?i)({_NAME}[\w.-]{{0,40}}(?:\\*[\"'])?\s*[:=]\s*"

# What stands after a name without being a value: the words of a diagnosis, and the start of a structure.
_NOT_WORDS = (
    r"(?!(?:required|missing|invalid|expected|unexpected|not|is|are|was|must|should|unset|undefined|null|none|nil"
    r"|true|false|empty|expired|denied|incorrect|wrong|mismatch|unknown|unsupported|set|to|on|in|for|as|with|from"
    r"|via|or|and|by|instead|flag|option|argument|value|limit|exceeded|rejected|refused|failed|failure|revoked"
    r"|optional|mandatory|provided|too|cannot|could|has|have|no|yes|only|error|prompt)(?![\w-]))"
)
_NOT_STRUCTURE = r"(?![{\[(]\s*(?:[\\\"'{}\[\]()]|[\w-]{1,40}\s*:|$))"

# A line to paste names the variable that holds the password; a password may begin with a dollar, too.
_NOT_A_VARIABLE = r"(?![\"']?\$\{?[A-Z][A-Z0-9_]{1,60}\}?[\"']?(?:\s|$))"

# Forms that a vendor gave its credentials, so that they are known wherever they turn up.
_FORMS = (
    r"(?:sk|pk|rk|csk)-[A-Za-z0-9_-]{16,}",  # OpenAI, Anthropic, OpenRouter, Cerebras
    r"(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}",  # Stripe
    r"(?:gsk|hf|r8|npm|ntn|fw|figd|glsa|sbp|tgp_v1|lin_api|lin_oauth)_[A-Za-z0-9_-]{20,}",
    r"(?:xai|pplx|nvapi|tskey|PMAK|NRAK|GOCSPX)-[A-Za-z0-9_-]{16,}",
    r"AIza[0-9A-Za-z_-]{30,}|ya29\.[\w-]{20,}|1//0[\w-]{20,}",  # Google
    r"(?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[a-z])[_-][A-Za-z0-9_-]{10,}|xapp-[\w-]{16,}",
    r"gl(?:dt|rt|cbt|ptt|ft|soat|agent|oas)-[\w-]{16,}",  # GitLab's others
    r"pypi-[\w-]{20,}|dckr_pat_[\w-]{16,}|rubygems_[0-9a-f]{32,}",
    r"SG\.[\w-]{16,}\.[\w-]{16,}",  # SendGrid
    r"(?:SK|AC)[0-9a-f]{32}(?![0-9a-f])|key-[0-9a-f]{32}(?![0-9a-f])",  # Twilio, Mailgun
    r"do[opr]_v1_[0-9a-f]{32,}|dapi[0-9a-f]{32}(?![0-9a-f])|shp(?:at|ss|ca|pa)_[0-9a-fA-F]{32}",
    r"hv[sbr]\.[\w-]{20,}|AGE-SECRET-KEY-1[0-9A-Z]{30,}|ATATT[\w=-]{30,}|sntry[su]_[\w=+/-]{20,}",
    r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}",  # Discord
    r"eyJrIjoi[\w=-]{30,}",  # Grafana's old ones
    r"LS0tLS1CRUdJTi[A-Za-z0-9+/=]{20,}",  # "-----BEGIN " in base64: a kubeconfig's
)

_PEM_BEGIN, _PEM_END = (
    rf"-----{word} [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----" for word in ("BEGIN", "END")
)

# Tried before those of names: what they match may hold words that announce a secret.
FIRST: tuple[re.Pattern[str], ...] = (
    re.compile(rf"(){_PEM_BEGIN}.*?(?:{_PEM_END}|\Z)", re.DOTALL),
    # The end of a key whose beginning was cut off: its lines of base64 right before the last line.
    re.compile(
        r"()(?<![A-Za-z0-9+/=])(?:[A-Za-z0-9+/=]{16,100}(?:[ \t]{0,20}\r?\n[ \t]{0,20}|\\n)){1,80}" + _PEM_END
    ),
    re.compile(
        r"(?i)(\b(?:proxy-)?authorization[\\\"']{0,4}\s*[:=,]\s*[\\\"']{0,4}(?:basic|bearer|token|digest)\s+)[^\s\"',;\\]+"
    ),
    re.compile(
        r"(?i)(\b(?:proxy-)?authorization[\\\"']{0,4}\s*[:=]\s*[\\\"']{0,4})(?=[^\s\"']*\d)[^\s\"',;\\]{8,}"
    ),
    re.compile(r"((?i:\b(?:bearer|basic))\s+)(?=\S*(?:\d|[a-z][A-Z]|=))[A-Za-z0-9._~+/-]{12,}=*"),
    re.compile(r"(?i)(\b(?:set-)?cookie[\\\"']{0,4}\s*[:,]\s*[\\\"']{0,4}[\w.-]{1,60}=)[^\r\n\"'\\]+"),
    re.compile(r"(?i)(\bserver password\s+)(?!is\b|not\b|required\b|missing\b)\S+"),
)

# Tried where `ANNOUNCED` finds something: most texts hold no such name.
ANNOUNCED = re.compile(rf"(?i){_NAME}")
NAMED: tuple[re.Pattern[str], ...] = (
    # A block of YAML, its lines in one JSON string or on lines of their own.
    re.compile(_NAMED + r"[|>][+-]?\d?)[ \t]*(?:(?:\r?\n|\\n)[ \t]+[^\r\n\\]+)+"),
    # In quotes over several lines: without it the first line alone would go.
    re.compile(_NAMED + r"(?P<q>[\"']))[^\"'\r\n]{1,200}(?:\r?\n[^\"'\r\n]{0,200}){1,8}(?=(?P=q))"),
    # password="two words", and the same inside a JSON string, where the quotes are escaped.
    re.compile(_NAMED + r"(?P<q>[\"']))(?:\\.|(?!(?P=q))[^\\\r\n]){3,}"),
    re.compile(_NAMED + r"(?P<q>\\+[\"']))(?:(?!(?P=q))[^\r\n]){3,}"),
    re.compile(_NAMED + rf"){_NOT_WORDS}{_NOT_STRUCTURE}(?:[^\s\"',;}}&\\]|[,;](?=[^\s\"'])|\\(?![\"']))+"),
    # A name and its value as two strings of a list, in an element, in a form.
    re.compile(
        rf"(?i)([\"'][\w-]{{0,40}}{_NAME}[\w-]{{0,40}}\\*[\"']\s*,\s*\\*[\"'])(?=[^\"']*\d)[^\"'\r\n\\]{{6,}}"
    ),
    re.compile(rf"(?i)(<[\w:-]{{0,40}}{_NAME}[\w:-]{{0,40}}>)[^<\r\n]{{3,}}"),
    re.compile(rf"(?i)(name=\"[\w-]{{0,40}}{_NAME}[\w-]{{0,40}}\"(?:\r?\n){{2}})[^\r\n]+"),
    re.compile(
        rf"(?i)((?:^|(?<=\s))--?[\w-]{{0,40}}?{_NAME}[\w-]{{0,40}}\s+)(?!-){_NOT_WORDS}{_NOT_A_VARIABLE}[^\s\"',;]+"
    ),
    re.compile(rf"(?im)^([ \t]{{0,20}}password[ \t]+){_NOT_WORDS}\S+(?=[ \t]*$)"),
)

LAST: tuple[re.Pattern[str], ...] = (
    # Not a variable's name in its place, as in the lines to paste of our own reports.
    re.compile(rf"((?:^|(?<=\s))(?:-u|--user)\s+[^\s:]{{1,100}}:)(?!\d+(?:\s|$)){_NOT_A_VARIABLE}\S+"),
    re.compile(r"(\bsshpass\s+-p\s*)\S+"),
    # .netrc, on one line or several
    re.compile(r"(?i)(\blogin\s+\S{1,100}\s+(?:account\s+\S{1,100}\s+)?password\s+)\S+"),
    re.compile(r"(?i)(\bpassword\s+(?:is|was)\s+[\"'`]?)(?=[^\s\"'`]*\d)[^\s\"'`]{6,}"),
    re.compile(r"(?i)(;\s{0,4}pwd\s{0,4}=\s{0,4})[^;\s\"']+"),
    re.compile(r"(\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@]{0,100}:)[^\s/\"'<>]{1,300}(?=@)"),
    re.compile(r"(\b[a-z][a-z0-9+.-]{0,20}://)[A-Za-z0-9_-]{16,300}(?=@)"),
    re.compile(
        r"(?i)([?&](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|code|key|auth|jwt|ticket)=)"
        r"(?![a-z]{2,5}_[0-9a-f]{12})[A-Za-z0-9%._~+/=-]{12,}"
    ),
    re.compile(
        r"(?i)(\"(?:auth|access|refresh|key)\\*\"\s*:\s*\\*\")(?![a-z]{2,5}_[0-9a-f]{12})(?=[^\"\\]*\d)[\w+/=~.-]{20,}"
    ),
    re.compile(r"(\bhooks\.slack\.com/(?:services|workflows|triggers)/)[\w/+-]{8,}"),
    re.compile(r"(\bdiscord(?:app)?\.com/api/(?:v\d+/)?webhooks/)\d+/[\w-]+"),
    # An AWS secret has no form of its own, but it stands beside its id.
    re.compile(
        r"()(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?:[\s,:;\"']{1,4}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+]))?"
    ),
    re.compile(rf"()(?<![A-Za-z0-9])(?:{'|'.join(_FORMS)})"),
    re.compile(r"()(?<!\d)\d{8,10}:AA[\w-]{30,}"),  # Telegram: the word bot may stand right before it
    re.compile(r"()(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]{8,})?"),
)


def any_of(words: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern that finds each of `words` where no letter or digit stands beside it, the short ones only
    where no line does either: somebody called max has no part in max_tokens. None for no words."""
    found = sorted({word for word in words if word}, key=lambda word: (-len(word), word))
    if not found:
        return None
    beside = ((word, r"A-Za-z0-9" if len(word) > _SHORT_WORD else r"A-Za-z0-9_-") for word in found)
    return re.compile("|".join(rf"(?<![{none}]){re.escape(word)}(?![{none}])" for word, none in beside))
