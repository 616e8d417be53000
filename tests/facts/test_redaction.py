"""Redaction, in both directions: values go, the words of a diagnosis stay."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wedged.facts.redaction import REDACTED, Redactor, redact, redact_value

CANARY = "hunter2-Canary9"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlX2Fu"
# In two pieces, so that no scanner of repositories takes it for a real one.
VENDOR_KEY = "sk-" + "ant-api03-" + "a1B2" * 6
BASIC = base64.b64encode(f"opencode:{CANARY}".encode()).decode()


@pytest.mark.parametrize(
    ("text", "leak"),
    [
        (f"password={CANARY}", CANARY),
        (f"password: {CANARY}", CANARY),
        (f"OPENCODE_SERVER_PASSWORD={CANARY} opencode serve", CANARY),
        (f"export OPENAI_API_KEY='{CANARY}'", CANARY),
        ('password="two words Canary9"', "words Canary9"),
        ("password: 'two words Canary9', user: 'x'", "words Canary9"),
        (json.dumps({"password": "two words Canary9"}), "words Canary9"),
        (json.dumps({"password": 'a "quoted" Canary9'}), "Canary9"),
        (json.dumps({"body": json.dumps({"clientSecret": "two words Canary9"})}), "words Canary9"),
        ("password=abc,Canary9;x", "Canary9"),
        ("password=abc\\Canary9", "Canary9"),
        ("password=not-Canary9", "Canary9"),
        (f"server password {CANARY}", CANARY),
        (f"Authorization: Basic {BASIC}", BASIC),
        (f'{{"authorization": "Bearer {CANARY}"}}', CANARY),
        ("Authorization: Bearer abc", "abc"),
        (f"sent Basic {BASIC} to it", BASIC),
        (f"http://opencode:{CANARY}@127.0.0.1:4096/", CANARY),
        (f"GET /event?auth_token={CANARY}&x=1", CANARY),
        (f"opencode --password {CANARY} serve", CANARY),
        (f"Cookie: session={CANARY}; theme=dark", CANARY),
        (f"set-cookie: sid={CANARY}; Path=/", CANARY),
        (f"key {VENDOR_KEY} is bad", VENDOR_KEY),
        ("ghp_0123456789abcdefABCDEF", "0123456789abcdef"),
        ("github_pat_0123456789abcdefABCDEF", "0123456789abcdef"),
        ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        ("AIzaSyA0123456789abcdefghijklmnopqrstuv", "AIzaSy"),
        (f"token was {JWT}.", JWT),
        (JWT, "eyJ"),
        ("-----BEGIN RSA PRIVATE KEY-----\nCanary9\n-----END RSA PRIVATE KEY-----", "Canary9"),
        ("-----BEGIN PRIVATE KEY-----\nCanary9 (cut off", "Canary9"),
    ],
)
def test_values_go(text: str, leak: str) -> None:
    assert leak in text
    assert leak not in redact(text)
    assert REDACTED in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "missing variable OPENAI_API_KEY",
        "OPENCODE_SERVER_PASSWORD is not set; server is unsecured.",
        "Warning: the server password is required",
        "password: required",
        "api_key: missing",
        "Error: secret: not found.",
        "Unexpected token < in JSON at position 0",
        "SyntaxError: Unexpected token: expected }",
        "max_tokens: 4096 is more than the model's 2048",
        "prompt has 200000 tokens: too many",
        '{"tokens":{"input":0,"output":12,"cache":{"read":0}}}',
        '{"tokenCount": 7, "token_limit": 9}',
        "tokenizer: cl100k",
        "basic authentication required",
        "Bearer authentication failed",
        "pass --password on the command line",
        "use the flag --token to sign in",
        "401 Unauthorized: authorization header missing",
        "token: { access: 1 }",
        "mkdir -p /outside/w101-trigger-3/a",
        "The user rejected permission to use this specific tool call.",
        "GET /permission lists one external_directory request",
        "task-0123456789abcdefghij",
        "http://127.0.0.1:4096/session/status?directory=/project",
        "git@github.com:anomalyco/opencode.git",
        "12:35:55 build@project: done",
    ],
)
def test_words_stay(text: str) -> None:
    assert redact(text) == text


def test_what_stands_around_a_value_stays() -> None:
    line = f"POST /session 401 password={CANARY} user=opencode took 12 ms"
    assert redact(line) == f"POST /session 401 password={REDACTED} user=opencode took 12 ms"
    page = f"https://u:{CANARY}@example.org/path?x=1"
    assert redact(page) == f"https://u:{REDACTED}@example.org/path?x=1"
    text = json.dumps({"password": CANARY, "port": 4096})
    assert json.loads(redact(text)) == {"password": REDACTED, "port": 4096}


def test_a_known_secret_goes_wherever_it_is_the_longest_first() -> None:
    assert redact("xabcdefx abc", ["abc", "abcdef", ""]) == f"x{REDACTED}x {REDACTED}"


def test_a_tree_loses_what_its_keys_announce() -> None:
    tree = {
        "password": "two words",
        "apiKey": "short",
        "env": {"OPENCODE_SERVER_PASSWORD": "x", "HOME": "/home"},
        "headers": {"Authorization": "Digest abc", "Cookie": "a=b", "Accept": "text/html"},
        "tokens": {"input": 3, "output": 4},
        "token_count": 5,
        "argv": ["opencode", "--password", "two words", "serve", "--print-logs"],
        "list": [{"secret": "s"}, ["plain", f"password={CANARY}"]],
        "has_password": True,
        "passwordless": None,
        "empty_password": "",
    }
    assert redact_value(tree) == {
        "password": REDACTED,
        "apiKey": REDACTED,
        "env": {"OPENCODE_SERVER_PASSWORD": REDACTED, "HOME": "/home"},
        "headers": {"Authorization": REDACTED, "Cookie": REDACTED, "Accept": "text/html"},
        "tokens": {"input": 3, "output": 4},
        "token_count": 5,
        "argv": ["opencode", "--password", REDACTED, "serve", "--print-logs"],
        "list": [{"secret": REDACTED}, ["plain", f"password={REDACTED}"]],
        "has_password": True,
        "passwordless": None,
        "empty_password": "",
    }


def test_a_known_secret_in_a_tree_goes_from_keys_too() -> None:
    assert redact_value({f"x{CANARY}": [f"y{CANARY}"]}, [CANARY]) == {f"x{REDACTED}": [f"y{REDACTED}"]}


@given(st.text(alphabet=st.sampled_from("passwordtokenkey=:\"'\\ {}[]-,;@/.\n1aZ"), max_size=80))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(
    st.text(
        alphabet=st.characters(
            codec="utf-8", exclude_categories=("C", "Z"), exclude_characters="\"'\\,;}&{[("
        ),
        min_size=9,
        max_size=40,
    ),
    st.sampled_from(
        ["password={}", "x --token {} y", '"secret": "{}"', "http://u:pw@h/?api_key={}&z=1", "passphrase: {}"]
    ),
)
def test_no_value_survives_whole(value: str, frame: str) -> None:
    text = frame.replace("{}", f"Q7{value}")
    assert f"Q7{value}" not in redact(text)


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "a",
            "password",
            "password ",
            "eyJ-",
            "a-",
            "Basic ",
            "token=",
            '\\"',
            'secret="',
            "--token ",
            "x:",
        ),
        *(
            "A" * 64 + "\n",
            "login a ",
            "http://a:",
            "-u a:",
            'password="a\n',
            "a@a.",
            "SG.",
            "secret-",
            "<token>",
        ),
        *("-----BEGIN PRIVATE KEY-----\n", "secret: |\n  a", '"token","a1', "/home/"),
    ],
)
def test_a_long_hostile_text_ends(unit: str) -> None:
    """A pattern that is quadratic in the length takes many minutes for this; the suite's limit is five."""
    text = unit * (200_000 // len(unit))
    assert len(Redactor(homes=["/home/a"], users=["alice"]).text(text)) > 0
