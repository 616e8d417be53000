"""Looking for a feature that a server may not have: by its API document, and by what the route answers."""

import secrets

import httpx

from wedged.errors import LabError
from wedged.evidence import AbsentProbe
from wedged.facts.server import Line
from wedged.lab.bench import Bench

_DOCUMENT = {Line.V1: "/doc"}
_V2_DOCUMENT = "/openapi.json"
_PATIENCE_S = 45.0


def look_for(bench: Bench, path: str, *, method: str = "get") -> AbsentProbe:
    """Ask for `path` with GET, and look up its `method` in the server's API document, which is read where
    `bench` does not hold its routes yet: a cold V1 needs two seconds of a core to write it.

    Only GET is ever sent: a route of another method that is there must not act. That the document has it is
    then what tells it from one that is missing.
    Servers that bring the web app answer 200 and its page to any path that they don't know, so that page is
    compared with the one for a path that nobody has.

    Raises:
        LabError: the server has no readable API document, or did not answer.
    """
    try:
        with bench.server.raw_client(_PATIENCE_S) as client:
            if not bench.routes:
                bench.routes.update(_routes(client, bench.identity.line))
            answer = client.get(path)
            nowhere = client.get(f"{path}-{secrets.token_hex(4)}")
    except (httpx.HTTPError, ValueError) as error:
        raise LabError(f"looking for GET {path} failed: {type(error).__name__}") from error
    page = _is_page(answer) and _is_page(nowhere) and answer.content == nowhere.content
    known = method in bench.routes.get(path, ())
    return AbsentProbe(f"{method.upper()} {path}", known, answer.status_code, page)


def _routes(client: httpx.Client, line: Line) -> dict[str, tuple[str, ...]]:
    document = client.get(_DOCUMENT.get(line, _V2_DOCUMENT)).json()
    paths = document.get("paths") if isinstance(document, dict) else None
    if not isinstance(paths, dict) or not paths:
        raise LabError("the server's API document names no path")
    return {path: tuple(methods) for path, methods in paths.items() if isinstance(methods, dict)}


def _is_page(answer: httpx.Response) -> bool:
    return answer.status_code == 200 and answer.headers.get("content-type", "").startswith("text/html")
