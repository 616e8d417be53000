"""Which dialect: the answers are those that released servers were seen to give."""

import socket
import threading

import pytest

from wedged import errors
from wedged.client import connect
from wedged.client.detect import Detected, detect
from wedged.client.transport import Transport
from wedged.facts.server import Line

from .raw_server import Answer, RawServer, always, http

NOT_FOUND = http("", status="404 Not Found")
PAGE = http("<!doctype html>", kind="text/html")
V1 = http('{"healthy":true,"version":"1.18.34"}')
PREVIEW = http('{"healthy":true,"version":"0.0.0-next-16350","pid":7}')
RELEASED = http('{"version":"2.0.15","pid":7,"urls":[],"paths":{"tmp":"/t"}}')
STARTING = http('{"version":"2.0.15"}', status="503 Service Unavailable")


def by_path(answers: dict[str, bytes], otherwise: bytes) -> Answer:
    def answer(head: str, connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(answers.get(head.split()[1], otherwise))

    return answer


@pytest.mark.parametrize(
    ("answers", "otherwise", "expected"),
    [
        ({"/global/health": V1, "/api/health": http('{"healthy":true}')}, PAGE, Detected(Line.V1, "1.18.34")),
        ({"/api/health": PREVIEW}, NOT_FOUND, Detected(Line.V2_PREVIEW, "0.0.0-next-16350")),
        ({"/api/info": RELEASED, "/api/health": NOT_FOUND}, PAGE, Detected(Line.V2_RELEASED, "2.0.15")),
        ({"/api/info": STARTING}, PAGE, Detected(Line.V2_RELEASED, "2.0.15")),
        (
            {"/global/health": http('{"healthy":true,"version":"0.0.0-dev"}')},
            PAGE,
            Detected(Line.V1, "0.0.0-dev"),
        ),
        (
            {"/global/health": http('{"healthy":true,"version":"2.9"}'), "/api/info": RELEASED},
            PAGE,
            Detected(Line.V2_RELEASED, "2.0.15"),
        ),
    ],
)
def test_each_line(answers: dict[str, bytes], otherwise: bytes, expected: Detected) -> None:
    with RawServer(by_path(answers, otherwise)) as server, Transport(server.url) as transport:
        assert detect(transport) == expected


def test_a_service_that_starts_is_no_stranger() -> None:
    starting = http('{"code":"service_starting"}', status="503 Service Unavailable")
    said = pytest.raises(errors.ServerSaidNo, match=r"not ready \(service_starting\); try again")
    with RawServer(always(starting)) as server, said:
        connect(server.url)


def test_a_v1_server_is_asked_nothing_that_it_does_not_know() -> None:
    with RawServer(by_path({"/global/health": V1}, PAGE)) as server:
        connect(server.url).close()
        assert [head.split()[1] for head in server.heads] == ["/global/health"]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (PAGE, "serves no API document"),
        (NOT_FOUND, "serves no API document"),
        (http("{}"), "not spoken here: the server's API document does not say what V2's says"),
        (http('{"paths":[]}'), "not spoken here"),
        (http('"x"'), "not spoken here"),
        (http('{"a":' * 100_000), "not spoken here: GET /openapi.json"),
    ],
)
def test_a_v2_whose_dialect_can_not_be_read_is_unknown(document: bytes, words: str) -> None:
    said = pytest.raises(errors.UnknownDialect, match=rf"is OpenCode V2 2\.0\.15,.*{words}")
    with RawServer(by_path({"/api/info": RELEASED, "/openapi.json": document}, PAGE)) as server, said:
        connect(server.url)


@pytest.mark.parametrize("answer", [PAGE, NOT_FOUND, http("{}"), http("[]"), http('{"hello":"world"}')])
def test_other_servers(answer: bytes) -> None:
    with (
        RawServer(always(answer)) as server,
        pytest.raises(errors.NotOpenCode, match="not as an OpenCode server"),
    ):
        connect(server.url)
