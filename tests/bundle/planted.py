"""What is planted before a bundle is made: canaries that must not survive, words that must.

No canary is anybody's credential. Each is put together from pieces, so that no scanner of repositories takes
one for real.
"""

import base64
import json
from dataclasses import dataclass

HOME, USER, HOST, MAIL = "/home/quentin-marsh", "quentin-marsh", "marsh-thinkpad", "q.marsh@mail.example.org"
SERVER_PASSWORD = "Kestrel-" + "wharf-7719"


def _made(*pieces: str) -> str:
    return "".join(pieces)


@dataclass(frozen=True)
class Canary:
    """`text` as it might stand somewhere; none of `secrets` may be left of it."""

    kind: str
    text: str
    secrets: tuple[str, ...]


_HEX = "4f1d8c2ab7e05936d1c4a8f27b3e6059"
_LONG = "Zq7Rw2Lx9Vb4Nm6Kc1Td8Ys3Hf5Gj0Pa"
_JWT = ".".join(
    _made(*pair) for pair in (("eyJ", "hbGciOiJIUzI1NiJ9"), ("eyJ", "zdWIiOiJxIn0"), ("c2ln", _LONG))
)
_BASIC = base64.b64encode(b"deploy:Copper-lantern-42").decode()
_PEM = "MIIEpAIBAAKCAQEA" + _LONG
_KUBE = base64.b64encode(f"-----BEGIN {'RSA'} PRIVATE KEY-----\n{_PEM}".encode()).decode()


def _canary(kind: str, frame: str, *secrets: str) -> Canary:
    """`frame` has a ``%`` where the first secret goes."""
    return Canary(kind, frame.replace("%", secrets[0]), secrets)


CANARIES = (
    _canary("OpenAI key", "Incorrect API key provided: %. You can find", _made("sk-", "proj-", _LONG)),
    _canary("Anthropic key", "x-api-key sent was %", _made("sk-", "ant-api03-", _LONG, "-AA")),
    _canary("OpenRouter, Groq and xAI keys", "tried %", _made("sk-", "or-v1-", _HEX)),
    _canary("Groq key", "groq said no to %,", _made("gsk", "_", _LONG)),
    _canary("xAI key", "provider xai (%)", _made("xai", "-", _LONG)),
    _canary("Hugging Face token", "hub login with %", _made("hf", "_", _LONG, "Qw")),
    _canary("Google API key", "POST /v1/m:stream?key=%&alt=sse", _made("AI", "za", "Sy", _LONG, "x")),
    _canary("Google OAuth token", "refreshed to %", _made("ya29", ".a0", _LONG)),
    _canary("Azure account key", "Protocol=https;AccountKey=%;EndpointSuffix=x", _LONG + "+/3x=="),
    _canary("Azure SAS", "https://x.blob.core.example/c/b?sv=2024&sig=%&se=2026", _LONG + "%2B3x%3D"),
    _canary("AWS pair", f"{_made('AK', 'IA', 'Z7Q2M4N6P8R1S3T5')} %", _LONG + "Ab3/Cd5+", "Z7Q2M4N6P8R1S3T5"),
    _canary("AWS secret by name", "aws_secret_access_key = %", "wJa7" + _LONG + "mEKb"),
    _canary("Slack token", "slack: %", _made("xox", "b-", "17653672481-", _LONG)),
    _canary("Slack webhook", "POST https://hooks.slack.com/services/% 200", "T0Q7R2W9X/B04N6M1KC8D/" + _LONG),
    _canary("GitHub token", "remote: %", _made("gh", "p_", _LONG, "Ab12")),
    _canary("GitLab token", "git clone https://oauth2:%@gitlab.example/x.git", _made("gl", "pat-", _LONG)),
    _canary("npm token", "//npm.example/:_authToken=%", _made("npm", "_", _LONG, "Ab12")),
    _canary("PyPI token", "twine upload with %", _made("py", "pi-", "AgEIcHlwaS5vcmc", _LONG)),
    _canary("Stripe key", "charge failed for %", _made("sk", "_live_", _LONG)),
    _canary("Twilio pair", f"{_made('S', 'K', _HEX)} TWILIO_AUTH_TOKEN=%", _HEX[::-1], _HEX),
    _canary("SendGrid key", "smtp pass %", _made("S", "G.", _LONG[:22], ".", _LONG)),
    _canary("Discord token", "bot % logged in", _made("M", _LONG[:23], ".", "Gx7Yz2", ".", _LONG)),
    _canary("Discord webhook", "https://discord.com/api/webhooks/%", "118273645546372819/" + _LONG),
    _canary("Telegram token", "GET api.telegram.org/bot%/getMe", _made("7182936450:", "AA", _LONG, "x")),
    _canary("bearer header", "> Authorization: Bearer %", "Marble-thicket-318"),
    _canary("basic header", "authorization: Basic %", _BASIC),
    _canary("cookie", "< set-cookie: sid=%; Path=/; HttpOnly", "s%3Ajuniper-Quarry-51"),
    _canary("JWT", "token was %", _JWT),
    _canary(
        "private key",
        f"-----BEGIN {'OPENSSH'} PRIVATE KEY-----\n%\n-----END {'OPENSSH'} PRIVATE KEY-----",
        _PEM,
    ),
    _canary("private key cut off", f"%\n{_LONG}\n-----END {'RSA'} PRIVATE KEY-----", _PEM, _LONG),
    _canary("password in an address", "postgres://app:%@db.internal:5432/main", "Saffron@anvil-88"),
    _canary("environment line", "export DEPLOY_PASSPHRASE='%'", "Thistle harbour 204"),
    _canary("argument", "mytool --api-token % --verbose", "Walnut-gantry-667"),
    _canary("config value", 'provider: {options: {apiKey: "%"}}', "Pewter.sextant.913"),
    _canary("JSON in JSON", json.dumps({"body": json.dumps({"clientSecret": "%"})}), "Indigo trellis 450"),
    _canary("block of lines", "db:\n  password: |\n    %\n  port: 5432", "Cobalt-windlass-236"),
    _canary("quotes over lines", 'secret = "%\nSecond-pulley-119"', "First-pulley-118", "Second-pulley-119"),
    _canary("header dump", "{'x-goog-api-key': '%', 'accept': '*/*'}", "Ochre-capstan-572"),
    _canary("header list", json.dumps(["accept", "*/*", "x-auth-token", "%"]), "Russet-bollard-381"),
    _canary("connection string", "Server=tcp:db;Uid=app;Pwd=%;Encrypt=yes", "Lilac-fathom-829"),
    _canary(".netrc", "machine git.internal\n  login ci\n  password %", "Teal-halyard-745"),
    _canary("kubeconfig", "    client-key-data: %", _KUBE),
    _canary("docker config", '{"auths":{"r.example":{"auth":"%"}}}', _BASIC + "Zm9vYmFy"),
    _canary("OAuth file", '{"type":"oauth","refresh":"%","expires":0}', "rt1" + _LONG),
    _canary("curl's -u", "curl -u deploy:% https://ci.internal", "Fennel-dredge-604"),
    _canary("a password with a dollar", "curl -u deploy:% https://ci.internal", "$Ember-kelp-37"),
    _canary("Vault token", "VAULT says %", _made("hv", "s.", _LONG)),
    Canary("home and user in paths", f"open {HOME}/src/x.ts: ENOENT (cwd {HOME})", (USER, HOME)),
    Canary("user in an encoded path", f"GET /session?directory=%2Fhome%2F{USER}%2Fsrc", (USER,)),
    Canary("another user's home", "EACCES: /Users/hortense.bell/Library/x", ("hortense",)),
    Canary("host name in a prompt", f"{USER}@{HOST}:~$ ls", (USER, HOST)),
    Canary("e-mail", f"Author: Quentin <{MAIL}>", (MAIL,)),
    Canary("the server's password", f"serve said {SERVER_PASSWORD} on start", (SERVER_PASSWORD,)),
)

