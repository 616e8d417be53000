"""V2's two halves against a server that answers what a real one answered."""

import json
import socket
import threading
from urllib.parse import parse_qs, urlsplit

import pytest

from wedged.client import connect
from wedged.errors import BadAnswer, NoAnswerInTime, NotOpenCode, Refused, ServerSaidNo
from wedged.facts.ask import AskKind
from wedged.facts.server import Line
from wedged.facts.session import Status

from .raw_server import Answer, RawServer, http
from .v2_samples import LINES, VERSIONS, answering, sample, wedged_server

both = pytest.mark.parametrize("version", VERSIONS)


@both
def test_each_dialect_is_spoken_without_being_told(version: str) -> None:
    seen = sample(version)
    with RawServer(answering(wedged_server(version))) as server, connect(server.url) as connection:
        reader = connection.reader
        assert (connection.line, reader.identity().version) == (LINES[version], version)
        assert len(reader.openapi_sha256()) == 64
        assert reader.directory() == "/home/lab/projects/project"
        assert reader.loaded() == ("/home/lab/projects/project",)
        permission, form = reader.asks()
        assert (permission.kind, form.kind) == (AskKind.PERMISSION, AskKind.FORM)
        wedged = reader.session(permission.session_id)
        assert (wedged.status, wedged.message_count, len(wedged.unfinished)) == (Status.BUSY, 2, 1)
        assert set(reader.statuses()) == set(seen["active"]["data"])
        assert reader.has_unfinished(wedged.id)
        (own,) = reader.session_asks(wedged.id)
        assert (own.id, own.directory) == (permission.id, wedged.directory)
        assert own.listed_by == (f"GET /api/session/{wedged.id}/permission",)
        (shell,) = reader.shells()
        assert (shell.directory, shell.listed_by) == ("/home/lab/projects/project", ("GET /api/shell",))
        assert len(reader.sessions()) == 2
        assert all(head.startswith("GET ") for head in server.heads)


@both
def test_a_list_of_another_location_names_it(version: str) -> None:
    with RawServer(answering(wedged_server(version))) as server, connect(server.url) as connection:
        before = len(server.heads)
        found = connection.reader.asks("/a b"), connection.reader.shells("/a b")
        assert {one.directory for part in found for one in part} == {"/a b"}
        for head in server.heads[before:]:
            assert parse_qs(urlsplit(head.split()[1]).query) == {"location[directory]": ["/a b"]}


def paged(total: int, *, endless: bool = False) -> Answer:
    """Sessions in pages as the real lists give them: a `next` even on the last page."""

    def answer(head: str, connection: socket.socket, over: threading.Event) -> None:
        url = urlsplit(head.split()[1])
        if url.path != "/api/session":
            answering(wedged_server("2.0.15"))(head, connection, over)
            return
        query = {key: value[0] for key, value in parse_qs(url.query).items()}
        start, limit = int(query.get("cursor", "0")), int(query["limit"])
        numbers = range(start, start + limit if endless else min(start + limit, total))
        data = [{"id": f"ses_{query.get('directory', '')}{number}"} for number in numbers]
        body = {"data": data, "cursor": {"previous": None, "next": str(start + limit) if data else None}}
        connection.sendall(http(json.dumps(body)))

    return answer


@pytest.mark.parametrize(
    ("total", "limit", "expected"), [(0, 9, 0), (200, 1000, 200), (450, 1000, 450), (450, 30, 30)]
)
def test_a_list_is_read_page_by_page_to_its_end(total: int, limit: int, expected: int) -> None:
    with RawServer(paged(total)) as server, connect(server.url) as connection:
        assert len(connection.reader.sessions(limit=limit)) == expected


def test_each_page_is_of_the_same_directory() -> None:
    with RawServer(paged(250)) as server, connect(server.url) as connection:
        found = connection.reader.sessions("d")
        assert len(found) == 250
        assert {one.id[:5] for one in found} == {"ses_d"}


def test_a_list_without_an_end_is_said() -> None:
    with (
        RawServer(paged(0, endless=True)) as server,
        connect(server.url) as connection,
        pytest.raises(BadAnswer, match=r"GET /api/session has more than 40000 elements"),
    ):
        connection.reader.children("ses_1")


