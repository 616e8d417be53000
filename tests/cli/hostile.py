"""Servers that can't be looked at, for every verb that looks: the answers, and words of the one line."""

import contextlib
import json
from http.server import BaseHTTPRequestHandler

from .fake_v1 import SAMPLE, Wire, answering

V2_SAMPLE = SAMPLE.with_name("v2-2.0.15.json")
HEALTH = "/global/health"
_V1: Wire = {HEALTH: {"healthy": True, "version": "1.18.34"}}


def _deep(handler: BaseHTTPRequestHandler) -> None:
    answering('{"a":' * 100_000)(handler)


def _elsewhere(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(302)
    handler.send_header("Location", "http://elsewhere.example/")
    handler.end_headers()


def _huge(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(10**9))
    handler.end_headers()
    with contextlib.suppress(OSError):  # the client hangs up long before the end
        for _ in range(1000):
            handler.wfile.write(b" " * 10**6)


def _hangs_up(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(b'{"directory":')


_PAGE = answering("<html>", "text/html")
_V2: Wire = {
    HEALTH: _PAGE,
    "/api/info": {"version": "2.0.15"},
    "/openapi.json": json.loads(V2_SAMPLE.read_text())["openapi"],
}
TARGETS: tuple[tuple[Wire, str], ...] = (
    ({}, "not as an OpenCode server does"),
    ({HEALTH: answering("<html>", "text/html")}, "not as an OpenCode server does"),
    ({HEALTH: answering("oops", "text/plain", 500)}, "not as an OpenCode server does"),
    ({HEALTH: _elsewhere}, "redirects to http://elsewhere.example/"),
    ({HEALTH: answering("", status=401)}, "set OPENCODE_SERVER_PASSWORD"),
    ({HEALTH: _huge}, "not as an OpenCode server does"),
    (_V1 | {"/path": _elsewhere}, "redirects to http://elsewhere.example/"),
    (_V1 | {"/path": _huge}, "more than 64 MiB"),
    (_V1 | {"/path": _deep}, "too deep"),
    (_V1 | {"/path": _hangs_up}, "hung up without a whole answer to GET /path"),
    (_V1 | {"/path": answering("[]")}, "GET /path answered with JSON of another shape"),
    (_V1 | {"/path": answering("<html>", "text/html")}, "text/html"),
    (_V1 | {"/path": answering('{"message":"\\u001b[2J"}', status=500)}, "status 500 (\\x1b[2J)"),
    ({"/api/info": {"version": "2.0.15"}, HEALTH: _PAGE}, "serves no API document"),
    ({HEALTH: answering('{"code":"service_starting"}', status=503)}, "not ready (service_starting)"),
    (_V2 | {"/openapi.json": {"paths": {}}}, "does not say what V2's says"),
    (_V2 | {"/openapi.json": _huge}, "more than 64 MiB"),
    (_V2 | {"/openapi.json": _elsewhere}, "redirects to http://elsewhere.example/"),
    (_V2 | {"/api/location": _PAGE}, "text/html"),
    (_V2 | {"/api/location": _deep}, "too deep"),
    (_V2 | {"/api/location": _hangs_up}, "hung up without a whole answer to GET /api/location"),
    (_V2 | {"/api/location": answering('{"message":"\\u001b[2J"}', status=500)}, "status 500 (\\x1b[2J)"),
)