WORDS = (
    "missing variable OPENAI_API_KEY",
    "token limit exceeded",
    "invalid password",
    "Error: password: incorrect",
    "api_key: missing",
    "OPENCODE_SERVER_PASSWORD is not set; server is unsecured.",
    "server password is required",
    "max_tokens: 4096 is more than the model allows",
    '{"tokens":{"input":0,"output":12,"cache":{"read":0}}}',
    "tokenizer: cl100k_base",
    "token_type: bearer expected",
    "Unexpected token < in JSON at position 0",
    "401 Unauthorized: authorization header missing",
    "Bearer authentication failed",
    "PermissionNotFoundError",
    "ProviderAuthError: credentials expired",
    "SessionBusyError",
    "AI_APICallError: Too Many Requests",
    "ses_2276041bc001q4W5JN3Rmg1FJy",
    "msg_2276041bd001TzXk3RrQd0bSvP",
    "prt_2276041be001aB3dE5fG7hJ9kL",
    "per_2276041bc001q4W5JN3Rmg1FJy",
    "call_0_3f9d2a",
    "sh_2276041bc001q4W5JN3Rmg1FJy",
    "GET /session/status?directory=/srv/project",
    "POST /permission/per_2276041bc001q4W5JN3Rmg1FJy/reply",
    "GET /api/session/ses_2276041bc001q4W5JN3Rmg1FJy/permission",
    "external_directory",
    "mkdir -p /outside/a && echo done",
    "The user rejected permission to use this specific tool call.",
    "Tool execution aborted",
    "Interaction cancelled because the location shut down",
    "ECONNREFUSED 127.0.0.1:4096",
    "EADDRINUSE: address already in use",
    "ENOENT: no such file or directory, open '/srv/project/x.ts'",
    "SQLITE_BUSY: database is locked",
    "git@github.com:anomalyco/opencode.git",
    "npm i @ai-sdk/openai-compatible@1.0.22",
    "opencode-linux-x64@1.18.34",
    "v2@0.0.0-next-16350",
    "sha256 9f6b37e40761054dcbeb4d85ac39b531e5cc4cd32813a68a97d711fd0415da41",
    "commit 035d5b6c1a9e4f7082b3d5c6e7f8091a2b3c4d5e",
    "pipe:[48213]",
    "2026-11-29T19:22:01.123Z",
    "finish reason: tool-calls",
    "docker run -u 1000:1000 image",
    'curl -X POST -u opencode:"$OPENCODE_SERVER_PASSWORD" http://127.0.0.1:4096/permission',
    "--password $OPENCODE_PASSWORD",
    "apiKey: {env:OPENAI_API_KEY}",
    "basic authentication required",
    "key: value pairs expected",
)
