"""Hostile and broken servers: each ends in one of our errors, with one line that helps."""

import socket
import threading

import pytest

from wedged import errors
from wedged.client import connect
from wedged.client.transport import Transport
from wedged.facts.plain_text import plain

from .raw_server import Answer, RawServer, always, drip, flood, http, never

DEEP = '{"a":' * 200_000
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999999\r\n\r\n"
CASES: dict[str, tuple[Answer, type[errors.WedgedError], str]] = {
    "silent": (never, errors.NoAnswerInTime, "no whole answer"),
    "drips its body": (drip(HEAD), errors.NoAnswerInTime, "no whole answer"),
    "drips its head": (drip(b"HTTP/1.1 200 OK\r\nX-Slow: "), errors.NoAnswerInTime, "no whole answer"),
    "huge": (flood(HEAD, b" " * 65536), errors.BadAnswer, "more than 1 MiB"),
    "endless chunks": (
        flood(
            HEAD.replace(b"Content-Length: 9999999", b"Transfer-Encoding: chunked"),
            b"4000\r\n" + b"[" * 0x4000 + b"\r\n",
        ),
        errors.BadAnswer,
        "more than 1 MiB",
    ),
    "web page": (always(http("<html>", kind="text/html")), errors.NotOpenCode, "text/html"),
    "page called JSON": (always(http("<html>")), errors.BadAnswer, "not JSON"),
    "not UTF-8": (always(http(b'{"a":"\xff"}')), errors.BadAnswer, "not JSON"),
    "deep": (always(http(DEEP)), errors.BadAnswer, "too deep"),
    "another shape": (always(http("[1]")), errors.BadAnswer, "another shape"),
    "packed": (always(http(b"x", more="Content-Encoding: gzip\r\n")), errors.BadAnswer, "packed"),
    "500": (always(http("oops", status="500 No", kind="text/plain")), errors.ServerSaidNo, "status 500"),
    "said why": (
        always(http('{"name":"NotFoundError","data":{"message":"gone \\u001b[31m"}}', status="404 No")),
        errors.ServerSaidNo,
        "status 404 (NotFoundError: gone \\x1b[31m)",
    ),
    "elsewhere": (
        always(http("", status="302 Found", more="Location: http://evil.example/\x1b[2J\r\n")),
        errors.WedgedError,
        "",
    ),
    "redirect": (
        always(http("", status="302 Found", more="Location: http://elsewhere.example/\r\n")),
        errors.NotOpenCode,
        "redirects to http://elsewhere.example/",
    ),
    "no password given": (
        always(http("", status="401 No")),
        errors.WrongPassword,
        "OPENCODE_SERVER_PASSWORD",
    ),
    "not HTTP": (always(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), errors.NotOpenCode, "not answer GET /x in HTTP"),
    "hangs up": (always(b""), errors.Unreachable, "hung up"),
    "hangs up half-way": (always(HEAD + b"[1,"), errors.Unreachable, "hung up"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_bad_answer_is_one_clear_line(case: str) -> None:
    answer, error, words = CASES[case]
    with (
        RawServer(answer) as server,
        Transport(server.url, timeout=1, max_bytes=2**20) as transport,
        pytest.raises(error) as raised,
    ):
        transport.json("GET", "/x", dict[str, object])
    line = str(raised.value)
    assert words in line
    assert line == plain(line)
    assert len(line) < 400


def test_nothing_listens() -> None:
    with RawServer(never) as server:
        url = server.url
    with pytest.raises(errors.Unreachable, match="refused"):
        connect(url, timeout=5)


def test_a_password_is_sent_and_never_shown() -> None:
    with RawServer(always(http("", status="401 No"))) as server:
        with pytest.raises(errors.WrongPassword, match="did not take the password") as raised:
            connect(server.url, password="geheim")
        with Transport(server.url, password="geheim") as transport:
            shown = repr(transport) + str(raised.value)
        assert "Authorization: Basic b3BlbmNvZGU6Z2VoZWlt" in server.heads[0]
    assert "geheim" not in shown


def test_no_proxy_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(always(http("{}"))) as proxy, RawServer(always(http('{"a":1}'))) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        with Transport(server.url) as transport:
            assert transport.json("GET", "/", dict[str, int]) == {"a": 1}
        assert proxy.heads == []


def test_half_an_emoji_does_not_hide_the_rest() -> None:
    with (
        RawServer(always(http('{"text":"cut \\ud83d","n":"1"}'))) as server,
        Transport(server.url) as transport,
    ):
        assert transport.json("GET", "/", dict[str, str]) == {"text": "cut ?", "n": "1"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "127.0.0.1:4096",
        "file:///etc/passwd",
        "http://",
        "http://a:b",
        "http://a:99999",
        "http://[",
        "http://a b",
    ],
)
def test_what_is_not_an_address(text: str) -> None:
    with pytest.raises(errors.BadTarget, match="not a web address"):
        Transport(text)


def test_a_password_in_an_address_is_refused_unseen() -> None:
    with pytest.raises(errors.BadTarget, match="does not belong in an address") as raised:
        Transport("http://opencode:geheim@127.0.0.1:4096")
    assert "geheim" not in str(raised.value)


def hang_up_first(times: int) -> Answer:
    """Drop the connection without a word that many times, then answer."""
    left = [times]

    def answer(head: str, connection: socket.socket, over: threading.Event) -> None:
        if left[0] > 0:
            left[0] -= 1
            return
        connection.sendall(http('{"ok":true}'))

    return answer


@pytest.mark.parametrize(
    ("method", "times", "answered"), [("GET", 1, True), ("GET", 2, False), ("POST", 1, False)]
)
def test_only_a_get_is_sent_again_and_once(method: str, times: int, answered: bool) -> None:
    with RawServer(hang_up_first(times)) as server, Transport(server.url, timeout=5) as transport:
        if answered:
            assert transport.ask(method, "/x").body == b'{"ok":true}'
        else:
            with pytest.raises(errors.Unreachable, match="hung up"):
                transport.ask(method, "/x")
        assert len(server.heads) == (2 if method == "GET" else 1)