def test_a_list_whose_pages_drip_keeps_nobody_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page comes in time, and there are two hundred of them."""
    monkeypatch.setattr("wedged.client.v2.reader._REQUESTS", 0.02)
    pages = paged(0, endless=True)

    def drip(head: str, connection: socket.socket, over: threading.Event) -> None:
        if head.split()[1].startswith("/api/session?"):
            over.wait(0.05)
        pages(head, connection, over)

    with (
        RawServer(drip) as server,
        connect(server.url) as connection,
        pytest.raises(NoAnswerInTime, match=r"GET /api/session did not come to its end within 0.2 s"),
    ):
        connection.reader.children("ses_1")
    assert len([head for head in server.heads if "/api/session?" in head]) < 10


def test_a_page_of_the_web_app_is_no_answer() -> None:
    answers = wedged_server("2.0.15")
    known = answering(answers)

    def answer(head: str, connection: socket.socket, over: threading.Event) -> None:
        if head.split()[1].startswith("/api/shell"):
            connection.sendall(http("<!doctype html>", kind="text/html"))
        else:
            known(head, connection, over)

    with (
        RawServer(answer) as server,
        connect(server.url) as connection,
        pytest.raises(NotOpenCode, match="GET /api/shell answered 200 with text/html instead of JSON"),
    ):
        connection.reader.shells()


class Taker:
    """A server that takes whatever is posted, and keeps it."""

    def __init__(self, version: str) -> None:
        self.known = answering(wedged_server(version))
        self.taken: list[tuple[str, str, object]] = []

    def __call__(self, head: str, connection: socket.socket, over: threading.Event) -> None:
        method, path = head.split()[:2]
        if method == "GET":
            self.known(head, connection, over)
            return
        length = int(head.lower().partition("content-length: ")[2].split("\r\n")[0] or 0)
        body = head.encode().partition(b"\r\n\r\n")[2]
        while len(body) < length:
            body += connection.recv(65536)
        self.taken.append((method, path, json.loads(body) if body else None))
        made = json.dumps({"data": {"id": "ses_new"}})
        connection.sendall(http(made) if path == "/api/session" else http("", status="204 No Content"))


@both
def test_what_the_acting_half_sends(version: str) -> None:
    released = LINES[version] is Line.V2_RELEASED
    key = "decision" if released else "reply"
    form = sample(version)["forms"]["data"][0]
    with RawServer(taker := Taker(version)) as server, connect(server.url) as connection:
        actor = connection.actor
        assert actor.create_session("/a b", "a title") == "ses_new"
        actor.prompt("ses_1", "do it", "/a b")
        actor.reply("per_1", "reject", session_id="ses_1", message="no")
        actor.answer(form["id"], [["left"]], session_id=form["sessionID"])
        actor.abort("ses_1")
    create: dict[str, object] = {"location": {"directory": "/a b"}}
    rename = [("POST", "/api/session/ses_new/rename", {"title": "a title"})]
    assert taker.taken == [
        ("POST", "/api/session", create | ({"title": "a title"} if released else {})),
        *([] if released else rename),
        ("POST", "/api/session/ses_1/prompt", {"text": "do it"}),
        ("POST", "/api/session/ses_1/permission/per_1/reply", {key: "reject", "message": "no"}),
        ("POST", f"/api/session/{form['sessionID']}/form/{form['id']}/reply", {"answer": {"q0": "left"}}),
        ("POST", "/api/session/ses_1/interrupt", None),
    ]


@pytest.mark.parametrize(
    ("answers", "words"), [([["left"], ["right"]], "has 1 fields"), ([["left", "right"]], "takes one answer")]
)
def test_an_answer_that_does_not_fit_its_form_is_not_sent(answers: list[list[str]], words: str) -> None:
    form = sample("2.0.15")["forms"]["data"][0]
    with RawServer(taker := Taker("2.0.15")) as server, connect(server.url) as connection:
        with pytest.raises(Refused, match=words):
            connection.actor.answer(form["id"], answers, session_id=form["sessionID"])
        assert taker.taken == []


def test_an_error_of_the_server_is_said_in_its_words() -> None:
    gone = sample("2.0.15")["gone"]

    def answer(head: str, connection: socket.socket, over: threading.Event) -> None:
        if head.startswith("POST"):
            connection.sendall(http(json.dumps(gone), status="404 Not Found"))
        else:
            answering(wedged_server("2.0.15"))(head, connection, over)

    with RawServer(answer) as server, connect(server.url) as connection:
        with pytest.raises(ServerSaidNo, match="PermissionNotFoundError") as raised:
            connection.actor.reply("per_1", "once", session_id="ses_1")
        assert (raised.value.status, raised.value.tag) == (404, "PermissionNotFoundError")
